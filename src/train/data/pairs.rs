//! Documents packed into the pairs of pre-training, like BERT's `create_pretraining_data.py`.
//! Sentences are collected until a pair is full, and split into two texts at a random sentence. For
//! half of the pairs the second text is replaced by another one, or the two texts are swapped.

use super::rows::{Example, Target};
use crate::error::fault;
use crate::random::{Random, Stream};
use crate::tokenizer::{Segment, Tokenizer};
use crate::train::arguments::Objective;
use crate::{Error, ErrorKind, Result};

/// Share of pairs that are made short, so that the model also sees short inputs.
const SHORT: f64 = 0.1;
/// Share of pairs whose second text follows the first.
const NEXT: f64 = 0.5;

/// Label of a pair whose second text follows the first.
pub const IS_NEXT: i32 = 0;
/// Label of a pair whose second text is from another document, or comes before the first.
pub const NOT_NEXT: i32 = 1;

/// How pairs are made.
#[derive(Debug, Clone, Copy)]
pub struct Packing {
    /// How the second text of a negative pair is chosen.
    pub objective: Objective,
    /// Largest number of tokens per pair, including special tokens.
    pub max_length: usize,
    /// Seed of every random choice.
    pub seed: u64,
}

/// Packs documents, each a list of sentences. An example's `row` is the number of its document.
///
/// # Errors
/// `BadInput`, naming the document (`row 3: …`), if it has fewer than two tokens; if
/// [`Objective::Nsp`] has a single document; if `max_length` has no room for two texts.
pub fn pack(
    tokenizer: &Tokenizer,
    documents: &[Vec<String>],
    packing: &Packing,
) -> Result<Vec<Example>> {
    let room = packing.max_length.saturating_sub(tokenizer.special_tokens_to_add(true));
    if room < 2 {
        return Err(Error::unexpected(
            ErrorKind::BadInput,
            format_args!("max_length"),
            format_args!("room for two texts between special tokens"),
            format_args!("{}", packing.max_length),
        ));
    }
    if packing.objective == Objective::Nsp && documents.len() == 1 {
        return Err(fault!(
            BadInput,
            "objective \"nsp\": expected two or more documents, got one. Pass more documents, or use \"sop\".",
            item = "objective \"nsp\"",
            expected = "two or more documents",
            found = "one",
        ));
    }
    let mut segments = Vec::with_capacity(documents.len());
    for (row, document) in documents.iter().enumerate() {
        let mut sentences = Vec::with_capacity(document.len());
        for sentence in document {
            let sentence = tokenizer.segment(sentence)?;
            // A sentence longer than a pair continues in the next one.
            let parts = (0..sentence.len()).step_by(room);
            sentences.extend(parts.map(|at| sentence.slice(at..sentence.len().min(at + room))));
        }
        if sentences.iter().map(Segment::len).sum::<usize>() < 2 {
            return Err(fault!(
                BadInput,
                "row {row}: expected a document of two or more tokens",
                item = "row {row}",
                expected = "a document of two or more tokens",
            ));
        }
        segments.push(sentences);
    }
    let mut examples = Vec::new();
    for row in 0..segments.len() {
        let random = Random::new(packing.seed, Stream::Pairs, [row as u32, 0]);
        let mut packer =
            Packer { documents: &segments, row, objective: packing.objective, room, random };
        for pair in packer.pairs() {
            let encoding = tokenizer.assemble(&pair.first, Some(&pair.second))?;
            examples.push(Example {
                row,
                encodings: vec![encoding],
                target: Target::Class(pair.label),
            });
        }
    }
    Ok(examples)
}

/// Two texts and the label of the pair.
struct Pair {
    first: Segment,
    second: Segment,
    label: i32,
}

/// Makes the pairs of one document.
struct Packer<'a> {
    documents: &'a [Vec<Segment>],
    /// Number of the document.
    row: usize,
    objective: Objective,
    /// Largest number of tokens of both texts.
    room: usize,
    random: Random,
}

