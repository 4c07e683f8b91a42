//! Regular expressions in Oniguruma's syntax, which the `tokenizers` library uses.
//!
//! The crate `fancy-regex` supports most of this syntax. It adds 281 kB to a compressed binary and
//! uses another version of Unicode than the library. Its limit does not count the steps of its
//! linear engines, e.g. in a look-ahead. This matcher adds at most 67 kB, and each of its steps
//! takes fuel: a call ends when its [`Fuel`] is used up.

mod fold;
mod machine;
mod parse;
mod program;
mod set;
mod tables;

use crate::error::fault;
use std::ops::Range;
use std::sync::OnceLock;

use crate::{Error, Result};
use machine::{Machine, Memory};
use program::Program;
use set::Set;

/// The minimum number of steps for a text.
const LEAST_FUEL: u64 = 100_000_000;

/// The number of steps per byte of a long text.
const FUEL_PER_BYTE: u64 = 500;

/// The reason why an expression cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cause {
    /// The library rejects the expression too.
    Syntax(String),
    /// The library supports the expression, but this matcher does not.
    Unsupported(String),
}

/// The number of steps that are left.
#[derive(Debug)]
pub(super) struct Fuel(u64);

/// The error if the fuel or the backtracking memory is used up.
struct Spent;

impl Fuel {
    /// Returns the fuel for all expressions of a tokenizer over a text of `len` bytes.
    pub(super) fn for_text(len: usize) -> Self {
        Self(LEAST_FUEL.max(FUEL_PER_BYTE * len as u64))
    }

    /// Takes one step per byte that a text grows by.
    ///
    /// # Errors
    /// `BadInput` if the fuel is used up.
    pub(super) fn grow(&mut self, bytes: usize) -> Result<()> {
        self.take(bytes as u64).map_err(|Spent| {
            fault!(
                BadInput,
                "tokenizer.json: normalizer: a text grows by {bytes} bytes or more",
                file = "tokenizer.json",
                item = "normalizer",
            )
        })
    }

    #[inline]
    fn take(&mut self, steps: u64) -> std::result::Result<(), Spent> {
        self.0 = self.0.checked_sub(steps).ok_or(Spent)?;
        Ok(())
    }
}

/// A compiled expression.
#[derive(Debug, Clone)]
pub(super) struct Regex {
    pattern: String,
    program: Program,
    /// The part of the file that contains it, for errors.
    part: String,
}

impl PartialEq for Regex {
    fn eq(&self, other: &Self) -> bool {
        self.pattern == other.pattern && self.part == other.part
    }
}

impl Eq for Regex {}

impl Regex {
    /// Compiles `pattern`, which is in the part `part` of the file.
    pub(super) fn new(pattern: &str, part: &str) -> std::result::Result<Self, Cause> {
        Ok(Self { pattern: pattern.into(), program: Program::new(pattern)?, part: part.into() })
    }

    /// Returns all matches, from left to right. A match may be empty, but not at the end of the
    /// previous match.
    ///
    /// # Errors
    /// `BadInput` if the fuel is used up.
    pub(super) fn matches(&self, text: &str, fuel: &mut Fuel) -> Result<Vec<Range<usize>>> {
        let mut found = Vec::new();
        let mut memory = Memory::default();
        let mut machine = Machine { program: &self.program, text, memory: &mut memory, fuel };
        let (mut at, mut last) = (0, None);
        while at <= text.len() {
            let Some((start, end)) = machine.search(at).map_err(|Spent| self.spent(text))? else {
                break;
            };
            if start == end && last == Some(end) {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                continue;
            }
            found.push(start..end);
            (at, last) = (end, Some(end));
        }
        Ok(found)
    }

    fn spent(&self, text: &str) -> Error {
        let (part, length) = (&self.part, text.len());
        fault!(
            BadInput,
            "tokenizer.json: {part}: the regular expression takes too many steps on a text of {length} bytes; shorter texts may pass",
            file = "tokenizer.json",
            item = "{part}",
        )
    }
}

/// Returns whether `\w` matches `c` in the crate `regex`, which the library's Whitespace uses.
pub(super) fn is_word(c: char) -> bool {
    static WORD: OnceLock<Set> = OnceLock::new();
    let joiners = || Set::range('\u{200c}', '\u{200d}');
    WORD.get_or_init(|| Set::property("word").unwrap_or_default().or(&joiners())).has(c)
}

/// Returns the number of the script of `c` for UnicodeScripts; `None` for spaces and characters
/// without a script.
pub(super) fn script(c: char) -> Option<u32> {
    static SCRIPTS: OnceLock<Vec<(u32, u32, u32)>> = OnceLock::new();
    let scripts = SCRIPTS.get_or_init(|| {
        let mut numbers = set::numbers(tables::SCRIPTS);
        let (mut ranges, mut end) = (Vec::new(), 0);
        while let (Some(before), Some(more), Some(script)) =
            (numbers.next(), numbers.next(), numbers.next())
        {
            ranges.push((end + before, end + before + more, script));
            end += before + more + 1;
        }
        ranges
    });
    let at = scripts.partition_point(|&(_, last, _)| last < c as u32);
    scripts.get(at).filter(|&&(first, ..)| first <= c as u32).map(|&(.., script)| script)
}
