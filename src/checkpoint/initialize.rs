//! The parameters that no file gives, drawn as transformers draws them before training.

use super::loader::{LoadOptions, Loader};
use super::parameter_slots::{Kind, TensorTarget};
use super::plan::Plan;
use crate::backend::{Linear, Precision, Processor};
use crate::config::{Config, Family, HeadKind};
use crate::model::{describe_new_head, has_pooler};
use crate::random::normals;
use crate::{Error, Result};

/// What is drawn in place of tensors: the head's that its file does not have; where no file is given, all. Matrices
/// are N(0, `initializer_range`²) and rows of the padding token 0, biases are 0, weights of norms 1. A tensor's numbers
/// are those of seed and name, whatever else is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Initialize {
    /// Of what is drawn.
    pub seed: u64,
    /// Whether the last linear layer is drawn even where the file has it: its labels are others.
    pub output: bool,
}

/// How many numbers are drawn at a time.
const BLOCK: usize = 16 * 1024;

impl<B: Processor> Loader<B> {
    /// Draws what [`Initialize`] says, after the last file. Nothing where the options do not have it.
    ///
    /// # Errors
    /// As [`Loader::new`], and the backend's.
    pub fn initialize(&mut self, backend: &mut B) -> Result<()> {
        let Some(Initialize { seed, .. }) = self.options.initialize else { return Ok(()) };
        let from_nothing = self.plan.is_none();
        if from_nothing {
            let kind = drawn_kind(&self.config, self.options)?;
            let head = describe_new_head(&self.config, kind);
            let (plan, slots) = Plan::of(&self.config, self.part, head)?;
            (self.plan, self.slots) = (Some(plan), slots);
            self.allocate_zeros(backend)?;
        }
        let Some(plan) = &mut self.plan else { return Ok(()) };
        // the encoder's slots come first
        let encoder = plan.encoder.as_ref().map_or(0, |encoder| encoder.leaves().len());
        let is_drawn = |target: &TensorTarget| from_nothing || target.slot >= encoder;
        let missing = plan.targets.iter_mut().filter(|(_, target)| !target.filled);
        let all = missing.chain(&mut plan.replaced).filter(|(_, target)| is_drawn(target));
        for (name, target) in all {
            let slot = &mut self.slots[target.slot];
            slot.allocate(backend, self.options.precision.unwrap_or(Precision::F32))?;
            let (first, cols) = (target.first_row, slot.cols);
            if matches!(slot.kind, Kind::Vector(_)) && cols == 1 {
                let value = if name.ends_with(".weight") { 1.0 } else { 0.0 };
                slot.write(backend, first, &vec![value; target.rows]);
            } else {
                let mut numbers = normals(seed, name, self.config.initializer_range);
                let block = (BLOCK / cols).max(1);
                for row in (0..target.rows).step_by(block) {
                    let count = block.min(target.rows - row) * cols;
                    let values: Vec<f32> = numbers.by_ref().take(count).collect();
                    slot.write(backend, first + row, &values);
                }
                if let Some(row) = padding_row(&self.config, name) {
                    slot.write(backend, row, &vec![0.0; cols]);
                }
            }
            target.filled = true;
        }
        Ok(())
    }
}

/// The head to load, of which the file may have nothing, and whether its last linear layer is drawn. `chosen` is the
/// file's head, or the error that it does not have the one asked for.
pub(super) fn choose_drawn(
    config: &Config,
    options: LoadOptions,
    chosen: Result<HeadKind>,
) -> Result<(HeadKind, bool)> {
    match (options.initialize, chosen) {
        (Some(_), Err(_)) => Ok((drawn_kind(config, options)?, true)),
        (initialize, chosen) => Ok((chosen?, initialize.is_some_and(|draws| draws.output))),
    }
}

/// The head that is asked for, or the one that config.json names.
fn drawn_kind(config: &Config, options: LoadOptions) -> Result<HeadKind> {
    let kind = options.head.or(config.head).unwrap_or(HeadKind::Bare);
    let is_known = match kind {
        HeadKind::Bare => true,
        HeadKind::ReplacedToken => config.family == Family::Electra,
        _ => !kind.reads_first() || has_pooler(config.family, kind),
    };
    if is_known {
        return Ok(kind);
    }
    let (family, head) = (config.family.model_type(), kind.name());
    Err(Error::Unsupported(format!("{family} has no head for {head}")))
}

impl Plan {
    /// Where the last linear layer is drawn, files' tensors of its names are another one's.
    pub(super) fn with_output_drawn(mut self, is_drawn: bool) -> Self {
        if let Some(Linear { weight, bias, .. }) =
            self.head_spec.output.as_ref().filter(|_| is_drawn)
        {
            let tensors = [weight, bias].into_iter().flat_map(|spec| &spec.tensors);
            let names: Vec<&String> = tensors.map(|tensor| &tensor.canonical).collect();
            let (replaced, targets) =
                self.targets.into_iter().partition(|(name, _)| names.contains(&name));
            (self.targets, self.replaced) = (targets, replaced);
        }
        self
    }
}

/// The row of a table that stands for padding (PyTorch's `padding_idx`), where it is in the table.
fn padding_row(config: &Config, name: &str) -> Option<usize> {
    let rows = match name {
        "embeddings.word_embeddings.weight" | "embeddings.tok_embeddings.weight" => config.vocab,
        "embeddings.position_embeddings.weight" if config.padding_position().is_some() => {
            config.positions
        }
        _ => 0,
    };
    let row = config.pad_id as usize;
    (row < rows).then_some(row)
}
