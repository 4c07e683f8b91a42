//! Converts text to ids with the byte range of each, and ids back to text. Supports WordPiece,
//! WordLevel, byte-pair encoding and Unigram.
//!
//! A text passes through these modules in order:
//!
//! - `added`: splits off the special tokens in the text; the `automaton` finds them
//! - `bert`: BERT's tokenizer, in one pass over the rest. `normalize` cleans the text and removes
//!   accents and case. `words` splits it at white space and punctuation. `wordpiece` splits each
//!   word into the longest tokens of the `vocab`
//! - `pipeline`: all other tokenizers, built from the parts of a `tokenizer.json`. Unsupported
//!   without the feature `tokenizers`
//! - `cache`: the tokens of repeated words
//! - `truncate`, `template`, `pad`: the length of an encoding, and its special tokens
//!
//! `files` reads a checkpoint's files, `decode` returns text, and `train` builds vocabularies.
//! `unicode` holds the properties of characters. Results equal Hugging Face's fast tokenizers,
//! including their quirks, because models were trained on them.

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
#[cfg(feature = "families")]
mod words;

pub(crate) use count::Count;
pub use count::{MAX_TOKENS, MAX_WINDOWS};
pub use files::load::Files;
pub use options::{EncodeOptions, Padding, Side, Truncation};
#[cfg(feature = "train")]
pub use segment::Segment;
pub(crate) use unicode::lower;
#[cfg(feature = "families")]
pub(crate) use words::words;

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

/// Whether larger code is used for speed. False only in the binary that runs models on a GPU alone,
/// because the size of its first download matters more.
const IS_FAST: bool = cfg!(any(feature = "cpu", feature = "tokenizers"));

/// A byte range of the caller's text. Both ends are 0 for tokens without text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// The position of a text in the input, for rules about its first token: 0 for a text alone, 1 for
/// a text with a pair, 2 for the pair. `None` means that no special tokens are added.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Place(Option<usize>);

#[cfg(feature = "tokenizers")]
impl Place {
    /// The number of positions.
    const COUNT: usize = 3;
}

fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

/// A text, or a text and its pair, as model input. Every field has one entry per token.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Encoding {
    /// Indices into the vocabulary.
    pub ids: Vec<u32>,
    /// The segment of each token: 0 for the text, 1 for the pair.
    pub type_ids: Vec<u32>,
    /// The bytes of the text, or of the pair, for each token. Characters that normalisation removes
    /// are included only inside a token.
    pub spans: Vec<Span>,
    /// For each token, the number of its word in the text; `None` for added tokens and padding.
    pub word_ids: Vec<Option<u32>>,
    /// 0 for tokens of the text, 1 for tokens of the pair, `None` for added tokens and padding.
    pub sequence_ids: Vec<Option<u8>>,
    /// 1 for tokens, 0 for padding.
    pub attention_mask: Vec<u8>,
}

impl Encoding {
    /// Returns the number of tokens, with added tokens and padding.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns whether the encoding has no tokens, not even added ones.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

/// A special token: its text and id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Special {
    /// The token's text.
    pub token: String,
    /// The token's index in the vocabulary.
    pub id: u32,
}

/// The tokens with a role. A checkpoint may lack some of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecialTokens {
    /// Begins every input: `[CLS]`.
    pub cls: Option<Special>,
    /// Ends the text and the pair: `[SEP]`.
    pub sep: Option<Special>,
    /// Fills unused positions: `[PAD]`.
    pub pad: Option<Special>,
    /// Replaces a word without tokens: `[UNK]`.
    pub unk: Option<Special>,
    /// Marks a token to be predicted: `[MASK]`.
    pub mask: Option<Special>,
}

/// How the text between added tokens is split into tokens.
#[derive(Debug, Clone)]
enum Model {
    /// BERT's model.
    WordPiece {
        model: Box<WordPiece>,
        normalizer: Option<Normalizer>,
        /// The result of `Normalizer::ascii` for `normalizer`.
        ascii: Box<[Ascii; 256]>,
    },
    /// Any other model.
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
    /// If set, white space is removed from spans.
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
    /// Whether `model_input_names` has `token_type_ids`.
    has_types: bool,
    /// Whether `model_input_names` has `attention_mask`.
    has_mask: bool,
    /// Warnings about unknown fields of the files.
    warnings: Vec<String>,
    padding_side: Side,
    truncation_side: Side,
}

/// The tokens of an input, and the windows over them.
struct InputWindows<'a> {
    template: &'a Template,
    add_special_tokens: bool,
    /// Whether tokens have types; otherwise all types are 0.
    has_types: bool,
    /// The number of special tokens per window.
    added: usize,
    text: Tokens,
    pair: Option<Tokens>,
    of_text: Windows,
    of_pair: Windows,
}

impl InputWindows<'_> {
    /// Returns the encoding of a window of the text with a window of the pair.
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

    /// Returns the encoding of the tokens that truncation keeps.
    fn kept(&self) -> Result<Encoding> {
        self.fill(0, 0)
    }

    /// Returns the encoding for each combination of a text window and a pair window. The kept
    /// windows come first. The text's other windows with all windows of the pair follow, then the
    /// kept text with the rest.
    fn all(&self) -> impl Iterator<Item = Result<Encoding>> {
        let (texts, pairs) = (self.of_text.len(), self.of_pair.len());
        let others = (1..texts).flat_map(move |text| (0..pairs).map(move |pair| (text, pair)));
        let rest = (1..pairs).map(|pair| (0, pair));
        let places = std::iter::once((0, 0)).chain(others).chain(rest);
        places.map(|(text, pair)| self.fill(text, pair))
    }

    /// Counts the requested windows and their tokens.
    fn count(&self, count: &mut Count, all: bool) -> Result<()> {
        let added = self.added as u64;
        let tokens = |windows: &Windows| windows.iter().map(|w| w.len() as u64).sum::<u64>();
        let (texts, pairs) = (self.of_text.len() as u64, self.of_pair.len() as u64);
        if !all {
            let kept = self.of_text[0].len() as u64 + self.of_pair[0].len() as u64;
            return count.add(1, kept + added);
        }
        // Each window of the text is combined with each window of the pair.
        let windows = texts.saturating_mul(pairs);
        let of_texts = tokens(&self.of_text).saturating_mul(pairs);
        let of_pairs = tokens(&self.of_pair).saturating_mul(texts);
        let added = windows.saturating_mul(added);
        count.add(windows, of_texts.saturating_add(of_pairs).saturating_add(added))
    }
}

