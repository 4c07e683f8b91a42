//! Protocol Buffers' wire format: <https://protobuf.dev/programming-guides/encoding/>. A message is
//! a sequence of fields, each with a number and a value of one of four kinds.

use crate::checkpoint::fault::{Outcome, bad};

/// The maximum bytes of a varint.
const MAX_VARINT: usize = 10;

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Varint(u64),
    Fixed32([u8; 4]),
    Fixed64([u8; 8]),
    /// Text, bytes, a message or packed numbers.
    Bytes(&'a [u8]),
}

/// The head of a field: its number, and its value or the length of the bytes that follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Field {
    pub(super) number: u64,
    pub(super) value: Head,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Head {
    Varint(u64),
    Fixed32([u8; 4]),
    Fixed64([u8; 8]),
    /// The length of the bytes that follow.
    Length(u64),
}

/// Reads a varint from the front of `bytes`. Returns `None` if it is incomplete.
pub(super) fn varint(bytes: &mut &[u8]) -> Outcome<Option<u64>> {
    let mut value = 0;
    for (n, &byte) in bytes.iter().take(MAX_VARINT).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * n);
        if byte < 0x80 {
            *bytes = &bytes[n + 1..];
            return Ok(Some(value));
        }
    }
    if bytes.len() < MAX_VARINT {
        return Ok(None);
    }
    bad("it has a varint of more than 10 bytes: the file is damaged")
}

/// Reads the head of a field from the front of `bytes`. Returns `None` if it is incomplete.
pub(super) fn field(bytes: &mut &[u8]) -> Outcome<Option<Field>> {
    let mut rest = *bytes;
    let Some(key) = varint(&mut rest)? else { return Ok(None) };
    let number = key >> 3;
    if number == 0 || number > 0x1fff_ffff {
        return bad(format!("it has a field of number {number}: not an ONNX file, or damaged"));
    }
    let value = match key & 7 {
        0 => varint(&mut rest)?.map(Head::Varint),
        1 => rest.split_first_chunk().map(|(value, later)| {
            rest = later;
            Head::Fixed64(*value)
        }),
        2 => varint(&mut rest)?.map(Head::Length),
        5 => rest.split_first_chunk().map(|(value, later)| {
            rest = later;
            Head::Fixed32(*value)
        }),
        other => {
            return bad(format!(
                "field {number} has wire type {other}, expected 0, 1, 2 or 5: not an ONNX file, or damaged"
            ));
        }
    };
    let Some(value) = value else { return Ok(None) };
    *bytes = rest;
    Ok(Some(Field { number, value }))
}

/// Returns the fields of a message that is in memory.
pub(super) fn fields(mut message: &[u8]) -> impl Iterator<Item = Outcome<(u64, Value<'_>)>> {
    let mut failed = false;
    std::iter::from_fn(move || {
        if failed || message.is_empty() {
            return None;
        }
        let next = next(&mut message);
        failed = next.is_err();
        Some(next)
    })
}

fn next<'a>(message: &mut &'a [u8]) -> Outcome<(u64, Value<'a>)> {
    let Some(Field { number, value }) = field(message)? else {
        return bad("a message ends within a field: the file is damaged");
    };
    let value = match value {
        Head::Varint(value) => Value::Varint(value),
        Head::Fixed32(value) => Value::Fixed32(value),
        Head::Fixed64(value) => Value::Fixed64(value),
        Head::Length(length) => {
            let Some((bytes, rest)) =
                usize::try_from(length).ok().and_then(|length| message.split_at_checked(length))
            else {
                return bad(format!(
                    "field {number} has {length} bytes, its message has {}: the file is damaged",
                    message.len()
                ));
            };
            *message = rest;
            Value::Bytes(bytes)
        }
    };
    Ok((number, value))
}

/// Returns a text of the file.
pub(super) fn text(bytes: &[u8]) -> Outcome<&str> {
    str::from_utf8(bytes).or_else(|_| bad("it has a name that is not UTF-8: the file is damaged"))
}

/// Appends the varints of a packed field.
pub(super) fn packed(mut bytes: &[u8], to: &mut Vec<u64>) -> Outcome<()> {
    while !bytes.is_empty() {
        match varint(&mut bytes)? {
            Some(value) => to.push(value),
            None => return bad("it has packed numbers that end within a number"),
        }
    }
    Ok(())
}
