//! The longest of many texts at every place of another, in one pass: the automaton of Aho and
//! Corasick. Time is linear in the text, however many and however long those that are looked for.
//!
//! To find where texts begin they are read backwards, and the other one, too; to find where they
//! end all are read forwards. The comments below are about the first.

use crate::{Error, Result};

/// Bytes of all texts together at most; each is a state of 16 bytes.
const MAX_BYTES: usize = 1 << 22;

/// No text.
const NONE: u32 = u32::MAX;

/// A set of texts, each with a number.
#[derive(Debug, Clone)]
pub(super) struct Automaton {
    /// In order of length; the last has no meaning but that the children before it end there.
    states: Vec<AutomatonState>,
    /// The state that a byte leads to from the first; 0 where no text ends with that byte.
    first: [u32; 256],
    /// By number: the length of the text, and the number of the longest shorter one that it ends
    /// with. Only where texts are read forwards.
    texts: Vec<(u32, u32)>,
}

/// In which direction texts are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Backward,
    Forward,
}

impl Direction {
    /// The byte of `text` that is read after `len` others.
    #[inline]
    fn byte(self, text: &[u8], len: usize) -> u8 {
        match self {
            Self::Backward => text[text.len() - 1 - len],
            Self::Forward => text[len],
        }
    }
}

/// An end that one or several of the texts have.
#[derive(Debug, Clone, Copy)]
struct AutomatonState {
    /// The byte before it that its parent lacks.
    byte: u8,
    /// The first of the states that are one byte longer. They are in order of their bytes, and
    /// the next state's follow them.
    children: u32,
    /// The longest state that this one begins with.
    fallback: u32,
    /// The number of the longest text that this one begins with.
    longest: u32,
}

impl Automaton {
    /// Finds where texts begin, by [`Automaton::scan`]. `what` the texts are is for the error. Of
    /// the same text given twice the later number is the one found; empty texts never are.
    ///
    /// # Errors
    /// `BadTokenizer` for more than 4 MiB of texts.
    pub(super) fn new<'a>(what: &str, texts: impl Iterator<Item = (&'a str, u32)>) -> Result<Self> {
        Self::build(what, texts, Direction::Backward)
    }

    fn build<'a>(
        what: &str,
        texts: impl Iterator<Item = (&'a str, u32)>,
        direction: Direction,
    ) -> Result<Self> {
        let mut texts: Vec<_> = texts.map(|(text, number)| (text.as_bytes(), number)).collect();
        let bytes: usize = texts.iter().map(|(text, _)| text.len()).sum();
        if bytes > MAX_BYTES {
            return Err(Error::BadTokenizer(format!(
                "{what} are {bytes} bytes together; {MAX_BYTES} are possible"
            )));
        }
        // Stable: a text given twice keeps its numbers in order.
        match direction {
            Direction::Backward => {
                texts.sort_by(|(a, _), (b, _)| a.iter().rev().cmp(b.iter().rev()));
            }
            Direction::Forward => texts.sort_by_key(|&(text, _)| text),
        }
        Ok(Self::of_sorted(&texts, direction))
    }

    fn of_sorted(texts: &[(&[u8], u32)], direction: Direction) -> Self {
        let root = AutomatonState { byte: 0, children: 0, fallback: 0, longest: NONE };
        let mut new = Self { states: vec![root], first: [0; 256], texts: Vec::new() };
        // The texts that end with each state.
        let mut ranges: Vec<_> = std::iter::once(0..texts.len()).collect();
        let (mut at, mut len, mut longer) = (0, 0, 1);
        while at < new.states.len() {
            if at == longer {
                len += 1;
                longer = new.states.len();
            }
            new.states[at].children = new.states.len() as u32;
            // Shorter, so that its own is known.
            let fallback = new.states[at].fallback;
            new.states[at].longest = new.states[fallback as usize].longest;
            let mut rest = ranges[at].clone();
            while let Some((_, number)) = texts[rest.clone()].first().filter(|t| t.0.len() == len) {
                rest.start += 1;
                if at > 0 {
                    new.states[at].longest = *number;
                    if direction == Direction::Forward {
                        let shorter = new.states[fallback as usize].longest;
                        new.set_text(*number, (len as u32, shorter));
                    }
                }
            }
            while !rest.is_empty() {
                let byte_of = |text: &[u8]| direction.byte(text, len);
                let byte = byte_of(texts[rest.start].0);
                let same = texts[rest.clone()].partition_point(|(text, _)| byte_of(text) == byte);
                let fallback = if at == 0 { 0 } else { new.next(new.states[at].fallback, byte) };
                if at == 0 {
                    new.first[usize::from(byte)] = new.states.len() as u32;
                }
                new.states.push(AutomatonState { byte, children: 0, fallback, longest: NONE });
                ranges.push(rest.start..rest.start + same);
                rest.start += same;
            }
            at += 1;
        }
        new.states.push(AutomatonState { children: new.states.len() as u32, ..root });
        new
    }

    fn set_text(&mut self, number: u32, text: (u32, u32)) {
        let at = number as usize;
        if self.texts.len() <= at {
            self.texts.resize(at + 1, (0, NONE));
        }
        self.texts[at] = text;
    }

    /// The longest state that begins with `byte` and goes on with what `state` begins with.
    #[inline]
    pub(super) fn next(&self, mut state: u32, byte: u8) -> u32 {
        while state != 0 {
            let at = state as usize;
            let first = self.states[at].children;
            let children = &self.states[first as usize..self.states[at + 1].children as usize];
            if let Ok(child) = children.binary_search_by_key(&byte, |child| child.byte) {
                return first + child as u32;
            }
            state = self.states[at].fallback;
        }
        self.first[usize::from(byte)]
    }

    /// Calls `each` with every byte of `text` at which one of the texts begins, the last first,
    /// and with the number of the longest there.
    pub(super) fn scan(&self, text: &[u8], mut each: impl FnMut(usize, u32)) {
        let (mut state, mut at) = (0, text.len());
        while at > 0 {
            if state == 0 {
                // Most bytes end no text.
                let ends = |byte: &u8| self.first[usize::from(*byte)] != 0;
                let Some(last) = text[..at].iter().rposition(ends) else { return };
                at = last + 1;
            }
            at -= 1;
            state = self.next(state, text[at]);
            let longest = self.states[state as usize].longest;
            if longest != NONE {
                each(at, longest);
            }
        }
    }
}

