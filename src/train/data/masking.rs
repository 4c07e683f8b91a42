//! Masked language modelling: which tokens are predicted, and what the model sees in their place.
//! Masks are drawn anew each time a text is seen (RoBERTa's dynamic masking).
//!
//! The shares are as in BERT's own data: 15 % of a text's tokens are chosen, rounded, at least
//! one. Of these, 80 % become `[MASK]`, 10 % a random token of the whole vocabulary, and 10 % stay.
//! Special tokens are never chosen.

use crate::error::fault;
use std::ops::Range;

use crate::Result;
use crate::backend::train::IGNORED;
use crate::random::Random;
use crate::tokenizer::{Encoding, Tokenizer};
use crate::train::arguments::TrainingArguments;

/// Longest span in words.
const MAX_SPAN: usize = 10;
/// Probability that a span ends after a word, as in SpanBERT (Joshi et al. 2020).
const SPAN_END: f64 = 0.2;

/// The unit that is chosen together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A single token.
    Token,
    /// All tokens of a word. The replacement is drawn for each token.
    Word,
    /// A span of words. The replacement is drawn once per span.
    Span,
}

/// How tokens are masked.
#[derive(Debug, Clone)]
pub struct Masking {
    probability: f64,
    unit: Unit,
    mask_id: u32,
    /// Random tokens are less than this.
    vocab_size: usize,
    /// Tokens that are never chosen, sorted.
    special_ids: Vec<u32>,
}

/// A text with masked tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked {
    /// Ids that the model sees.
    pub ids: Vec<u32>,
    /// Ids that the model must predict: the original id of each chosen token, -100 elsewhere.
    pub labels: Vec<i32>,
}

impl Masking {
    /// Creates the masking of a run.
    ///
    /// # Errors
    /// `Unsupported` if the tokenizer has no mask token.
    pub fn new(tokenizer: &Tokenizer, arguments: &TrainingArguments) -> Result<Self> {
        let Some(mask) = &tokenizer.special().mask else {
            return Err(fault!(
                Unsupported,
                "the tokenizer has no mask token, which masked language modelling requires",
                item = "the tokenizer",
                expected = "a mask token",
            ));
        };
        let unit = match (arguments.ngram, arguments.whole_word_mask) {
            (true, _) => Unit::Span,
            (false, true) => Unit::Word,
            (false, false) => Unit::Token,
        };
        let mut special_ids = tokenizer.special_ids();
        special_ids.sort_unstable();
        let vocab_size = tokenizer.vocab_size();
        Ok(Self {
            probability: arguments.mlm_probability,
            unit,
            mask_id: mask.id,
            vocab_size,
            special_ids,
        })
    }

    /// Returns true if the text has a token that can be chosen.
    pub fn can_mask(&self, encoding: &Encoding) -> bool {
        (0..encoding.len()).any(|at| self.is_candidate(encoding, at))
    }

    /// Masks a text. A text without a token that can be chosen stays unchanged.
    pub fn mask(&self, encoding: &Encoding, random: &mut Random) -> Masked {
        let mut masked =
            Masked { ids: encoding.ids.clone(), labels: vec![IGNORED; encoding.len()] };
        for part in self.choose(encoding, random) {
            let mut seen = Seen::draw(random);
            for at in part {
                if self.unit != Unit::Span {
                    seen = Seen::draw(random);
                }
                masked.labels[at] = encoding.ids[at] as i32;
                masked.ids[at] = match seen {
                    Seen::Mask => self.mask_id,
                    Seen::Random => random.below(self.vocab_size) as u32,
                    Seen::Same => encoding.ids[at],
                };
            }
        }
        masked
    }

    fn is_candidate(&self, encoding: &Encoding, at: usize) -> bool {
        encoding.sequence_ids[at].is_some()
            && self.special_ids.binary_search(&encoding.ids[at]).is_err()
    }

