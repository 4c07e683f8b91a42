//! The pre-tokenizers of a `tokenizer.json`, which split a text into words.

use std::num::NonZeroUsize;

use super::{
    byte_level,
    edits::{Piece, Sources},
    fast_bpe,
    normalizers::Pattern,
    regex::{self, Fuel},
    splits::{self, Behavior, Part},
};
use crate::tokenizer::{
    normalized::Normalized,
    unicode::{self, PUNCTUATION, SPACE},
};
use crate::{Error, Result};

/// A pre-tokenizer. In a Sequence, each one splits the words of the previous one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Splitter {
    /// Splits into GPT-2's words if `use_regex` is set. With `writes`, bytes are written as
    /// characters. A model that takes the bytes themselves does not need the characters.
    ByteLevel { add_prefix_space: bool, use_regex: bool, writes: bool },
    /// Replaces spaces by the replacement. With `split`, a word begins at each replacement.
    Metaspace { replacement: char, prepend: Prepend, split: bool },
    /// Removes white space and splits there.
    WhitespaceSplit,
    /// The same, but a line feed after a word belongs to the word: `\S+\n?`.
    Lines,
    /// Removes white space, and splits between word characters and others.
    Whitespace,
    /// Removes white space, and makes each punctuation character a word.
    Bert,
    /// Removes a character and splits there.
    Delimiter(char),
    /// Splits between digits and other characters. With `individual`, each digit is a word.
    Digits { individual: bool },
    /// Splits at punctuation.
    Punctuation(Behavior),
    /// Splits at the matches of the pattern. With `invert`, splits at the text between them.
    Split { pattern: Pattern, behavior: Behavior, invert: bool },
    /// Splits between scripts.
    Scripts,
    /// Splits into words of this number of characters.
    FixedLength(NonZeroUsize),
}

/// State while a text is split.
#[derive(Debug)]
pub(super) struct Work {
    /// Texts whose memory is reused.
    buffers: Vec<Normalized>,
    /// Steps left for regular expressions.
    pub(super) fuel: Fuel,
    /// The first error.
    pub(super) failure: Option<Error>,
}

impl Work {
    /// Returns the state for a text.
    pub(super) fn for_text(text: &str) -> Self {
        Self { buffers: Vec::new(), fuel: Fuel::for_text(text.len()), failure: None }
    }
}

/// The texts that Metaspace prefixes with its replacement. Texts that begin with it are not
/// prefixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prepend {
    /// Every text.
    Always,
    /// The first text of the caller's text.
    First,
    /// No text.
    Never,
}

impl Splitter {
    /// Returns ByteLevel's flag for writing bytes as characters; `None` for any other
    /// pre-tokenizer.
    pub(super) fn writes_bytes(&mut self) -> Option<&mut bool> {
        match self {
            Self::ByteLevel { writes, .. } => Some(writes),
            _ => None,
        }
    }

    /// Returns the parts of a text, each with a flag for dividers, and the behavior of dividers.
    fn parts(&self, text: &str, fuel: &mut Fuel) -> Result<(Vec<Part>, Behavior)> {
        Ok(match self {
            &Self::Delimiter(delimiter) => {
                (splits::of_characters(text, |c| c == delimiter), Behavior::Removed)
            }
            Self::Digits { individual } => {
                let behavior = if *individual { Behavior::Isolated } else { Behavior::Contiguous };
                (splits::of_characters(text, char::is_numeric), behavior)
            }
            Self::Punctuation(behavior) => {
                let is_punctuation = |c| unicode::flags(c) & PUNCTUATION != 0;
                (splits::of_characters(text, is_punctuation), *behavior)
            }
            Self::Split { pattern, behavior, invert } => {
                (splits::of_matches(text, pattern.matches(text, fuel)?, *invert), *behavior)
            }
            _ => (Vec::new(), Behavior::Isolated),
        })
    }

    /// Returns whether the result depends on the position of a piece in the caller's text.
    pub(super) fn asks_where(&self) -> bool {
        matches!(self, Self::Metaspace { prepend: Prepend::First, .. })
    }
}

