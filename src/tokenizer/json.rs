//! What the tokenizer's files have in common.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::vocab::{Vocab, VocabBuilder};
use crate::json::{Object, describe, other_format, read, read_as, text, whole};
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

/// A token as a file has it.
#[derive(Debug, Default)]
pub(super) struct TokenJson<'a> {
    /// Its text.
    pub(super) content: Option<Cow<'a, str>>,
    /// Its id and flags.
    fields: Object<'a>,
}

impl<'a> TokenJson<'a> {
    /// A token that is written as a string, or as an object with its text as `content`.
    pub(super) fn read(token: &'a RawValue) -> Self {
        let fields: Object<'_> = read_as(token).unwrap_or_default();
        let content = text(token).or_else(|| text(fields.get("content")?));
        Self { content, fields }
    }

    pub(super) fn id(&self) -> Option<u32> {
        id(self.fields.get("id")?)
    }

    /// A flag; `None` where it is absent or null.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.fields.get_as(name)
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
