//! Helpers shared by the readers of tokenizer files.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::json::{Object, describe, other_format, read, read_as, text, whole};
use crate::tokenizer::vocab::{Vocab, VocabBuilder};
use crate::{Error, Result};

/// Returns whether `names`, separated by white space, contain `name`.
pub(super) fn lists(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|other| other == name)
}

/// Reads a JSON file with an object. Errors use `name`.
pub(in crate::tokenizer) fn parse<'a>(name: &str, bytes: &'a [u8]) -> Result<Object<'a>> {
    read(name, bytes).map_err(Error::BadTokenizer)
}

/// Rejects other formats, e.g. an error page from a server.
pub(in crate::tokenizer) fn refuse_other_formats(name: &str, bytes: &[u8]) -> Result<()> {
    match other_format(bytes) {
        Some(found) => Err(Error::BadTokenizer(format!("{name} is {found}"))),
        None => Ok(()),
    }
}

/// Returns a number that is a valid token id.
pub(in crate::tokenizer) fn id(value: &RawValue) -> Option<u32> {
    whole(value).and_then(|id| id.try_into().ok())
}

/// A token in a file.
#[derive(Debug, Default)]
pub(in crate::tokenizer) struct TokenJson<'a> {
    /// The token's text.
    pub(in crate::tokenizer) content: Option<Cow<'a, str>>,
    /// The token's id and flags.
    fields: Object<'a>,
}

impl<'a> TokenJson<'a> {
    /// Reads a token. It is a string, or an object with the text as `content`.
    pub(in crate::tokenizer) fn read(token: &'a RawValue) -> Self {
        let fields: Object<'_> = read_as(token).unwrap_or_default();
        let content = text(token).or_else(|| text(fields.get("content")?));
        Self { content, fields }
    }

    pub(in crate::tokenizer) fn id(&self) -> Option<u32> {
        id(self.fields.get("id")?)
    }

    /// Returns a flag; `None` if it is absent or null.
    pub(in crate::tokenizer) fn flag(&self, name: &str) -> Option<bool> {
        self.fields.get_as(name)
    }
}

/// Reads a vocabulary from `{"token": id, …}`. Errors use `name`.
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
