//! Choices and texts out of the bytes of an input. Bytes that are missing count as 0.

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

    /// A number less than `end`, which is 256 at most.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end.max(1)
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    pub fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// So many numbers less than `end` each.
    pub fn numbers(&mut self, count: usize, end: usize) -> Vec<u32> {
        (0..count).map(|_| self.below(end) as u32).collect()
    }

    /// All bytes that are left.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }
}

/// The files that an input holds, which are ended by the byte 0; those that are missing are `None`.
pub fn files<const N: usize>(bytes: &[u8]) -> [Option<&[u8]>; N] {
    let mut parts = bytes.splitn(N, |&byte| byte == 0);
    std::array::from_fn(|_| parts.next().filter(|part| !part.is_empty()))
}

/// Bytes as text, with U+FFFD for what is not UTF-8.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
