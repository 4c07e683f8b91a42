//! Unigram: splits a word into the tokens with the highest sum of scores.

use super::NO_TOKEN;
use crate::Result;
use crate::error::fault;
use crate::tokenizer::automaton::Automaton;
use crate::tokenizer::bert::wordpiece::Piece;
use crate::tokenizer::vocab::Vocab;

/// The distance of an unknown character's score from the lowest score: sentencepiece's
/// `kUnkPenalty`.
const UNKNOWN_PENALTY: f64 = 10.0;

/// The start of a node that no path reaches yet.
const NONE: u32 = u32::MAX;

/// The tokens and their scores.
#[derive(Debug, Clone)]
pub(super) struct Unigram {
    vocab: Vocab,
    /// For each id, the logarithm of the token's probability.
    scores: Vec<f64>,
    unk: u32,
    /// The score of a character without a token.
    unk_score: f64,
    /// Finds the tokens that end at a position.
    tokens: Automaton,
    /// The ids of `<0x00>` to `<0xFF>`, for text without tokens.
    fallback: Option<Box<[Option<u32>; 256]>>,
}

/// The best path to a byte of the word.
#[derive(Debug, Clone, Copy)]
struct Node {
    score: f64,
    /// The start of the path's last token; `NONE` if no path reaches this byte.
    start: u32,
    id: u32,
}

/// Buffers that are reused between words.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    nodes: Vec<Node>,
    /// The best path, with the last token first.
    path: Vec<Piece>,
}

impl Unigram {
    /// Returns a model. `scores` are indexed by id. With `byte_fallback`, unknown text becomes
    /// tokens of its bytes.
    ///
    /// # Errors
    /// `BadTokenizer` if the vocabulary exceeds 4 MiB or lacks the unknown token.
    pub(super) fn new(
        vocab: Vocab,
        scores: Vec<f64>,
        unk: u32,
        byte_fallback: bool,
    ) -> Result<Self> {
        if unk != NO_TOKEN && vocab.token(unk).is_none() {
            return Err(fault!(
                BadTokenizer,
                "tokenizer.json: the model has no token of the id {unk}, which is its unk_id",
                file = "tokenizer.json",
                item = "unk_id",
                found = "{unk}",
            ));
        }
        let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
        let tokens = Automaton::of_ends("tokens of a Unigram model", vocab.entries())?;
        let id = |byte| vocab.id(&format!("<0x{byte:02X}>"));
        let fallback = byte_fallback.then(|| Box::new(std::array::from_fn(id)));
        let unk_score = least - UNKNOWN_PENALTY;
        Ok(Self { scores, unk, unk_score, tokens, fallback, vocab })
    }

    pub(super) fn vocab(&self) -> &Vocab {
        &self.vocab
    }

    pub(super) fn unk(&self) -> u32 {
        self.unk
    }

    /// Appends the pieces of `word`, which must not be empty, with their byte ranges in the word.
    /// The time is linear in the word and in the number of tokens found in it.
    pub(super) fn cut(&self, word: &str, scratch: &mut Scratch, pieces: &mut Vec<Piece>) {
        if !self.search(word, &mut scratch.nodes) {
            return pieces.push(Piece { id: NO_TOKEN, start: 0, end: word.len() as u32 });
        }
        scratch.path.clear();
        let mut end = word.len() as u32;
        while end > 0 {
            let Node { start, id, .. } = scratch.nodes[end as usize];
            match scratch.path.last_mut() {
                // Neighbouring unknown characters become one token.
                Some(last) if id == self.unk && last.id == self.unk => last.start = start,
                _ => scratch.path.push(Piece { id, start, end }),
            }
            end = start;
        }
        for piece in scratch.path.drain(..).rev() {
            self.push(word, piece, pieces);
        }
    }