impl Tokenizer {
    /// Encodes a text, or a text and its pair. The first result is the encoding. If
    /// `return_overflowing_tokens` is set, the windows over the truncated tokens follow.
    ///
    /// An empty pair is ignored here, but in a batch it is an empty second segment. Hugging Face's
    /// tokenizers do the same.
    ///
    /// # Errors
    /// `BadInput` for invalid options, for options that do not fit the text, for a text of 4 GB,
    /// and if the result would exceed [`MAX_TOKENS`] or [`MAX_WINDOWS`]; `OutOfMemory`.
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

    /// Encodes each text, with or without a pair, as [`Tokenizer::encode`] does. Padding fills to
    /// the longest text.
    ///
    /// # Errors
    /// The errors of [`Tokenizer::encode`].
    pub fn encode_batch(
        &self,
        inputs: &[(&str, Option<&str>)],
        options: &EncodeOptions,
    ) -> Result<Vec<Vec<Encoding>>> {
        self.batch(inputs, options, false)
    }

    /// Encodes as [`Tokenizer::encode_batch`], but leaves `spans`, `word_ids` and `sequence_ids`
    /// empty, which is faster.
    ///
    /// # Errors
    /// The errors of [`Tokenizer::encode`].
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

    /// Encodes a text, or a text and its pair, with special tokens, truncated to at most
    /// `max_length` tokens. Returns the encoding and whether anything was truncated. Other windows
    /// are not built, because two long texts have the product of their numbers of windows. An empty
    /// pair is a second segment here.
    ///
    /// # Errors
    /// The errors of [`Tokenizer::encode`].
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

    /// Returns the windows over an input.
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

    /// Adds the tokens of a text to `tokens`, which must be empty.
    fn tokens(&self, text: &str, mut tokens: Tokens) -> Result<Tokens> {
        if u32::try_from(text.len()).is_err() {
            return Err(Error::BadInput(format!("a text of {} bytes is over 4 GB", text.len())));
        }
        // BERT's vocabulary makes about one token per five bytes. A short text reserves one token
        // per byte.
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

    /// Appends the tokens of a text with BERT's WordPiece.
    fn word_pieces(
        &self,
        model: &WordPiece,
        normalizer: Normalizer,
        ascii: &[Ascii; 256],
        text: &str,
        tokens: &mut Tokens,
    ) {
        // In WordPiece, only added tokens can contain white space.
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

    /// Returns the text of a token, with `##`.
    pub fn token(&self, id: u32) -> Option<&str> {
        let added = self.added.by_id(id).map(|token| token.content.as_str());
        added.or_else(|| self.model.vocab().token(id))
    }

    /// Returns the id of a token, written as in the vocabulary.
    pub fn id(&self, token: &str) -> Option<u32> {
        let added = self.added.by_content(token).map(|token| token.id);
        added.or_else(|| self.model.vocab().id(token))
    }

    /// Returns all tokens and their ids: first the vocabulary, then the added tokens, each ordered
    /// by id. If a text occurs twice, [`Tokenizer::id`] returns the last one.
    pub fn vocab(&self) -> impl Iterator<Item = (&str, u32)> {
        let added = self.added.in_order().map(|token| (token.content.as_str(), token.id));
        self.model.vocab().entries().chain(added)
    }

    /// Returns the ids of the special tokens without duplicates. Tokens with a role come first, in
    /// Hugging Face's order. The others follow, ordered by id.
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

    /// Returns the side for padding: `right` or `left`.
    pub fn padding_side(&self) -> &'static str {
        self.padding_side.name()
    }

    /// Returns the side for truncation: `right` or `left`.
    pub fn truncation_side(&self) -> &'static str {
        self.truncation_side.name()
    }

    /// Returns the largest id plus one, with added tokens.
    pub fn vocab_size(&self) -> usize {
        self.model.vocab().size().max(self.added.size())
    }

    /// Returns the names of the inputs that a call returns. `input_ids` comes first.
    /// `token_type_ids` and `attention_mask` follow if the model takes them.
    pub fn model_input_names(&self) -> Vec<&'static str> {
        let types = self.has_types.then_some("token_type_ids");
        let mask = self.has_mask.then_some("attention_mask");
        [Some("input_ids"), types, mask].into_iter().flatten().collect()
    }

    /// Returns a warning for each unknown field of the files.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the tokens with a role.
    pub fn special(&self) -> &SpecialTokens {
        &self.special
    }

    /// Returns whether `decode` omits the token when it skips special tokens.
    pub fn is_special(&self, id: u32) -> bool {
        self.added.by_id(id).is_some_and(|token| token.special)
    }

    /// Returns the model's maximum number of tokens; `None` if the checkpoint does not set it.
    pub fn model_max_length(&self) -> Option<usize> {
        self.model_max_length
    }
}
