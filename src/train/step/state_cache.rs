//! Outputs of a frozen encoder: the states of each sequence, computed once and kept.

use std::collections::HashMap;
use std::ops::Range;

use crate::Result;
use crate::backend::Processor;
use crate::backend::train::Train;
use crate::batch::{Batch, Sequence};
use crate::config::HeadKind;
use crate::engine::{Device, Model};
use crate::model::encoder::{Span, encode};

/// Largest number of bytes of kept states. States of further sequences are recomputed each time.
const MOST_BYTES: usize = 256 << 20;

/// States on the host, by sequence. They contain no dropout.
#[derive(Debug, Default)]
pub(in crate::train) struct States {
    kept: HashMap<Vec<u32>, Vec<f32>>,
    bytes: usize,
    /// The encoder's change counter when the states were computed.
    changes: u64,
    /// Number of sequences that the encoder has run over.
    computed: usize,
}

/// The states of a batch.
pub(in crate::train) struct StatesOf<R> {
    /// `[rows, hidden]`: only the first token of each sequence if the head reads no others;
    /// otherwise all tokens.
    pub(in crate::train) state: R,
    pub(in crate::train) rows: usize,
}

impl States {
    /// Returns the states of a batch that the model's head reads.
    ///
    /// # Errors
    /// Errors of the backend.
    pub(in crate::train) async fn of<B: Train + Processor>(
        &mut self,
        model: &Model<B>,
        device: &mut Device<B>,
        batch: &Batch,
    ) -> Result<StatesOf<B::Rows>> {
        let kind = model.head_spec().kind;
        let rows = rows(kind, batch.ids.len(), batch.sequences.len());
        // Masks differ each time a text is seen, so kept states would never be used again.
        if is_masked(kind) {
            self.computed += batch.sequences.len();
            run(model, device, batch.clone())?;
            return Ok(StatesOf { state: std::mem::take(&mut device.scratch.state), rows });
        }
        // The encoder has changed since, so the kept states are wrong.
        if self.changes != model.engine().changes() {
            *self = Self { changes: model.engine().changes(), ..Self::default() };
        }
        let keys: Vec<Vec<u32>> = batch.sequences.iter().map(|s| key(batch, s)).collect();
        let is_new = |&n: &usize| !self.kept.contains_key(&keys[n]);
        let new: Vec<usize> = (0..keys.len()).filter(is_new).collect();
        self.compute(model, device, batch, &new, &keys).await?;
        let values: Vec<f32> =
            keys.iter().filter_map(|key| self.kept.get(key)).flatten().copied().collect();
        let mut state = B::Rows::default();
        device.backend.put(&values, rows, &mut state)?;
        // The new states are dropped only now, because this batch needs them.
        if self.bytes > MOST_BYTES {
            new.iter().for_each(|&n| self.forget(&keys[n]));
        }
        Ok(StatesOf { state, rows })
    }

    /// Runs the encoder over these sequences and keeps their states.
    async fn compute<B: Train + Processor>(
        &mut self,
        model: &Model<B>,
        device: &mut Device<B>,
        batch: &Batch,
        new: &[usize],
        keys: &[Vec<u32>],
    ) -> Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        self.computed += new.len();
        let part = part(batch, new);
        let lengths: Vec<usize> = part.sequences.iter().map(|s| s.rows.len()).collect();
        run(model, device, part)?;
        let values = device.backend.read(&[&device.scratch.state]).await?.concat();
        let (kind, hidden) = (model.head_spec().kind, model.config().hidden);
        let mut rest = &values[..];
        for (&n, length) in new.iter().zip(lengths) {
            let (now, later) = rest.split_at(rows(kind, length, 1) * hidden);
            self.bytes += size_of_val(now) + size_of_val(&keys[n][..]);
            self.kept.insert(keys[n].clone(), now.to_vec());
            rest = later;
        }
        Ok(())
    }

    fn forget(&mut self, key: &[u32]) {
        if let Some(values) = self.kept.remove(key) {
            self.bytes -= size_of_val(&values[..]) + size_of_val(key);
        }
    }

    /// Returns the number of sequences that the encoder has run over since the weights changed.
    pub(in crate::train) fn computed(&self) -> usize {
        self.computed
    }
}

/// Returns true if a text has other tokens each time it is seen.
fn is_masked(kind: HeadKind) -> bool {
    kind.scores_vocabulary() || kind == HeadKind::ReplacedToken
}

/// Returns the number of rows that a head reads of a batch.
fn rows(kind: HeadKind, tokens: usize, sequences: usize) -> usize {
    if kind.reads_tokens() { tokens } else { sequences }
}

/// Returns everything that the states of a sequence depend on.
fn key(batch: &Batch, Sequence { rows, keys }: &Sequence) -> Vec<u32> {
    let lists = [&batch.ids, &batch.types, &batch.positions];
    let first_key = (keys.start - rows.start) as u32;
    let entries = lists.into_iter().flat_map(|list| &list[rows.clone()]).copied();
    entries.chain([first_key]).collect()
}

/// Returns these sequences of a batch.
fn part(batch: &Batch, sequences: &[usize]) -> Batch {
    let mut part = Batch::default();
    for &n in sequences {
        let Sequence { rows, keys } = batch.sequences[n].clone();
        let start = part.ids.len();
        let moved =
            |range: &Range<usize>| start + range.start - rows.start..start + range.end - rows.start;
        part.sequences.push(Sequence { rows: moved(&rows), keys: moved(&keys) });
        part.ids.extend(&batch.ids[rows.clone()]);
        part.types.extend(&batch.types[rows.clone()]);
        part.positions.extend(&batch.positions[rows.clone()]);
        part.columns.extend(batch.columns.get(rows).unwrap_or_default());
        part.masked.extend(batch.masked.get(n));
    }
    part
}

/// Runs the encoder. The rows that the head reads are left in the state of the scratch memory.
fn run<B: Train + Processor>(model: &Model<B>, device: &mut Device<B>, batch: Batch) -> Result<()> {
    let (config, kind) = (model.config(), model.head_spec().kind);
    let rows = (!kind.reads_tokens()).then(|| batch.first_rows());
    let span = Span { layers: config.layers, rows, ..Span::default() };
    let Device { backend, scratch } = device;
    encode(backend, config, &model.engine().encoder(), batch, scratch, &span)?;
    Ok(())
}
