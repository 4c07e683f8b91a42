//! Types shared by the options of tasks.

use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize};

/// The options of a task without options.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct NoOptions {}

/// Returns the layer number, indexed as in Python lists: 0 to `last`, or -1 for the last.
pub(super) fn resolve(task: &str, layer: i64, last: usize) -> crate::Result<usize> {
    let from_end = if layer < 0 { layer + last as i64 + 1 } else { layer };
    usize::try_from(from_end).ok().filter(|&layer| layer <= last).ok_or_else(|| {
        crate::Error::BadInput(format!(
            "{task}: layer {layer}, the model has 0 to {last} (or -1 to -{})",
            last + 1
        ))
    })
}

/// Reads a whole number of at least 0. Infinity and numbers that are too large become `usize::MAX`.
pub(super) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    Count::deserialize(deserializer).map(|Count(count)| count)
}

/// Reads a number as [`count`] does, or null.
pub(crate) fn count_or_null<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<usize>, D::Error> {
    let count = Option::<Count>::deserialize(deserializer)?;
    Ok(count.map(|Count(count)| count))
}

struct Count(usize);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // every number in JavaScript is an f64
        deserializer.deserialize_f64(CountVisitor)
    }
}

struct CountVisitor;

impl Visitor<'_> for CountVisitor {
    type Value = Count;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number, 0 or more")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Count, E> {
        Ok(Count(number.try_into().unwrap_or(usize::MAX)))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Count, E> {
        match number.try_into() {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
        }
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Count, E> {
        if number < 0.0 || number.trunc() != number {
            return Err(E::invalid_value(Unexpected::Float(number), &self));
        }
        self.visit_u64(number as u64) // infinity becomes u64::MAX
    }
}

/// Reads a string, an array of strings or null. A string counts as an array of one.
pub(super) fn strings_or_null<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<String>>, D::Error> {
    let strings = Option::<Strings>::deserialize(deserializer)?;
    Ok(strings.map(|Strings(strings)| strings))
}

struct Strings(Vec<String>);

impl<'de> Deserialize<'de> for Strings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StringsVisitor)
    }
}

struct StringsVisitor;

impl<'de> Visitor<'de> for StringsVisitor {
    type Value = Strings;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an array of strings")
    }

    fn visit_str<E: Error>(self, one: &str) -> Result<Strings, E> {
        Ok(Strings([one.to_owned()].into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, many: A) -> Result<Strings, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(many)).map(Strings)
    }
}
