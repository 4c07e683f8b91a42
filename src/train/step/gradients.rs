//! Gradients of a model's parameters, in the structure of the model.

use std::ops::Range;

use super::backward::{EncoderGradients, HeadGradients};
use super::low_rank::LowRank;
use super::optimizer::Entry;
use crate::Result;
use crate::backend::Processor;
use crate::backend::train::{Parameter, ParameterOn, Train};
use crate::model::{Encoder, Head, Leaf, ParameterSpec, Visitor};

/// The gradient of a matrix, or of the factors that are trained in its place.
pub(in crate::train) struct MatrixGradient<B: Train> {
    /// `[rows, cols]`. Empty if the matrix is frozen.
    pub(in crate::train) whole: B::Rows,
    pub(in crate::train) is_frozen: bool,
    /// Low-rank adapters of a frozen matrix.
    pub(in crate::train) adapters: Option<LowRank<B>>,
}

/// One gradient per parameter: `[rows, cols]` for a matrix, `[1, len]` for a vector. Gradients of
/// frozen matrices are empty and take no memory, and so do frozen vectors' unless they are kept.
pub(in crate::train) struct Gradients<B: Train> {
    pub(in crate::train) encoder: EncoderGradients<B>,
    pub(in crate::train) head: HeadGradients<B>,
}

impl<B: Train + Processor> Gradients<B> {
    /// Creates zeros for the trained parameters. `entries` lists the encoder's leaves, then the
    /// head's. With `keeps_vectors`, frozen vectors have gradients as well, which a backward pass
    /// past frozen norms and biases needs.
    ///
    /// # Errors
    /// As [`Train::zeros`].
    pub(in crate::train) fn new(
        backend: &mut B,
        encoder: &Encoder<ParameterSpec, ParameterSpec>,
        head: &Head<ParameterSpec, ParameterSpec>,
        entries: &[Entry],
        keeps_vectors: bool,
    ) -> Result<Self> {
        let mut zeros = Zeros { backend, entries: entries.iter(), keeps_vectors };
        Ok(Self { encoder: encoder.map(&mut zeros)?, head: head.map(&mut zeros)? })
    }

    /// Returns the gradients in the order of the entries.
    pub(in crate::train) fn leaves(&self) -> Vec<&B::Rows> {
        let leaves = self.encoder.leaves().into_iter().chain(self.head.leaves());
        let whole = leaves.map(|leaf| match leaf {
            Leaf::Matrix(gradient) => &gradient.whole,
            Leaf::Vector(gradient) => gradient,
        });
        whole
            .chain(self.adapters().flat_map(LowRank::factors).map(|(_, gradient)| gradient))
            .collect()
    }

    /// Returns the gradient of each matrix, `None` for a vector.
    pub(in crate::train) fn matrices(&self) -> Vec<Option<&MatrixGradient<B>>> {
        let leaves = self.encoder.leaves().into_iter().chain(self.head.leaves());
        let matrices = leaves.map(|leaf| match leaf {
            Leaf::Matrix(gradient) => Some(gradient),
            Leaf::Vector(_) => None,
        });
        matrices.collect()
    }

    /// Returns the low-rank adapters, in the order of the matrices.
    pub(in crate::train) fn adapters(&self) -> impl Iterator<Item = &LowRank<B>> {
        self.matrices().into_iter().flatten().filter_map(|gradient| gradient.adapters.as_ref())
    }

    /// Returns the gradient of each matrix, `None` for a vector.
    pub(in crate::train) fn matrices_mut(&mut self) -> Vec<Option<&mut MatrixGradient<B>>> {
        let leaves = self.encoder.leaves_mut().into_iter().chain(self.head.leaves_mut());
        let matrices = leaves.map(|leaf| match leaf {
            Parameter::Matrix(gradient) => Some(gradient),
            Parameter::Vector(_) => None,
        });
        matrices.collect()
    }

    /// Returns the adapters of each parameter, `None` for a parameter without any.
    pub(in crate::train) fn adapters_mut(&mut self) -> Vec<Option<&mut LowRank<B>>> {
        let matrices = self.matrices_mut().into_iter();
        matrices.map(|matrix| matrix.and_then(|gradient| gradient.adapters.as_mut())).collect()
    }

