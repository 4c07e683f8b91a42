//! Reads JSON files by serde_json, and names what a file holds if it is not JSON.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

/// Reads the file `name`. The error names it, with where it is no JSON or what is in its place.
pub(crate) fn read<'a, T: Deserialize<'a>>(name: &str, bytes: &'a [u8]) -> Result<T, String> {
    match other_format(bytes) {
        Some(found) => Err(format!("{name} is {found}")),
        None => parse(bytes).map_err(|error| format!("{name}: {error}")),
    }
}

/// Reads a text. The error says in words where it is no JSON, or not the JSON of a `T`.
pub(crate) fn parse<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, String> {
    let text = str::from_utf8(without_mark(bytes))
        .map_err(|error| format!("the byte at {} is not UTF-8", error.valid_up_to()))?;
    serde_json::from_str(text).map_err(|error| match error.classify() {
        Category::Eof => "it is cut short".into(),
        Category::Data => format!("it is {}: {error}", describe(text.trim_ascii_start())),
        _ => format!("it is not valid JSON: {error}"),
    })
}

/// What servers give in place of a text file: nothing, a web page, a pointer.
pub(crate) fn other_format(bytes: &[u8]) -> Option<&'static str> {
    let text = without_mark(bytes).trim_ascii_start();
    let begins = |with: &str| {
        text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with.as_bytes()))
    };
    if text.is_empty() {
        Some("empty")
    } else if ["<!doctype", "<html", "<head", "<?xml"].into_iter().any(begins) {
        Some("a web page (HTML), not the file: is its address right?")
    } else if begins("version https://git-lfs") {
        Some("a Git LFS pointer, not the file it points to")
    } else {
        None
    }
}

/// The bytes without the byte order mark that some editors put before them.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// What a value is, for messages; `json` is its text.
pub(crate) fn describe(json: &str) -> &str {
    match json.as_bytes().first() {
        Some(b'[') => "a list",
        Some(b'{') => "an object",
        _ => json,
    }
}

/// An object: names and values in the order of the text, the values still to be read as what they
/// have to be. A vocabulary or a list of labels has up to a million, which a map would sort.
#[derive(Debug, Default)]
pub(crate) struct Object<'a>(pub(crate) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Object<'a> {
    /// Returns the value of that name; the last one if there are several. Null counts as absent.
    pub(crate) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.value_or_null(name).filter(|value| value.get() != "null")
    }

    /// As [`Object::get`], for where null says something.
    pub(crate) fn value_or_null(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(other, _)| other == name).map(|&(_, value)| value)
    }

    /// The value of that name, where it is a `T`.
    pub(crate) fn get_as<T: Deserialize<'a>>(&self, name: &str) -> Option<T> {
        self.get(name).and_then(read_as)
    }
}

/// A value as a `T`, where it is one.
pub(crate) fn read_as<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}

/// A whole number that is not negative, also as it is written by programs that know f64 alone.
pub(crate) fn whole(value: &RawValue) -> Option<u64> {
    /// From here on an f64 does not tell one whole number from the next.
    const END: f64 = 9_007_199_254_740_992.0;
    if let Ok(number) = value.get().parse() {
        return Some(number).filter(|&number: &u64| (number as f64) < END);
    }
    let number: f64 = read_as(value)?;
    ((0.0..END).contains(&number) && number.trunc() == number).then_some(number as u64)
}

/// A string, borrowed from the file where it has no escapes.
#[derive(Debug, Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// A value that is a string.
pub(crate) fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    read_as(value).map(|Text(text)| text)
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some((Text(name), value)) = map.next_entry()? {
                    entries.push((name, value));
                }
                Ok(Object(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use serde_json::value::RawValue;

    use super::{Object, describe, parse, read, read_as, text, whole};

    fn refused(bytes: &[u8]) -> String {
        read::<Object<'_>>("config.json", bytes).unwrap_err()
    }

    #[test]
    fn what_servers_give_in_place_of_a_file_is_named() {
        assert_eq!(refused(b" \n"), "config.json is empty");
        assert!(refused(b"\xef\xbb\xbf\n<!DOCTYPE html>").contains("config.json is a web page"));
        assert!(refused(b"version https://git-lfs.github.com/spec/v1").contains("LFS"));
        assert!(refused(b"{\"a\": 1").contains("config.json: it is cut short"));
        assert!(refused(b"{\n  \"a\" 1}").contains("line 2 column 7"));
        assert!(refused(b"\"\xff\"").contains("byte at 1 is not UTF-8"));
        assert!(refused(b"[1]").contains("it is a list"));
        assert!(refused(b"{} x").contains("not valid JSON"));
    }

    #[test]
    fn a_byte_order_mark_is_left_out() {
        assert_eq!(parse::<u8>(b"\xef\xbb\xbf1"), Ok(1));
    }

    #[test]
    fn of_values_of_one_name_the_last_counts() {
        let object: Object<'_> = parse(br#"{"a": 1, "b": null, "\u0061": 2}"#).unwrap();
        assert_eq!(object.get_as("a"), Some(2));
        assert!(object.get("b").is_none() && object.value_or_null("b").is_some());
        assert_eq!(object.0.len(), 3);
    }

    #[test]
    fn values_may_lie_in_each_other_to_any_depth() {
        let nested = "[".repeat(200_000) + &"]".repeat(200_000);
        let json = format!("{{\"a\": {nested}}}");
        let object: Object<'_> = parse(json.as_bytes()).unwrap();
        assert_eq!(object.get("a").map(|value| describe(value.get())), Some("a list"));
        assert!(object.get_as::<Vec<u8>>("a").is_none());
    }

    #[test]
    fn numbers_are_whole_or_not() {
        let number = |json: &str| whole(serde_json::from_str::<&RawValue>(json).unwrap());
        assert_eq!(number("0"), Some(0));
        assert_eq!(number("512.0"), Some(512));
        assert_eq!(number("1e3"), Some(1000));
        assert_eq!(number("9007199254740991"), Some((1 << 53) - 1));
        for other in ["-1", "0.5", "9007199254740992", "1e30", "1e400", "true", "\"1\"", "null"] {
            assert_eq!(number(other), None, "{other}");
        }
        assert_eq!(parse::<f64>(b"1e30"), Ok(1e30));
        assert_eq!(parse::<f64>(b"1000000000000000019884624838656"), Ok(1e30));
        assert!(parse::<f64>(b"1e400").is_err());
    }

    #[test]
    fn strings_come_with_their_escapes_undone() {
        let string = |json: &str| {
            let value: &RawValue = serde_json::from_str(json).unwrap();
            text(value).map(String::from)
        };
        assert_eq!(string(r#""\ud83d\ude00\n""#).as_deref(), Some("\u{1f600}\n"));
        assert_eq!(string(r#""\ud83d""#), None);
        assert_eq!(string("7"), None);
        assert_eq!(read_as::<bool>(serde_json::from_str("true").unwrap()), Some(true));
    }
}
