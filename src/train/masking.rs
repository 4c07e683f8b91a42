//! Masked language modelling: which tokens are to be predicted, and what the model sees in their places. Drawn
//! anew each time a text is seen (RoBERTa's dynamic masking).
//!
//! As many tokens are chosen as BERT's own data has: 15 % of a text's tokens, rounded, one at least. Of them 80 %
//! become `[MASK]`, 10 % a token drawn from the whole vocabulary and 10 % stay. Special tokens are never chosen.

use std::ops::Range;

use super::arguments::TrainingArguments;
use super::random::Random;
use crate::backend::train::IGNORED;
use crate::tokenizer::{Encoding, Tokenizer};
use crate::{Error, Result};

/// Words of the longest span.
const MAX_SPAN: usize = 10;
/// The chance that a span ends after a word, in SpanBERT (Joshi et al. 2020).
const SPAN_END: f64 = 0.2;

/// What is chosen as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Single tokens.
    Token,
    /// All tokens of a word; what is seen in their places is drawn token by token.
    Word,
    /// Spans of words; what is seen in their places is drawn once a span.
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
    /// Never chosen; in order.
    special_ids: Vec<u32>,
}

/// A text with masked tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked {
    /// What the model sees.
    pub ids: Vec<u32>,
    /// What it is to say: the id that was there where a token was chosen, -100 elsewhere.
    pub labels: Vec<i32>,
}

impl Masking {
    /// The masking of a run.
    ///
    /// # Errors
    /// `Unsupported` where the tokenizer has no mask token.
    pub fn new(tokenizer: &Tokenizer, arguments: &TrainingArguments) -> Result<Self> {
        let Some(mask) = &tokenizer.special().mask else {
            return Err(Error::Unsupported(
                "the tokenizer has no mask token to train masked LM with".into(),
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

    /// Whether a text has a token that can be chosen.
    pub fn can_mask(&self, encoding: &Encoding) -> bool {
        (0..encoding.len()).any(|at| self.is_candidate(encoding, at))
    }

    /// Masks a text. One without a token that can be chosen stays as it is.
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

    /// The chosen tokens, as ranges that do not overlap.
    fn choose(&self, encoding: &Encoding, random: &mut Random) -> Vec<Range<usize>> {
        let units = self.units(encoding);
        let tokens: usize = units.iter().map(Range::len).sum();
        let budget = ((self.probability * tokens as f64).round() as usize).clamp(1, tokens.max(1));
        match self.unit {
            Unit::Token | Unit::Word => choose_units(&units, budget, random),
            Unit::Span => choose_spans(&units, budget, random),
        }
    }

    /// What can be chosen as one, in order: tokens, or whole words.
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

/// Units in random order as far as they fit into the budget; the shortest where none does.
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

/// Spans that begin at random words, as long as drawn, or as the budget, the text and spans before allow.
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
            // words of one span lie side by side, without a special token between them
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

/// Words of a span before it is cut: geometric, renormalised on 1 to 10, 3.8 on average.
pub fn span_length(random: &mut Random) -> usize {
    // the inverse of P(length ≤ k) = (1 - 0.8^k) / (1 - 0.8^10)
    let rest = 1.0 - SPAN_END;
    let tail = 1.0 - random.uniform() * (1.0 - rest.powi(MAX_SPAN as i32));
    let length = (tail.ln() / rest.ln()).ceil();
    (length as usize).clamp(1, MAX_SPAN)
}

/// What the model sees in a chosen token's place.
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