/// Where texts end.
#[cfg(feature = "tokenizers")]
impl Automaton {
    /// The state before anything is read.
    pub(super) const START: u32 = 0;

    /// Finds where texts end, by [`Automaton::next`] and what can be asked of its states.
    ///
    /// # Errors
    /// As [`Automaton::new`].
    pub(super) fn of_ends<'a>(
        what: &str,
        texts: impl Iterator<Item = (&'a str, u32)>,
    ) -> Result<Self> {
        Self::build(what, texts, Direction::Forward)
    }

    /// The number of the longest text that `state` ends with.
    #[inline]
    pub(super) fn longest(&self, state: u32) -> Option<u32> {
        Some(self.states[state as usize].longest).filter(|&number| number != NONE)
    }

    /// The number of the longest shorter text that a text ends with.
    #[inline]
    pub(super) fn shorter(&self, number: u32) -> Option<u32> {
        Some(self.texts[number as usize].1).filter(|&number| number != NONE)
    }

    /// The length in bytes of a text.
    #[inline]
    pub(super) fn len(&self, number: u32) -> usize {
        self.texts[number as usize].0 as usize
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use proptest::prelude::*;

    use super::Automaton;

    proptest! {
        /// As by trying every text at every place.
        #[test]
        fn the_longest_is_found_everywhere(
            texts in proptest::collection::vec("[abc]{0,5}", 0..12),
            text in "[abcd]{0,40}",
        ) {
            let numbered = || texts.iter().map(String::as_str).zip(0..);
            let automaton = Automaton::new("texts", numbered()).unwrap();
            let mut found = Vec::new();
            automaton.scan(text.as_bytes(), |at, number| found.push((at, number)));
            let at = |at: usize| {
                let here = numbered().filter(|(t, _)| !t.is_empty() && text[at..].starts_with(t));
                here.max_by_key(|(t, _)| t.len()).map(|(_, number)| (at, number))
            };
            let expected: Vec<_> = (0..text.len()).rev().filter_map(at).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