/// Calls `each` with the words of `piece` in order. Words are never empty. Sets `work.failure` if
/// an expression fails.
pub(super) fn split(
    steps: &[Splitter],
    piece: Piece<'_>,
    work: &mut Work,
    each: &mut dyn FnMut(Piece<'_>),
) {
    if piece.text.is_empty() || work.failure.is_some() {
        return;
    }
    let Some((step, rest)) = steps.split_first() else { return each(piece) };
    match *step {
        Splitter::ByteLevel { add_prefix_space, use_regex, writes } => {
            split_bytes([add_prefix_space, use_regex, writes], rest, piece, work, each);
        }
        Splitter::Metaspace { replacement, prepend, split: splits } => {
            split_metaspace((replacement, prepend, splits), rest, piece, work, each);
        }
        Splitter::WhitespaceSplit => {
            runs(piece, work, rest, each, |c| (!c.is_whitespace()).then_some(false), false);
        }
        Splitter::Lines => split_lines(rest, piece, work, each),
        Splitter::Whitespace => {
            let kind = |c: char| (!c.is_whitespace()).then(|| regex::is_word(c));
            runs(piece, work, rest, each, kind, false);
        }
        Splitter::Bert => {
            let kind = |c| {
                let flags = unicode::flags(c);
                (flags & SPACE == 0).then_some(flags & PUNCTUATION != 0)
            };
            runs(piece, work, rest, each, kind, true);
        }
        Splitter::FixedLength(length) => {
            let mut starts = piece.text.char_indices().map(|(at, _)| at).step_by(length.get());
            let mut start = starts.next().unwrap_or_default();
            for end in starts.chain([piece.text.len()]) {
                split(rest, piece.slice(start..end), work, each);
                start = end;
            }
        }
        Splitter::Scripts => {
            for part in splits::scripts(piece.text) {
                split(rest, piece.slice(part), work, each);
            }
        }
        ref step => {
            let parts = step.parts(piece.text, &mut work.fuel);
            match parts {
                Ok((parts, behavior)) => splits::divide(parts.into_iter(), behavior, &mut |part| {
                    split(rest, piece.slice(part), work, each);
                }),
                Err(error) => work.failure = Some(error),
            }
        }
    }
}

/// [`split`] by [`Splitter::ByteLevel`]. The flags are its fields, in order.
fn split_bytes(
    [add_prefix_space, use_regex, writes]: [bool; 3],
    rest: &[Splitter],
    piece: Piece<'_>,
    work: &mut Work,
    each: &mut dyn FnMut(Piece<'_>),
) {
    let lacks = add_prefix_space && !piece.text.starts_with(' ');
    let mut buffer = lacks.then(|| work.buffers.pop().unwrap_or_default());
    let piece = match &mut buffer {
        Some(buffer) => {
            buffer.clear();
            buffer.text_only = matches!(piece.sources, Sources::Unknown);
            buffer.push(piece);
            buffer.prepend(" ");
            buffer.piece()
        }
        None => piece,
    };
    let mut pass = |word: Piece<'_>| match writes {
        true => {
            let mut buffer = work.buffers.pop().unwrap_or_default();
            write_bytes(word, &mut buffer);
            split(rest, buffer.piece(), work, each);
            work.buffers.push(buffer);
        }
        false => split(rest, word, work, each),
    };
    if use_regex {
        byte_level::words(piece.text).for_each(|word| pass(piece.slice(word)));
    } else {
        pass(piece);
    }
    work.buffers.extend(buffer);
}

/// [`split`] by [`Splitter::Metaspace`], with its fields.
fn split_metaspace(
    (replacement, prepend, splits): (char, Prepend, bool),
    rest: &[Splitter],
    piece: Piece<'_>,
    work: &mut Work,
    each: &mut dyn FnMut(Piece<'_>),
) {
    let mut buffer = work.buffers.pop().unwrap_or_default();
    metaspace(piece, replacement, prepend, &mut buffer);
    let piece = buffer.piece();
    let mut done = 0;
    let starts = piece.text.match_indices(replacement).filter(|&(at, _)| splits && at > 0);
    for (at, _) in starts {
        split(rest, piece.slice(done..at), work, each);
        done = at;
    }
    split(rest, piece.slice(done..piece.text.len()), work, each);
    work.buffers.push(buffer);
}

/// [`split`] by [`Splitter::Lines`].
fn split_lines(
    rest: &[Splitter],
    piece: Piece<'_>,
    work: &mut Work,
    each: &mut dyn FnMut(Piece<'_>),
) {
    let mut start = None;
    let ends = [(piece.text.len(), ' ')];
    for (at, c) in piece.text.char_indices().chain(ends) {
        if !fast_bpe::is_space(c) {
            start.get_or_insert(at);
        } else if let Some(start) = start.take() {
            let end = at + usize::from(c == '\n');
            split(rest, piece.slice(start..end), work, each);
        }
    }
}

/// Writes the bytes of a piece into `buffer` as characters.
fn write_bytes(piece: Piece<'_>, buffer: &mut Normalized) {
    buffer.clear();
    buffer.text_only = matches!(piece.sources, Sources::Unknown);
    for (at, c) in piece.text.char_indices() {
        let end = at + c.len_utf8();
        let source = piece.source(at, end);
        for &byte in &piece.text.as_bytes()[at..end] {
            buffer.push_char(byte_level::char_of(byte), source);
        }
    }
}

/// Writes a piece into `buffer` with spaces replaced by `replacement`. `prepend` decides whether
/// `replacement` is inserted before the piece.
fn metaspace(piece: Piece<'_>, replacement: char, prepend: Prepend, buffer: &mut Normalized) {
    buffer.clear();
    buffer.text_only = matches!(piece.sources, Sources::Unknown);
    let before = match prepend {
        Prepend::Always => true,
        Prepend::First => piece.start() == 0,
        Prepend::Never => false,
    };
    if before && !piece.text.starts_with([' ', replacement]) {
        let first = piece.text.chars().next().map_or(0, char::len_utf8);
        buffer.push_char(replacement, piece.source(0, first));
    }
    if buffer.text_only {
        let mut parts = piece.text.split(' ');
        buffer.text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            buffer.text.push(replacement);
            buffer.text.push_str(part);
        }
        return;
    }
    let mut done = 0;
    for (at, _) in piece.text.match_indices(' ') {
        buffer.push(piece.slice(done..at));
        buffer.push_char(replacement, piece.source(at, at + 1));
        done = at + 1;
    }
    buffer.push(piece.slice(done..piece.text.len()));
}

/// Passes on the runs of characters with the same kind. Characters without a kind are removed. With
/// `isolates`, each character of kind `true` is its own run.
fn runs(
    piece: Piece<'_>,
    work: &mut Work,
    rest: &[Splitter],
    each: &mut dyn FnMut(Piece<'_>),
    kind: impl Fn(char) -> Option<bool>,
    isolates: bool,
) {
    let (mut start, mut before) = (0, None);
    for (at, c) in piece.text.char_indices() {
        let here = kind(c);
        if here != before || (isolates && here == Some(true)) {
            if before.is_some() {
                split(rest, piece.slice(start..at), work, each);
            }
            (start, before) = (at, here);
        }
    }
    if before.is_some() {
        split(rest, piece.slice(start..piece.text.len()), work, each);
    }
}
