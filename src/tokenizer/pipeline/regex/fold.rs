//! Characters and texts that are equal without regard to case.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::set::Set;

/// The end of the characters that have case.
const END: char = '\u{1f000}';

/// Characters that differ only in case.
struct Folds {
    /// Groups by their representative.
    groups: BTreeMap<char, Vec<char>>,
    /// Texts of several characters, and the characters with the same case folding, e.g. `ss` and
    /// U+00DF.
    texts: BTreeMap<Vec<char>, Vec<char>>,
}

fn folds() -> &'static Folds {
    static FOLDS: OnceLock<Folds> = OnceLock::new();
    FOLDS.get_or_init(|| {
        let mut folds = Folds { groups: BTreeMap::new(), texts: BTreeMap::new() };
        for c in ('\0'..END).filter(|c| !c.is_ascii_digit()) {
            let text = text_of(c);
            if text.len() > 1 {
                folds.texts.entry(text).or_default().push(c);
            }
            folds.groups.entry(simple(c)).or_default().push(c);
        }
        folds.groups.retain(|_, group| group.len() > 1);
        folds
    })
}

fn single(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}

/// Returns the representative of `c` and of all characters that differ from `c` only in case.
pub(super) fn simple(c: char) -> char {
    // The upper case of U+0131 is `I`, but Unicode's case folding does not fold U+0131.
    if c == '\u{131}' {
        return c;
    }
    let upper = single(c.to_uppercase()).unwrap_or(c);
    single(upper.to_lowercase()).unwrap_or(upper)
}

/// Returns the full case folding of `c`, which has one to three characters.
pub(super) fn text_of(c: char) -> Vec<char> {
    if c == '\u{131}' {
        return vec![c];
    }
    let upper = c.to_lowercase().flat_map(char::to_uppercase);
    upper.flat_map(char::to_lowercase).map(simple).collect()
}

/// Returns `c` and all characters that differ from it only in case.
pub(super) fn like(c: char) -> Vec<char> {
    folds().groups.get(&simple(c)).cloned().unwrap_or_else(|| vec![c])
}

/// Returns the characters whose full case folding is this text of several characters.
pub(super) fn written_as(text: &[char]) -> &'static [char] {
    folds().texts.get(text).map_or(&[], Vec::as_slice)
}

/// Returns the set extended by all characters that differ from a member only in case. Also returns
/// the case foldings with several characters.
pub(super) fn widen(set: &Set) -> (Set, Vec<Vec<char>>) {
    let mut more = Vec::new();
    for group in folds().groups.values() {
        if group.iter().any(|&c| set.has(c)) {
            more.extend(group.iter().map(|&c| (c as u32, c as u32)));
        }
    }
    let has = |characters: &Vec<char>| characters.iter().any(|&c| set.has(c));
    let texts = folds().texts.iter().filter(|(_, characters)| has(characters));
    (set.or(&Set::of(more)), texts.map(|(text, _)| text.clone()).collect())
}