    /// Takes over the adapters of other gradients of the same model.
    pub(in crate::train) fn take_adapters(&mut self, from: &mut Self) {
        for pair in self.matrices_mut().into_iter().zip(from.matrices_mut()) {
            if let (Some(to), Some(from)) = pair {
                to.adapters = from.adapters.take();
            }
        }
    }

    /// Returns the gradients in the order of the entries, and the factors of all adapters, whose
    /// gradients are the last ones.
    pub(in crate::train) fn split_factors(&mut self) -> (Vec<&B::Rows>, Vec<ParameterOn<'_, B>>) {
        let (mut gradients, mut of_factors, mut factors) = (Vec::new(), Vec::new(), Vec::new());
        let leaves = self.encoder.leaves_mut().into_iter().chain(self.head.leaves_mut());
        for leaf in leaves {
            match leaf {
                Parameter::Vector(gradient) => gradients.push(&*gradient),
                Parameter::Matrix(MatrixGradient { whole, adapters, .. }) => {
                    gradients.push(&*whole);
                    for (factor, gradient) in adapters.iter_mut().flat_map(LowRank::factors_mut) {
                        factors.push(factor);
                        of_factors.push(gradient);
                    }
                }
            }
        }
        gradients.append(&mut of_factors);
        (gradients, factors)
    }

    /// Sets all gradients to 0.
    pub(in crate::train) fn clear(&mut self, backend: &mut B, entries: &[Entry]) {
        let leaves = self.encoder.leaves_mut().into_iter().chain(self.head.leaves_mut());
        for (gradient, entry) in leaves.zip(entries) {
            match gradient {
                Parameter::Matrix(MatrixGradient { adapters: Some(adapters), .. }) => {
                    adapters.clear(backend);
                }
                gradient if !entry.frozen => backend.clear(rows_of(gradient)),
                _ => {}
            }
        }
    }

    /// Sets the gradients of biases that the file does not have to 0.
    ///
    /// # Errors
    /// As [`Train::zeros`].
    pub(in crate::train) fn clear_absent(
        &mut self,
        backend: &mut B,
        entries: &[Entry],
    ) -> Result<()> {
        let leaves = self.encoder.leaves_mut().into_iter().chain(self.head.leaves_mut());
        for (gradient, entry) in leaves.zip(entries).filter(|(_, entry)| !entry.frozen) {
            let (rows, length) = (rows_of(gradient), entry.shape[1]);
            for Range { start, end } in entry.absent.iter().cloned() {
                if end - start == length {
                    backend.clear(rows);
                    continue;
                }
                let zeros = backend.zeros(1, end - start)?;
                let (mut begun, mut whole) = (B::Rows::default(), B::Rows::default());
                backend.columns([rows, &zeros], [0..start, 0..end - start], &mut begun);
                backend.columns([&begun, rows], [0..end, end..length], &mut whole);
                backend.clear(rows);
                backend.add(&whole, rows);
            }
        }
        Ok(())
    }
}

fn rows_of<B: Train>(gradient: Parameter<'_, MatrixGradient<B>, B::Rows>) -> &mut B::Rows {
    match gradient {
        Parameter::Matrix(gradient) => &mut gradient.whole,
        Parameter::Vector(rows) => rows,
    }
}

/// Visitor that creates gradients of 0 with the shapes of the visited parameters.
struct Zeros<'a, B> {
    backend: &'a mut B,
    /// Entries of the leaves that follow.
    entries: std::slice::Iter<'a, Entry>,
    keeps_vectors: bool,
}

impl<B: Train> Visitor<&ParameterSpec, &ParameterSpec> for Zeros<'_, B> {
    type Matrix = MatrixGradient<B>;
    type Vector = B::Rows;

    fn matrix(&mut self, _: &ParameterSpec) -> Result<MatrixGradient<B>> {
        let (whole, is_frozen) = match self.entries.next() {
            Some(Entry { shape: [rows, cols], frozen: false, .. }) => {
                (self.backend.zeros(*rows, *cols)?, false)
            }
            _ => (B::Rows::default(), true),
        };
        Ok(MatrixGradient { whole, is_frozen, adapters: None })
    }

    fn vector(&mut self, _: &ParameterSpec) -> Result<B::Rows> {
        match self.entries.next() {
            Some(Entry { shape: [rows, cols], frozen, .. }) if !frozen || self.keeps_vectors => {
                self.backend.zeros(*rows, *cols)
            }
            _ => Ok(B::Rows::default()),
        }
    }
}
