//! Tokenizers built from any parts: the normalizers, pre-tokenizers and the model named by a
//! `tokenizer.json`.

mod bpe;
mod byte_level;
mod charsmap;
mod components;
mod decoders;
mod edits;
mod fast_bpe;
mod forms;
mod merges;
mod normalizers;
mod pre_tokenizers;
mod processors;
mod regex;
mod sentencepiece;
mod splits;
mod trim;
mod tweets;
mod unigram;
mod word_level;

use crate::error::fault;
use std::sync::MutexGuard;

use super::added::AddedTokens;
use super::cache::{self, Cache};
use super::vocab::{Hash, Vocab};
use super::{Place, Span, span};
use crate::Result;
use crate::tokenizer::bert::wordpiece::{self, Piece, WordPiece};
use crate::tokenizer::bert::words::Tokens;
use crate::tokenizer::files::settings::Settings;
use bpe::Bpe;
pub(super) use components::{decoder, model, of_codes, of_merges, processors};
pub(super) use decoders::Decoders;
use edits::Piece as Text;
use fast_bpe::FastBpe;
use normalizers::PipelineNormalizer;
use pre_tokenizers::{Splitter, Work};
pub(super) use sentencepiece::{SentencePiece, of_sentencepiece};
pub(super) use trim::Trim;
use unigram::Unigram;
use word_level::WordLevel;

/// The id of a piece outside the vocabulary if the model has no unknown token.
const NO_TOKEN: u32 = u32::MAX;

/// The model that splits words into tokens.
#[derive(Debug, Clone)]
enum Subwords {
    Bpe(Box<Bpe>),
    FastBpe(Box<FastBpe>),
    Unigram(Box<Unigram>),
    WordPiece(Box<WordPiece>),
    WordLevel(Box<WordLevel>),
}

/// The parts, in the order of processing.
#[derive(Debug, Clone)]
pub(super) struct Pipeline {
    normalizers: Vec<PipelineNormalizer>,
    pre_tokenizers: Vec<Splitter>,
    model: Subwords,
    /// Words and their tokens.
    cache: Cache,
}

/// Buffers that are reused between words.
struct Scratch<'a> {
    bpe: bpe::Scratch,
    fast_bpe: fast_bpe::Scratch,
    unigram: unigram::Scratch,
    prefixes: wordpiece::Prefixes,
    pieces: Vec<Piece>,
    cache: Option<MutexGuard<'a, cache::CachedWords>>,
}

impl Pipeline {
    pub(super) fn vocab(&self) -> &Vocab {
        match &self.model {
            Subwords::Bpe(bpe) => bpe.vocab(),
            Subwords::FastBpe(bpe) => bpe.vocab(),
            Subwords::Unigram(unigram) => unigram.vocab(),
            Subwords::WordPiece(model) => model.vocab(),
            Subwords::WordLevel(model) => model.vocab(),
        }
    }

    /// Returns the unknown token.
    pub(super) fn unk(&self) -> Option<u32> {
        let id = match &self.model {
            Subwords::Bpe(bpe) => bpe.unk(),
            Subwords::FastBpe(bpe) => Some(bpe.unk()),
            Subwords::Unigram(unigram) => Some(unigram.unk()),
            Subwords::WordPiece(model) => Some(model.unk()),
            Subwords::WordLevel(model) => Some(model.unk()),
        };
        id.filter(|&id| id != NO_TOKEN)
    }

    /// Returns whether tokens that continue a word begin with a prefix.
    pub(super) fn marks_subwords(&self) -> bool {
        matches!(&self.model, Subwords::WordPiece(_))
    }

    /// Returns the normalised text.
    ///
    /// # Errors
    /// `BadInput` if a normalizer takes too many steps or makes too long a text.
    pub(super) fn normalize(&self, text: &str) -> Result<String> {
        normalizers::text(&self.normalizers, text)
    }

    /// Returns whether the model is byte-level BPE, as in RoBERTa.
    pub(super) fn is_byte_level(&self) -> bool {
        matches!(
            (&self.model, &self.pre_tokenizers[..]),
            (Subwords::Bpe(_), [Splitter::ByteLevel { writes: false, .. }])
        )
    }

