//! Batches: sequences concatenated without padding, with one row per token.

use std::ops::Range;

pub use webert_kernels::Sequence;

use crate::{Details, Error, ErrorKind, Result};

/// Tokens ready for the encoder. `ids`, `types` and `positions` have one entry per row, and every
/// entry is within its table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// Row in the table of words, `[rows]`.
    pub ids: Vec<u32>,
    /// Token type, `[rows]` (0: first text, 1: second).
    pub types: Vec<u32>,
    /// Row in the table of positions, `[rows]`.
    pub positions: Vec<u32>,
    /// Column of each row within its sequence, counting dropped tokens. Attention by distance
    /// measures with it; models without such attention may leave it empty.
    pub columns: Vec<u32>,
    /// Number of masked tokens of each sequence, including dropped ones. Attention of DeBERTa reads
    /// it if a first token is masked; may be empty if no row is masked.
    pub masked: Vec<u32>,
    /// The sequences, in order. Each starts where the previous one ends.
    pub sequences: Vec<Sequence>,
}

/// What a model accepts in a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Rows of the table of words.
    pub vocab: usize,
    /// Rows of the table of token types; 0 if the model has none.
    pub types: usize,
    /// Rows of the table of positions.
    pub positions: usize,
    /// Position of the first token.
    pub first_position: usize,
    /// Padding id that positions skip; `None` means that positions are columns.
    pub padding: Option<u32>,
    /// Whether other tokens read the states of masked tokens.
    pub reads_masked: bool,
}

/// The ids of a text, or of a text and its pair. All slices have one entry per token.
#[derive(Debug, Clone, Copy)]
pub struct Encoded<'a> {
    /// Token ids.
    pub ids: &'a [u32],
    /// Token types.
    pub types: &'a [u32],
    /// 0 for padding.
    pub mask: &'a [u8],
}

/// Ids as a caller passes them: row-major `[sequences, length]`, with padding and a mask.
#[derive(Debug, Clone, Copy)]
pub struct Padded<'a> {
    /// Columns per sequence.
    pub length: usize,
    /// Token ids, `[sequences, length]`.
    pub ids: &'a [u32],
    /// 0 for a token to be ignored. `None` means that every token counts.
    pub mask: Option<&'a [u32]>,
    /// Token types. `None` means 0 for every token.
    pub types: Option<&'a [u32]>,
    /// Positions. `None` means that they are counted from the left, including masked tokens.
    pub positions: Option<&'a [u32]>,
}

impl Limits {
    /// Returns the number of tokens of the longest sequence.
    fn max_tokens(&self) -> usize {
        self.positions - self.first_position
    }
}

