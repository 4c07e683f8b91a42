//! `{tokens, tags}`, words with a label each, or `{text, entities}`, a text with the places of what it names. The
//! first piece of each word has its label; other pieces and special tokens do not count.

use serde::Deserialize;

use super::{Example, Label, Reading, Target, bad, each, need, need_text};
use crate::Result;
use crate::backend::train::IGNORED;
use crate::tokenizer::{Encoding, Segment};

/// A row: one of two pairs of fields.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Row {
    /// Words.
    pub tokens: Option<Vec<String>>,
    /// The label of each.
    pub tags: Option<Vec<Label>>,
    /// A text.
    pub text: Option<String>,
    /// What it names.
    pub entities: Option<Vec<Entity>>,
}

/// A named part of a text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Entity {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
    /// The kind, without `B-` or `I-`.
    pub label: String,
}

/// Checks and encodes the rows. Texts are cut to the greatest length.
///
/// # Errors
/// `BadInput` naming a row that lacks fields, has other numbers of words and tags, an unknown label, or an entity
/// outside the text, within a character, or over another.
pub fn examples(rows: &[Row], reading: &Reading<'_>) -> Result<Vec<Example>> {
    each(rows, |row, value| {
        let (encoding, tokens) = match (&value.tokens, &value.text) {
            (Some(tokens), None) => words(tokens, need("tags", value.tags.as_deref())?, reading)?,
            (None, Some(_)) => {
                let text = need_text("text", value.text.as_ref())?;
                entities(text, need("entities", value.entities.as_deref())?, reading)?
            }
            _ => return Err(bad("expected tokens and tags, or text and entities")),
        };
        Ok(vec![Example { row, encodings: vec![encoding], target: Target::Tokens(tokens) }])
    })
}

/// Words, each split by itself.
fn words(words: &[String], tags: &[Label], reading: &Reading<'_>) -> Result<(Encoding, Vec<i32>)> {
    if words.len() != tags.len() {
        return Err(bad(format!("there are {} tokens and {} tags", words.len(), tags.len())));
    }
    let mut classes = Vec::with_capacity(tags.len());
    let mut text = Segment::default();
    for (number, (word, tag)) in words.iter().zip(tags).enumerate() {
        classes.push(reading.index(tag)? as i32);
        text.append_as_word(&reading.tokenizer.segment(word)?, number as u32);
    }
    if text.is_empty() {
        return Err(bad("the tokens are empty"));
    }
    let added = reading.tokenizer.special_tokens_to_add(false);
    let room = reading.max_length.saturating_sub(added).min(text.len());
    let encoding = reading.tokenizer.assemble(&text.slice(0..room), None)?;
    let targets = first_pieces(&encoding, |word, _| classes[word as usize]);
    Ok((encoding, targets))
}

/// A text whose entities become `B-` and `I-` labels, or their plain kinds where the head has no such labels.
fn entities(
    text: &str,
    entities: &[Entity],
    reading: &Reading<'_>,
) -> Result<(Encoding, Vec<i32>)> {
    let mut sorted: Vec<(&Entity, Classes)> = Vec::with_capacity(entities.len());
    for entity in entities {
        check(text, entity)?;
        sorted.push((entity, Classes::of(&entity.label, reading)?));
    }
    sorted.sort_by_key(|(entity, _)| entity.start);
    if let Some(pair) = sorted.windows(2).find(|pair| pair[1].0.start < pair[0].0.end) {
        let [a, b] = [pair[0].0, pair[1].0];
        return Err(bad(format!(
            "the entities at {} to {} and at {} to {} overlap",
            a.start, a.end, b.start, b.end
        )));
    }
    let outside = reading.index(&Label::Name("O".into()))? as i32;
    let encoding = reading.encode(text, None)?;
    // a word is of the entity that has any part of it; the next word of the same one goes on with it
    let mut last = None;
    let spans = word_spans(&encoding);
    let targets = first_pieces(&encoding, |word, _| {
        let (start, end) = spans[word as usize];
        let at = sorted.partition_point(|(entity, _)| entity.end <= start);
        match sorted.get(at).filter(|(entity, _)| entity.start < end) {
            None => outside,
            Some((_, classes)) => {
                let begins = last.replace(at) != Some(at);
                if begins { classes.begin } else { classes.inside }
            }
        }
    });
    Ok((encoding, targets))
}

/// The class of an entity's first word, and of those after it.
#[derive(Clone, Copy)]
struct Classes {
    begin: i32,
    inside: i32,
}

impl Classes {
    fn of(kind: &str, reading: &Reading<'_>) -> Result<Self> {
        let class = |name: &str| reading.index(&Label::Name(name.into())).map(|index| index as i32);
        match (class(&format!("B-{kind}")), class(&format!("I-{kind}"))) {
            (Ok(begin), Ok(inside)) => Ok(Self { begin, inside }),
            (Err(_), Ok(class)) | (Ok(class), Err(_)) => Ok(Self { begin: class, inside: class }),
            (Err(_), Err(_)) => class(kind).map(|class| Self { begin: class, inside: class }),
        }
    }
}

fn check(text: &str, entity: &Entity) -> Result<()> {
    let Entity { start, end, label } = entity;
    if start >= end {
        return Err(bad(format!("the entity {label:?} at {start} to {end} is empty")));
    }
    let Some(part) = text.get(*start..*end) else {
        return Err(bad(format!(
            "the entity {label:?} at {start} to {end} is outside the text, which ends at {}, or within a character",
            text.len()
        )));
    };
    if part.trim().is_empty() {
        return Err(bad(format!("the entity {label:?} at {start} to {end} is white space")));
    }
    Ok(())
}

/// The bytes of each word that has tokens in the encoding.
fn word_spans(encoding: &Encoding) -> Vec<(usize, usize)> {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for (word, span) in encoding.word_ids.iter().zip(&encoding.spans) {
        let Some(word) = *word else { continue };
        let (start, end) = (span.start as usize, span.end as usize);
        if spans.len() <= word as usize {
            spans.resize(word as usize + 1, (start, end));
        }
        spans[word as usize].1 = end;
    }
    spans
}

/// A class for the first piece of each word: `class` is told the word and the piece's place.
fn first_pieces(encoding: &Encoding, mut class: impl FnMut(u32, usize) -> i32) -> Vec<i32> {
    let mut before = None;
    let target = |(at, word): (usize, &Option<u32>)| match word {
        Some(number) if before.replace(*number) != Some(*number) => class(*number, at),
        _ => IGNORED,
    };
    encoding.word_ids.iter().enumerate().map(target).collect()
}

/// The labels of a new head for such kinds of entities: `O`, then `B-` and `I-` of each.
///
/// ```
/// use webert::train::rows::token_classification::bio_labels;
///
/// assert_eq!(bio_labels(&["PER", "LOC"]), ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]);
/// ```
pub fn bio_labels(kinds: &[&str]) -> Vec<String> {
    let of_kind = kinds.iter().flat_map(|kind| [format!("B-{kind}"), format!("I-{kind}")]);
    std::iter::once("O".to_owned()).chain(of_kind).collect()
}