impl Packer<'_> {
    fn pairs(&mut self) -> Vec<Pair> {
        let sentences = &self.documents[self.row];
        let mut pairs = Vec::new();
        let mut first = 0;
        let mut target = self.target();
        let mut tokens = 0;
        let mut end = 0;
        while end < sentences.len() {
            tokens += sentences[end].len();
            end += 1;
            if end < sentences.len() && tokens < target {
                continue;
            }
            let (pair, used) = self.pair(&sentences[first..end], target);
            pairs.extend(pair.map(|pair| self.cut(pair)));
            // Sentences that a random text has displaced start the next pair.
            first += used;
            end = first;
            tokens = 0;
            target = self.target();
        }
        pairs
    }

    /// Returns the number of tokens at which the next pair is full.
    fn target(&mut self) -> usize {
        if self.random.chance(SHORT) { 2 + self.random.below(self.room - 1) } else { self.room }
    }

    /// Returns a pair of these sentences, and the number of sentences used. Returns no pair if a
    /// single token is left.
    fn pair(&mut self, sentences: &[Segment], target: usize) -> (Option<Pair>, usize) {
        let follows = self.random.chance(NEXT);
        if !follows && self.objective == Objective::Nsp {
            let at =
                if sentences.len() < 2 { 1 } else { 1 + self.random.below(sentences.len() - 1) };
            let first = joined(&sentences[..at]);
            let second = self.elsewhere(target.saturating_sub(first.len()));
            return (Some(Pair { first, second, label: NOT_NEXT }), at);
        }
        let Some((first, second)) = self.halves(sentences) else { return (None, sentences.len()) };
        let pair = match follows {
            true => Pair { first, second, label: IS_NEXT },
            false => Pair { first: second, second: first, label: NOT_NEXT },
        };
        (Some(pair), sentences.len())
    }

    /// Splits consecutive sentences into two texts: between two sentences, or within a single one.
    fn halves(&mut self, sentences: &[Segment]) -> Option<(Segment, Segment)> {
        match sentences {
            [sentence] if sentence.len() < 2 => None,
            [sentence] => {
                let len = sentence.len();
                Some((sentence.slice(0..len / 2), sentence.slice(len / 2..len)))
            }
            _ => {
                let at = 1 + self.random.below(sentences.len() - 1);
                Some((joined(&sentences[..at]), joined(&sentences[at..])))
            }
        }
    }

    /// Returns sentences of another document, from a random one, with at least `tokens` tokens if
    /// the document has them.
    fn elsewhere(&mut self, tokens: usize) -> Segment {
        let other = self.random.below(self.documents.len() - 1);
        let other = &self.documents[if other < self.row { other } else { other + 1 }];
        let mut text = Segment::default();
        for sentence in &other[self.random.below(other.len())..] {
            text.append(sentence);
            if text.len() >= tokens {
                break;
            }
        }
        text
    }

    /// Removes tokens from the longer text, at a random end, until both texts fit.
    fn cut(&mut self, mut pair: Pair) -> Pair {
        let (mut first, mut second) = (0..pair.first.len(), 0..pair.second.len());
        while first.len() + second.len() > self.room {
            let longer = if first.len() > second.len() { &mut first } else { &mut second };
            if self.random.chance(0.5) {
                longer.start += 1;
            } else {
                longer.end -= 1;
            }
        }
        pair.first = pair.first.slice(first);
        pair.second = pair.second.slice(second);
        pair
    }
}

fn joined(sentences: &[Segment]) -> Segment {
    let mut text = Segment::default();
    sentences.iter().for_each(|sentence| text.append(sentence));
    text
}

/// Splits a text into sentences. It splits at line breaks, and after `.`, `!`, `?` and their
/// full-width forms, including closing quotation marks and brackets. Unless the mark is full-width,
/// white space must follow.
///
/// ```
/// use webert::train::data::pairs::sentences;
///
/// assert_eq!(sentences("He came. \"Who?\" I asked.\nNobody"), ["He came.", "\"Who?\"", "I asked.", "Nobody"]);
/// ```
pub fn sentences(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_wide = matches!(c, '\u{3002}' | '\u{ff01}' | '\u{ff1f}');
        let mut end = at + c.len_utf8();
        if matches!(c, '.' | '!' | '?') || is_wide {
            while let Some((at, c)) = chars.next_if(|&(_, c)| is_closing(c)) {
                end = at + c.len_utf8();
            }
            if !is_wide && chars.peek().is_some_and(|(_, next)| !next.is_whitespace()) {
                continue;
            }
        } else if c != '\n' {
            continue;
        }
        sentences.push(text[start..end].trim());
        start = end;
    }
    sentences.push(text[start..].trim());
    sentences.into_iter().filter(|sentence| !sentence.is_empty()).map(str::to_owned).collect()
}

/// Returns true for a mark that belongs to the sentence before it.
fn is_closing(c: char) -> bool {
    matches!(
        c,
        '.' | '!' | '?' | '"' | '\'' | ')' | ']' | '\u{2019}' | '\u{201d}' | '\u{bb}' | '\u{300d}'
    )
}
