//! Text to ids with the byte range each came from, and back: WordPiece, WordLevel, byte-pair encoding
//! and Unigram.
//!
//! A text passes through these modules in order:
//!
//! - `added`: cuts out the special tokens that the text spells out, which the `automaton` finds
//! - `bert`: BERT's own tokenizer, in one pass over the rest: `normalize` cleans the text and removes
//!   accents and case, `words` splits it at white space and punctuation, `wordpiece` cuts each word
//!   into the longest tokens of the `vocab`
//! - `pipeline`: every other tokenizer, made of the parts that a `tokenizer.json` names. Without the
//!   feature `tokenizers` it is unsupported
//! - `cache`: the tokens of words that were cut before
//! - `truncate`, `template`, `pad`: the length of an encoding, and its special tokens
//!
//! `files` reads a checkpoint's files, `decode` returns text, `train` makes vocabularies, and
//! `unicode` holds the properties of characters. Results equal Hugging Face's fast tokenizers, with
//! their oddities, because models were trained on them.

mod added;
mod automaton;
mod bert;
mod cache;
mod count;
mod decode;
mod files;
mod normalized;
mod options;
mod pad;
#[cfg_attr(not(feature = "tokenizers"), path = "no_pipeline.rs")]
mod pipeline;
#[cfg(feature = "train")]
mod segment;
mod template;
#[cfg(feature = "train")]
pub mod train;
mod truncate;
mod unicode;
mod vocab;

pub(crate) use count::Count;
pub use count::{MAX_TOKENS, MAX_WINDOWS};
pub use files::load::Files;
pub use options::{EncodeOptions, Padding, Side, Truncation};
#[cfg(feature = "train")]
pub use segment::Segment;
pub(crate) use unicode::lower;

use crate::{Error, Result};
use added::AddedTokens;
use bert::normalize::{Ascii, Normalizer, Stream};
use bert::wordpiece::WordPiece;
use bert::words::{Tokens, Words};
use decode::Decoder;
use pad::PadRule;
use pipeline::{Pipeline, Trim};
use template::{Template, Window};
use truncate::{Limit, Windows, whole};
use vocab::Vocab;

/// Whether tokenizers spend bytes of code on speed: not in the binary that only runs models on a GPU, where the bytes of a first load count more.
const IS_FAST: bool = cfg!(any(feature = "cpu", feature = "tokenizers"));

/// A range of bytes of the caller's text; both 0 for tokens that stand for no part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// Which text an encoding has, for rules about its first token: 0 for a text alone, 1 for a text with a
/// pair, 2 for the pair; `None` without special tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Place(Option<usize>);

#[cfg(feature = "tokenizers")]
impl Place {
    /// How many there are.
    const COUNT: usize = 3;
}

fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

/// A text, or a text and its pair, as a model takes it: one entry per token in every field.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Encoding {
    /// Indices into the vocabulary.
    pub ids: Vec<u32>,
    /// Which segment the model takes the token for: 0 for the text, 1 for the pair.
    pub type_ids: Vec<u32>,
    /// The bytes of the text, or of the pair, that the token stands for. Characters that
    /// normalisation removes belong to a token only inside it.
    pub spans: Vec<Span>,
    /// The word of its text that the token is part of; `None` for added tokens and padding.
    pub word_ids: Vec<Option<u32>>,
    /// 0 for tokens of the text, 1 for tokens of the pair, `None` for added tokens and padding.
    pub sequence_ids: Vec<Option<u8>>,
    /// 1 for tokens, 0 for padding.
    pub attention_mask: Vec<u8>,
}

impl Encoding {
    /// How many tokens there are, added ones and padding included.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// There are no tokens at all, not even added ones.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

/// A special token's text and id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Special {
    /// As it is written in a text.
    pub token: String,
    /// Its index in the vocabulary.
    pub id: u32,
}

/// The tokens with a role; not every checkpoint has all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecialTokens {
    /// Begins every input: `[CLS]`.
    pub cls: Option<Special>,
    /// Ends the text and the pair: `[SEP]`.
    pub sep: Option<Special>,
    /// Fills up: `[PAD]`.
    pub pad: Option<Special>,
    /// Stands for a word that has no tokens: `[UNK]`.
    pub unk: Option<Special>,
    /// Stands for a token to be predicted: `[MASK]`.
    pub mask: Option<Special>,
}

/// How the text between added tokens becomes tokens.
#[derive(Debug, Clone)]
enum Model {
    /// BERT's.
    WordPiece {
        model: Box<WordPiece>,
        normalizer: Option<Normalizer>,
        /// `Normalizer::ascii` of `normalizer`.
        ascii: Box<[Ascii; 256]>,
    },
    /// The others.
    Pipeline(Pipeline),
}