impl Batch {
    /// Packs encodings into a batch. Padding is left out.
    ///
    /// # Errors
    /// `BadInput` if a sequence is empty or longer than the model's limit, or if a token is outside
    /// the model's vocabulary. `OutOfMemory` if the batch cannot be allocated.
    pub fn pack<'a>(
        limits: impl Into<Limits>,
        encodings: impl IntoIterator<Item = impl Into<Encoded<'a>>>,
    ) -> Result<Self> {
        let (limits, mut batch) = (limits.into(), Self::default());
        for encoding in encodings {
            let encoding = encoding.into();
            let start = batch.ids.len();
            batch.reserve(encoding.ids.len())?;
            let mut counter = Positions::new(&limits);
            // Padding advances the position as well, so tokens behind it keep the positions they
            // had.
            for i in 0..encoding.ids.len() {
                let position = counter.next(encoding.ids[i]);
                if encoding.mask[i] != 0 {
                    let kind = if limits.types == 0 { 0 } else { encoding.types[i] };
                    batch.push(&limits, encoding.ids[i], kind, position)?;
                    batch.columns.push(i as u32);
                }
            }
            batch.masked.push(0);
            batch.close(start, start)?;
        }
        Ok(batch)
    }

    /// Packs padded ids. A masked token is dropped, and the tokens after it keep their positions.
    /// Only a masked first token keeps its row, because heads read that row; no token attends to
    /// it. If other tokens of the model read the states of masked tokens, all tokens have rows, as in
    /// [`Batch::pack_whole`].
    ///
    /// Returns the batch and, for each of its rows, the index of its token in the padded input.
    ///
    /// # Errors
    /// As [`Batch::pack`]. Also `BadInput` if lengths differ or a whole sequence is masked.
    pub fn pack_padded(
        limits: impl Into<Limits>,
        padded: Padded<'_>,
    ) -> Result<(Self, Vec<usize>)> {
        let limits = limits.into();
        padded.check_lengths()?;
        if cfg!(feature = "families") && limits.reads_masked && padded.mask.is_some() {
            let places = (0..padded.ids.len()).collect();
            return Ok((Self::pack_whole(limits, padded)?, places));
        }
        let (mut batch, mut places) = (Self::default(), Vec::new());
        batch.reserve(padded.ids.len())?;
        places.try_reserve_exact(padded.ids.len()).map_err(|_| no_memory(padded.ids.len()))?;
        for row in 0..padded.ids.len() / padded.length.max(1) {
            let start = batch.ids.len();
            let mut counter = Positions::new(&limits);
            let (mut first_key, mut hidden) = (start, 0);
            for column in 0..padded.length {
                let place = row * padded.length + column;
                let counted = counter.next(padded.ids[place]);
                let masked = padded.mask.is_some_and(|mask| mask[place] == 0);
                hidden += u32::from(masked);
                if masked && column > 0 {
                    continue;
                }
                if masked {
                    first_key = start + 1;
                }
                let position = padded.positions.map_or(counted, |positions| positions[place]);
                let kind = padded.types.map_or(0, |types| types[place]);
                let kind = if limits.types == 0 { 0 } else { kind };
                batch.push(&limits, padded.ids[place], kind, position)?;
                batch.columns.push(column as u32);
                places.push(place);
            }
            batch.masked.push(hidden);
            batch.close(start, first_key)?;
        }
        Ok((batch, places))
    }

    /// Packs padded ids without dropping any token. A masked token has a row, but no token attends
    /// to it. The question-answering loss of transformers needs this: it runs over all tokens of
    /// the padded ids.
    ///
    /// # Errors
    /// As [`Batch::pack_padded`]. Also `BadInput` if masked tokens lie between others.
    pub fn pack_whole(limits: impl Into<Limits>, padded: Padded<'_>) -> Result<Self> {
        let whole = Padded { mask: None, ..padded };
        let (mut batch, _) = Self::pack_padded(limits, whole)?;
        // Repeated here, because `whole` has no mask whose length could be checked.
        padded.check_lengths()?;
        let masks = padded.mask.iter().flat_map(|mask| mask.chunks_exact(padded.length));
        for (number, (sequence, mask)) in batch.sequences.iter_mut().zip(masks).enumerate() {
            batch.masked[number] = mask.iter().filter(|kept| **kept == 0).count() as u32;
            let kept = mask.iter().filter(|kept| **kept != 0).count();
            let first = mask.iter().take_while(|kept| **kept == 0).count();
            // `keys` is one range, so the tokens that count must be neighbours.
            if kept == 0 || mask[first..first + kept].contains(&0) {
                return Err(Error::BadInput(format!(
                    "attention_mask of sequence {number}: expected one or more tokens without gaps, got {kept}"
                )));
            }
            let first = sequence.rows.start + first;
            sequence.keys = first..first + kept;
        }
        Ok(batch)
    }

    /// Appends the sequences of another batch.
    pub fn append(&mut self, other: &Self) {
        let rows = self.ids.len();
        self.ids.extend(&other.ids);
        self.types.extend(&other.types);
        self.positions.extend(&other.positions);
        self.columns.extend(&other.columns);
        self.masked.extend(&other.masked);
        let moved = |range: &Range<usize>| rows + range.start..rows + range.end;
        let sequences = other.sequences.iter();
        self.sequences.extend(
            sequences.map(|sequence| Sequence {
                rows: moved(&sequence.rows),
                keys: moved(&sequence.keys),
            }),
        );
    }

    /// Returns the row of each sequence's first token.
    pub fn first_rows(&self) -> Vec<u32> {
        self.sequences.iter().map(|s| s.rows.start as u32).collect()
    }

    /// Returns the greatest distance of two tokens of a sequence.
    pub(crate) fn reach(&self) -> u32 {
        let reach = |sequence: &Sequence| {
            let columns = self.columns.get(sequence.rows.clone()).unwrap_or_default();
            columns.last().zip(columns.first()).map_or(0, |(last, first)| last - first)
        };
        self.sequences.iter().map(reach).max().unwrap_or(0)
    }

    /// Returns the rows of masked tokens.
    pub(crate) fn masked_rows(&self) -> Vec<u32> {
        let masked = |Sequence { rows, keys }: &Sequence| {
            (rows.start..keys.start).chain(keys.end..rows.end).map(|row| row as u32)
        };
        self.sequences.iter().flat_map(masked).collect()
    }

    /// Returns the numbers of all rows, `0..rows`.
    pub(crate) fn all_rows(&self) -> Result<Vec<u32>> {
        let (mut rows, count) = (Vec::new(), self.ids.len());
        rows.try_reserve_exact(count).map_err(|_| no_memory(count))?;
        rows.extend(0..count as u32);
        Ok(rows)
    }

    /// Reserves memory for `more` rows.
    fn reserve(&mut self, more: usize) -> Result<()> {
        [&mut self.ids, &mut self.types, &mut self.positions, &mut self.columns]
            .into_iter()
            .try_for_each(|numbers| numbers.try_reserve(more))
            .map_err(|_| no_memory(more))
    }

    fn push(&mut self, limits: &Limits, id: u32, kind: u32, position: u32) -> Result<()> {
        let too_large = |what: &str, found: u32, size: usize| {
            let details = Details::new(
                ErrorKind::BadInput,
                "",
                format_args!("{what}"),
                format_args!(": expected less than {size}, got {found}"),
            );
            Err(details.values(format_args!("less than {size}"), format_args!("{found}")).error())
        };
        if id as usize >= limits.vocab {
            return too_large("token id", id, limits.vocab);
        }
        if kind as usize >= limits.types.max(1) {
            return too_large("token type", kind, limits.types);
        }
        if position as usize >= limits.positions {
            return Err(Error::BadInput(format!(
                "sequence: expected at most {} tokens, got position {position}. Truncate the text.",
                limits.max_tokens()
            )));
        }
        self.ids.push(id);
        self.types.push(kind);
        self.positions.push(position);
        Ok(())
    }

    fn close(&mut self, start: usize, first_key: usize) -> Result<()> {
        let end = self.ids.len();
        if first_key >= end {
            return Err(Error::BadInput(format!(
                "sequence {}: expected a token that is not masked, got an empty or fully masked sequence",
                self.sequences.len()
            )));
        }
        self.sequences.push(Sequence { rows: start..end, keys: first_key..end });
        Ok(())
    }
}

