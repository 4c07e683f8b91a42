//! What the tokenizer's files have in common.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::json::{Object, describe, other_format, read, read_as, text, whole};
use crate::tokenizer::vocab::{Vocab, VocabBuilder};
use crate::{Error, Result};

/// Reads a JSON file, which holds an object; `name` is for the error.
pub(in crate::tokenizer) fn parse<'a>(name: &str, bytes: &'a [u8]) -> Result<Object<'a>> {
    read(name, bytes).map_err(Error::BadTokenizer)
}

/// Refuses what servers give in place of a file.
pub(in crate::tokenizer) fn refuse_other_formats(name: &str, bytes: &[u8]) -> Result<()> {
    match other_format(bytes) {
        Some(found) => Err(Error::BadTokenizer(format!("{name} is {found}"))),
        None => Ok(()),
    }
}

/// A number that can be a token's.
pub(in crate::tokenizer) fn id(value: &RawValue) -> Option<u32> {
    whole(value).and_then(|id| id.try_into().ok())
}

/// A token as a file has it.
#[derive(Debug, Default)]
pub(in crate::tokenizer) struct TokenJson<'a> {
    /// Its text.
    pub(in crate::tokenizer) content: Option<Cow<'a, str>>,
    /// Its id and flags.
    fields: Object<'a>,
}

impl<'a> TokenJson<'a> {
    /// A token that is written as a string, or as an object with its text as `content`.
    pub(in crate::tokenizer) fn read(token: &'a RawValue) -> Self {
        let fields: Object<'_> = read_as(token).unwrap_or_default();
        let content = text(token).or_else(|| text(fields.get("content")?));
        Self { content, fields }
    }

    pub(in crate::tokenizer) fn id(&self) -> Option<u32> {
        id(self.fields.get("id")?)
    }

    /// A flag; `None` where it is absent or null.
    pub(in crate::tokenizer) fn flag(&self, name: &str) -> Option<bool> {
        self.fields.get_as(name)
    }
}

/// `{"token": id, …}` as a vocabulary; `name` is for the error.
pub(in crate::tokenizer) fn vocab(name: &str, entries: &Object<'_>) -> Result<Vocab> {
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
