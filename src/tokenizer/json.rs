//! JSON files, and what is in them where there should be JSON.

use crate::json::Value;
use crate::{Error, Result};

/// Reads a JSON file, which holds an object; `name` is for the error.
pub(super) fn parse<'a>(name: &str, bytes: &'a [u8]) -> Result<Value<'a>> {
    refuse_other_formats(name, bytes)?;
    let bad =
        |what: String| Error::BadTokenizer(format!("{name} is not what it should be: {what}"));
    match Value::parse(without_mark(bytes)).map_err(bad)? {
        object @ Value::Object(_) => Ok(object),
        other => Err(bad(format!("it is {}, not an object", other.describe()))),
    }
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
pub(super) fn kind<'v>(part: &'v Value<'_>) -> &'v str {
    part.get("type").and_then(Value::as_text).unwrap_or_default()
}

/// A token that is written as a string, or as an object with its text as `content`.
pub(super) fn content<'v>(token: &'v Value<'_>) -> Option<&'v str> {
    token.as_text().or_else(|| token.get("content")?.as_text())
}

/// A number that can be a token's.
pub(super) fn id(value: &Value<'_>) -> Option<u32> {
    value.as_whole().and_then(|id| id.try_into().ok())
}

/// A flag of an object; `None` where it is absent or null.
pub(super) fn flag(object: &Value<'_>, name: &str) -> Option<bool> {
    object.get(name)?.as_bool()
}