    /// Returns the chosen tokens, as ranges that do not overlap.
    fn choose(&self, encoding: &Encoding, random: &mut Random) -> Vec<Range<usize>> {
        let units = self.units(encoding);
        let tokens: usize = units.iter().map(Range::len).sum();
        let budget = ((self.probability * tokens as f64).round() as usize).clamp(1, tokens.max(1));
        match self.unit {
            Unit::Token | Unit::Word => choose_units(&units, budget, random),
            Unit::Span => choose_spans(&units, budget, random),
        }
    }

    /// Returns the units that can be chosen, in order: tokens or whole words.
    fn units(&self, encoding: &Encoding) -> Vec<Range<usize>> {
        let word = |at: usize| (encoding.sequence_ids[at], encoding.word_ids[at]);
        let mut units: Vec<Range<usize>> = Vec::new();
        for at in (0..encoding.len()).filter(|&at| self.is_candidate(encoding, at)) {
            let goes_on = |last: &&mut Range<usize>| {
                self.unit != Unit::Token && last.end == at && word(at - 1) == word(at)
            };
            match units.last_mut().filter(goes_on) {
                Some(last) => last.end = at + 1,
                None => units.push(at..at + 1),
            }
        }
        units
    }
}

/// Chooses units in random order while they fit into the budget. Chooses the shortest unit if none
/// fits.
fn choose_units(
    units: &[Range<usize>],
    mut budget: usize,
    random: &mut Random,
) -> Vec<Range<usize>> {
    let mut order: Vec<usize> = (0..units.len()).collect();
    random.shuffle(&mut order);
    let mut chosen = Vec::new();
    for &at in &order {
        if units[at].len() <= budget {
            budget -= units[at].len();
            chosen.push(units[at].clone());
        }
    }
    if chosen.is_empty() {
        chosen.extend(order.iter().map(|&at| units[at].clone()).min_by_key(Range::len));
    }
    chosen
}

/// Chooses spans that start at random words. A span ends at its drawn length, the budget, the end
/// of the text or an earlier span.
fn choose_spans(
    words: &[Range<usize>],
    mut budget: usize,
    random: &mut Random,
) -> Vec<Range<usize>> {
    let mut order: Vec<usize> = (0..words.len()).collect();
    random.shuffle(&mut order);
    let mut is_taken = vec![false; words.len()];
    let mut chosen = Vec::new();
    for &first in &order {
        if budget == 0 {
            break;
        }
        let mut span = words[first].start..words[first].start;
        for at in first..words.len().min(first + span_length(random)) {
            let word = &words[at];
            // Words of a span must be neighbours without a special token in between.
            if is_taken[at] || word.start != span.end || word.len() > budget {
                break;
            }
            is_taken[at] = true;
            budget -= word.len();
            span.end = word.end;
        }
        if !span.is_empty() {
            chosen.push(span);
        }
    }
    if chosen.is_empty() {
        chosen.extend(order.iter().map(|&at| words[at].clone()).min_by_key(Range::len));
    }
    chosen
}

/// Returns the number of words of a span: geometric, renormalized to 1…10, 3.8 on average.
pub fn span_length(random: &mut Random) -> usize {
    // Inverse of P(length ≤ k) = (1 - 0.8^k) / (1 - 0.8^10).
    let rest = 1.0 - SPAN_END;
    let tail = 1.0 - random.uniform() * (1.0 - rest.powi(MAX_SPAN as i32));
    let length = (tail.ln() / rest.ln()).ceil();
    (length as usize).clamp(1, MAX_SPAN)
}

/// What the model sees in place of a chosen token.
#[derive(Clone, Copy)]
enum Seen {
    Mask,
    Random,
    Same,
}

impl Seen {
    fn draw(random: &mut Random) -> Self {
        match random.uniform() {
            draw if draw < 0.8 => Self::Mask,
            draw if draw < 0.9 => Self::Random,
            _ => Self::Same,
        }
    }
}
