//! The tokenizer by itself.

use js_sys::{Array, Int32Array, Map, Object, Uint32Array};
use wasm_bindgen::prelude::*;

use super::values::{Fields, FromJs};
use super::{JsResult, Utf16, bad_input, files, js_error, set};
use crate::tokenizer::{self, EncodeOptions, Encoding, Padding, SpecialTokens, Truncation};
use crate::{Error, engine};

/// Text to ids and back.
#[wasm_bindgen]
pub struct Tokenizer(tokenizer::Tokenizer);

/// `padding` and `truncation` are true, false or a name, as in transformers.js.
impl FromJs for Padding {
    const IS: &'static str = "true, false, longest, max_length or do_not_pad";
    fn from_js(value: &JsValue) -> Option<Self> {
        match (value.as_bool(), value.as_string().as_deref()) {
            (Some(true), _) | (_, Some("longest")) => Some(Self::Longest),
            (_, Some("max_length")) => Some(Self::MaxLength),
            (Some(false), _) | (_, Some("do_not_pad")) => Some(Self::None),
            _ => None,
        }
    }
}

impl FromJs for Truncation {
    const IS: &'static str =
        "true, false, longest_first, only_first, only_second or do_not_truncate";
    fn from_js(value: &JsValue) -> Option<Self> {
        match (value.as_bool(), value.as_string().as_deref()) {
            (Some(true), _) | (_, Some("longest_first")) => Some(Self::LongestFirst),
            (_, Some("only_first")) => Some(Self::OnlyFirst),
            (_, Some("only_second")) => Some(Self::OnlySecond),
            (Some(false), _) | (_, Some("do_not_truncate")) => Some(Self::None),
            _ => None,
        }
    }
}

/// null is the default everywhere.
fn encode_options(fields: &Fields<'_>) -> JsResult<EncodeOptions> {
    let default = EncodeOptions::default();
    let max_length = fields.given("max_length")?;
    let padding = fields.given("padding")?.unwrap_or(default.padding);
    // As in Hugging Face: a length by itself truncates, but not beside "do_not_pad" by name.
    let alone = padding == Padding::None && !fields.property("padding").is_string();
    let unsaid = match max_length {
        Some(_) if alone => Truncation::LongestFirst,
        _ => default.truncation,
    };
    Ok(EncodeOptions {
        add_special_tokens: fields
            .given("add_special_tokens")?
            .unwrap_or(default.add_special_tokens),
        padding,
        truncation: fields.given("truncation")?.unwrap_or(unsaid),
        max_length,
        stride: fields.given("stride")?.unwrap_or(default.stride),
        pad_to_multiple_of: fields.given("pad_to_multiple_of")?,
        return_overflowing_tokens: fields
            .given("return_overflowing_tokens")?
            .unwrap_or(default.return_overflowing_tokens),
    })
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
        options: &JsValue,
    ) -> JsResult<Array> {
        let options = encode_options(&Fields(options))?;
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

    /// `{vocab_size, model_max_length, padding_side, truncation_side, all_special_ids, cls_token,
    /// cls_token_id, …}`
    pub fn info(&self) -> Object {
        let info = Object::new();
        set(&info, "vocab_size", &(self.0.vocab_size() as u32).into());
        let limit = self.0.model_max_length().map_or(JsValue::NULL, |limit| (limit as f64).into());
        set(&info, "model_max_length", &limit);
        set(&info, "padding_side", &self.0.padding_side().into());
        set(&info, "truncation_side", &self.0.truncation_side().into());
        let special = self.0.special_ids().into_iter().map(JsValue::from);
        set(&info, "all_special_ids", &special.collect::<Array>());
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
