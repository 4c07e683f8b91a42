//! Rows of token classification: `{tokens, tags}`, with a label per word, or `{text, entities}`,
//! with the places of entities. The first token of each word has its label; other tokens and
//! special tokens are ignored.

use crate::error::{fault, unexpected};
use std::collections::BTreeSet;
use std::ops::Range;

use serde::Deserialize;

use super::offsets::Places;
use super::{Example, Label, Reading, Target, at, each, need, need_text};
use crate::Result;
use crate::backend::train::IGNORED;
use crate::tokenizer::{Encoding, Segment};

/// A row with one of two pairs of fields.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Row {
    /// Words.
    pub tokens: Option<Vec<String>>,
    /// Label of each word.
    pub tags: Option<Vec<Label>>,
    /// A text.
    pub text: Option<String>,
    /// Entities in the text.
    pub entities: Option<Vec<Entity>>,
}

/// An entity in a text, with offsets in the unit of [`Reading::offsets`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Entity {
    /// Start offset.
    pub start: usize,
    /// End offset, exclusive.
    pub end: usize,
    /// Entity type, without `B-` or `I-`.
    pub label: String,
}

/// Checks and encodes the rows. Texts are truncated to the largest length.
///
/// # Errors
/// `BadInput`, naming a row that lacks fields, has different numbers of words and tags, or an
/// unknown label. Also for an entity that is outside the text, splits a character, or overlaps
/// another.
pub fn examples(rows: &[Row], reading: &Reading<'_>) -> Result<Vec<Example>> {
    each(rows, |row, value| {
        let (encoding, tokens) = match (&value.tokens, &value.text) {
            (Some(tokens), None) => words(tokens, need("tags", value.tags.as_deref())?, reading)?,
            (None, Some(_)) => {
                let text = need_text("text", value.text.as_ref())?;
                entities(text, need("entities", value.entities.as_deref())?, reading)?
            }
            _ => {
                return Err(fault!(
                    BadInput,
                    "expected tokens and tags, or text and entities",
                    expected = "tokens and tags, or text and entities",
                ));
            }
        };
        Ok(vec![Example { row, encodings: vec![encoding], target: Target::Tokens(tokens) }])
    })
}

/// Encodes words. Each word is tokenized separately.
fn words(words: &[String], tags: &[Label], reading: &Reading<'_>) -> Result<(Encoding, Vec<i32>)> {
    if words.len() != tags.len() {
        let (expected, found) = (words.len(), tags.len());
        return Err(unexpected!(BadInput, "tags", "one for each of {expected} tokens", "{found}"));
    }
    let mut classes = Vec::with_capacity(tags.len());
    let mut text = Segment::default();
    for (number, (word, tag)) in words.iter().zip(tags).enumerate() {
        classes.push(reading.index(tag)? as i32);
        text.append_as_word(&reading.tokenizer.segment(word)?, number as u32);
    }
    if text.is_empty() {
        return Err(fault!(BadInput, "the tokens are empty", item = "tokens"));
    }
    let added = reading.tokenizer.special_tokens_to_add(false);
    let room = reading.max_length.saturating_sub(added).min(text.len());
    let encoding = reading.tokenizer.assemble(&text.slice(0..room), None)?;
    let targets = first_pieces(&encoding, |word| classes[word as usize]);
    Ok((encoding, targets))
}

/// Encodes a text. Entities become `B-` and `I-` labels, or plain types if the head has no such
/// labels.
fn entities(
    text: &str,
    entities: &[Entity],
    reading: &Reading<'_>,
) -> Result<(Encoding, Vec<i32>)> {
    let places = Places::new(text, reading.offsets);
    let mut named = Vec::with_capacity(entities.len());
    for entity in entities {
        let bytes = bytes(text, &places, entity)?;
        named.push(Named { bytes, entity, classes: Classes::of(&entity.label, reading)? });
    }
    named.sort_by_key(|named| named.bytes.start);
    if let Some(pair) = named.windows(2).find(|pair| pair[1].bytes.start < pair[0].bytes.end) {
        let [first, second] = [&pair[0], &pair[1]].map(|named| named.entity.name());
        return Err(fault!(BadInput, "{first} and {second} overlap", item = "{second}"));
    }
    let outside = reading.index(&Label::Name("O".into()))? as i32;
    let encoding = reading.encode(text, None)?;
    let words = word_spans(&encoding);
    // A word belongs to the entity that covers any part of it. The next word of the same entity
    // continues it.
    let mut last = None;
    let targets = first_pieces(&encoding, |word| {
        let word = &words[word as usize];
        let at = named.partition_point(|named| named.bytes.end <= word.start);
        match named.get(at).filter(|named| named.bytes.start < word.end) {
            None => outside,
            Some(named) if last.replace(at) == Some(at) => named.classes.inside,
            Some(named) => named.classes.begin,
        }
    });
    Ok((encoding, targets))
}

