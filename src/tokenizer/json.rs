//! What the tokenizer's files have in common.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::vocab::{Vocab, VocabBuilder};
use crate::json::{Object, Text, describe, other_format, read, read_as, whole};
use crate::{Error, Result};

/// Reads a JSON file, which holds an object; `name` is for the error.
pub(super) fn parse<'a>(name: &str, bytes: &'a [u8]) -> Result<Object<'a>> {
    read(name, bytes).map_err(Error::BadTokenizer)
}

/// Refuses what servers give in place of a file.
pub(super) fn refuse_other_formats(name: &str, bytes: &[u8]) -> Result<()> {
    match other_format(bytes) {
        Some(found) => Err(Error::BadTokenizer(format!("{name} is {found}"))),
        None => Ok(()),
    }
}

/// A number that can be a token's.
pub(super) fn id(value: &RawValue) -> Option<u32> {
    whole(value).and_then(|id| id.try_into().ok())
}

/// A token as a file has it, with flags that may be absent or null.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TokenJson<'a> {
    pub(super) id: Option<u32>,
    /// Its text.
    #[serde(borrow)]
    pub(super) content: Option<Text<'a>>,
    pub(super) special: Option<bool>,
    pub(super) normalized: Option<bool>,
    pub(super) lstrip: Option<bool>,
    pub(super) rstrip: Option<bool>,
    pub(super) single_word: Option<bool>,
}

impl<'a> TokenJson<'a> {
    /// A token that is written as a string, or as an object with its text as `content`.
    pub(super) fn read(value: &'a RawValue) -> Option<Self> {
        match read_as(value) {
            content @ Some(_) => Some(Self { content, ..Self::default() }),
            None => read_as(value),
        }
    }

    /// Its text, where there is any.
    pub(super) fn text(&self) -> Option<&str> {
        self.content.as_ref().map(|Text(text)| &**text)
    }
}

/// `{"token": id, …}` as a vocabulary; `name` is for the error.
pub(super) fn vocab(name: &str, entries: &Object<'_>) -> Result<Vocab> {
    let mut vocab = VocabBuilder::default();
    for (token, number) in &entries.0 {
        let id = id(number).ok_or_else(|| {
            let found = describe(number.get());
            Error::BadTokenizer(format!("{name} has the id {found} for \"{token}\""))
        })?;
        vocab.insert(token, id)?;
    }
    Ok(vocab.finish())
}
