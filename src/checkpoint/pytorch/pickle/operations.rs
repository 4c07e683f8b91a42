//! Reads the operations of a pickle from its bytes.

use super::value::Value;
use crate::checkpoint::fault::{Outcome, bad, unsupported};

/// The bytes of one operation.
pub(super) struct Bytes<'a> {
    pub(super) all: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Bytes<'a> {
    /// Returns the next `count` bytes; `None` if they have not arrived.
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.all.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    /// Returns an unsigned little-endian integer of `width` bytes.
    fn number(&mut self, width: usize) -> Option<u64> {
        let bytes = self.take(width)?;
        Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    /// Returns bytes that follow their length, a number of `width` bytes.
    fn counted(&mut self, width: usize) -> Option<&'a [u8]> {
        let length = self.number(width)?;
        self.take(usize::try_from(length).ok()?)
    }

    fn line(&mut self) -> Option<&'a [u8]> {
        let length = self.all.get(self.at..)?.iter().position(|&byte| byte == b'\n')?;
        self.take(length + 1).map(|line| &line[..length])
    }
}

/// An operation with its argument.
pub(super) enum Operation {
    Nothing,
    Push(Value),
    Mark,
    Stop,
    Put(u32),
    Memoize,
    Get(u32),
    Tuple(Option<usize>),
    Append,
    Appends,
    SetItem,
    SetItems,
    Global(String, String),
    StackGlobal,
    Reduce,
    NewObject,
    Build,
    Persistent,
    Refused,
}

/// Reads one operation; `None` if its bytes have not arrived.
pub(super) fn parse(bytes: &mut Bytes<'_>) -> Outcome<Option<Operation>> {
    let Some(&code) = bytes.take(1).and_then(<[u8]>::first) else { return Ok(None) };
    Ok(match code {
        b'(' => Some(Operation::Mark),
        b'.' => Some(Operation::Stop),
        b'N' => Some(Operation::Push(Value::None)),
        0x88 => Some(Operation::Push(Value::Bool(true))),
        0x89 => Some(Operation::Push(Value::Bool(false))),
        b'K' => bytes.number(1).map(int),
        b'M' => bytes.number(2).map(int),
        b'J' => bytes.number(4).map(|number| int(number as u32 as i32 as u64)),
        b'G' => bytes.take(8).map(|_| Operation::Push(Value::Other)),
        0x8a => bytes.counted(1).map(long),
        0x8b => bytes.counted(4).map(long),
        b'X' => bytes.counted(4).map(text),
        0x8c => bytes.counted(1).map(text),
        0x8d => bytes.counted(8).map(text),
        // Texts written by Python 2.
        b'U' => bytes.counted(1).map(text),
        b'T' => bytes.counted(4).map(text),
        b'C' => bytes.counted(1).map(|_| Operation::Push(Value::Other)),
        b'B' => bytes.counted(4).map(|_| Operation::Push(Value::Other)),
        0x8e => bytes.counted(8).map(|_| Operation::Push(Value::Other)),
        b']' => Some(Operation::Push(Value::List(Vec::new()))),
        b'}' => Some(Operation::Push(Value::Dict(Vec::new()))),
        b')' => Some(Operation::Push(Value::Tuple(Vec::new()))),
        0x85..=0x87 => Some(Operation::Tuple(Some(usize::from(code) - 0x84))),
        b't' => Some(Operation::Tuple(None)),
        b'a' => Some(Operation::Append),
        b'e' => Some(Operation::Appends),
        b's' => Some(Operation::SetItem),
        b'u' => Some(Operation::SetItems),
        b'q' => bytes.number(1).map(|name| Operation::Put(name as u32)),
        b'r' => bytes.number(4).map(|name| Operation::Put(name as u32)),
        0x94 => Some(Operation::Memoize),
        b'h' => bytes.number(1).map(|name| Operation::Get(name as u32)),
        b'j' => bytes.number(4).map(|name| Operation::Get(name as u32)),
        b'c' => names(bytes)?,
        0x93 => Some(Operation::StackGlobal),
        b'R' => Some(Operation::Reduce),
        0x81 => Some(Operation::NewObject),
        b'b' => Some(Operation::Build),
        b'Q' => Some(Operation::Persistent),
        0x80 => match bytes.number(1) {
            Some(2..=5) => Some(Operation::Nothing),
            Some(other) => {
                return unsupported(format!("pickle protocol: expected 2 to 5, got {other}"));
            }
            None => None,
        },
        0x95 => bytes.take(8).map(|_| Operation::Nothing),
        _ => Some(Operation::Refused),
    })
}

pub(super) fn int(number: u64) -> Operation {
    Operation::Push(Value::Int(number as i64))
}

pub(super) fn long(bytes: &[u8]) -> Operation {
    if bytes.len() > 8 {
        return Operation::Push(Value::Large(bytes.to_vec()));
    }
    let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let fill = if negative { -1 } else { 0 };
    let number = bytes.iter().rev().fold(fill, |number: i64, &byte| number << 8 | i64::from(byte));
    Operation::Push(Value::Int(number))
}

pub(super) fn text(bytes: &[u8]) -> Operation {
    Operation::Push(Value::Text(String::from_utf8_lossy(bytes).into_owned()))
}

/// The maximum length of a module's name, or of a name in a module.
const LONGEST_NAME: usize = 512;

pub(super) fn names(bytes: &mut Bytes<'_>) -> Outcome<Option<Operation>> {
    let lines = bytes.line().and_then(|module| Some((module, bytes.line()?)));
    let Some((module, name)) = lines else {
        return match bytes.all.len() - bytes.at > 2 * LONGEST_NAME {
            true => bad("a pickle has a name without an end"),
            false => Ok(None),
        };
    };
    let owned = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    Ok(Some(Operation::Global(owned(module), owned(name))))
}

/// Names of operations that pickles of tensors do not use.
const REFUSED: [(u8, &str); 25] = [
    (b'0', "POP"),
    (b'1', "POP_MARK"),
    (b'2', "DUP"),
    (b'F', "FLOAT"),
    (b'I', "INT"),
    (b'L', "LONG"),
    (b'P', "PERSID"),
    (b'S', "STRING"),
    (b'V', "UNICODE"),
    (b'd', "DICT"),
    (b'g', "GET"),
    (b'i', "INST"),
    (b'l', "LIST"),
    (b'o', "OBJ"),
    (b'p', "PUT"),
    (0x82, "EXT1"),
    (0x83, "EXT2"),
    (0x84, "EXT4"),
    (0x8f, "EMPTY_SET"),
    (0x90, "ADDITEMS"),
    (0x91, "FROZENSET"),
    (0x92, "NEWOBJ_EX"),
    (0x96, "BYTEARRAY8"),
    (0x97, "NEXT_BUFFER"),
    (0x98, "READONLY_BUFFER"),
];

pub(super) fn refused(code: u8) -> String {
    let name = REFUSED.iter().find(|(known, _)| *known == code).map_or("unknown", |(_, name)| name);
    format!("expected a pickle of tensors, got one with the operation {name} (0x{code:02x})")
}
