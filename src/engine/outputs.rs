//! Padded ids in, tensors out: the interface of Hugging Face's model classes.

use std::cell::RefCell;

use serde::Serialize;

use super::model::{copy, reserve};
use super::pass::{Request, Response};
use super::{Model, Tick};
use crate::backend::Processor;
use crate::batch::{Batch, Padded, Sequence};
use crate::config::HeadKind;
use crate::{Error, Result};

/// Ids from a caller, row-major.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// Shape: `[batch, length]`, or `[batch, choices, length]`.
    pub dims: Vec<usize>,
    /// Token ids.
    pub ids: Vec<u32>,
    /// 0 for a token to be ignored. `None`: no token is ignored.
    pub mask: Option<Vec<u32>>,
    /// Token types. `None`: 0 for every token.
    pub types: Option<Vec<u32>>,
    /// Positions. `None`: counted from the left.
    pub positions: Option<Vec<u32>>,
}

impl Inputs {
    /// Checks the shapes. Returns the ids as rows of their last dimension.
    pub(crate) fn padded(&self, head: HeadKind) -> Result<Padded<'_>> {
        let expected = if head == HeadKind::MultipleChoice { 3 } else { 2 };
        let (dims, entries) = (&self.dims, self.ids.len());
        let product = dims.iter().try_fold(1, |product: usize, &dim| product.checked_mul(dim));
        if dims.len() != expected || product != Some(entries) || entries == 0 {
            return Err(Error::BadInput(format!(
                "input_ids: expected {expected} dims of 1 or more, whose product is the number of \
                 entries, got dims {dims:?} and {entries} entries"
            )));
        }
        let padded = Padded {
            length: dims[expected - 1],
            ids: &self.ids,
            mask: self.mask.as_deref(),
            types: self.types.as_deref(),
            positions: self.positions.as_deref(),
        };
        padded.check_lengths()?;
        Ok(padded)
    }
}

/// A result, row-major f32.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Tensor {
    /// Shape.
    pub dims: Vec<usize>,
    /// Values.
    pub data: Vec<f32>,
}

/// Outputs of a model, with Hugging Face's names. If a tensor has a row per position, the rows of
/// masked positions are zeros.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outputs {
    /// `logits`, `last_hidden_state` and others, depending on the model.
    pub tensors: Vec<(&'static str, Tensor)>,
    /// `[sequences, length, hidden]`: the embeddings' output, then each layer's output. Empty
    /// unless requested. `sequences` is the batch size, times the number of choices if the input
    /// has choices.
    pub hidden_states: Vec<Tensor>,
    /// `[sequences, heads, length, length]` per layer. Empty unless requested.
    pub attentions: Vec<Tensor>,
}

/// The padded grid of a batch.
pub(super) struct Grid<'a> {
    /// Number of rows of the grid.
    pub(super) sequences: usize,
    /// Number of columns.
    pub(super) length: usize,
    pub(super) mask: Option<&'a [u32]>,
}

