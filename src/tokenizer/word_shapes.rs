//! Token types that say how a word is written, for vocabularies without capital letters.

use super::{Encoding, lower};

/// Sets the type of each token of `texts`, a text and its pair.
///
/// The first token of a word:
///
/// | the word | after the word before it | after white space | begins a line or a cell |
/// | --- | --- | --- | --- |
/// | has no capital letter | 0 | 2 | 6 |
/// | begins with its only capital letter | 1 | 3 | 7 |
/// | has capital letters alone, at least two | 1 | 4 | 8 |
/// | has capital letters at other places | 1 | 5 | 7 |
///
/// The other tokens of a word: 1 if it has a capital letter, otherwise 0. Tokens without a word: 0.
pub(super) fn set_word_shapes(encoding: &mut Encoding, texts: [&str; 2]) {
    let Encoding { type_ids, spans, word_ids, sequence_ids, .. } = encoding;
    let mut first = 0;
    while first < type_ids.len() {
        let word = (sequence_ids[first], word_ids[first]);
        let is_same = |&token: &usize| (sequence_ids[token], word_ids[token]) == word;
        let end = first + (first..type_ids.len()).take_while(is_same).count();
        let types = &mut type_ids[first..end];
        types.fill(0);
        if let (Some(sequence), Some(_)) = word {
            let text = texts[usize::from(sequence != 0)];
            let [start, stop] = [spans[first].start, spans[end - 1].end].map(|at| at as usize);
            let word = text[start..stop].trim_start();
            let case = case(word);
            types.fill(u32::from(case > 0));
            types[0] = match gap(&text[..stop - word.len()]) {
                Gap::None => types[0],
                Gap::Space => 2 + case,
                Gap::Line if case == 3 => 7,
                Gap::Line => 6 + case,
            };
        }
        first = end;
    }
}

/// Returns 0 for a word without capital letters, 1 for one that begins with its only capital letter,
/// 2 for two or more capital letters alone, 3 for others. ASCII digits do not count.
fn case(word: &str) -> u32 {
    let (mut capitals, mut others, mut is_first) = (0, 0, false);
    for c in word.chars().filter(|c| !c.is_ascii_digit()) {
        if is_capital(c) {
            is_first |= others == 0;
            capitals += 1;
        } else {
            others += 1;
        }
    }
    match (capitals, others) {
        (0, _) => 0,
        (1, _) if is_first => 1,
        (_, 0) => 2,
        _ => 3,
    }
}

/// Returns whether a character has another lower case.
fn is_capital(c: char) -> bool {
    let mut is_capital = false;
    lower(c, |small| is_capital |= small != c);
    is_capital
}

/// What is before a word.
enum Gap {
    None,
    Space,
    Line,
}

/// Returns what ends the text before a word.
fn gap(before: &str) -> Gap {
    let mut gap = Gap::None;
    for c in before.chars().rev() {
        if matches!(c, '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}') {
            return Gap::Line;
        }
        if !c.is_whitespace() {
            return gap;
        }
        gap = Gap::Space;
    }
    Gap::Line
}
