//! The tokenizer by itself.

use js_sys::{Array, Int32Array, Object, Uint32Array};
use wasm_bindgen::prelude::*;

use super::{JsResult, Utf16, files, js_error, parse, set};
use crate::tokenizer::{self, EncodeOptions, Encoding, Padding, SpecialTokens, Truncation};
use crate::{Error, Result, model};

/// Text to ids and back.
#[wasm_bindgen]
pub struct Tokenizer(tokenizer::Tokenizer);

/// `padding` and `truncation` as transformers.js takes them.
#[derive(serde::Deserialize, Clone, PartialEq)]
#[serde(untagged)]
enum Choice {
    Flag(bool),
    Named(String),
}

#[derive(serde::Deserialize)]
#[serde(default)]
struct TokenizerOptions {
    add_special_tokens: bool,
    padding: Option<Choice>,
    truncation: Option<Choice>,
    max_length: Option<usize>,
    stride: usize,
    pad_to_multiple_of: Option<usize>,
    return_overflowing_tokens: bool,
}

impl Default for TokenizerOptions {
    fn default() -> Self {
        Self {
            add_special_tokens: true,
            padding: None,
            truncation: None,
            max_length: None,
            stride: 0,
            pad_to_multiple_of: None,
            return_overflowing_tokens: false,
        }
    }
}

impl TokenizerOptions {
    fn resolve(self) -> Result<EncodeOptions> {
        let unknown = |option: &str, value: &str| {
            Err(Error::BadInput(format!("{option}: \"{value}\" is not a way to do it")))
        };
        let padding = match &self.padding {
            None | Some(Choice::Flag(false)) => Padding::None,
            Some(Choice::Flag(true)) => Padding::Longest,
            Some(Choice::Named(name)) => match name.as_str() {
                "longest" => Padding::Longest,
                "max_length" => Padding::MaxLength,
                "do_not_pad" => Padding::None,
                other => return unknown("padding", other),
            },
        };
        let truncation = match &self.truncation {
            None | Some(Choice::Flag(false)) => Truncation::None,
            Some(Choice::Flag(true)) => Truncation::LongestFirst,
            Some(Choice::Named(name)) => match name.as_str() {
                "longest_first" => Truncation::LongestFirst,
                "only_first" => Truncation::OnlyFirst,
                "only_second" => Truncation::OnlySecond,
                "do_not_truncate" => Truncation::None,
                other => return unknown("truncation", other),
            },
        };
        Ok(EncodeOptions {
            add_special_tokens: self.add_special_tokens,
            padding,
            truncation,
            max_length: self.max_length,
            stride: self.stride,
            pad_to_multiple_of: self.pad_to_multiple_of,
            return_overflowing_tokens: self.return_overflowing_tokens,
        })
    }
}

#[wasm_bindgen]
impl Tokenizer {
    /// From a folder's files, an object name → Uint8Array.
    #[wasm_bindgen(constructor)]
    pub fn new(object: &Object) -> JsResult<Self> {
        match model::load_tokenizer(&files(object)).map_err(js_error)? {
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
        options: &JsValue,
    ) -> JsResult<Array> {
        let options: TokenizerOptions = parse(options, "options")?;
        let options = options.resolve().map_err(js_error)?;
        let pair = |n: usize| pairs.as_ref().and_then(|pairs| pairs.get(n)).map(String::as_str);
        let inputs: Vec<_> =
            texts.iter().enumerate().map(|(n, text)| (text.as_str(), pair(n))).collect();
        let encoded = self.0.encode_batch(&inputs, &options).map_err(js_error)?;
        let all = Array::new();
        for (sample, (windows, (text, pair))) in encoded.iter().zip(&inputs).enumerate() {
            let units = [Utf16::new(text), Utf16::new(pair.unwrap_or_default())];
            for window in windows {
                all.push(&encoding(window, sample, &units));
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
        let ids = windows.into_iter().flat_map(|window| window.ids);
        Ok(ids.filter_map(|id| self.0.token(id).map(str::to_owned)).collect())
    }

    /// The text of ids.
    pub fn decode(
        &self,
        ids: &[u32],
        skip_special_tokens: bool,
        clean_up: bool,
    ) -> JsResult<String> {
        self.0.decode(ids, skip_special_tokens, clean_up).map_err(js_error)
    }

    /// The text of one entry.
    pub fn token(&self, id: u32) -> Option<String> {
        self.0.token(id).map(str::to_owned)
    }

    /// The number of one entry.
    pub fn id(&self, token: &str) -> Option<u32> {
        self.0.id(token)
    }

    /// `{vocab_size, model_max_length, cls_token, cls_token_id, …}`
    pub fn info(&self) -> Object {
        let info = Object::new();
        set(&info, "vocab_size", &(self.0.vocab_size() as u32).into());
        let limit = self.0.model_max_length().map_or(JsValue::NULL, |limit| (limit as f64).into());
        set(&info, "model_max_length", &limit);
        let SpecialTokens { cls, sep, pad, unk, mask } = self.0.special();
        let roles = [
            ("cls", Some(cls)),
            ("sep", Some(sep)),
            ("pad", Some(pad)),
            ("unk", Some(unk)),
            ("mask", mask.as_ref()),
        ];
        for (role, special) in roles {
            let (token, id) = special.map_or((JsValue::NULL, JsValue::NULL), |special| {
                (special.token.as_str().into(), special.id.into())
            });
            set(&info, &format!("{role}_token"), &token);
            set(&info, &format!("{role}_token_id"), &id);
        }
        info
    }
}

fn encoding(window: &Encoding, sample: usize, units: &[Utf16; 2]) -> Object {
    let object = Object::new();
    let ids = |values: &[u32]| JsValue::from(Uint32Array::from(values));
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
    set(&object, "sample", &(sample as u32).into());
    set(&object, "input_ids", &ids(&window.ids));
    set(&object, "token_type_ids", &ids(&window.type_ids));
    set(&object, "attention_mask", &ids(&mask));
    set(&object, "special_tokens_mask", &ids(&special));
    set(&object, "offsets", &ids(&offsets));
    set(&object, "word_ids", &Int32Array::from(words.as_slice()));
    object
}
