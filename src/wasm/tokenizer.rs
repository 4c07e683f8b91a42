//! The tokenizer by itself.

use std::fmt;

use js_sys::{Map, Object};
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::values::{read_options, write};
use super::{JsResult, Utf16, bad_input, files, js_error};
use crate::tasks::count_or_null;
use crate::tokenizer::{
    self, EncodeOptions, Encoding, Padding, Side, Special, SpecialTokens, Truncation,
};
use crate::{Error, engine};

/// Text to ids and back.
#[wasm_bindgen]
pub struct Tokenizer {
    tokenizer: tokenizer::Tokenizer,
    /// Of `encode`.
    options: EncodeOptions,
}

/// What is asked of an encoding, in transformers.js' names; null is the default everywhere.
#[derive(Default, Deserialize)]
#[serde(default)]
struct TokenizerCallOptions {
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
    split_special_tokens: Option<bool>,
    padding_side: Option<String>,
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

impl TokenizerCallOptions {
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

    fn side(&self) -> JsResult<Option<Side>> {
        Ok(match self.padding_side.as_deref() {
            None => None,
            Some("left") => Some(Side::Left),
            Some("right") => Some(Side::Right),
            Some(other) => {
                return Err(bad_input(format!(
                    "option \"padding_side\": expected left or right, got \"{other}\""
                )));
            }
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
            split_special_tokens: self.split_special_tokens,
            padding_side: self.side()?,
            // Types are sent only to callers that ask for them.
            token_types: Some(true),
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
    clean_up_tokenization_spaces: bool,
    model_input_names: Vec<&'static str>,
    warnings: &'a [String],
    cls_token: Option<&'a str>,
    cls_token_id: Option<u32>,
    sep_token: Option<&'a str>,
    sep_token_id: Option<u32>,
    pad_token: Option<&'a str>,
    pad_token_id: Option<u32>,
    unk_token: Option<&'a str>,
    unk_token_id: Option<u32>,
    mask_token: Option<&'a str>,
    mask_token_id: Option<u32>,
}

/// What of an encoding is asked for besides the ids, as bits: FIELDS in src/js/tokenizer/encoding.ts.
mod field {
    /// 1 for tokens, 0 for padding.
    pub(super) const ATTENTION_MASK: u32 = 1;
    pub(super) const TOKEN_TYPE_IDS: u32 = 1 << 1;
    /// 1 for what the tokenizer added.
    pub(super) const SPECIAL_TOKENS_MASK: u32 = 1 << 2;
    /// Start and end of each token in UTF-16 code units.
    pub(super) const OFFSET_MAPPING: u32 = 1 << 3;
    /// -1: of no word.
    pub(super) const WORD_IDS: u32 = 1 << 4;
}

#[wasm_bindgen]
impl Tokenizer {
    /// From a folder's files, an object name → Uint8Array.
    #[wasm_bindgen(constructor)]
    pub fn new(object: &Object) -> JsResult<Self> {
        match engine::load_tokenizer(&files(object)).map_err(js_error)? {
            Some(tokenizer) => Ok(Self { tokenizer, options: EncodeOptions::default() }),
            None => Err(js_error(Error::BadTokenizer(
                "neither tokenizer.json nor vocab.txt is there".into(),
            ))),
        }
    }

    /// Sets what `encode` does from now on.
    pub fn set_options(&mut self, options: JsValue) -> JsResult<()> {
        let options: TokenizerCallOptions = read_options(options)?;
        self.options = options.for_encoding()?;
        Ok(())
    }

    /// All windows of all texts, in order, as numbers: how many windows; which of `fields` are not
    /// there, as each of their numbers is the same, 1 in the mask and else 0; of each window the
    /// number of its text and its tokens; then all ids, and one after the other the fields.
    ///
    /// `text` is a text; with `lengths` all texts end to end, a line feed after each, and their
    /// lengths in UTF-16 code units. `paired`: each is followed by its pair.
    pub fn encode(
        &self,
        text: &str,
        lengths: Option<Vec<u32>>,
        paired: bool,
        fields: u32,
    ) -> JsResult<Vec<u32>> {
        let texts = match &lengths {
            Some(lengths) => split(text, lengths),
            None => vec![text],
        };
        let inputs: Vec<_> = match paired {
            true => texts.chunks_exact(2).map(|both| (both[0], Some(both[1]))).collect(),
            false => texts.iter().map(|&text| (text, None)).collect(),
        };
        let detailed = fields & !(field::ATTENTION_MASK | field::TOKEN_TYPE_IDS) != 0;
        let encoded = match detailed {
            true => self.tokenizer.encode_batch(&inputs, &self.options),
            false => self.tokenizer.encode_batch_ids(&inputs, &self.options),
        };
        Ok(flat(&encoded.map_err(js_error)?, &inputs, fields))
    }

    /// The tokens' texts.
    pub fn tokenize(
        &self,
        text: &str,
        pair: Option<String>,
        add_special_tokens: bool,
        split_special_tokens: Option<bool>,
    ) -> JsResult<Vec<String>> {
        let default = EncodeOptions::default();
        let options = EncodeOptions { add_special_tokens, split_special_tokens, ..default };
        let windows = self.tokenizer.encode(text, pair.as_deref(), &options).map_err(js_error)?;
        let ids: Vec<u32> = windows.into_iter().flat_map(|window| window.ids).collect();
        self.limit_text(&ids)?;
        Ok(ids.into_iter().filter_map(|id| self.tokenizer.token(id).map(str::to_owned)).collect())
    }

    /// The text of ids.
    pub fn decode(
        &self,
        ids: &[u32],
        skip_special_tokens: bool,
        clean_up: bool,
    ) -> JsResult<String> {
        self.limit_text(ids)?;
        self.tokenizer.decode(ids, skip_special_tokens, clean_up).map_err(js_error)
    }

    /// The text of one entry.
    pub fn token(&self, id: u32) -> Option<String> {
        self.tokenizer.token(id).map(str::to_owned)
    }

    /// The number of one entry.
    pub fn id(&self, token: &str) -> Option<u32> {
        self.tokenizer.id(token)
    }

    /// A Map token → id.
    pub fn vocab(&self) -> Map {
        let map = Map::new();
        for (token, id) in self.tokenizer.vocab() {
            map.set(&token.into(), &id.into());
        }
        map
    }

    /// What the tokenizer says of itself: TokenizerInfo in src/js.
    pub fn info(&self) -> JsResult<JsValue> {
        let SpecialTokens { cls, sep, pad, unk, mask } = self.tokenizer.special();
        write(&InfoOut {
            vocab_size: self.tokenizer.vocab_size(),
            model_max_length: self.tokenizer.model_max_length(),
            padding_side: self.tokenizer.padding_side(),
            truncation_side: self.tokenizer.truncation_side(),
            all_special_ids: self.tokenizer.special_ids(),
            clean_up_tokenization_spaces: self.tokenizer.cleans_up(),
            model_input_names: self.tokenizer.model_input_names(),
            warnings: self.tokenizer.warnings(),
            cls_token: token(cls),
            cls_token_id: id(cls),
            sep_token: token(sep),
            sep_token_id: id(sep),
            pad_token: token(pad),
            pad_token_id: id(pad),
            unk_token: token(unk),
            unk_token_id: id(unk),
            mask_token: token(mask),
            mask_token_id: id(mask),
        })
    }
}

/// The text of a special token.
fn token(token: &Option<Special>) -> Option<&str> {
    token.as_ref().map(|token| token.token.as_str())
}

/// The id of a special token.
fn id(token: &Option<Special>) -> Option<u32> {
    token.as_ref().map(|token| token.id)
}

/// Bytes of the tokens that one call gives the text of at most: a string of JavaScript has half a
/// billion units, and this text is there several times.
const MAX_TEXT: usize = 1 << 28;

impl Tokenizer {
    /// Refuses ids whose texts memory would not hold: a token may be as long as its file.
    fn limit_text(&self, ids: &[u32]) -> JsResult<()> {
        let len = |id: &u32| self.tokenizer.token(*id).map_or(0, str::len) as u64;
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

/// Texts that lie end to end, each followed by a line feed; `lengths`: in UTF-16 code units.
fn split<'a>(text: &'a str, lengths: &[u32]) -> Vec<&'a str> {
    let (mut rest, ascii) = (text, text.is_ascii());
    let next = |&units: &u32| {
        let mut left = units as usize;
        let mut end = left;
        if !ascii {
            end = 0;
            for c in rest.chars() {
                if left == 0 {
                    break;
                }
                left -= c.len_utf16().min(left);
                end += c.len_utf8();
            }
        }
        let (text, after) = rest.split_at(end.min(rest.len()));
        rest = after.get(1..).unwrap_or_default();
        text
    };
    lengths.iter().map(next).collect()
}

/// What [`Tokenizer::encode`] gives.
fn flat(encoded: &[Vec<Encoding>], inputs: &[(&str, Option<&str>)], fields: u32) -> Vec<u32> {
    let (mut count, mut tokens, mut absent) = (0, 0, field::ATTENTION_MASK | field::TOKEN_TYPE_IDS);
    for window in encoded.iter().flatten() {
        (count, tokens) = (count + 1, tokens + window.len());
        if window.attention_mask.contains(&0) {
            absent &= !field::ATTENTION_MASK;
        }
        if window.type_ids.iter().any(|&id| id != 0) {
            absent &= !field::TOKEN_TYPE_IDS;
        }
    }
    let mut flat = Vec::with_capacity(2 + 2 * count + tokens * (2 + fields.count_ones() as usize));
    flat.extend([count as u32, absent]);
    for (sample, of_text) in (0..).zip(encoded) {
        of_text.iter().for_each(|window| flat.extend([sample, window.len() as u32]));
    }
    encoded.iter().flatten().for_each(|window| flat.extend_from_slice(&window.ids));
    let mut rest = fields & !absent;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        rest -= bit;
        for (of_text, (text, pair)) in encoded.iter().zip(inputs) {
            let units = (bit == field::OFFSET_MAPPING)
                .then(|| [Utf16::new(text), Utf16::new(pair.unwrap_or_default())]);
            of_text.iter().for_each(|window| append(&mut flat, window, bit, units.as_ref()));
        }
    }
    flat
}

/// Appends one field. `units` convert offsets into the text and its pair.
fn append(flat: &mut Vec<u32>, window: &Encoding, bit: u32, units: Option<&[Utf16; 2]>) {
    for at in 0..window.len() {
        let sequence = || window.sequence_ids[at];
        let number = match bit {
            field::ATTENTION_MASK => window.attention_mask[at].into(),
            field::TOKEN_TYPE_IDS => window.type_ids[at],
            field::SPECIAL_TOKENS_MASK => sequence().is_none().into(),
            field::WORD_IDS => window.word_ids[at].unwrap_or(u32::MAX),
            _ => {
                let units =
                    sequence().zip(units).map(|(sequence, both)| &both[usize::from(sequence)]);
                let span = window.spans[at];
                flat.push(units.map_or(0, |units| units.at(span.start)));
                units.map_or(0, |units| units.at(span.end))
            }
        };
        flat.push(number);
    }
}
