//! Divides a text at the matches of a pattern.

use std::ops::Range;

use serde::Deserialize;

use super::regex;

/// A byte range of a text, and whether it is a divider.
pub(super) type Part = (Range<usize>, bool);

/// The treatment of dividers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum Behavior {
    /// Dividers are removed.
    Removed,
    /// Each divider is a word.
    Isolated,
    /// Each divider is joined to the previous word.
    MergedWithPrevious,
    /// Each divider is joined to the next word.
    MergedWithNext,
    /// Neighbouring dividers are joined to one word.
    Contiguous,
}

/// Returns the parts of a text with each of these characters as a divider.
pub(super) fn of_characters(text: &str, divides: impl Fn(char) -> bool) -> Vec<Part> {
    let matches = text.char_indices().filter(|&(_, c)| divides(c));
    let matches = matches.map(|(at, c)| at..at + c.len_utf8()).collect();
    of_matches(text, matches, false)
}

/// Returns the parts of a text with these ranges as dividers. With `invert`, the text between them
/// divides.
pub(super) fn of_matches(text: &str, matches: Vec<Range<usize>>, invert: bool) -> Vec<Part> {
    let mut parts = Vec::with_capacity(2 * matches.len() + 1);
    let mut done = 0;
    for range in matches {
        if done != range.start {
            parts.push((done..range.start, invert));
        }
        done = range.end;
        parts.push((range, !invert));
    }
    if done != text.len() {
        parts.push((done..text.len(), invert));
    }
    parts
}

/// Calls `each` with the words of these parts. Words may be empty.
pub(super) fn divide(
    parts: impl Iterator<Item = Part>,
    behavior: Behavior,
    each: &mut dyn FnMut(Range<usize>),
) {
    // The current word, and whether its last part is a divider.
    let mut word: Option<Range<usize>> = None;
    let mut before = false;
    for (part, divides) in parts {
        let joins = match behavior {
            Behavior::Removed | Behavior::Isolated => false,
            Behavior::MergedWithPrevious => divides && !before,
            Behavior::MergedWithNext => before && !divides,
            Behavior::Contiguous => divides == before,
        };
        before = divides;
        if behavior == Behavior::Removed && divides {
            continue;
        }
        match &mut word {
            Some(word) if joins => word.end = part.end,
            word => {
                if let Some(word) = word.replace(part) {
                    each(word);
                }
            }
        }
    }
    word.into_iter().for_each(each);
}

/// Returns the runs with the same script by sentencepiece's rules. Kana are Han, and a space
/// belongs to the previous run. As in the library, a space before the first run is in no run.
pub(super) fn scripts(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut last = None;
    for (at, c) in text.char_indices() {
        let script = regex::script(c);
        let end = at + c.len_utf8();
        if script.is_some() && script != last {
            runs.push(at..end);
            last = script;
        } else if let Some(run) = runs.last_mut() {
            run.end = end;
        }
    }
    runs
}