    /// Overrides the options of byte-level BPE that `tokenizer_config.json` sets. With `is_class`,
    /// the class is RoBERTa's, and its defaults override the parts too.
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
        let new = Trim::new(*add_prefix_space);
        if is_class {
            *trim = Some(new).filter(|_| settings.flag("trim_offsets") != Some(false));
        } else if let (Some(_), Some(trim)) = (flag, trim) {
            *trim = new;
        }
    }

    /// Appends the tokens of `text`.
    ///
    /// # Errors
    /// `BadTokenizer` if the text has an unknown word and the model has no unknown token;
    /// `BadInput` if a normalizer or pre-tokenizer takes too many steps.
    pub(super) fn tokens(
        &self,
        text: &str,
        added: &AddedTokens,
        trim: Option<&Trim>,
        tokens: &mut Tokens,
    ) -> Result<()> {
        let ids_only = tokens.ids_only;
        let as_text = tokens.splits_special;
        let text_only = ids_only && !self.pre_tokenizers.iter().any(Splitter::asks_where);
        let trim = trim.filter(|_| !ids_only);
        let mut sink = Sink { text, trim, tokens, words: 0, lacks_unk: false };
        let mut work = Work::for_text(text);
        let mut scratch = Scratch {
            bpe: bpe::Scratch::default(),
            fast_bpe: fast_bpe::Scratch::default(),
            unigram: unigram::Scratch::default(),
            prefixes: wordpiece::Prefixes::default(),
            pieces: Vec::new(),
            cache: self.cache.words(),
        };
        added.raw.split(text, as_text, |part| {
            let range = part.start..part.end;
            if let Some(id) = part.id {
                return sink.added(id, &text[range.clone()], span(range.start, range.end));
            }
            let part = &text[range.clone()];
            if work.failure.is_some() {
                return;
            }
            let (list, fuel) = (&self.normalizers, &mut work.fuel);
            let normalized = normalizers::normalize(list, part, range.start, text_only, fuel);
            let normalized = match normalized {
                Ok(normalized) => normalized,
                Err(error) => return work.failure = Some(error),
            };
            let piece = normalizers::piece(normalized.as_ref(), part, range.start);
            added.normalized.split(piece.text, as_text, |part| {
                let piece = piece.slice(part.start..part.end);
                match part.id {
                    Some(id) => sink.added(id, piece.text, piece.source(0, piece.text.len())),
                    None => self.words(piece, &mut scratch, &mut work, &mut sink),
                }
            });
        });
        if let Some(error) = work.failure {
            return Err(error);
        }
        if sink.lacks_unk {
            return Err(fault!(
                BadTokenizer,
                "tokenizer.json: model: the text has a word that is not in the vocabulary, and the vocabulary has no unk_token",
                file = "tokenizer.json",
                item = "model",
                expected = "an unk_token",
            ));
        }
        Ok(())
    }

    /// Appends the pieces of a word, which must not be empty.
    fn cut(&self, word: &str, scratch: &mut Scratch<'_>) {
        let pieces = &mut scratch.pieces;
        match &self.model {
            Subwords::Bpe(model) => model.cut(word, &mut scratch.bpe, pieces),
            Subwords::FastBpe(model) => model.cut(word, &mut scratch.fast_bpe, pieces),
            Subwords::Unigram(model) => model.cut(word, &mut scratch.unigram, pieces),
            Subwords::WordLevel(model) => pieces.push(model.piece(word)),
            Subwords::WordPiece(model) if word.chars().nth(model.max_chars()).is_some() => {
                pieces.push(Piece { id: model.unk(), start: 0, end: word.len() as u32 });
            }
            Subwords::WordPiece(model) => {
                model.cut_anew(word.as_bytes(), &mut scratch.prefixes, pieces);
            }
        }
    }

    /// Processes the text between added tokens.
    fn words(
        &self,
        piece: Text<'_>,
        scratch: &mut Scratch<'_>,
        work: &mut Work,
        sink: &mut Sink<'_>,
    ) {
        pre_tokenizers::split(&self.pre_tokenizers, piece, work, &mut |word| {
            let bytes = word.text.as_bytes();
            let hash = Hash::of(bytes);
            let found = match scratch.cache.as_ref().and_then(|cache| cache.get(hash, bytes)) {
                Some(known) => known,
                None => {
                    scratch.pieces.clear();
                    self.cut(word.text, scratch);
                    if let Some(cache) = &mut scratch.cache {
                        cache.insert(hash, bytes, &scratch.pieces);
                    }
                    &scratch.pieces
                }
            };
            for &Piece { id, start, end } in found {
                sink.lacks_unk |= id == NO_TOKEN;
                if sink.tokens.ids_only {
                    sink.tokens.push(id, Span::default(), sink.words);
                    continue;
                }
                let (start, end) = (start as usize, end as usize);
                let token = match &self.model {
                    _ if sink.trim.is_none() => None,
                    // In the reference, an unknown token of Unigram has the text of its word.
                    Subwords::Unigram(unigram) if id == unigram.unk() => word.text.get(start..end),
                    _ => self.vocab().token(id),
                };
                let span = match end > word.text.len() {
                    true => behind(sink.text, start, end),
                    false => word.source(start, end),
                };
                sink.push(id, token.unwrap_or_default(), span);
            }
            sink.words += 1;
        });
    }
}

/// Returns the span of a token whose bytes are after its word. This happens if the bytes of the
/// suffix `</w>` become tokens. As in the reference, their positions are applied to the whole text.
fn behind(text: &str, start: usize, end: usize) -> Span {
    let floor = |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    span(floor(start).unwrap_or_default(), floor(end).unwrap_or_default())
}

/// Collects the tokens of a text.
struct Sink<'a> {
    text: &'a str,
    trim: Option<&'a Trim>,
    tokens: &'a mut Tokens,
    /// The number of words that have ended.
    words: u32,
    /// Whether a word needs an unknown token and the model has none.
    lacks_unk: bool,
}

impl Sink<'_> {
    /// Adds an added token as a word of its own.
    fn added(&mut self, id: u32, found: &str, span: Span) {
        self.push(id, found, span);
        self.words += 1;
    }

    /// Adds a token with the text `token`.
    fn push(&mut self, id: u32, token: &str, span: Span) {
        let Some(trim) = self.trim else { return self.tokens.push(id, span, self.words) };
        let trimmed = |first: Option<Place>| trim.span(self.text, token, span, first);
        if trim.asks_first() {
            self.tokens.push_first(trimmed(Some(self.tokens.place)));
        }
        let span = trimmed(None);
        self.tokens.push(id, span, self.words);
    }
}
