//! Passes over workgroup memory. It has 32 banks of 4 bytes; per clock, each bank delivers one word
//! to any number of invocations.

/// Number of invocations that run together.
pub(crate) const SUBGROUP: u32 = 32;
const BANKS: u32 = 32;

/// The number of passes of one access, for the two kinds of devices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Passes {
    /// Passes if 128 bytes at a time are fetched for consecutive invocations, e.g. 8 for vectors of
    /// 16 bytes.
    pub(crate) by_parts: f64,
    /// Passes if equal addresses within the subgroup are fetched once.
    pub(crate) merged: f64,
}

impl Passes {
    pub(crate) const NONE: Self = Self { by_parts: 0.0, merged: 0.0 };

    /// Returns the passes of `count` accesses.
    pub(crate) fn times(self, count: f64) -> Self {
        Self { by_parts: self.by_parts * count, merged: self.merged * count }
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self { by_parts: self.by_parts + other.by_parts, merged: self.merged + other.merged }
    }
}

/// Returns the passes of an access by the first subgroup of a workgroup. `element` returns the
/// index that an invocation accesses, in an array of elements of `words` words.
pub(crate) fn passes(words: u32, element: impl Fn(u32) -> u32) -> Passes {
    let conflicts = |invocations: std::ops::Range<u32>| {
        let mut words: Vec<u32> = invocations
            .flat_map(|n| (0..words).map(move |word| (n, word)))
            .map(|(n, word)| element(n) * words + word)
            .collect();
        words.sort_unstable();
        words.dedup();
        let of_bank = |bank| words.iter().filter(|word| *word % BANKS == bank).count();
        (0..BANKS).map(of_bank).max().unwrap_or_default() as f64
    };
    let together = BANKS / words;
    let parts = (0..SUBGROUP / together).map(|part| part * together..(part + 1) * together);
    Passes { by_parts: parts.map(&conflicts).sum(), merged: conflicts(0..SUBGROUP) }
}
