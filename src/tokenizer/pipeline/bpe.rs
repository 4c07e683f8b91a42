//! Byte-pair encoding. A word is a sequence of symbols (characters or bytes), and pairs of symbols
//! are merged in the order in which they were learnt.

use crate::error::fault;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::{
    byte_level,
    merges::{Merges, Queue, Symbol},
};
use crate::Result;
use crate::tokenizer::bert::wordpiece::Piece;
use crate::tokenizer::vocab::Vocab;

/// The options of a BPE model in a `tokenizer.json`.
#[derive(Debug, Clone, Default)]
pub(super) struct BpeOptions {
    /// The token for symbols outside the vocabulary. Without one, such symbols are omitted.
    pub(super) unk: Option<u32>,
    /// Whether neighbouring unknown symbols become one token.
    pub(super) fuse_unk: bool,
    /// Whether unknown symbols become tokens of their bytes, e.g. `<0xE2>`.
    pub(super) byte_fallback: bool,
    /// Whether a word in the vocabulary is not split.
    pub(super) ignore_merges: bool,
    /// The prefix of every symbol except the first.
    pub(super) prefix: String,
    /// The suffix of the last symbol.
    pub(super) suffix: String,
}

/// The vocabulary, the merges and the rules for splitting words.
#[derive(Debug, Clone)]
pub(super) struct Bpe {
    vocab: Vocab,
    merges: Merges,
    options: BpeOptions,
    /// The ids of the tokens `<0x00>` to `<0xFF>`, for byte fallback.
    fallback: Option<Box<[Option<u32>; 256]>>,
    /// The ids of the characters for all bytes, if words are sequences of bytes. ByteLevel defines
    /// the characters.
    bytes: Option<Box<[Option<u32>; 256]>>,
    /// For each id, whether the merges build this token from its own text. Computed on first use,
    /// because most words are one token. Shared by all clones.
    whole: Arc<[AtomicU8]>,
}

/// Values in `Bpe::whole`.
const UNKNOWN: u8 = 0;
const WHOLE: u8 = 1;
const CUT: u8 = 2;

/// Buffers that are reused between words.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    symbols: Vec<Symbol>,
    queue: Queue,
    /// A word in ByteLevel's characters.
    written: String,
}

