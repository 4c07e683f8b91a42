//! Derives choices and texts from the bytes of an input. Missing bytes count as 0.

use std::borrow::Cow;

/// Bytes that are taken from the front.
pub struct Source<'a>(&'a [u8]);

impl<'a> Source<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// Returns a number less than `end`, which is at most 256.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end.max(1)
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    pub fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// Returns `count` numbers, each less than `end`.
    pub fn numbers(&mut self, count: usize, end: usize) -> Vec<u32> {
        (0..count).map(|_| self.below(end) as u32).collect()
    }

    /// Returns all bytes that are left.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }
}

/// Splits an input into files, which end with the byte 0. Missing files are `None`.
pub fn files<const N: usize>(bytes: &[u8]) -> [Option<&[u8]>; N] {
    let mut parts = bytes.splitn(N, |&byte| byte == 0);
    std::array::from_fn(|_| parts.next().filter(|part| !part.is_empty()))
}

/// Returns bytes as text, with U+FFFD for invalid UTF-8.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