impl<B: Processor> Model<B> {
    /// Runs the model on ids.
    ///
    /// # Errors
    /// `BadInput` if shapes do not match or an id is out of range. Errors of the backend and of
    /// `tick`.
    pub async fn outputs(
        &self,
        inputs: &Inputs,
        hidden_states: bool,
        attentions: bool,
        tick: Tick<'_>,
    ) -> Result<Outputs> {
        let padded = inputs.padded(self.head_spec().kind)?;
        let length = padded.length;
        let sequences = padded.ids.len() / length;
        let grid = Grid { sequences, length, mask: inputs.mask.as_deref() };
        let bare = self.head_spec().kind == HeadKind::Bare;
        let states = match (hidden_states, bare) {
            (true, true) => (0..=self.config().last_state()).collect(),
            (true, false) => (0..=self.config().layers).collect(),
            (false, true) => vec![self.config().last_state()],
            (false, false) => Vec::new(),
        };
        let kept = if attentions { self.config().layers } else { 0 };
        let of_token = if self.scores_tokens() { self.scores() } else { 0 }
            + states.len() * self.config().hidden
            + kept * self.config().heads * length;
        let mut gathered = Gathered::new(states.len(), kept);
        let rows: Vec<usize> = (0..sequences).collect();
        let size = |_: &usize| (length, length.saturating_mul(of_token));
        // For the current pass: the places of its rows in the grid, and its sequences.
        let packed = RefCell::new((Vec::new(), Vec::new()));
        let request = |block: &[usize]| {
            let (from, to) = (block[0] * length, (block[0] + block.len()) * length);
            let (batch, mut places) = Batch::pack_padded(self.config(), padded.part(from..to))?;
            places.iter_mut().for_each(|place| *place += from);
            *packed.borrow_mut() = (places, batch.sequences.clone());
            let states = states.clone();
            Ok(Request { batch, head: true, states, attentions, ..Request::default() })
        };
        let each = |_: &[usize], response| {
            let (places, sequences) = &*packed.borrow();
            gathered.add(response, &grid, places, sequences, self)
        };
        self.passes(&rows, size, tick, request, each).await?;
        self.named(gathered, inputs, &grid, hidden_states)
    }

    fn named(
        &self,
        all: Gathered,
        inputs: &Inputs,
        grid: &Grid<'_>,
        hidden: bool,
    ) -> Result<Outputs> {
        // With choices, the grid has a sequence per choice, more than `inputs` has entries. States
        // and attentions are per sequence.
        let Grid { sequences: batch, length, .. } = *grid;
        let tensor = |dims: &[usize], data: Vec<f32>| Tensor { dims: dims.to_vec(), data };
        let state = |data| tensor(&[batch, length, self.config().hidden], data);
        let mut states: Vec<Tensor> = all.states.into_iter().map(state).collect();
        let kind = self.head_spec().kind;
        let names = kind.outputs();
        let tokens = || [batch, length, self.scores()];
        let tensors = match kind {
            HeadKind::Bare => {
                let last = match states.last() {
                    // This state is the normalized copy of the last layer's output. It is no hidden
                    // state of a layer, so it is taken out of the list.
                    _ if self.config().last_state() > self.config().layers => {
                        states.pop().unwrap_or_default()
                    }
                    // The state is both the output and the last hidden state.
                    Some(last) if hidden => state(copy(last.data.iter(), last.data.len())?),
                    _ => states.pop().unwrap_or_default(),
                };
                let pooled = tensor(&[batch, self.config().hidden], all.pooled);
                let mut tensors = vec![last, pooled];
                tensors.retain(|tensor| !tensor.data.is_empty());
                tensors
            }
            HeadKind::PreTraining => {
                vec![tensor(&tokens(), all.logits), tensor(&[batch, 2], all.relation)]
            }
            HeadKind::QuestionAnswering => {
                let count = all.logits.len() / 2;
                let of = |n: usize| copy(all.logits.iter().skip(n).step_by(2), count);
                vec![tensor(&[batch, length], of(0)?), tensor(&[batch, length], of(1)?)]
            }
            HeadKind::MultipleChoice => vec![tensor(&inputs.dims[..2], all.logits)],
            HeadKind::ReplacedToken => vec![tensor(&[batch, length], all.logits)],
            kind if kind.reads_tokens() => vec![tensor(&tokens(), all.logits)],
            _ => vec![tensor(&[batch, self.scores()], all.logits)],
        };
        let tensors = names.iter().copied().zip(tensors).collect();
        let heads = self.config().heads;
        let attentions =
            all.attentions.into_iter().map(|data| tensor(&[batch, heads, length, length], data));
        Ok(Outputs {
            tensors,
            hidden_states: if hidden { states } else { Vec::new() },
            attentions: attentions.collect(),
        })
    }
}

/// Results of all blocks, in the padded grid.
struct Gathered {
    pooled: Vec<f32>,
    logits: Vec<f32>,
    relation: Vec<f32>,
    states: Vec<Vec<f32>>,
    attentions: Vec<Vec<f32>>,
}

