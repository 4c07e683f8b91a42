//! JSON files, and what is in them where there should be JSON.

use crate::json::{Value, other_format, read};
use crate::{Error, Result};

/// Reads a JSON file, which holds an object; `name` is for the error.
pub(super) fn parse<'a>(name: &str, bytes: &'a [u8]) -> Result<Value<'a>> {
    match read(name, bytes).map_err(Error::BadTokenizer)? {
        object @ Value::Object(_) => Ok(object),
        other => Err(Error::BadTokenizer(format!(
            "{name} is not what it should be: it is {}, not an object",
            other.describe()
        ))),
    }
}

/// Refuses what servers give in place of a file.
pub(super) fn refuse_other_formats(name: &str, bytes: &[u8]) -> Result<()> {
    match other_format(bytes) {
        Some(found) => Err(Error::BadTokenizer(format!("{name} is {found}"))),
        None => Ok(()),
    }
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
