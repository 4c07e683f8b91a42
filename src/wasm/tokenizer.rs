//! The tokenizer by itself.

use std::fmt;

use js_sys::{Array, Int32Array, Map, Object, Uint32Array};
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::values::{read_options, write};
use super::{JsResult, Utf16, bad_input, files, js_error};
use crate::tasks::count_or_null;
use crate::tokenizer::{self, EncodeOptions, Encoding, Padding, SpecialTokens, Truncation};
use crate::{Error, engine};

/// Text to ids and back.
#[wasm_bindgen]
pub struct Tokenizer(tokenizer::Tokenizer);

/// What is asked of an encoding, in transformers.js' names; null is the default everywhere.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Options {
    add_special_tokens: Option<bool>,
    padding: Option<Choice>,
    truncation: Option<Choice>,
    #[serde(deserialize_with = "count_or_null")]
    max_length: Option<usize>,
    #[serde(deserialize_with = "count_or_null")]
    stride: Option<usize>,
    #[serde(deserialize_with = "count_or_null")]
    pad_to_multiple_of: Option<usize>,
    return_overflowing_tokens: Option<bool>,
}

/// A padding or a truncation: whether at all, or which.
enum Choice {
    Flag(bool),
    Name(String),
}

impl<'de> Deserialize<'de> for Choice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ChoiceVisitor)
    }
}

struct ChoiceVisitor;

impl Visitor<'_> for ChoiceVisitor {
    type Value = Choice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true, false or a name")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Choice, E> {
        Ok(Choice::Flag(flag))
    }

    fn visit_str<E>(self, name: &str) -> Result<Choice, E> {
        Ok(Choice::Name(name.to_owned()))
    }
}

impl Options {
    fn padding(&self) -> JsResult<Padding> {
        Ok(match &self.padding {
            None | Some(Choice::Flag(false)) => Padding::None,
            Some(Choice::Flag(true)) => Padding::Longest,
            Some(Choice::Name(name)) => match name.as_str() {
                "longest" => Padding::Longest,
                "max_length" => Padding::MaxLength,
                "do_not_pad" => Padding::None,
                other => {
                    return Err(bad_input(format!(
                        "padding is true, false, longest, max_length or do_not_pad, not \"{other}\""
                    )));
                }
            },
        })
    }

    /// As in Hugging Face, a length by itself truncates, but not beside a padding by its name.
    fn truncation(&self, padding: Padding) -> JsResult<Truncation> {
        let is_named = matches!(self.padding, Some(Choice::Name(_)));
        Ok(match &self.truncation {
            None if self.max_length.is_none() || is_named || padding != Padding::None => {
                Truncation::None
            }
            Some(Choice::Flag(false)) => Truncation::None,
            None | Some(Choice::Flag(true)) => Truncation::LongestFirst,
            Some(Choice::Name(name)) => match name.as_str() {
                "longest_first" => Truncation::LongestFirst,
                "only_first" => Truncation::OnlyFirst,
                "only_second" => Truncation::OnlySecond,
                "do_not_truncate" => Truncation::None,
                other => {
                    return Err(bad_input(format!(
                        "truncation is true, false, longest_first, only_first, only_second or \
                         do_not_truncate, not \"{other}\""
                    )));
                }
            },
        })
    }

    fn for_encoding(&self) -> JsResult<EncodeOptions> {
        let default = EncodeOptions::default();
        let padding = self.padding()?;
        Ok(EncodeOptions {
            add_special_tokens: self.add_special_tokens.unwrap_or(default.add_special_tokens),
            padding,
            truncation: self.truncation(padding)?,
            max_length: self.max_length,
            stride: self.stride.unwrap_or(default.stride),
            pad_to_multiple_of: self.pad_to_multiple_of,
            return_overflowing_tokens: self
                .return_overflowing_tokens
                .unwrap_or(default.return_overflowing_tokens),
        })
    }
}

/// What a tokenizer says of itself.
#[derive(Serialize)]
struct InfoOut<'a> {
    vocab_size: usize,
    model_max_length: Option<usize>,
    padding_side: &'a str,
    truncation_side: &'a str,
    all_special_ids: Vec<u32>,
    cls_token: &'a str,
    cls_token_id: u32,
    sep_token: &'a str,
    sep_token_id: u32,
    pad_token: &'a str,
    pad_token_id: u32,
    unk_token: &'a str,
    unk_token_id: u32,
    mask_token: Option<&'a str>,
    mask_token_id: Option<u32>,
}

/// One window of one text; arrays have one entry a token.
#[derive(Serialize)]
struct EncodingOut {
    /// Which text it is of.
    sample: usize,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    input_ids: Uint32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    token_type_ids: Uint32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    attention_mask: Uint32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    special_tokens_mask: Uint32Array,
    /// Start and end of each token in UTF-16 code units.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    offsets: Uint32Array,
    /// -1: of no word.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    word_ids: Int32Array,
}

#[wasm_bindgen]
impl Tokenizer {
    /// From a folder's files, an object name → Uint8Array.
    #[wasm_bindgen(constructor)]
    pub fn new(object: &Object) -> JsResult<Self> {
        match engine::load_tokenizer(&files(object)).map_err(js_error)? {
            Some(tokenizer) => Ok(Self(tokenizer)),
            None => Err(js_error(Error::BadTokenizer(
                "neither tokenizer.json nor vocab.txt is there".into(),
            ))),
        }
    }

