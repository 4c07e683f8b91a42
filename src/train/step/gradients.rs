//! Gradients of a model's parameters, in the structure of the model.

use std::ops::Range;

use super::backward::{EncoderGradients, HeadGradients};
use super::optimizer::Entry;
use crate::Result;
use crate::backend::Processor;
use crate::backend::train::{Parameter, Train};
use crate::model::{Encoder, Head, Leaf, ParameterSpec, Visitor};

/// One gradient per parameter: `[rows, cols]` for a matrix, `[1, len]` for a vector. Gradients of
/// frozen parameters are empty and take no memory.
pub(in crate::train) struct Gradients<B: Train> {
    pub(in crate::train) encoder: EncoderGradients<B>,
    pub(in crate::train) head: HeadGradients<B>,
}

impl<B: Train + Processor> Gradients<B> {
    /// Creates zeros for the trained parameters. `entries` lists the encoder's leaves, then the
    /// head's.
    ///
    /// # Errors
    /// As [`Train::zeros`].
    pub(in crate::train) fn new(
        backend: &mut B,
        encoder: &Encoder<ParameterSpec, ParameterSpec>,
        head: &Head<ParameterSpec, ParameterSpec>,
        entries: &[Entry],
    ) -> Result<Self> {
        let mut zeros = Zeros { backend, entries: entries.iter() };
        Ok(Self { encoder: encoder.map(&mut zeros)?, head: head.map(&mut zeros)? })
    }

    /// Returns the gradients in the order of the entries.
    pub(in crate::train) fn leaves(&self) -> Vec<&B::Rows> {
        let leaves = self.encoder.leaves().into_iter().chain(self.head.leaves());
        leaves.map(Leaf::into_inner).collect()
    }

    /// Sets all gradients to 0.
    pub(in crate::train) fn clear(&mut self, backend: &mut B, entries: &[Entry]) {
        let leaves = self.encoder.leaves_mut().into_iter().chain(self.head.leaves_mut());
        for (gradient, _) in leaves.zip(entries).filter(|(_, entry)| !entry.frozen) {
            let (Parameter::Matrix(rows) | Parameter::Vector(rows)) = gradient;
            backend.clear(rows);
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
            let (Parameter::Matrix(rows) | Parameter::Vector(rows)) = gradient;
            let length = entry.shape[1];
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

/// Visitor that creates gradients of 0 with the shapes of the visited parameters.
struct Zeros<'a, B> {
    backend: &'a mut B,
    /// Entries of the leaves that follow.
    entries: std::slice::Iter<'a, Entry>,
}

impl<B: Train> Zeros<'_, B> {
    fn next(&mut self) -> Result<B::Rows> {
        match self.entries.next() {
            Some(Entry { shape: [rows, cols], frozen: false, .. }) => {
                self.backend.zeros(*rows, *cols)
            }
            _ => Ok(B::Rows::default()),
        }
    }
}

impl<B: Train> Visitor<&ParameterSpec, &ParameterSpec> for Zeros<'_, B> {
    type Matrix = B::Rows;
    type Vector = B::Rows;

    fn matrix(&mut self, _: &ParameterSpec) -> Result<B::Rows> {
        self.next()
    }

    fn vector(&mut self, _: &ParameterSpec) -> Result<B::Rows> {
        self.next()
    }
}