impl Model {
    fn vocab(&self) -> &Vocab {
        match self {
            Self::WordPiece { model, .. } => model.vocab(),
            Self::Pipeline(pipeline) => pipeline.vocab(),
        }
    }
}

/// A tokenizer: a vocabulary and the rules of one checkpoint.
#[derive(Debug, Clone)]
pub struct Tokenizer {
    model: Model,
    /// White space is no part of the spans.
    trim: Option<Trim>,
    added: AddedTokens,
    template: Template,
    decoder: Decoder,
    special: SpecialTokens,
    model_max_length: Option<usize>,
    /// `clean_up_tokenization_spaces`
    cleans_up: bool,
    /// `split_special_tokens`
    splits_special: bool,
    /// `model_input_names` has `token_type_ids`.
    has_types: bool,
    /// `model_input_names` has `attention_mask`.
    has_mask: bool,
    /// Fields of the files that are not known.
    warnings: Vec<String>,
    padding_side: Side,
    truncation_side: Side,
}

/// The tokens of one input and the windows over them.
struct InputWindows<'a> {
    template: &'a Template,
    add_special_tokens: bool,
    /// The tokens have types; otherwise all are 0.
    has_types: bool,
    /// Special tokens of each window.
    added: usize,
    text: Tokens,
    pair: Option<Tokens>,
    of_text: Windows,
    of_pair: Windows,
}

impl InputWindows<'_> {
    /// The encoding of one window of the text with one of the pair.
    fn fill(&self, text: usize, pair: usize) -> Result<Encoding> {
        let window = |tokens, windows: &Windows, at: usize| Window {
            tokens,
            range: windows[at].clone(),
            is_kept: at == 0,
        };
        let pair = self.pair.as_ref().map(|tokens| window(tokens, &self.of_pair, pair));
        let text = window(&self.text, &self.of_text, text);
        let mut encoding = self.template.fill(text, pair, self.add_special_tokens)?;
        if !self.has_types {
            encoding.type_ids.fill(0);
        }
        Ok(encoding)
    }

    /// The encoding of what is kept.
    fn kept(&self) -> Result<Encoding> {
        self.fill(0, 0)
    }

    /// Every window of the text with every one of the pair: first the kept ones, then the text's
    /// other windows with all of the pair's, then the kept text with the rest.
    fn all(&self) -> impl Iterator<Item = Result<Encoding>> {
        let (texts, pairs) = (self.of_text.len(), self.of_pair.len());
        let others = (1..texts).flat_map(move |text| (0..pairs).map(move |pair| (text, pair)));
        let rest = (1..pairs).map(|pair| (0, pair));
        let places = std::iter::once((0, 0)).chain(others).chain(rest);
        places.map(|(text, pair)| self.fill(text, pair))
    }

    /// Counts the windows that are asked for, and their tokens.
    fn count(&self, count: &mut Count, all: bool) -> Result<()> {
        let added = self.added as u64;
        let tokens = |windows: &Windows| windows.iter().map(|w| w.len() as u64).sum::<u64>();
        let (texts, pairs) = (self.of_text.len() as u64, self.of_pair.len() as u64);
        if !all {
            let kept = self.of_text[0].len() as u64 + self.of_pair[0].len() as u64;
            return count.add(1, kept + added);
        }
        // Each of the text's stands with each of the pair's.
        let windows = texts.saturating_mul(pairs);
        let of_texts = tokens(&self.of_text).saturating_mul(pairs);
        let of_pairs = tokens(&self.of_pair).saturating_mul(texts);
        let added = windows.saturating_mul(added);
        count.add(windows, of_texts.saturating_add(of_pairs).saturating_add(added))
    }
}

impl Tokenizer {
    /// Encodes a text, or a text and its pair: the encoding, then the windows over what was
    /// truncated where `return_overflowing_tokens` asks for them.
    ///
    /// An empty pair is no pair here, while in a batch it is an empty second segment: that is how
    /// Hugging Face's tokenizers take it.
    ///
    /// # Errors
    /// `BadInput` for options that no text, or not this one, can be encoded with, for a text of
    /// 4 GB, and where more than [`MAX_TOKENS`] or [`MAX_WINDOWS`] would come out; `OutOfMemory`.
    pub fn encode(
        &self,
        text: &str,
        pair: Option<&str>,
        options: &EncodeOptions,
    ) -> Result<Vec<Encoding>> {
        let pair = pair.filter(|pair| !pair.is_empty());
        let mut batch = self.encode_batch(&[(text, pair)], options)?;
        Ok(batch.pop().unwrap_or_default())
    }