    /// Fills in the best path to the end of every character of `word`. Returns false if a path
    /// needs the unknown token and the model has none.
    fn search(&self, word: &str, nodes: &mut Vec<Node>) -> bool {
        nodes.clear();
        nodes.resize(word.len() + 1, Node { score: 0.0, start: NONE, id: self.unk });
        let mut state = Automaton::START;
        for (at, c) in word.char_indices() {
            let end = at + c.len_utf8();
            for &byte in &word.as_bytes()[at..end] {
                state = self.tokens.next(state, byte);
            }
            let mut best = nodes[end];
            // The longest token is tried first. A later one replaces it only if its score is
            // higher.
            let mut found = self.tokens.longest(state);
            let mut shortest = usize::MAX;
            while let Some(id) = found {
                shortest = self.tokens.len(id);
                let before = nodes[end - shortest].score;
                best.take(self.scores[id as usize] + before, end - shortest, id);
                found = self.tokens.shorter(id);
            }
            if shortest > c.len_utf8() {
                best.take(self.unk_score + nodes[at].score, at, self.unk);
                // As in the reference, this fails even if a better path would follow.
                if best.id == NO_TOKEN {
                    return false;
                }
            }
            nodes[end] = best;
        }
        true
    }

    /// Appends a piece. Text without a token becomes its bytes, if these have tokens.
    fn push(&self, word: &str, piece: Piece, pieces: &mut Vec<Piece>) {
        if piece.id != self.unk {
            return pieces.push(piece);
        }
        let text = &word[piece.start as usize..piece.end as usize];
        let id = |byte: u8| self.fallback.as_ref()?[usize::from(byte)];
        match self.vocab.id(text) {
            Some(id) => pieces.push(Piece { id, ..piece }),
            None if text.bytes().all(|byte| id(byte).is_some()) => {
                pieces.extend(text.bytes().filter_map(id).map(|id| Piece { id, ..piece }));
            }
            None => pieces.push(piece),
        }
    }
}

impl Node {
    /// Replaces the path if it is the first one or has a higher score.
    #[inline]
    fn take(&mut self, score: f64, start: usize, id: u32) {
        if self.start == NONE || score > self.score {
            *self = Self { score, start: start as u32, id };
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use proptest::prelude::*;

    use super::{Piece, Scratch, Unigram};
    use crate::tokenizer::vocab::VocabBuilder;

    /// Returns the highest sum of scores over all ways to split `word`.
    fn best(tokens: &[(String, f64)], unknown: f64, word: &str) -> f64 {
        let Some(first) = word.chars().next() else { return 0.0 };
        let of = |(token, score): &(String, f64)| {
            Some(score + best(tokens, unknown, word.strip_prefix(token.as_str())?))
        };
        let is_token = tokens.iter().any(|(token, _)| token.chars().eq([first]));
        let skipped =
            (!is_token).then(|| unknown + best(tokens, unknown, &word[first.len_utf8()..]));
        tokens.iter().filter_map(of).chain(skipped).fold(f64::NEG_INFINITY, f64::max)
    }

    proptest! {
        /// The result equals trying all ways. Scores are whole numbers, so sums are exact.
        #[test]
        fn the_best_way_is_found(
            tokens in proptest::collection::btree_map("[ab\u{e9}]{1,4}", -20..0_i32, 0..10),
            word in "[ab\u{e9}\u{3042}]{1,9}",
        ) {
            let tokens: Vec<_> = tokens.into_iter().map(|(t, s)| (t, f64::from(s))).collect();
            let mut vocab = VocabBuilder::default();
            vocab.insert("<unk>", 0).unwrap();
            for ((token, _), id) in tokens.iter().zip(1..) {
                vocab.insert(token, id).unwrap();
            }
            let scores: Vec<f64> =
                std::iter::once(0.0).chain(tokens.iter().map(|token| token.1)).collect();
            let unigram = Unigram::new(vocab.finish(), scores.clone(), 0, false).unwrap();
            let mut pieces = Vec::new();
            unigram.cut(&word, &mut Scratch::default(), &mut pieces);
            let score = |piece: &Piece| match piece.id {
                0 => {
                    let text = &word[piece.start as usize..piece.end as usize];
                    unigram.unk_score * text.chars().count() as f64
                }
                id => scores[id as usize],
            };
            let found: f64 = pieces.iter().map(score).sum();
            prop_assert_eq!(found, best(&tokens, unigram.unk_score, &word));
            let mut end = 0;
            for piece in &pieces {
                prop_assert_eq!(piece.start, end);
                end = piece.end;
            }
            prop_assert_eq!(end as usize, word.len());
        }
    }
}