    /// All windows of all texts, in order.
    pub fn encode(
        &self,
        texts: Vec<String>,
        pairs: Option<Vec<String>>,
        options: JsValue,
    ) -> JsResult<Array> {
        let options: Options = read_options(options)?;
        let options = options.for_encoding()?;
        let pair = |n: usize| pairs.as_ref().and_then(|pairs| pairs.get(n)).map(String::as_str);
        let inputs: Vec<_> =
            texts.iter().enumerate().map(|(n, text)| (text.as_str(), pair(n))).collect();
        let encoded = self.0.encode_batch(&inputs, &options).map_err(js_error)?;
        let all = Array::new();
        for (sample, (windows, (text, pair))) in encoded.iter().zip(&inputs).enumerate() {
            let units = [Utf16::new(text), Utf16::new(pair.unwrap_or_default())];
            for window in windows {
                all.push(&write(&EncodingOut::new(window, sample, &units))?);
            }
        }
        Ok(all)
    }

    /// The tokens' texts.
    pub fn tokenize(
        &self,
        text: &str,
        pair: Option<String>,
        add_special_tokens: bool,
    ) -> JsResult<Vec<String>> {
        let options = EncodeOptions { add_special_tokens, ..EncodeOptions::default() };
        let windows = self.0.encode(text, pair.as_deref(), &options).map_err(js_error)?;
        let ids: Vec<u32> = windows.into_iter().flat_map(|window| window.ids).collect();
        self.limit_text(&ids)?;
        Ok(ids.into_iter().filter_map(|id| self.0.token(id).map(str::to_owned)).collect())
    }

    /// The text of ids.
    pub fn decode(
        &self,
        ids: &[u32],
        skip_special_tokens: bool,
        clean_up: bool,
    ) -> JsResult<String> {
        self.limit_text(ids)?;
        Ok(self.0.decode(ids, skip_special_tokens, clean_up))
    }

    /// The text of one entry.
    pub fn token(&self, id: u32) -> Option<String> {
        self.0.token(id).map(str::to_owned)
    }

    /// The number of one entry.
    pub fn id(&self, token: &str) -> Option<u32> {
        self.0.id(token)
    }

    /// A Map token → id.
    pub fn vocab(&self) -> Map {
        let map = Map::new();
        for (token, id) in self.0.vocab() {
            map.set(&token.into(), &id.into());
        }
        map
    }

    /// What the tokenizer says of itself: TokenizerInfo in src/js.
    pub fn info(&self) -> JsResult<JsValue> {
        let SpecialTokens { cls, sep, pad, unk, mask } = self.0.special();
        write(&InfoOut {
            vocab_size: self.0.vocab_size(),
            model_max_length: self.0.model_max_length(),
            padding_side: self.0.padding_side(),
            truncation_side: self.0.truncation_side(),
            all_special_ids: self.0.special_ids(),
            cls_token: &cls.token,
            cls_token_id: cls.id,
            sep_token: &sep.token,
            sep_token_id: sep.id,
            pad_token: &pad.token,
            pad_token_id: pad.id,
            unk_token: &unk.token,
            unk_token_id: unk.id,
            mask_token: mask.as_ref().map(|mask| &*mask.token),
            mask_token_id: mask.as_ref().map(|mask| mask.id),
        })
    }
}

/// Bytes of the tokens that one call gives the text of at most: a string of JavaScript has half a
/// billion units, and this text is there several times.
const MAX_TEXT: usize = 1 << 28;

impl Tokenizer {
    /// Refuses ids whose texts memory would not hold: a token may be as long as its file.
    fn limit_text(&self, ids: &[u32]) -> JsResult<()> {
        let len = |id: &u32| self.0.token(*id).map_or(0, str::len) as u64;
        let bytes: u64 = ids.iter().map(len).sum();
        if bytes <= MAX_TEXT as u64 {
            return Ok(());
        }
        let count = ids.len();
        Err(bad_input(format!(
            "the text of these {count} tokens has {bytes} bytes; one call gives {MAX_TEXT}"
        )))
    }
}

impl EncodingOut {
    /// `units`: of the text and of its pair.
    fn new(window: &Encoding, sample: usize, units: &[Utf16; 2]) -> Self {
        let special: Vec<u32> =
            window.sequence_ids.iter().map(|sequence| u32::from(sequence.is_none())).collect();
        let mask: Vec<u32> = window.attention_mask.iter().map(|&m| u32::from(m)).collect();
        let words: Vec<i32> = window.word_ids.iter().map(|w| w.map_or(-1, |w| w as i32)).collect();
        let offsets: Vec<u32> = (window.spans.iter().zip(&window.sequence_ids))
            .flat_map(|(span, sequence)| match sequence {
                Some(sequence) => {
                    let units = &units[usize::from(*sequence)];
                    [units.at(span.start), units.at(span.end)]
                }
                None => [0, 0],
            })
            .collect();
        Self {
            sample,
            input_ids: Uint32Array::from(&*window.ids),
            token_type_ids: Uint32Array::from(&*window.type_ids),
            attention_mask: Uint32Array::from(&*mask),
            special_tokens_mask: Uint32Array::from(&*special),
            offsets: Uint32Array::from(&*offsets),
            word_ids: Int32Array::from(&*words),
        }
    }
}
