//! JSON files, and what is in them where there should be JSON.

use serde::Deserialize;
use serde_json::Value;

use crate::{Error, Result};

/// Reads a JSON file; `name` is for the error.
pub(super) fn parse<'a, T: Deserialize<'a>>(name: &str, bytes: &'a [u8]) -> Result<T> {
    refuse_other_formats(name, bytes)?;
    serde_json::from_slice(without_mark(bytes))
        .map_err(|error| Error::BadTokenizer(format!("{name} is not what it should be: {error}")))
}

/// The bytes without the byte order mark that some editors put before them.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Tells apart what servers give in place of a file: nothing, an HTML page, a pointer.
pub(super) fn refuse_other_formats(name: &str, bytes: &[u8]) -> Result<()> {
    let text = without_mark(bytes).trim_ascii_start();
    let begins = |with: &str| {
        text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with.as_bytes()))
    };
    let found = if text.is_empty() {
        "empty"
    } else if begins("<!doctype") || begins("<html") || begins("<head") || begins("<?xml") {
        "an HTML page, not the file: is its address right?"
    } else if begins("version https://git-lfs") {
        "a Git LFS pointer, not the file it points to"
    } else {
        return Ok(());
    };
    Err(Error::BadTokenizer(format!("{name} is {found}")))
}

/// The `type` of a part of `tokenizer.json`; empty where there is none.
pub(super) fn kind(part: &Value) -> &str {
    part.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// A token that is written as a string, or as an object with its text as `content`.
pub(super) fn content(token: &Value) -> Option<&str> {
    token.as_str().or_else(|| token.get("content")?.as_str())
}

/// A flag of an object; `None` where it is absent or null.
pub(super) fn flag(object: &Value, name: &str) -> Option<bool> {
    object.get(name)?.as_bool()
}
