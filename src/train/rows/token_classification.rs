//! `{tokens, tags}`, words with a label each, or `{text, entities}`, a text with the places of what it names. The
//! first piece of each word has its label; other pieces and special tokens do not count.

use std::collections::BTreeSet;
use std::ops::Range;

use serde::Deserialize;

use super::offsets::Places;
use super::{Example, Label, Reading, Target, at, bad, each, need, need_text};
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

/// A named part of a text, by [`Reading::offsets`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Entity {
    /// Where it starts.
    pub start: usize,
    /// Where it ends.
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
    let targets = first_pieces(&encoding, |word| classes[word as usize]);
    Ok((encoding, targets))
}

/// A text whose entities become `B-` and `I-` labels, or their plain kinds where the head has no such labels.
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
        return Err(bad(format!(
            "{} and {} overlap",
            pair[0].entity.name(),
            pair[1].entity.name()
        )));
    }
    let outside = reading.index(&Label::Name("O".into()))? as i32;
    let encoding = reading.encode(text, None)?;
    let words = word_spans(&encoding);
    // a word is of the entity that has any part of it; the next word of the same one goes on with it
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

impl Entity {
    /// How messages name it.
    fn name(&self) -> String {
        format!("the entity {:?} at {} to {}", self.label, self.start, self.end)
    }
}

/// The bytes of an entity, which are words of the text.
fn bytes(text: &str, places: &Places, entity: &Entity) -> Result<Range<usize>> {
    let byte =
        |offset| places.byte(offset).map_err(|error| bad(format!("{}: {error}", entity.name())));
    let bytes = byte(entity.start)?..byte(entity.end)?;
    if bytes.is_empty() {
        return Err(bad(format!("{} is empty", entity.name())));
    }
    match text.get(bytes.clone()) {
        None => Err(bad(format!("{} begins or ends within a character", entity.name()))),
        Some(part) if part.trim().is_empty() => {
            Err(bad(format!("{} is white space", entity.name())))
        }
        Some(_) => Ok(bytes),
    }
}

/// The bytes of each word that has tokens in the encoding.
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

/// A class for the first piece of each word, -100 for all other tokens.
fn first_pieces(encoding: &Encoding, mut class: impl FnMut(u32) -> i32) -> Vec<i32> {
    let mut before = None;
    let target = |word: &Option<u32>| match *word {
        Some(word) if before.replace(word) != Some(word) => class(word),
        _ => IGNORED,
    };
    encoding.word_ids.iter().map(target).collect()
}

/// The labels that rows name, for a head that is made for them: of entities those of
/// [`bio_labels`], kinds in the order of the alphabet, then of tags those that are not among them, in that order.
///
/// # Errors
/// `BadInput` naming a row without tags and entities, or with a number for a tag, which says nothing about others.
///
/// ```
/// use webert::train::rows::Label;
/// use webert::train::rows::token_classification::{Row, label_names};
///
/// let tags = ["O", "B-PER"].map(|tag| Label::Name(tag.into())).to_vec();
/// assert_eq!(label_names(&[Row { tags: Some(tags), ..Row::default() }]).unwrap(), ["B-PER", "O"]);
/// ```
pub fn label_names(rows: &[Row]) -> Result<Vec<String>> {
    let (mut tags, mut kinds) = (BTreeSet::new(), BTreeSet::new());
    for (row, value) in rows.iter().enumerate() {
        if value.tags.is_none() && value.entities.is_none() {
            return Err(at(row, bad("there are no tags and no entities")));
        }
        for tag in value.tags.iter().flatten() {
            match tag {
                Label::Name(name) => tags.insert(name.clone()),
                Label::Number(_) => {
                    return Err(at(row, bad("a tag is a number; name the labels of the new head")));
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
