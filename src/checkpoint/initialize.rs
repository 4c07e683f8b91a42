//! Parameters that are missing in the files. They are drawn as transformers draws them before
//! training.

use super::loader::Loader;
use super::options::LoadOptions;
use super::parameter_slots::{Kind, TensorTarget};
use super::plan::Plan;
use crate::backend::{Linear, Precision, Processor};
use crate::config::{Config, Family, HeadKind};
use crate::model::{describe_new_head, has_pooler};
use crate::random::normals;
use crate::{Error, Result};

/// Draws the head's tensors that the file lacks, or all tensors if no file is loaded. Matrices are
/// drawn from N(0, `initializer_range`²). Rows of the padding token are 0, biases are 0, and
/// weights of norms are 1. A tensor's values depend only on the seed and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Initialize {
    /// The seed of the random numbers.
    pub seed: u64,
    /// If true, the last linear layer is drawn even if the file has it, because the labels differ.
    pub output: bool,
}

/// The number of values that are drawn at a time.
const BLOCK: usize = 16 * 1024;

impl<B: Processor> Loader<B> {
    /// Draws the tensors selected by [`Initialize`], after the last file, and returns their
    /// canonical names. Does nothing if the options have no `initialize`.
    ///
    /// # Errors
    /// The errors of [`Loader::new`] and of the backend.
    pub fn initialize(&mut self, backend: &mut B) -> Result<Vec<String>> {
        let mut drawn = Vec::new();
        let Some(Initialize { seed, .. }) = self.options.initialize else { return Ok(drawn) };
        let from_nothing = self.plan.is_none();
        if from_nothing {
            let kind = drawn_kind(&self.config, self.options)?;
            let head = describe_new_head(&self.config, kind);
            let (plan, slots) = Plan::of(&self.config, self.part, head)?;
            (self.plan, self.slots) = (Some(plan), slots);
            self.allocate_zeros(backend)?;
        }
        let Some(plan) = &mut self.plan else { return Ok(drawn) };
        // the encoder's slots come first; an encoder from files is never drawn
        let encoder = plan.encoder.as_ref().map_or(0, |encoder| encoder.leaves().len());
        let is_drawn = |target: &TensorTarget| from_nothing || target.slot >= encoder;
        let missing = plan.targets.iter_mut().filter(|(_, target)| !target.filled);
        let all = missing.chain(plan.replaced.iter_mut()).filter(|(_, target)| is_drawn(target));
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
            drawn.push(name.clone());
        }
        Ok(drawn)
    }
}

/// Returns the head to load, and whether its last linear layer is drawn. The file may lack all of
/// the head's tensors. `chosen` is the file's head, or the error that the file lacks the requested
/// head.
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

/// Returns the requested head, or the head named by config.json.
fn drawn_kind(config: &Config, options: LoadOptions) -> Result<HeadKind> {
    let kind = options.head.or(config.head).unwrap_or(HeadKind::Bare);
    let is_known = match kind {
        HeadKind::Bare => true,
        HeadKind::ReplacedToken => config.family == Family::Electra,
        _ => !kind.reads_first() || has_pooler(config, kind),
    };
    if is_known {
        return Ok(kind);
    }
    let (family, head) = (config.family.model_type(), kind.name());
    Err(Error::Unsupported(format!("{family} has no head for {head}")))
}

impl Plan {
    /// If the last linear layer is drawn, moves its tensors to `replaced`, so that the file's
    /// tensors with these names are ignored.
    pub(super) fn with_output_drawn(mut self, is_drawn: bool) -> Self {
        if let Some(Linear { weight, bias, .. }) =
            self.head_spec.output.as_ref().filter(|_| is_drawn)
        {
            let tensors = [weight, bias].into_iter().flat_map(|spec| &spec.tensors);
            let names: Vec<&String> = tensors.map(|tensor| &tensor.canonical).collect();
            (self.replaced, self.targets) = self.targets.split(|name| names.contains(&name));
        }
        self
    }
}

/// Returns the row of the padding token (PyTorch's `padding_idx`) if it is in the table.
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