impl Gathered {
    fn new(states: usize, attentions: usize) -> Self {
        Self {
            pooled: Vec::new(),
            logits: Vec::new(),
            relation: Vec::new(),
            states: vec![Vec::new(); states],
            attentions: vec![Vec::new(); attentions],
        }
    }

    /// Adds a block. `places` are the places of its rows in the grid.
    fn add(
        &mut self,
        response: Response,
        grid: &Grid<'_>,
        places: &[usize],
        sequences: &[Sequence],
        model: &Model<impl Processor>,
    ) -> Result<()> {
        let rows = sequences.len();
        grid.append(&response.pooled, rows, &mut self.pooled)?;
        grid.append(&response.relation, rows, &mut self.relation)?;
        if model.scores_tokens() {
            grid.scatter(&response.logits, places, &mut self.logits)?;
        } else {
            grid.append(&response.logits, rows, &mut self.logits)?;
        }
        for (all, state) in self.states.iter_mut().zip(&response.states) {
            grid.scatter(state, places, all)?;
        }
        for (all, attention) in self.attentions.iter_mut().zip(&response.attentions) {
            grid.scatter_attention(attention, places, sequences, model.config().heads, all)?;
        }
        Ok(())
    }
}

/// Extends `all` to the length of all blocks together, unless an earlier block has done so.
fn lengthen(all: &mut Vec<f32>, dims: &[usize]) -> Result<()> {
    if all.is_empty() {
        reserve(all, dims)?;
        all.resize(dims.iter().product(), 0.0);
    }
    Ok(())
}

impl Grid<'_> {
    /// Appends the rows of a block of `count` sequences, one row each.
    fn append(&self, rows: &[f32], count: usize, all: &mut Vec<f32>) -> Result<()> {
        if all.is_empty() {
            reserve(all, &[self.sequences, rows.len() / count])?;
        }
        all.extend_from_slice(rows);
        Ok(())
    }

    /// Copies rows to their places in the grid. `all` is allocated for the whole grid at once.
    pub(super) fn scatter(&self, rows: &[f32], places: &[usize], all: &mut Vec<f32>) -> Result<()> {
        let cols = rows.len() / places.len();
        lengthen(all, &[self.sequences, self.length, cols])?;
        for (row, &place) in rows.chunks_exact(cols.max(1)).zip(places) {
            // The rows of masked positions stay zeros.
            if self.mask.is_none_or(|mask| mask[place] != 0) {
                all[place * cols..(place + 1) * cols].copy_from_slice(row);
            }
        }
        Ok(())
    }

    pub(super) fn scatter_attention(
        &self,
        compact: &[f32],
        places: &[usize],
        sequences: &[Sequence],
        heads: usize,
        all: &mut Vec<f32>,
    ) -> Result<()> {
        let length = self.length;
        lengthen(all, &[self.sequences, heads, length, length])?;
        let mut from = compact.iter();
        for sequence in sequences {
            let grid_row = places[sequence.rows.start] / length;
            for head in 0..heads {
                for row in sequence.rows.clone() {
                    let start =
                        ((grid_row * heads + head) * length + places[row] % length) * length;
                    let masked = self.mask.is_some_and(|mask| mask[places[row]] == 0);
                    for key in sequence.keys.clone() {
                        let value = from.next().copied().unwrap_or_default();
                        if !masked {
                            all[start + places[key] % length] = value;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_no_memory_holds_are_an_error() {
        for sequences in [usize::MAX / 16, usize::MAX] {
            let grid = Grid { sequences, length: 2, mask: None };
            let sequence = [Sequence { rows: 0..1, keys: 0..1 }];
            let all = || Vec::new();
            for result in [
                grid.append(&[1.0; 4], 1, &mut all()),
                grid.scatter(&[1.0], &[0], &mut all()),
                grid.scatter_attention(&[1.0], &[0], &sequence, 1, &mut all()),
            ] {
                assert!(matches!(result, Err(Error::OutOfMemory(_))), "{result:?}");
            }
        }
    }
}
