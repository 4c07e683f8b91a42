//! All that JavaScript sees, wrapped by src/js. Here byte offsets become UTF-16 and errors become
//! JavaScript's; nothing else happens here.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;

use js_sys::{Array, Float32Array, Function, Int32Array, Object, Promise, Reflect, Uint32Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::backend::Precision;
use crate::config::HeadKind;
use crate::model::{self, Files, Inputs, ModelLoader, Tensor};
use crate::tasks::{self, feature_extraction, fill_mask, text_classification};
use crate::tokenizer::{self, EncodeOptions, Encoding, Padding, SpecialTokens, Truncation};
use crate::{Error, Result};

type JsResult<T> = std::result::Result<T, JsValue>;

/// Makes a panic, which is a bug, readable in the console.
#[wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}

fn js_error(error: Error) -> JsValue {
    let js = js_sys::Error::new(&error.to_string());
    set(&js, "code", &error.code().into());
    js.into()
}

fn bad_input(error: impl std::fmt::Display) -> JsValue {
    js_error(Error::BadInput(error.to_string()))
}

/// Sets a property. It can only fail on a frozen object or proxy, and these objects are ours.
fn set(object: &Object, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}

/// A value without the properties that are undefined, which serde would take for null.
fn parse<T: DeserializeOwned>(value: &JsValue, what: &str) -> JsResult<T> {
    let cleaned = match value.dyn_ref::<Object>() {
        Some(object) if !Array::is_array(value) => {
            let cleaned = Object::new();
            for entry in Object::entries(object).iter() {
                let entry = Array::from(&entry);
                if !entry.get(1).is_undefined() {
                    Reflect::set(&cleaned, &entry.get(0), &entry.get(1))?;
                }
            }
            cleaned.into()
        }
        _ => value.clone(),
    };
    serde_wasm_bindgen::from_value(cleaned).map_err(|e| bad_input(format!("{what}: {e}")))
}

fn to_js(value: &impl Serialize) -> JsResult<JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).map_err(bad_input)
}

/// An object name → Uint8Array.
fn files(object: &Object) -> Files {
    let mut files = Files::new();
    for entry in Object::entries(object).iter() {
        let entry = Array::from(&entry);
        if let (Some(name), Ok(bytes)) =
            (entry.get(0).as_string(), entry.get(1).dyn_into::<js_sys::Uint8Array>())
        {
            files.push((name, bytes.to_vec()));
        }
    }
    files
}

fn tensor(tensor: &Tensor) -> Object {
    let dims: Array = tensor.dims.iter().map(|&dim| JsValue::from(dim as u32)).collect();
    let object = Object::new();
    set(&object, "type", &"float32".into());
    set(&object, "dims", &dims);
    set(&object, "data", &Float32Array::from(tensor.data.as_slice()));
    object
}

/// Byte offsets of a text as offsets in UTF-16 code units.
struct Utf16 {
    /// By byte; `None`: the text is ASCII and both are the same.
    units: Option<Vec<u32>>,
}

impl Utf16 {
    fn new(text: &str) -> Self {
        if text.is_ascii() {
            return Self { units: None };
        }
        let mut units = Vec::with_capacity(text.len() + 1);
        let mut count = 0;
        for char in text.chars() {
            units.extend(std::iter::repeat_n(count, char.len_utf8()));
            count += char.len_utf16() as u32;
        }
        units.push(count);
        Self { units: Some(units) }
    }

    fn at(&self, byte: u32) -> u32 {
        self.units.as_ref().map_or(byte, |units| units[byte as usize])
    }
}

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

/// A model on its way in.
#[wasm_bindgen]
pub struct Loader(ModelLoader);

#[derive(serde::Deserialize)]
struct LoaderOptions {
    dtype: String,
    device: String,
    task: Option<String>,
    head: Option<String>,
}

#[wasm_bindgen]
impl Loader {
    /// From the files of a folder but for its weights; `options` are `{dtype, device, task, head}`.
    pub async fn open(object: Object, options: JsValue) -> JsResult<Self> {
        let options: LoaderOptions = parse(&options, "options")?;
        let by_id = options.head.as_deref().and_then(HeadKind::with_id);
        let head = by_id.or_else(|| options.task.as_deref().and_then(tasks::head_of));
        let files = files(&object);
        let loader = ModelLoader::open(&files, &options.device, &options.dtype, head).await;
        loader.map(Self).map_err(js_error)
    }

    /// Begins a safetensors file.
    pub fn begin_file(&mut self, name: &str) -> JsResult<()> {
        self.0.begin_file(name).map_err(js_error)
    }

    /// The next bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) -> JsResult<()> {
        self.0.push(bytes).map_err(js_error)
    }

    /// Ends the file.
    pub fn end_file(&mut self) -> JsResult<()> {
        self.0.end_file().map_err(js_error)
    }

    /// The model.
    pub async fn finish(self) -> JsResult<Model> {
        Ok(Model(RefCell::new(self.0.finish().await.map_err(js_error)?)))
    }
}

