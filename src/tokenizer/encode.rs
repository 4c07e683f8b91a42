//! From a text, or a text and its pair, to an encoding or the windows over it.

use super::bert::normalize::{Ascii, Normalizer, Stream};
use super::bert::wordpiece::WordPiece;
use super::bert::words::{Tokens, Words};
use super::encoding::{Encoding, span};
use super::pad::{self, PadRule};
use super::template::Window;
use super::truncate::{Limit, Windows, whole};
use super::{Count, EncodeOptions, IS_FAST, Model, Padding, Place, Tokenizer, Truncation};
use crate::{Error, Result};

/// The tokens of an input, and the windows over them.
struct InputWindows<'a> {
    tokenizer: &'a Tokenizer,
    texts: [&'a str; 2],
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
        let mut encoding = self.tokenizer.template.fill(text, pair, self.add_special_tokens)?;
        if self.has_types {
            self.tokenizer.set_types(&mut encoding, self.texts);
        } else {
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
    /// and if the result would exceed [`MAX_TOKENS`](super::MAX_TOKENS) or
    /// [`MAX_WINDOWS`](super::MAX_WINDOWS); `OutOfMemory`.
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
        let ids_only = ids_only && !self.has_word_shapes;
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
    fn windows<'a>(
        &'a self,
        text: &'a str,
        pair: Option<&'a str>,
        options: &EncodeOptions,
        max_length: Option<usize>,
        ids_only: bool,
    ) -> Result<InputWindows<'a>> {
        let splits_special = options.split_special_tokens.unwrap_or(self.splits_special);
        let add_special_tokens = options.add_special_tokens;
        let has_pair = pair.is_some();
        let texts = [text, pair.unwrap_or_default()];
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
        let has_types = options.token_types.unwrap_or(self.has_types);
        Ok(InputWindows {
            tokenizer: self,
            texts,
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
    pub(super) fn tokens(&self, text: &str, mut tokens: Tokens) -> Result<Tokens> {
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
}
