//! Entities: a group of tokens is right if its type, start and end are right. This is seqeval's
//! default.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::{Scores, share};

/// Quality of predicted entities.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entities {
    /// Right entities / predicted entities.
    pub precision: f64,
    /// Right entities / reference entities.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
    /// Share of tokens with the right label.
    pub accuracy: f64,
    /// Scores per entity type.
    pub types: BTreeMap<String, Scores>,
}

/// A group of tokens with one entity type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chunk<'a> {
    /// The label without `B-` or `I-`.
    pub kind: &'a str,
    /// First token.
    pub start: usize,
    /// Token after the last.
    pub end: usize,
}

/// Scores labels: one list per text, one label per token.
///
/// ```
/// let references = [vec!["B-PER", "I-PER", "O", "B-LOC"]];
/// let predictions = [vec!["B-PER", "I-PER", "O", "O"]];
/// let scores = webert::train::metrics::entities(&predictions, &references);
/// assert_eq!((scores.precision, scores.recall, scores.accuracy), (1.0, 0.5, 0.75));
/// ```
pub fn entities<L: AsRef<[S]>, S: AsRef<str>>(predictions: &[L], references: &[L]) -> Entities {
    let mut types: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let (mut right_tokens, mut tokens) = (0, 0);
    for (predicted, reference) in predictions.iter().zip(references) {
        let (predicted, reference) = (predicted.as_ref(), reference.as_ref());
        tokens += reference.len();
        let pairs = predicted.iter().zip(reference);
        right_tokens += pairs.filter(|(a, b)| a.as_ref() == b.as_ref()).count();
        let found = chunks(predicted);
        let there: HashSet<Chunk<'_>> = chunks(reference).into_iter().collect();
        for chunk in found {
            let [right, found, _] = types.entry(chunk.kind).or_default();
            *found += 1;
            *right += usize::from(there.contains(&chunk));
        }
        for chunk in there {
            types.entry(chunk.kind).or_default()[2] += 1;
        }
    }
    let sum = |n: usize| types.values().map(|counts| counts[n]).sum();
    let Scores { precision, recall, f1, .. } = Scores::of(sum(0), sum(1), sum(2));
    let scores = |[right, found, support]: [usize; 3]| Scores::of(right, found, support);
    let types = types.into_iter().map(|(kind, counts)| (kind.to_owned(), scores(counts))).collect();
    Entities { precision, recall, f1, accuracy: share(right_tokens, tokens), types }
}

/// Returns the groups in the labels of a text. `B-` and `S-` start a group, `E-` and `S-` end one.
/// A change of the type also starts a group, whatever the prefix. A label without a prefix counts
/// as `I-`.
pub fn chunks<S: AsRef<str>>(labels: &[S]) -> Vec<Chunk<'_>> {
    let mut chunks: Vec<Chunk<'_>> = Vec::new();
    // true while the last chunk can grow
    let mut open = false;
    for (at, label) in labels.iter().enumerate() {
        let Some((prefix, kind)) = parts(label.as_ref()) else {
            open = false;
            continue;
        };
        let begins = matches!(prefix, 'B' | 'S');
        match chunks.last_mut().filter(|last| open && !begins && last.kind == kind) {
            Some(last) => last.end = at + 1,
            None => chunks.push(Chunk { kind, start: at, end: at + 1 }),
        }
        open = !matches!(prefix, 'E' | 'S');
    }
    chunks
}

/// Splits a label into prefix and type. Returns `None` for a label outside every entity.
fn parts(label: &str) -> Option<(char, &str)> {
    if label == "O" {
        return None;
    }
    match label.split_once('-') {
        Some((prefix @ ("B" | "I" | "E" | "S"), kind)) => Some((prefix.chars().next()?, kind)),
        _ => Some(('I', label)),
    }
}

#[cfg(test)]
mod tests {
    use super::chunks;

    #[test]
    fn prefixes_begin_and_end_chunks() {
        let found = |labels: &[&str]| -> Vec<(usize, usize)> {
            chunks(labels).iter().map(|chunk| (chunk.start, chunk.end)).collect()
        };
        assert_eq!(found(&["S-A", "I-A", "E-A", "I-A"]), [(0, 1), (1, 3), (3, 4)]);
        assert_eq!(found(&["NOUN", "NOUN", "VERB", "O", "VERB"]), [(0, 2), (2, 3), (4, 5)]);
        assert_eq!(found(&["B-A", "B-A", "I-B"]), [(0, 1), (1, 2), (2, 3)]);
    }
}