/// A model. It takes one call at a time.
#[wasm_bindgen]
pub struct Model(RefCell<model::Model>);

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct ForwardOptions {
    output_hidden_states: bool,
    output_attentions: bool,
}

#[wasm_bindgen]
impl Model {
    /// Runs a task over `inputs`, an array; resolves to an array with a result for each.
    pub async fn run(
        &self,
        task: String,
        inputs: JsValue,
        options: JsValue,
        tick: Function,
    ) -> JsResult<JsValue> {
        let mut model = self.borrow()?;
        let tick = || ticked(&tick);
        match task.as_str() {
            "fill-mask" => {
                let texts: Vec<String> = parse(&inputs, "texts")?;
                let options: fill_mask::Options = parse(&options, "fill-mask")?;
                let answers = fill_mask::fill_mask(&mut model, &texts, &options, &tick).await;
                to_js(&answers.map_err(js_error)?)
            }
            "text-classification" => {
                let texts: Vec<tasks::Text> = parse(&inputs, "texts")?;
                let options: text_classification::Options = parse(&options, "text-classification")?;
                let answers =
                    text_classification::text_classification(&mut model, &texts, &options, &tick)
                        .await;
                to_js(&answers.map_err(js_error)?)
            }
            "feature-extraction" => {
                let texts: Vec<String> = parse(&inputs, "texts")?;
                let options: feature_extraction::Options = parse(&options, "feature-extraction")?;
                let features =
                    feature_extraction::feature_extraction(&mut model, &texts, &options, &tick)
                        .await
                        .map_err(js_error)?;
                let each = features.iter().map(|features| {
                    let object = tensor(&features.tensor);
                    if features.truncated {
                        set(&object, "truncated", &true.into());
                    }
                    object
                });
                Ok(each.collect::<Array>().into())
            }
            other => Err(js_error(Error::Unsupported(format!("there is no task \"{other}\"")))),
        }
    }

    /// Runs ids; resolves to an object of tensors.
    pub async fn forward(
        &self,
        inputs: Object,
        options: JsValue,
        tick: Function,
    ) -> JsResult<Object> {
        let mut model = self.borrow()?;
        let options: ForwardOptions = parse(&options, "options")?;
        let ids = |name: &str| -> Option<Vec<u32>> {
            let value = Reflect::get(&inputs, &name.into()).ok()?;
            value.dyn_into::<Uint32Array>().ok().map(|ids| ids.to_vec())
        };
        let dims = Reflect::get(&inputs, &"dims".into())?;
        let inputs = Inputs {
            dims: parse(&dims, "dims")?,
            ids: ids("input_ids").unwrap_or_default(),
            mask: ids("attention_mask"),
            types: ids("token_type_ids"),
            positions: ids("position_ids"),
        };
        let (states, attentions) = (options.output_hidden_states, options.output_attentions);
        let outputs = model
            .outputs(&inputs, states, attentions, &|| ticked(&tick))
            .await
            .map_err(js_error)?;
        let result = Object::new();
        for (name, value) in &outputs.tensors {
            set(&result, name, &tensor(value));
        }
        let list = |tensors: &[Tensor]| tensors.iter().map(tensor).collect::<Array>();
        if states {
            set(&result, "hidden_states", &list(&outputs.hidden_states));
        }
        if attentions {
            set(&result, "attentions", &list(&outputs.attentions));
        }
        Ok(result)
    }

    /// `{device, device_reason, dtype, threads, simd, model_type, head, parameters, bytes}`
    pub fn info(&self) -> JsResult<Object> {
        let model = self.borrow()?;
        let facts = model.info();
        let info = Object::new();
        let dtype = match facts.precision {
            Precision::F32 => "fp32",
            Precision::F16 => "fp16",
            Precision::Bf16 => "bf16",
            Precision::I8 => "q8",
        };
        set(&info, "device", &facts.device.into());
        set(&info, "device_reason", &facts.device_reason.as_str().into());
        set(&info, "dtype", &dtype.into());
        set(&info, "threads", &1.into());
        set(&info, "simd", &facts.simd.into());
        set(&info, "model_type", &model.config().family.model_type().into());
        set(&info, "head", &facts.head.id().into());
        set(&info, "parameters", &(facts.parameters as f64).into());
        set(&info, "bytes", &(facts.bytes as f64).into());
        Ok(info)
    }
}

impl Model {
    fn borrow(&self) -> JsResult<std::cell::RefMut<'_, model::Model>> {
        self.0.try_borrow_mut().map_err(|_| bad_input("the model is at work on another call"))
    }
}

/// Awaits the caller's tick: a Promise that rejects where the call is to end.
fn ticked(tick: &Function) -> Pin<Box<dyn Future<Output = Result<()>>>> {
    let called = tick.call0(&JsValue::UNDEFINED);
    Box::pin(async {
        let awaited = match called {
            Ok(promise) => JsFuture::from(Promise::resolve(&promise)).await,
            Err(error) => Err(error),
        };
        awaited.map(|_| ()).map_err(|_| Error::Aborted("the call was ended".into()))
    })
}
