//! An inverted index of the pieces into which a tokenizer splits words, and BM25 over it.

use std::collections::BTreeMap;

use super::varint;

/// Parameters of BM25: the weight of repetitions (`k1`) and of a passage's length (`b`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// 0: repetitions of a piece do not count.
    pub k1: f32,
    /// 0: the length does not matter. 1: a piece counts by its share of the passage.
    pub b: f32,
}

impl Default for Bm25 {
    /// Lucene's defaults.
    fn default() -> Self {
        Self { k1: 1.2, b: 0.75 }
    }
}

/// The passages of a piece, with the number of occurrences in each.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Postings {
    /// Pairs of varints: passages skipped since the previous one, and occurrences.
    pub(super) bytes: Vec<u8>,
    /// Number of passages.
    pub(super) count: u32,
    /// Number of the last passage + 1.
    next: u32,
}

impl Postings {
    pub(super) fn push(&mut self, passage: u32, times: u32) {
        varint::push(&mut self.bytes, passage - self.next);
        varint::push(&mut self.bytes, times);
        self.next = passage + 1;
        self.count += 1;
    }

    /// Returns the passages in ascending order, each with its occurrences.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        let (mut bytes, mut next) = (&self.bytes[..], 0);
        std::iter::from_fn(move || {
            let passage = next + varint::take(&mut bytes)?;
            next = passage + 1;
            Some((passage, varint::take(&mut bytes)?))
        })
    }
}

/// Weights of sparse vectors are stored in units of 1 / 4096: weights of SPLADE are below 10.
const UNITS: f32 = 4096.0;

/// The sparse vectors of passages, as postings of every token.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Sparse {
    /// The weight takes the place of the occurrences.
    pub(super) postings: BTreeMap<u32, Postings>,
    /// Number of passages.
    pub(super) passages: u32,
}

impl Sparse {
    /// Adds a passage, as tokens with their weights. Weights of 0 and below are left out.
    pub(super) fn push(&mut self, tokens: &[(u32, f32)]) {
        let units = |weight: f32| (weight * UNITS).round() as u32;
        let weights: BTreeMap<u32, u32> =
            tokens.iter().map(|&(token, weight)| (token, units(weight))).collect();
        for (token, weight) in weights.into_iter().filter(|&(_, weight)| weight > 0) {
            self.postings.entry(token).or_default().push(self.passages, weight);
        }
        self.passages += 1;
    }

    /// Returns the memory of the postings in bytes.
    pub(super) fn bytes(&self) -> usize {
        bytes_of(&self.postings)
    }

    /// Keeps the passages whose entry in `keep` is true.
    pub(super) fn retain(&mut self, keep: &[bool]) {
        self.passages = retain_postings(&mut self.postings, keep);
    }

    /// Returns the dot product of every passage with a query.
    pub(super) fn scores(&self, query: &[(u32, f32)]) -> Vec<f32> {
        let mut scores = vec![0.0; self.passages as usize];
        for &(token, weight) in query {
            for (passage, units) in self.postings.get(&token).into_iter().flat_map(Postings::iter) {
                scores[passage as usize] += weight * (units as f32 / UNITS);
            }
        }
        scores
    }
}

fn bytes_of(postings: &BTreeMap<u32, Postings>) -> usize {
    let of_piece = |postings: &Postings| postings.bytes.len() + size_of::<(u32, Postings)>();
    postings.values().map(of_piece).sum()
}

/// Keeps the passages whose entry in `keep` is true. Returns their number.
fn retain_postings(postings: &mut BTreeMap<u32, Postings>, keep: &[bool]) -> u32 {
    let mut count = 0;
    let numbers: Vec<Option<u32>> = keep
        .iter()
        .map(|&keep| {
            count += u32::from(keep);
            keep.then(|| count - 1)
        })
        .collect();
    postings.retain(|_, postings| {
        let mut kept = Postings::default();
        for (passage, times) in postings.iter() {
            if let Some(number) = numbers[passage as usize] {
                kept.push(number, times);
            }
        }
        *postings = kept;
        postings.count > 0
    });
    count
}

/// The postings of every piece.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Words {
    pub(super) postings: BTreeMap<u32, Postings>,
    /// Number of pieces per passage, including repetitions.
    pub(super) lengths: Vec<u32>,
}

impl Words {
    /// Adds a passage.
    pub(super) fn push(&mut self, pieces: &[u32]) {
        let passage = self.lengths.len() as u32;
        for (piece, times) in counted(pieces) {
            self.postings.entry(piece).or_default().push(passage, times);
        }
        self.lengths.push(pieces.len() as u32);
    }

    /// Returns the memory of the postings in bytes.
    pub(super) fn bytes(&self) -> usize {
        bytes_of(&self.postings) + 4 * self.lengths.len()
    }

    /// Keeps the passages whose entry in `keep` is true.
    pub(super) fn retain(&mut self, keep: &[bool]) {
        retain_postings(&mut self.postings, keep);
        super::vectors::retain_rows(&mut self.lengths, 1, keep);
    }

    /// Returns the BM25 score of every passage for the pieces of a query, as computed by Lucene: Σ
    /// idf · tf / (tf + k1 · (1 - b + b · length / mean length)), with idf = ln(1 + (n - df + 0.5)
    /// / (df + 0.5)) for n passages, df of them with the piece (Robertson and Zaragoza 2009). The
    /// constant factor k1 + 1 is left out. A piece counts as often as the query has it.
    pub(super) fn scores(&self, query: &[u32], Bm25 { k1, b }: Bm25) -> Vec<f32> {
        let count = self.lengths.len() as f32;
        let total: u64 = self.lengths.iter().map(|&length| u64::from(length)).sum();
        let mean = (total as f32 / count).max(1.0);
        let mut scores = vec![0.0; self.lengths.len()];
        for (piece, times) in counted(query) {
            let Some(postings) = self.postings.get(&piece) else { continue };
            let df = postings.count as f32;
            let weight = times as f32 * (1.0 + (count - df + 0.5) / (df + 0.5)).ln();
            for (passage, tf) in postings.iter() {
                let (passage, tf) = (passage as usize, tf as f32);
                let length = self.lengths[passage] as f32 / mean;
                scores[passage] += weight * tf / (tf + k1 * (1.0 - b + b * length));
            }
        }
        scores
    }
}

/// Returns each piece with its number of occurrences, in ascending order.
fn counted(pieces: &[u32]) -> BTreeMap<u32, u32> {
    let mut counts = BTreeMap::new();
    for &piece in pieces {
        *counts.entry(piece).or_insert(0) += 1;
    }
    counts
}