/// Returns the error for a batch that does not fit in memory.
fn no_memory(rows: usize) -> Error {
    Error::OutOfMemory(format!("no memory for a batch of {rows} tokens"))
}

impl Padded<'_> {
    /// Returns a part of the input: the entries at `places`, which must be whole rows.
    pub(crate) fn part(&self, places: Range<usize>) -> Self {
        let part = |values: &Option<_>| values.map(|values: &[u32]| &values[places.clone()]);
        Self {
            length: self.length,
            ids: &self.ids[places.clone()],
            mask: part(&self.mask),
            types: part(&self.types),
            positions: part(&self.positions),
        }
    }

    /// Returns `BadInput` if the ids are not whole rows, or if another list has a different length.
    pub(crate) fn check_lengths(&self) -> Result<()> {
        let all = self.ids.len();
        if self.length == 0 || all == 0 || !all.is_multiple_of(self.length) {
            return Err(Error::BadInput(format!(
                "input_ids: expected whole rows of {}, got {all} entries",
                self.length
            )));
        }
        let others = [
            ("attention_mask", self.mask),
            ("token_type_ids", self.types),
            ("position_ids", self.positions),
        ];
        for (name, values) in others {
            if let Some(values) = values.filter(|values| values.len() != all) {
                return Err(Error::BadInput(format!(
                    "{name}: expected {all} entries like input_ids, got {}",
                    values.len()
                )));
            }
        }
        Ok(())
    }
}

/// Counts positions as the model's family does: from the left, or (RoBERTa) over the tokens that
/// are not padding, starting after the padding id.
struct Positions {
    next: u32,
    skip: Option<u32>,
}

impl Positions {
    fn new(limits: &Limits) -> Self {
        Self { next: limits.first_position as u32, skip: limits.padding }
    }

    fn next(&mut self, id: u32) -> u32 {
        if let Some(pad) = self.skip.filter(|&pad| pad == id) {
            return pad;
        }
        self.next += 1;
        self.next - 1
    }
}