impl Bpe {
    /// Returns a model. `merges` are pairs of tokens in the order of merging. With `byte_level`,
    /// words are sequences of bytes.
    ///
    /// # Errors
    /// `BadTokenizer` if the vocabulary lacks a part or the result of a merge.
    pub(super) fn new<'a>(
        vocab: Vocab,
        merges: impl Iterator<Item = (&'a str, &'a str)>,
        options: BpeOptions,
        byte_level: bool,
    ) -> Result<Self> {
        let merges = Merges::new(&pairs(&vocab, merges, options.prefix.len())?);
        let table = |text: fn(u8) -> String| {
            Box::new(std::array::from_fn(|byte| vocab.id(&text(byte as u8))))
        };
        let bytes = byte_level.then(|| table(|byte| byte_level::char_of(byte).into()));
        let fallback = options.byte_fallback.then(|| table(|byte| format!("<0x{byte:02X}>")));
        let whole = (0..vocab.size()).map(|_| AtomicU8::new(UNKNOWN)).collect();
        Ok(Self { vocab, merges, options, fallback, bytes, whole })
    }

    pub(super) fn vocab(&self) -> &Vocab {
        &self.vocab
    }

    pub(super) fn unk(&self) -> Option<u32> {
        self.options.unk
    }

    /// Appends the pieces of `word`, which must not be empty, with their byte ranges in the word.
    pub(super) fn cut(&self, word: &str, scratch: &mut Scratch, pieces: &mut Vec<Piece>) {
        match &self.bytes {
            Some(bytes) => self.cut_bytes(bytes, word.as_bytes(), scratch, pieces),
            None => {
                if let Some(id) = self.vocab.id(word).filter(|_| self.options.ignore_merges) {
                    return pieces.push(Piece { id, start: 0, end: word.len() as u32 });
                }
                self.characters(word, &mut scratch.symbols);
                self.merge(scratch, pieces);
            }
        }
    }

    fn cut_bytes(
        &self,
        ids: &[Option<u32>; 256],
        word: &[u8],
        scratch: &mut Scratch,
        pieces: &mut Vec<Piece>,
    ) {
        scratch.written.clear();
        scratch.written.extend(word.iter().map(|&byte| byte_level::char_of(byte)));
        if let Some(id) = self.vocab.id(&scratch.written)
            && (self.options.ignore_merges || self.is_whole(id, ids, word, scratch))
        {
            return pieces.push(Piece { id, start: 0, end: word.len() as u32 });
        }
        self.bytes(ids, word, &mut scratch.symbols);
        self.merge(scratch, pieces);
    }

    /// Returns whether the merges build the token `id` from its text `word`.
    fn is_whole(
        &self,
        id: u32,
        ids: &[Option<u32>; 256],
        word: &[u8],
        scratch: &mut Scratch,
    ) -> bool {
        let Some(known) = self.whole.get(id as usize) else { return false };
        match known.load(Ordering::Relaxed) {
            UNKNOWN => {
                self.bytes(ids, word, &mut scratch.symbols);
                self.merges.apply(&mut scratch.symbols, &mut scratch.queue);
                let is = matches!(scratch.symbols[..], [Symbol { id: only, .. }] if only == id);
                known.store(if is { WHOLE } else { CUT }, Ordering::Relaxed);
                is
            }
            known => known == WHOLE,
        }
    }

    /// Collects the symbols of bytes.
    fn bytes(&self, ids: &[Option<u32>; 256], word: &[u8], symbols: &mut Vec<Symbol>) {
        symbols.clear();
        let mut unknown = None;
        for &byte in word {
            self.push(ids[usize::from(byte)], 1, &mut unknown, symbols);
        }
        symbols.extend(unknown);
    }

    /// Collects the symbols of characters.
    fn characters(&self, word: &str, symbols: &mut Vec<Symbol>) {
        symbols.clear();
        let BpeOptions { prefix, suffix, .. } = &self.options;
        let mut unknown = None;
        let mut marked = String::new();
        for (at, c) in word.char_indices() {
            let end = at + c.len_utf8();
            marked.clear();
            if at > 0 {
                marked.push_str(prefix);
            }
            marked.push(c);
            if end == word.len() {
                marked.push_str(suffix);
            }
            let id = self.vocab.id(&marked);
            match (id, self.fallback_ids(&marked)) {
                // Unlike `push`, this leaves a pending unknown symbol pending, as in the reference.
                (None, Some(ids)) => symbols.extend(ids.map(|id| Symbol::new(id, 1))),
                _ => self.push(id, end - at, &mut unknown, symbols),
            }
        }
        symbols.extend(unknown);
    }

    /// Returns the tokens of the bytes of a text, if all of them exist.
    fn fallback_ids<'a>(&'a self, text: &'a str) -> Option<impl Iterator<Item = u32> + 'a> {
        let fallback = self.fallback.as_deref()?;
        let id = |byte: u8| fallback[usize::from(byte)];
        text.bytes().all(|byte| id(byte).is_some()).then(|| text.bytes().filter_map(id))
    }

    /// Appends a symbol of `len` bytes. A symbol without an id is held in `unknown`, where the next
    /// ones can be fused with it.
    fn push(
        &self,
        id: Option<u32>,
        len: usize,
        unknown: &mut Option<Symbol>,
        symbols: &mut Vec<Symbol>,
    ) {
        if let Some(id) = id {
            symbols.extend(unknown.take());
            return symbols.push(Symbol::new(id, len));
        }
        let Some(unk) = self.options.unk else { return };
        match unknown {
            Some(waiting) if self.options.fuse_unk => waiting.len += len as u32,
            _ => symbols.extend(unknown.replace(Symbol::new(unk, len))),
        }
    }

    /// Merges the symbols and appends the resulting pieces.
    fn merge(&self, Scratch { symbols, queue, .. }: &mut Scratch, pieces: &mut Vec<Piece>) {
        self.merges.apply(symbols, queue);
        let mut start = 0;
        for &Symbol { id, len, .. } in &*symbols {
            pieces.push(Piece { id, start, end: start + len });
            start += len;
        }
    }
}

/// Returns for each merge the ids of its parts and of its result. `prefix` is the length of the
/// prefix that the right part loses.
fn pairs<'a>(
    vocab: &Vocab,
    merges: impl Iterator<Item = (&'a str, &'a str)>,
    prefix: usize,
) -> Result<Vec<(u32, u32, u32)>> {
    let id = |token: &str| {
        vocab.id(token).ok_or_else(|| {
            fault!(
                BadTokenizer,
                "the vocabulary has no token {token:?}, of which there is a merge",
                item = "the vocabulary",
                expected = "the token {token:?}",
            )
        })
    };
    let mut whole = String::new();
    let pair = |(left, right): (&str, &str)| {
        whole.clear();
        whole.push_str(left);
        whole.push_str(right.get(prefix..).unwrap_or_default());
        Ok((id(left)?, id(right)?, id(&whole)?))
    };
    merges.map(pair).collect()
}
