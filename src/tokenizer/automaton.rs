//! The Aho–Corasick automaton. It finds the longest of many texts at every position of another
//! text, in one pass. The time is linear in the text and does not depend on the number or length of
//! the patterns.
//!
//! To find where patterns begin, all texts are read backwards. To find where they end, all are read
//! forwards. The comments below describe the first case.

use crate::{Error, Result};

/// The maximum total bytes of all texts. Each byte becomes a state of 16 bytes.
const MAX_BYTES: usize = 1 << 22;

/// The number that means no text.
const NONE: u32 = u32::MAX;

/// A set of numbered texts.
#[derive(Debug, Clone)]
pub(super) struct Automaton {
    /// States ordered by length. The last one is a sentinel that marks the end of the previous
    /// state's children.
    states: Vec<AutomatonState>,
    /// For each byte, the next state from the root; 0 if no text ends with the byte.
    first: [u32; 256],
    /// For each number, the text's length and the number of the longest shorter text that is its
    /// suffix. Empty if texts are read backwards.
    texts: Vec<(u32, u32)>,
}

/// The direction in which texts are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Backward,
    Forward,
}

impl Direction {
    /// Returns the byte of `text` that is read after `len` other bytes.
    #[inline]
    fn byte(self, text: &[u8], len: usize) -> u8 {
        match self {
            Self::Backward => text[text.len() - 1 - len],
            Self::Forward => text[len],
        }
    }
}

/// A suffix of at least one text.
#[derive(Debug, Clone, Copy)]
struct AutomatonState {
    /// The byte that extends the parent to the left.
    byte: u8,
    /// The first child. Children are one byte longer and ordered by their bytes. The children of
    /// the next state follow.
    children: u32,
    /// The longest other state that is a prefix of this one.
    fallback: u32,
    /// The number of the longest text that is a prefix of this state.
    longest: u32,
}

impl Automaton {
    /// Returns an automaton for [`Automaton::scan`], which finds where texts begin. Errors name the
    /// texts `what`. If a text occurs twice, the later number is used. Empty texts are never found.
    ///
    /// # Errors
    /// `BadTokenizer` if the texts have more than 4 MiB.
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
        // The sort is stable, so the numbers of a repeated text stay in order.
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
        // For each state, the range of the texts with this suffix.
        let mut ranges: Vec<_> = std::iter::once(0..texts.len()).collect();
        let (mut at, mut len, mut longer) = (0, 0, 1);
        while at < new.states.len() {
            if at == longer {
                len += 1;
                longer = new.states.len();
            }
            new.states[at].children = new.states.len() as u32;
            // The fallback is shorter, so its `longest` is already known.
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

    /// Returns the longest state that begins with `byte`, followed by a prefix of `state`.
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

    /// Calls `each` for every byte of `text` where a text begins, from the last byte to the first,
    /// with the number of the longest such text.
    pub(super) fn scan(&self, text: &[u8], mut each: impl FnMut(usize, u32)) {
        let (mut state, mut at) = (0, text.len());
        while at > 0 {
            if state == 0 {
                // Most bytes are not the end of a text.
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

/// Finds where texts end.
#[cfg(feature = "tokenizers")]
impl Automaton {
    /// The state before any byte is read.
    pub(super) const START: u32 = 0;

    /// Returns an automaton that finds where texts end. It is used through [`Automaton::next`] and
    /// the queries on states.
    ///
    /// # Errors
    /// The errors of [`Automaton::new`].
    pub(super) fn of_ends<'a>(
        what: &str,
        texts: impl Iterator<Item = (&'a str, u32)>,
    ) -> Result<Self> {
        Self::build(what, texts, Direction::Forward)
    }

    /// Returns the number of the longest text that is a suffix of `state`.
    #[inline]
    pub(super) fn longest(&self, state: u32) -> Option<u32> {
        Some(self.states[state as usize].longest).filter(|&number| number != NONE)
    }

    /// Returns the number of the longest shorter text that is a suffix of a text.
    #[inline]
    pub(super) fn shorter(&self, number: u32) -> Option<u32> {
        Some(self.texts[number as usize].1).filter(|&number| number != NONE)
    }

    /// Returns the length of a text in bytes.
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
        /// The result equals trying every text at every position.
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