/// An entity with its bytes and classes.
struct Named<'a> {
    bytes: Range<usize>,
    entity: &'a Entity,
    classes: Classes,
}

/// Class of an entity's first word, and class of its other words.
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
            // A head with only one of the two prefixes uses it for every word.
            (Err(_), Ok(class)) | (Ok(class), Err(_)) => Ok(Self { begin: class, inside: class }),
            (Err(_), Err(_)) => class(kind).map(|class| Self { begin: class, inside: class }),
        }
    }
}

impl Entity {
    /// Returns a description of the entity for messages.
    fn name(&self) -> String {
        format!("the entity {:?} at {} to {}", self.label, self.start, self.end)
    }
}

/// Returns the bytes of an entity, which must not be empty or blank.
fn bytes(text: &str, places: &Places, entity: &Entity) -> Result<Range<usize>> {
    let refuse = |what: &str| {
        let name = entity.name();
        fault!(BadInput, "{name}{what}", item = "{name}")
    };
    let byte = |offset| places.byte(offset).map_err(|error| refuse(&format!(": {error}")));
    let bytes = byte(entity.start)?..byte(entity.end)?;
    if bytes.is_empty() {
        return Err(refuse(" is empty"));
    }
    match text.get(bytes.clone()) {
        None => Err(refuse(" begins or ends within a character")),
        Some(part) if part.trim().is_empty() => Err(refuse(" is white space")),
        Some(_) => Ok(bytes),
    }
}

/// Returns the bytes of each word that has tokens in the encoding.
fn word_spans(encoding: &Encoding) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for (word, span) in encoding.word_ids.iter().zip(&encoding.spans) {
        let Some(word) = word.map(|word| word as usize) else { continue };
        let bytes = span.start as usize..span.end as usize;
        if spans.len() <= word {
            spans.resize(word + 1, bytes.clone());
        }
        spans[word].end = bytes.end;
    }
    spans
}

/// Returns a class for the first token of each word, and -100 for all other tokens.
fn first_pieces(encoding: &Encoding, mut class: impl FnMut(u32) -> i32) -> Vec<i32> {
    let mut before = None;
    let target = |word: &Option<u32>| match *word {
        Some(word) if before.replace(word) != Some(word) => class(word),
        _ => IGNORED,
    };
    encoding.word_ids.iter().map(target).collect()
}

/// Returns the label names in the rows, for a new head. Entities yield the labels of
/// [`bio_labels`], with types in alphabetical order. Tags that are not among these follow, in
/// alphabetical order.
///
/// # Errors
/// `BadInput`, naming a row without tags and entities, or with a number as a tag. Numbers do not
/// define names.
///
/// ```
/// use webert::train::data::rows::Label;
/// use webert::train::data::rows::token_classification::{Row, label_names};
///
/// let tags = ["O", "B-PER"].map(|tag| Label::Name(tag.into())).to_vec();
/// assert_eq!(label_names(&[Row { tags: Some(tags), ..Row::default() }]).unwrap(), ["B-PER", "O"]);
/// ```
pub fn label_names(rows: &[Row]) -> Result<Vec<String>> {
    let (mut tags, mut kinds) = (BTreeSet::new(), BTreeSet::new());
    for (row, value) in rows.iter().enumerate() {
        if value.tags.is_none() && value.entities.is_none() {
            let none = fault!(
                BadInput,
                "expected tags or entities, got none",
                expected = "tags or entities",
                found = "none",
            );
            return Err(at(row, none));
        }
        for tag in value.tags.iter().flatten() {
            match tag {
                Label::Name(name) => tags.insert(name.clone()),
                Label::Number(_) => {
                    let number = fault!(
                        BadInput,
                        "tags: expected names, got a number. Pass the labels of the new head.",
                        item = "tags",
                        expected = "names",
                        found = "a number",
                    );
                    return Err(at(row, number));
                }
            };
        }
        kinds.extend(value.entities.iter().flatten().map(|entity| entity.label.as_str()));
    }
    let mut names = match kinds.is_empty() && !tags.is_empty() {
        true => Vec::new(),
        false => bio_labels(&kinds.into_iter().collect::<Vec<_>>()),
    };
    tags.retain(|tag| !names.contains(tag));
    names.extend(tags);
    Ok(names)
}

/// Returns the labels of a new head for these entity types: `O`, followed by `B-` and `I-` of each.
///
/// ```
/// use webert::train::data::rows::token_classification::bio_labels;
///
/// assert_eq!(bio_labels(&["PER", "LOC"]), ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]);
/// ```
pub fn bio_labels(kinds: &[&str]) -> Vec<String> {
    let of_kind = kinds.iter().flat_map(|kind| [format!("B-{kind}"), format!("I-{kind}")]);
    std::iter::once("O".to_owned()).chain(of_kind).collect()
}