    /// Encodes texts, with or without pairs, as [`Tokenizer::encode`] does each; padding is to
    /// the longest of them.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    pub fn encode_batch(
        &self,
        inputs: &[(&str, Option<&str>)],
        options: &EncodeOptions,
    ) -> Result<Vec<Vec<Encoding>>> {
        self.batch(inputs, options, false)
    }

    /// As [`Tokenizer::encode_batch`], but `spans`, `word_ids` and `sequence_ids` stay empty: where
    /// tokens come from is not asked for, which takes less time.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    pub fn encode_batch_ids(
        &self,
        inputs: &[(&str, Option<&str>)],
        options: &EncodeOptions,
    ) -> Result<Vec<Vec<Encoding>>> {
        self.batch(inputs, options, IS_FAST)
    }

    fn batch(
        &self,
        inputs: &[(&str, Option<&str>)],
        options: &EncodeOptions,
        ids_only: bool,
    ) -> Result<Vec<Vec<Encoding>>> {
        let max_length = options.max_length.or(self.model_max_length);
        options.check(max_length, self.template.added(false))?;
        let mut batch = Vec::with_capacity(inputs.len());
        let mut count = Count::default();
        for &(text, pair) in inputs {
            let windows = self.windows(text, pair, options, max_length, ids_only)?;
            let all = options.return_overflowing_tokens;
            windows.count(&mut count, all)?;
            batch.push(if all {
                windows.all().collect::<Result<_>>()?
            } else {
                vec![windows.kept()?]
            });
        }
        let pad = self.special.pad.as_ref().map(|pad| pad.id);
        if pad.is_none() && options.padding != Padding::None {
            return Err(Error::BadInput("padding: the tokenizer has no pad_token".into()));
        }
        let side = options.padding_side.unwrap_or(self.padding_side);
        let rule = PadRule { id: pad.unwrap_or_default(), side };
        pad::pad(rule, &mut batch, options, max_length, ids_only)?;
        Ok(batch)
    }

    /// Encodes a text, or a text and its pair, with special tokens and cut by `truncation` to at
    /// most `max_length` tokens: the encoding, and whether anything was cut. No other window is
    /// made: of two long texts there are as many as of one times those of the other. An empty pair
    /// is a second segment here.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    pub fn fit(
        &self,
        text: &str,
        pair: Option<&str>,
        truncation: Truncation,
        max_length: usize,
    ) -> Result<(Encoding, bool)> {
        let options = EncodeOptions { truncation, ..EncodeOptions::default() };
        let windows = self.windows(text, pair, &options, Some(max_length), false)?;
        Ok((windows.kept()?, windows.of_text.len() > 1 || windows.of_pair.len() > 1))
    }

    /// The windows over one input.
    fn windows(
        &self,
        text: &str,
        pair: Option<&str>,
        options: &EncodeOptions,
        max_length: Option<usize>,
        ids_only: bool,
    ) -> Result<InputWindows<'_>> {
        let splits_special = options.split_special_tokens.unwrap_or(self.splits_special);
        let add_special_tokens = options.add_special_tokens;
        let has_pair = pair.is_some();
        let tokens = |text, place| {
            let place = Place(Some(place).filter(|_| add_special_tokens));
            self.tokens(text, Tokens { ids_only, splits_special, place, ..Tokens::default() })
        };
        let text = tokens(text, usize::from(has_pair))?;
        let pair = pair.map(|pair| tokens(pair, 2)).transpose()?;
        let (len, pair_len) = (text.ids.len(), pair.as_ref().map(|pair| pair.ids.len()));
        let added = if add_special_tokens { self.template.added(pair.is_some()) } else { 0 };
        let (of_text, of_pair) = match Limit::new(options, max_length, added, self.truncation_side)
        {
            Some(limit) => limit.windows(len, pair_len)?,
            None => (whole(len), whole(pair_len.unwrap_or(0))),
        };
        let template = &self.template;
        let has_types = options.token_types.unwrap_or(self.has_types);
        Ok(InputWindows {
            template,
            add_special_tokens,
            has_types,
            added,
            text,
            pair,
            of_text,
            of_pair,
        })
    }

    /// The tokens of one text; `tokens` has none yet.
    fn tokens(&self, text: &str, mut tokens: Tokens) -> Result<Tokens> {
        if u32::try_from(text.len()).is_err() {
            return Err(Error::BadInput(format!("a text of {} bytes is over 4 GB", text.len())));
        }
        // BERT's own vocabulary makes about one token of five bytes.
        // A short text gets room for a token a byte.
        tokens.reserve((text.len() / 4).max(text.len().min(64)));
        match &self.model {
            Model::WordPiece { model, normalizer, ascii } => {
                self.word_pieces(model, normalizer.unwrap_or_default(), ascii, text, &mut tokens);
            }
            Model::Pipeline(pipeline) => {
                pipeline.tokens(text, &self.added, self.trim.as_ref(), &mut tokens)?;
            }
        }
        if tokens.lack_memory {
            let len = text.len();
            return Err(Error::OutOfMemory(format!("no memory for the tokens of {len} bytes")));
        }
        Ok(tokens)
    }

    /// Appends the tokens of a text by BERT's WordPiece.
    fn word_pieces(
        &self,
        model: &WordPiece,
        normalizer: Normalizer,
        ascii: &[Ascii; 256],
        text: &str,
        tokens: &mut Tokens,
    ) {
        // Of WordPiece's tokens only the added ones have white space.
        let trimmed = |found: &str, span| match &self.trim {
            Some(trim) => trim.span(text, found, span, None),
            None => span,
        };
        let as_text = tokens.splits_special;
        let mut stream = Stream::new(normalizer, Words::new(model, tokens));
        self.added.raw.split(text, as_text, |part| match part.id {
            Some(id) => {
                let found = &text[part.start..part.end];
                stream.sink.added(id, trimmed(found, span(part.start, part.end)));
            }
            None if !self.added.normalized.may_occur(&text[part.start..part.end], ascii) => {
                stream.run(ascii, text, part.start..part.end);
            }
            None => {
                let normalized = normalizer.text(&text[part.start..part.end], part.start);
                self.added.normalized.split(&normalized.text, as_text, |part| {
                    let words = &mut stream.sink;
                    match part.id {
                        Some(id) => {
                            let found = &normalized.text[part.start..part.end];
                            words
                                .added(id, trimmed(found, normalized.source(part.start, part.end)));
                        }
                        None => normalized.replay(part.start..part.end, words),
                    }
                    words.end();
                });
            }
        });
    }

    /// The text of a token, `##` included.
    pub fn token(&self, id: u32) -> Option<&str> {
        let added = self.added.by_id(id).map(|token| token.content.as_str());
        added.or_else(|| self.model.vocab().token(id))
    }

    /// The id of a token, which is written as the vocabulary has it.
    pub fn id(&self, token: &str) -> Option<u32> {
        let added = self.added.by_content(token).map(|token| token.id);
        added.or_else(|| self.model.vocab().id(token))
    }

    /// All tokens and their ids: the vocabulary's, then the added ones, each in order of ids. Of
    /// a text that is there twice the last is the one that [`Tokenizer::id`] finds.
    pub fn vocab(&self) -> impl Iterator<Item = (&str, u32)> {
        let added = self.added.in_order().map(|token| (token.content.as_str(), token.id));
        self.model.vocab().entries().chain(added)
    }

    /// The ids of the special tokens, each once: those with a role in the order that Hugging Face
    /// has them in, then the others in order of their ids.
    pub fn special_ids(&self) -> Vec<u32> {
        let SpecialTokens { cls, sep, pad, unk, mask } = &self.special;
        let roles = [unk, sep, pad, cls, mask];
        let others = self.added.in_order().filter(|token| token.special).map(|token| token.id);
        let mut ids: Vec<u32> = Vec::new();
        for id in roles.into_iter().flatten().map(|special| special.id) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let roles = ids.clone();
        ids.extend(others.filter(|id| !roles.contains(id)));
        ids.dedup();
        ids
    }

    /// The side at which encodings are padded: `right` or `left`.
    pub fn padding_side(&self) -> &'static str {
        self.padding_side.name()
    }

    /// The side at which texts are truncated: `right` or `left`.
    pub fn truncation_side(&self) -> &'static str {
        self.truncation_side.name()
    }

    /// One more than the largest id, added tokens included.
    pub fn vocab_size(&self) -> usize {
        self.model.vocab().size().max(self.added.size())
    }

    /// Inputs that a call returns: `input_ids`, then `token_type_ids` and `attention_mask` if the model takes them.
    pub fn model_input_names(&self) -> Vec<&'static str> {
        let types = self.has_types.then_some("token_type_ids");
        let mask = self.has_mask.then_some("attention_mask");
        [Some("input_ids"), types, mask].into_iter().flatten().collect()
    }

    /// Fields of the files that are not known, each as a sentence.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The tokens with a role.
    pub fn special(&self) -> &SpecialTokens {
        &self.special
    }

    /// Whether `decode` leaves the token out where special tokens are skipped.
    pub fn is_special(&self, id: u32) -> bool {
        self.added.by_id(id).is_some_and(|token| token.special)
    }

    /// How many tokens the model takes; `None` where the checkpoint does not say.
    pub fn model_max_length(&self) -> Option<usize> {
        self.model_max_length
    }
}
