//! Values inside each layer: scores of attention before the softmax, and activations of the
//! feed-forward.

use super::outputs::Grid;
use super::pass::attention_scores;
use super::passes_by_size::blocks;
use super::{Device, Inputs, Model, Tensor, Tick};
use crate::Result;
use crate::backend::{Backend, Processor};
use crate::batch::Batch;
use crate::config::Structure;
use crate::error::fault;
use crate::model::encoder::{Scratch, Span, encode};

/// Values inside each layer. Rows of masked positions are zeros.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LayerValues {
    /// `[sequences, length, intermediate]` per layer: the output of the feed-forward's first matrix
    /// and of its activation function.
    pub activations: Vec<Tensor>,
    /// `[sequences, heads, length, length]` per layer: q · k / √head_dim, before the softmax.
    pub attention_scores: Vec<Tensor>,
}

/// Returns whether each layer has plain attention, then a feed-forward without gate.
fn is_plain(structure: &Structure) -> bool {
    structure.disentangled.is_none()
        && !structure.norm_first
        && !structure.gated
        && !structure.has_narrow_layers()
        && !structure.has_span_convolution()
        && !structure.attends_relatively()
}

impl<B: Processor> Model<B> {
    /// Runs the encoder on ids and returns the values inside its layers.
    ///
    /// # Errors
    /// `Unsupported` for a family whose layers are not as BERT's, and on devices other than the
    /// CPU. As [`Model::outputs`].
    pub async fn inside(&self, inputs: &Inputs, tick: Tick<'_>) -> Result<LayerValues> {
        let what = "output_activations and output_attention_scores";
        let config = self.config();
        if !B::KEEPS_ACTIVATIONS {
            let device = B::NAME;
            return Err(fault!(
                Unsupported,
                "{what}: expected the device \"wasm\", got \"{device}\"",
                item = "{what}",
                expected = "the device \"wasm\"",
                found = "\"{device}\"",
            ));
        }
        if !is_plain(config.structure()) {
            let family = config.family.model_type();
            return Err(fault!(
                Unsupported,
                "{what}: expected a family with BERT's layers, got model_type \"{family}\"",
                item = "{what}",
                expected = "a family with BERT's layers",
                found = "model_type \"{family}\"",
            ));
        }
        let padded = inputs.padded(self.head_spec().kind)?;
        let length = padded.length;
        let sequences = padded.ids.len() / length;
        let grid = Grid { sequences, length, mask: inputs.mask.as_deref() };
        let mut activations = vec![Vec::new(); config.layers];
        let mut scores = vec![Vec::new(); config.layers];
        let numbers: Vec<usize> = (0..sequences).collect();
        let per_token = config.layers * (config.heads * length + 3 * config.hidden);
        let size = |_: &usize| (length, length.saturating_mul(per_token));
        for block in blocks(self.engine().pass_rows(), &numbers, size) {
            let mut device = self.engine().turn(tick).await?;
            let (from, to) = (block[0] * length, (block[0] + block.len()) * length);
            let (batch, mut places) = Batch::pack_padded(config, padded.part(from..to))?;
            places.iter_mut().for_each(|place| *place += from);
            let kept = batch.sequences.clone();
            for (n, [qkv, active]) in self.layers_of(&mut device, batch).await?.iter().enumerate() {
                grid.scatter(active, &places, &mut activations[n])?;
                let compact = attention_scores(qkv, config.heads, &kept);
                let all = &mut scores[n];
                grid.scatter_attention(&compact, &places, &kept, config.heads, all)?;
            }
        }
        let list = |all: Vec<Vec<f32>>, dims: [usize; 4]| -> Vec<Tensor> {
            let dims = dims.into_iter().filter(|&dim| dim > 0).collect::<Vec<_>>();
            all.into_iter().map(|data| Tensor { dims: dims.clone(), data }).collect()
        };
        Ok(LayerValues {
            activations: list(activations, [sequences, length, config.intermediate, 0]),
            attention_scores: list(scores, [sequences, config.heads, length, length]),
        })
    }

    /// Runs one pass. Returns each layer's queries, keys and values, and its activations.
    async fn layers_of(
        &self,
        Device { backend, scratch }: &mut Device<B>,
        batch: Batch,
    ) -> Result<Vec<[Vec<f32>; 2]>> {
        let span = Span { layers: self.config().layers, inside: true, ..Span::default() };
        let rows = self.rows_inside(backend, scratch, batch, &span)?;
        let mut read = backend.read(&rows.iter().collect::<Vec<_>>()).await?.into_iter();
        let mut next = || read.next().unwrap_or_default();
        Ok((0..self.config().layers).map(|_| [next(), next()]).collect())
    }

    fn rows_inside(
        &self,
        backend: &mut B,
        scratch: &mut Scratch<B>,
        batch: Batch,
        span: &Span,
    ) -> Result<Vec<<B as Backend>::Rows>> {
        let encoder = self.engine().encoder();
        Ok(encode(backend, self.config(), &encoder, batch, scratch, span)?.inside)
    }
}
