//! The pre-tokenizers of a `tokenizer.json`, which split a text into what the model cuts: words.

use super::{
    byte_level,
    edits::{Piece, Sources},
};
use crate::tokenizer::{
    normalized::Normalized,
    unicode::{self, PUNCTUATION, SPACE},
};

/// One pre-tokenizer; in a sequence each splits what the one before it gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Splitter {
    /// GPT-2's words, or with `use_regex` false the text as one; `writes`: as characters that stand for
    /// its bytes. A model that takes the bytes themselves needs no characters.
    ByteLevel { add_prefix_space: bool, use_regex: bool, writes: bool },
    /// Spaces become the replacement, at each of which a word begins if `split` is set.
    Metaspace { replacement: char, prepend: Prepend, split: bool },
    /// White space goes and is where words end.
    WhitespaceSplit,
    /// The same, and what is no letter, mark, digit or connector is apart.
    Whitespace,
    /// BERT's: white space goes, punctuation is a word by itself.
    Bert,
}

/// Before what Metaspace puts its replacement, unless it stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prepend {
    /// Every piece of text.
    Always,
    /// The one that the text begins with.
    First,
    /// None.
    Never,
}

impl Splitter {
    /// Whether it writes characters for bytes, if it is ByteLevel.
    pub(super) fn writes_bytes(&mut self) -> Option<&mut bool> {
        match self {
            Self::ByteLevel { writes, .. } => Some(writes),
            _ => None,
        }
    }

    /// Whether it has to know where in the caller's text a piece begins.
    pub(super) fn asks_where(&self) -> bool {
        matches!(self, Self::Metaspace { prepend: Prepend::First, .. })
    }
}

/// Calls `each` with the words of `piece` in order, none of them empty. `buffers` keeps memory.
pub(super) fn split(
    steps: &[Splitter],
    piece: Piece<'_>,
    buffers: &mut Vec<Normalized>,
    each: &mut dyn FnMut(Piece<'_>),
) {
    if piece.text.is_empty() {
        return;
    }
    let Some((step, rest)) = steps.split_first() else { return each(piece) };
    match *step {
        Splitter::ByteLevel { add_prefix_space, use_regex, writes } => {
            let lacks = add_prefix_space && !piece.text.starts_with(' ');
            let mut buffer = lacks.then(|| buffers.pop().unwrap_or_default());
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
                    let mut buffer = buffers.pop().unwrap_or_default();
                    write_bytes(word, &mut buffer);
                    split(rest, buffer.piece(), buffers, each);
                    buffers.push(buffer);
                }
                false => split(rest, word, buffers, each),
            };
            if use_regex {
                byte_level::words(piece.text).for_each(|word| pass(piece.slice(word)));
            } else {
                pass(piece);
            }
            buffers.extend(buffer);
        }
        Splitter::Metaspace { replacement, prepend, split: splits } => {
            let mut buffer = buffers.pop().unwrap_or_default();
            metaspace(piece, replacement, prepend, &mut buffer);
            let piece = buffer.piece();
            let mut done = 0;
            let starts = piece.text.match_indices(replacement).filter(|&(at, _)| splits && at > 0);
            for (at, _) in starts {
                split(rest, piece.slice(done..at), buffers, each);
                done = at;
            }
            split(rest, piece.slice(done..piece.text.len()), buffers, each);
            buffers.push(buffer);
        }
        Splitter::WhitespaceSplit => {
            runs(piece, buffers, rest, each, |c| (!c.is_whitespace()).then_some(false), false);
        }
        Splitter::Whitespace => {
            let kind = |c: char| (!c.is_whitespace()).then(|| unicode::is_word(c));
            runs(piece, buffers, rest, each, kind, false);
        }
        Splitter::Bert => {
            let kind = |c| {
                let flags = unicode::flags(c);
                (flags & SPACE == 0).then_some(flags & PUNCTUATION != 0)
            };
            runs(piece, buffers, rest, each, kind, true);
        }
    }
}

/// Writes a piece into `buffer` as characters that stand for its bytes.
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

/// Writes a piece with `replacement` for its spaces, and perhaps before it, into `buffer`.
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

/// Hands on the runs of characters of one kind; those that have none are left out. With
/// `isolates` characters of the kind `true` are no runs, but each by itself.
fn runs(
    piece: Piece<'_>,
    buffers: &mut Vec<Normalized>,
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
                split(rest, piece.slice(start..at), buffers, each);
            }
            (start, before) = (at, here);
        }
    }
    if before.is_some() {
        split(rest, piece.slice(start..piece.text.len()), buffers, each);
    }
}
