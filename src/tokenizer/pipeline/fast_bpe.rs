//! Byte-pair encoding as the program fastBPE writes it: BERTweet and PhoBERT. The files are a
//! `vocab.txt` with tokens and counts, and a `bpe.codes` with merges and counts.
//!
//! Symbols of a word are characters, the last one with `</w>`. Tokens that do not end their word
//! end with `@@`. A merge may build a symbol without a token; such a symbol is unknown.

use crate::error::fault;
use std::collections::{BTreeMap, BTreeSet};

use super::merges::{Merges, Queue, Symbol};
use crate::Result;
use crate::tokenizer::bert::wordpiece::Piece;
use crate::tokenizer::vocab::{Vocab, VocabBuilder};

/// The end of a symbol that ends its word.
const END: &str = "</w>";

/// The end of a token that does not end its word.
pub(super) const CONTINUED: &str = "@@";

/// The symbol of a character that no token and no merge contains.
const NO_SYMBOL: u32 = u32::MAX;

/// The vocabulary and the merges.
#[derive(Debug, Clone)]
pub(super) struct FastBpe {
    vocab: Vocab,
    merges: Merges,
    /// For each known character, its symbols inside a word and at the end. Sorted.
    chars: Vec<(char, [u32; 2])>,
    /// For each symbol, its tokens inside a word and at the end.
    ids: Vec<[u32; 2]>,
    unk: u32,
}

/// Buffers that are reused between words.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    symbols: Vec<Symbol>,
    queue: Queue,
}

/// Numbers the texts of symbols.
#[derive(Default)]
struct Symbols(BTreeMap<String, u32>);

impl Symbols {
    fn id(&mut self, text: &str) -> u32 {
        let next = self.0.len() as u32;
        match self.0.get(text) {
            Some(&id) => id,
            None => {
                self.0.insert(text.to_owned(), next);
                next
            }
        }
    }
}

impl FastBpe {
    /// Reads `vocab.txt` and `bpe.codes`. `first` are the texts of the tokens 0 to 3: the tokens
    /// that begin and end a text, padding and the unknown token, in the order bos, pad, eos, unk.
    /// `mask` is the last token.
    ///
    /// # Errors
    /// `BadTokenizer` if a line of `vocab.txt` has no count or repeats a token, or if a file is not
    /// UTF-8.
    pub(super) fn read(vocab: &[u8], codes: &[u8], first: [&str; 4], mask: &str) -> Result<Self> {
        let vocab = read_vocab(utf8("vocab.txt", vocab)?, first, mask)?;
        let unk = vocab.id(first[3]).unwrap_or_default();
        let mut symbols = Symbols::default();
        let pairs: Vec<(u32, u32, u32)> = read_codes(utf8("bpe.codes", codes)?)
            .map(|(left, right)| {
                let whole = [left, right].concat();
                (symbols.id(left), symbols.id(right), symbols.id(&whole))
            })
            .collect();
        let tokens: Vec<(u32, usize, u32)> = vocab
            .entries()
            .flat_map(|(token, id)| {
                let inside = token.strip_suffix(CONTINUED).map(|text| (symbols.id(text), 0, id));
                let last = (symbols.id(&[token, END].concat()), 1, id);
                inside.into_iter().chain([last])
            })
            .collect();
        let mut ids = vec![[unk; 2]; symbols.0.len()];
        for (symbol, place, id) in tokens {
            ids[symbol as usize][place] = id;
        }
        let mut chars: BTreeMap<char, [u32; 2]> = BTreeMap::new();
        for (text, &symbol) in &symbols.0 {
            let (text, place) = text.strip_suffix(END).map_or((&**text, 0), |text| (text, 1));
            let mut only = text.chars();
            if let (Some(c), None) = (only.next(), only.next()) {
                chars.entry(c).or_insert([NO_SYMBOL; 2])[place] = symbol;
            }
        }
        let chars = chars.into_iter().collect();
        Ok(Self { vocab, merges: Merges::new(&pairs), chars, ids, unk })
    }

    pub(super) fn vocab(&self) -> &Vocab {
        &self.vocab
    }

    pub(super) fn unk(&self) -> u32 {
        self.unk
    }

    /// Appends the pieces of `word`, which must not be empty, with their byte ranges in the word.
    pub(super) fn cut(&self, word: &str, scratch: &mut Scratch, pieces: &mut Vec<Piece>) {
        let Scratch { symbols, queue } = scratch;
        symbols.clear();
        for (at, c) in word.char_indices() {
            let place = usize::from(at + c.len_utf8() == word.len());
            let known = self.chars.binary_search_by_key(&c, |&(known, _)| known);
            let id = known.map_or(NO_SYMBOL, |known| self.chars[known].1[place]);
            symbols.push(Symbol::new(id, c.len_utf8()));
        }
        self.merges.apply(symbols, queue);
        let last = symbols.len().saturating_sub(1);
        let mut start = 0;
        for (at, symbol) in symbols.iter().enumerate() {
            let ids = self.ids.get(symbol.id as usize);
            let id = ids.map_or(self.unk, |ids| ids[usize::from(at == last)]);
            pieces.push(Piece { id, start, end: start + symbol.len });
            start += symbol.len;
        }
    }
}

/// Returns Python's `str.isspace`.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

fn utf8<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        fault!(
            BadTokenizer,
            "{name} is not UTF-8: the byte at {at} is not",
            file = "{name}",
            item = "the byte at {at}",
            expected = "UTF-8",
        )
    })
}

/// Reads lines `token count`. The ids of the tokens follow the ids of `first`.
fn read_vocab(file: &str, first: [&str; 4], mask: &str) -> Result<Vocab> {
    let mut vocab = VocabBuilder::with_capacity(file.len());
    let mut known = BTreeSet::new();
    let mut insert = |token, line: usize| {
        vocab.insert(token, known.len() as u32)?;
        match known.insert(token) {
            true => Ok(()),
            false => Err(fault!(
                BadTokenizer,
                "vocab.txt: line {line}: expected a new token, got {token:?} again",
                file = "vocab.txt",
                item = "line {line}",
                expected = "a new token",
                found = "{token:?} again",
            )),
        }
    };
    for token in first {
        insert(token, 0)?;
    }
    let lines = file.split_inclusive(['\n', '\r']).filter(|line| *line != "\n");
    for (line, text) in (1..).zip(lines) {
        let (token, _) = text.trim_matches(is_space).rsplit_once(' ').ok_or_else(|| {
            fault!(
                BadTokenizer,
                "vocab.txt: line {line}: expected a token and a count",
                file = "vocab.txt",
                item = "line {line}",
                expected = "a token and a count",
            )
        })?;
        insert(token, line)?;
    }
    if !known.contains(mask) {
        vocab.insert(mask, known.len() as u32)?;
    }
    Ok(vocab.finish())
}

/// Reads lines `left right count`. As in the reference, a last line without a line feed and lines
/// with another number of fields are ignored.
fn read_codes(file: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = file.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    lines.filter_map(|line| {
        let mut fields = line.split(is_space).filter(|field| !field.is_empty());
        let pair = (fields.next()?, fields.next()?);
        (fields.next().is_some() && fields.next().is_none()).then_some(pair)
    })
}
