//! Sets of characters.

use super::tables::PROPERTIES;

/// The largest code point.
const LAST: u32 = char::MAX as u32;

/// A set of characters, as ordered ranges of code points with gaps between them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Set {
    ranges: Vec<(u32, u32)>,
    /// Members below 128, one bit per character.
    ascii: u128,
}

impl Set {
    /// Returns the set of these ranges. They may overlap and be in any order.
    pub(super) fn of(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (first, last) in ranges {
            match merged.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => merged.push((first, last)),
            }
        }
        let bit = |at: u32| if holds(&merged, at) { 1 << at } else { 0 };
        let ascii = (0..128).map(bit).fold(0, |all: u128, bit| all | bit);
        Self { ranges: merged, ascii }
    }

    /// Returns the set with one character.
    pub(super) fn char(c: char) -> Self {
        Self::of(vec![(c as u32, c as u32)])
    }

    /// Returns the characters from `first` to `last`.
    pub(super) fn range(first: char, last: char) -> Self {
        Self::of(vec![(first as u32, last as u32)])
    }

    /// Returns the set of all characters.
    pub(super) fn all() -> Self {
        Self::of(vec![(0, LAST)])
    }

    /// Returns the characters with a property. `name` is compared without case, spaces, `_` and
    /// `-`.
    pub(super) fn property(name: &str) -> Option<Self> {
        let name = name.chars().filter(|c| !matches!(c, ' ' | '_' | '-'));
        let name = name.collect::<String>().to_ascii_lowercase();
        let all = |names: &[&str]| {
            let sets = names.iter().map(|name| Self::property(name));
            sets.reduce(|all, set| Some(all?.or(&set?))).flatten()
        };
        match &*name {
            "any" => Some(Self::all()),
            "assigned" => Some(Self::property("Cn")?.not()),
            "l" | "letter" => all(&["Lu", "Ll", "Lt", "Lm", "Lo"]),
            "lc" | "casedletter" => all(&["Lu", "Ll", "Lt"]),
            "m" | "mark" | "combiningmark" => all(&["Mn", "Mc", "Me"]),
            "n" | "number" => all(&["Nd", "Nl", "No"]),
            "p" | "punctuation" | "punct" => all(&["Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"]),
            "s" | "symbol" => all(&["Sm", "Sc", "Sk", "So"]),
            "z" | "separator" => all(&["Zs", "Zl", "Zp"]),
            "c" | "other" => Some(all(&["Cc", "Cf", "Co", "Cn"])?.or(&surrogates())),
            "cs" | "surrogate" => Some(surrogates()),
            "alphabetic" | "alpha" => all(&["L", "Nl", "Other_Alphabetic"]),
            "lowercase" | "lower" => all(&["Ll", "Other_Lowercase"]),
            "uppercase" | "upper" => all(&["Lu", "Other_Uppercase"]),
            "whitespace" | "space" => Some(all(&["Z"])?.or(&Self::of(vec![(9, 13), (0x85, 0x85)]))),
            "digit" => all(&["Nd"]),
            "cntrl" => all(&["Cc"]),
            "ascii" => Some(Self::of(vec![(0, 127)])),
            "blank" => Some(all(&["Zs"])?.or(&Self::char('\t'))),
            "xdigit" | "asciihexdigit" | "ahex" => {
                Some(Self::of(vec![(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)]))
            }
            "alnum" => all(&["Alphabetic", "Nd"]),
            "word" => all(&["Alphabetic", "M", "Nd", "Pc"]),
            "graph" => Some(all(&["White_Space", "Cc", "Cn", "Cs"])?.not()),
            "print" => all(&["graph", "Zs"]),
            _ => {
                let (_, ranges) = PROPERTIES.iter().find(|(names, _)| names.contains(&&*name))?;
                Some(Self::decode(ranges))
            }
        }
    }

    /// Decodes a set from `tables`.
    fn decode(text: &str) -> Self {
        let mut numbers = numbers(text);
        let (mut ranges, mut end) = (Vec::new(), 0);
        while let (Some(before), Some(more)) = (numbers.next(), numbers.next()) {
            ranges.push((end + before, end + before + more));
            end += before + more + 1;
        }
        Self::of(ranges)
    }

    /// Returns whether the set has `c`.
    #[inline]
    pub(super) fn has(&self, c: char) -> bool {
        if c.is_ascii() { self.ascii >> c as u32 & 1 == 1 } else { holds(&self.ranges, c as u32) }
    }

    /// Returns the union.
    pub(super) fn or(&self, other: &Self) -> Self {
        Self::of(self.ranges.iter().chain(&other.ranges).copied().collect())
    }

    /// Returns the intersection.
    pub(super) fn and(&self, other: &Self) -> Self {
        self.not().or(&other.not()).not()
    }

    /// Returns the complement.
    pub(super) fn not(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        for &(first, last) in &self.ranges {
            if first > next {
                ranges.push((next, first - 1));
            }
            next = last + 1;
        }
        if next <= LAST {
            ranges.push((next, LAST));
        }
        Self::of(ranges)
    }
}

/// Returns the base-36 numbers in a text of `tables`.
pub(super) fn numbers(text: &str) -> impl Iterator<Item = u32> {
    text.split(' ').filter_map(|number| u32::from_str_radix(number, 36).ok())
}

/// Returns the surrogates. They are never a `char`, but their category has a name.
fn surrogates() -> Set {
    Set::of(vec![(0xd800, 0xdfff)])
}

fn holds(ranges: &[(u32, u32)], c: u32) -> bool {
    let at = ranges.partition_point(|&(_, last)| last < c);
    ranges.get(at).is_some_and(|&(first, _)| first <= c)
}
