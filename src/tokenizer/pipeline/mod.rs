//! Tokenizers other than BERT's: normalizers, pre-tokenizers and a model, as a `tokenizer.json`
//! names them.

mod bpe;
mod byte_level;
mod charsmap;
mod components;
mod decoders;
mod edits;
mod forms;
mod merges;
mod normalizers;
mod pre_tokenizers;
mod sentencepiece;
mod trim;
mod unigram;

use std::sync::MutexGuard;

use super::{
    Span,
    added::AddedTokens,
    cache::{self, Cache},
    normalized::Normalized,
    settings::Settings,
    span,
    vocab::{Hash, Vocab},
    wordpiece::Piece,
    words::Tokens,
};
use bpe::Bpe;
pub(super) use components::{decoder, model, of_merges, processors};
pub(super) use decoders::Decoders;
use edits::Piece as Text;
use normalizers::Step;
use pre_tokenizers::Splitter;
pub(super) use sentencepiece::{SentencePiece, of_sentencepiece};
pub(super) use trim::Trim;
use unigram::Unigram;

/// What cuts words into tokens.
#[derive(Debug, Clone)]
enum Subwords {
    Bpe(Box<Bpe>),
    Unigram(Box<Unigram>),
}

/// The parts, in the order in which a text passes through them.
#[derive(Debug, Clone)]
pub(super) struct Pipeline {
    normalizers: Vec<Step>,
    pre_tokenizers: Vec<Splitter>,
    model: Subwords,
    /// Words and their tokens.
    cache: Cache,
}

/// Memory kept between words.
struct Scratch<'a> {
    bpe: bpe::Scratch,
    unigram: unigram::Scratch,
    pieces: Vec<Piece>,
    cache: Option<MutexGuard<'a, cache::Words>>,
}

impl Pipeline {
    pub(super) fn vocab(&self) -> &Vocab {
        match &self.model {
            Subwords::Bpe(bpe) => bpe.vocab(),
            Subwords::Unigram(unigram) => unigram.vocab(),
        }
    }

    /// The token for what the vocabulary lacks.
    pub(super) fn unk(&self) -> Option<u32> {
        match &self.model {
            Subwords::Bpe(bpe) => bpe.unk(),
            Subwords::Unigram(unigram) => Some(unigram.unk()),
        }
    }

    /// What the normalizers make of a text.
    pub(super) fn normalize(&self, text: &str) -> String {
        normalizers::text(&self.normalizers, text)
    }

    /// Whether the model is byte-level BPE, as RoBERTa's is.
    pub(super) fn is_byte_level(&self) -> bool {
        matches!(
            (&self.model, &self.pre_tokenizers[..]),
            (Subwords::Bpe(_), [Splitter::ByteLevel { .. }])
        )
    }

    /// Puts what `tokenizer_config.json` says in the place of what the parts have, for byte-level BPE.
    /// `is_class`: the class is RoBERTa's, whose defaults go before the parts, too.
    pub(super) fn amend(
        &mut self,
        settings: &Settings<'_>,
        trim: &mut Option<Trim>,
        is_class: bool,
    ) {
        if is_class {
            self.normalizers.clear();
        }
        let [Splitter::ByteLevel { add_prefix_space, .. }] = &mut self.pre_tokenizers[..] else {
            return;
        };
        let flag = settings.flag("add_prefix_space").or(is_class.then_some(false));
        *add_prefix_space = flag.unwrap_or(*add_prefix_space);
        let new = Trim { add_prefix_space: *add_prefix_space };
        if is_class {
            *trim = Some(new).filter(|_| settings.flag("trim_offsets") != Some(false));
        } else if let (Some(_), Some(trim)) = (flag, trim) {
            *trim = new;
        }
    }

    /// Appends the tokens of `text`.
    pub(super) fn tokens(
        &self,
        text: &str,
        added: &AddedTokens,
        trim: Option<Trim>,
        tokens: &mut Tokens,
    ) {
        let ids_only = tokens.ids_only;
        let as_text = tokens.splits_special;
        let text_only = ids_only && !self.pre_tokenizers.iter().any(Splitter::asks_where);
        let trim = trim.filter(|_| !ids_only);
        let mut sink = Sink { text, trim, tokens, words: 0 };
        let mut buffers = Vec::new();
        let mut scratch = Scratch {
            bpe: bpe::Scratch::default(),
            unigram: unigram::Scratch::default(),
            pieces: Vec::new(),
            cache: self.cache.words(),
        };
        added.raw.split(text, as_text, |part| {
            let range = part.start..part.end;
            if let Some(id) = part.id {
                return sink.added(id, &text[range.clone()], span(range.start, range.end));
            }
            let part = &text[range.clone()];
            let normalized =
                normalizers::normalize(&self.normalizers, part, range.start, text_only);
            let piece = normalizers::piece(normalized.as_ref(), part, range.start);
            added.normalized.split(piece.text, as_text, |part| {
                let piece = piece.slice(part.start..part.end);
                match part.id {
                    Some(id) => sink.added(id, piece.text, piece.source(0, piece.text.len())),
                    None => self.words(piece, &mut scratch, &mut buffers, &mut sink),
                }
            });
        });
    }

    /// Takes what lies between added tokens.
    fn words(
        &self,
        piece: Text<'_>,
        scratch: &mut Scratch<'_>,
        buffers: &mut Vec<Normalized>,
        sink: &mut Sink<'_>,
    ) {
        pre_tokenizers::split(&self.pre_tokenizers, piece, buffers, &mut |word| {
            let Scratch { bpe, unigram, pieces, cache } = scratch;
            let bytes = word.text.as_bytes();
            let hash = Hash::of(bytes);
            let known = cache.as_ref().and_then(|cache| cache.get(hash, bytes));
            let found = match known {
                Some(known) => known,
                None => {
                    pieces.clear();
                    match &self.model {
                        Subwords::Bpe(model) => model.cut(word.text, bpe, pieces),
                        Subwords::Unigram(model) => model.cut(word.text, unigram, pieces),
                    }
                    if let Some(cache) = cache {
                        cache.insert(hash, bytes, pieces);
                    }
                    pieces
                }
            };
            for &Piece { id, start, end } in found {
                if sink.tokens.ids_only {
                    sink.tokens.push(id, Span::default(), sink.words);
                    continue;
                }
                let token = if sink.trim.is_some() { self.vocab().token(id) } else { None };
                let span = word.source(start as usize, end as usize);
                sink.push(id, token.unwrap_or_default(), span);
            }
            sink.words += 1;
        });
    }
}

/// Gathers the tokens of a text.
struct Sink<'a> {
    text: &'a str,
    trim: Option<Trim>,
    tokens: &'a mut Tokens,
    /// How many words have ended.
    words: u32,
}

impl Sink<'_> {
    /// Takes a token that was found as it stands, a word by itself.
    fn added(&mut self, id: u32, found: &str, span: Span) {
        self.push(id, found, span);
        self.words += 1;
    }

    /// Takes a token that is written `token`.
    fn push(&mut self, id: u32, token: &str, span: Span) {
        let Some(trim) = self.trim else { return self.tokens.push(id, span, self.words) };
        let trimmed = |is_first| trim.span(self.text, token, span, is_first);
        let (span, first) = (trimmed(false), trimmed(true));
        if trim.add_prefix_space {
            self.tokens.push_first(first);
        }
        self.tokens.push(id, span, self.words);
    }
}
