//! A folder's settings for its tokenizer, against transformers 5.24: classes, settings, special and
//! added tokens. `tests/goldens/make/make_tokenizer_config.py` makes the goldens.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use webert::tokenizer::{EncodeOptions, Encoding, Files, Padding, Tokenizer, Truncation};
use webert::{Error, ErrorKind};

/// A folder: file names and contents.
type Folder = BTreeMap<String, String>;

fn load(folder: &Folder) -> Result<Tokenizer, Error> {
    let file = |name: &str| folder.get(name).map(String::as_bytes);
    Tokenizer::load(&Files {
        tokenizer_json: file("tokenizer.json"),
        vocab_txt: file("vocab.txt"),
        vocab_json: file("vocab.json"),
        merges_txt: file("merges.txt"),
        bpe_codes: file("bpe.codes"),
        spiece_model: file("spiece.model"),
        sentencepiece_bpe_model: file("sentencepiece.bpe.model"),
        spm_model: file("spm.model"),
        tokenizer_config: file("tokenizer_config.json"),
        special_tokens_map: file("special_tokens_map.json"),
        added_tokens: file("added_tokens.json"),
        config: file("config.json"),
    })
}

fn goldens() -> Value {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/tokenizer-config/cases.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn folder_of(goldens: &Value, case: &Value) -> Folder {
    let content = |(name, value): (&String, &Value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Null => lines(&goldens["wordpiece"]["model"]["vocab"]),
            value if name == "tokenizer.json" => {
                let mut file = goldens[value["same"].as_str().unwrap()].clone();
                for (part, edit) in value["edits"].as_object().unwrap() {
                    file[part] = edit.clone();
                }
                file.to_string()
            }
            value => value.to_string(),
        };
        (name.clone(), text)
    };
    case["files"].as_object().unwrap().iter().map(content).collect()
}

/// Returns a vocab.txt with the tokens of a vocabulary.
fn lines(vocab: &Value) -> String {
    let mut tokens: Vec<_> = vocab.as_object().unwrap().iter().collect();
    tokens.sort_by_key(|(_, id)| id.as_u64());
    tokens.into_iter().map(|(token, _)| token.clone() + "\n").collect()
}

/// Returns the options of a golden call. Types are compared only if the tokenizer returns them.
fn options_of(call: &Value) -> EncodeOptions {
    EncodeOptions {
        padding: if call["padding"] == true { Padding::Longest } else { Padding::None },
        truncation: match call["truncation"] == true {
            true => Truncation::LongestFirst,
            false => Truncation::None,
        },
        max_length: call["max_length"].as_u64().map(|length| length as usize),
        split_special_tokens: call["split_special_tokens"].as_bool(),
        ..EncodeOptions::default()
    }
}

fn check(tokenizer: &Tokenizer, case: &Value, call: &Value) {
    let note = || format!("{}, {call}", case["note"]);
    let want = &call["want"];
    if call["decode"].is_string() {
        let ids: Vec<u32> = serde_json::from_value(want["ids"].clone()).unwrap();
        let skips = call["skip_special_tokens"] == true;
        let found = tokenizer.decode(&ids, skips, tokenizer.cleans_up()).unwrap();
        // tokenizers 0.23 lowercases added tokens that are searched in normalized text; 0.22 does
        // not.
        let is_old = case["files"].get("added_tokens.json").is_some();
        let lower = |text: &str| if is_old { text.to_lowercase() } else { text.to_owned() };
        assert_eq!(lower(&found), lower(want["decoded"].as_str().unwrap()), "{}", note());
        return;
    }
    let texts: Vec<&str> = match call["texts"].as_array() {
        Some(texts) => texts.iter().map(|text| text.as_str().unwrap()).collect(),
        None => vec![call["text"].as_str().unwrap()],
    };
    let inputs: Vec<_> = texts.iter().map(|&text| (text, call["text_pair"].as_str())).collect();
    let found = tokenizer.encode_batch(&inputs, &options_of(call)).unwrap();
    let list = |of: &dyn Fn(&Encoding) -> Value| {
        let all: Vec<Value> = found.iter().map(|windows| of(&windows[0])).collect();
        if call["texts"].is_array() { json!(all) } else { all[0].clone() }
    };
    let names = tokenizer.model_input_names();
    let named = |name: &str, value| if names.contains(&name) { value } else { Value::Null };
    assert_eq!(list(&|encoding| json!(encoding.ids)), want["ids"], "ids: {}", note());
    let mask = named("attention_mask", list(&|encoding| json!(encoding.attention_mask)));
    assert_eq!(mask, want["mask"], "mask: {}", note());
    let types = named("token_type_ids", list(&|encoding| json!(encoding.type_ids)));
    // transformers 4 returns types for PreTrainedTokenizerFast; transformers 5 does not.
    let is_generic = case["class"] == "TokenizersBackend" && want["types"].is_null();
    assert!(types == want["types"] || is_generic, "types: {types}, {}", note());
}

#[test]
fn classes_settings_and_tokens_match_the_library() {
    let goldens = goldens();
    let cases = goldens["cases"].as_array().unwrap();
    assert!(cases.len() > 60);
    for case in cases {
        let tokenizer = load(&folder_of(&goldens, case));
        let tokenizer = tokenizer.unwrap_or_else(|error| panic!("{}: {error}", case["note"]));
        for call in case["calls"].as_array().unwrap() {
            check(&tokenizer, case, call);
        }
    }
}

fn refusal(files: &[(&str, Value)]) -> String {
    let content = |(name, value): &(&str, Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        ((*name).to_owned(), text)
    };
    match load(&files.iter().map(content).collect()) {
        Err(error) if error.kind() == ErrorKind::Unsupported => error.to_string(),
        other => panic!("{files:?}: expected unsupported, got {:?}", other.map(|_| ())),
    }
}

#[test]
fn refuses_a_class_that_is_not_supported_and_names_it() {
    let vocab = || ("vocab.txt", json!("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\n"));
    let config = |fields| ("tokenizer_config.json", fields);
    let class = |name: &str| config(json!({ "tokenizer_class": name }));
    for name in
        ["BertJapaneseTokenizer", "KoBertTokenizer", "RoFormerTokenizer", "PreTrainedTokenizerFast"]
    {
        let message = refusal(&[vocab(), class(name)]);
        assert!(message.contains(name) && message.contains("tokenizer.json"), "{message}");
        let of_model = json!({ "model_type": "bert", "tokenizer_class": name });
        let message = refusal(&[vocab(), ("config.json", of_model)]);
        assert!(message.contains(name) && message.starts_with("config.json"), "{message}");
    }
    // Python code never reads a tokenizer.json, so its contents do not describe the class.
    let goldens = goldens();
    let file = || ("tokenizer.json", goldens["wordpiece"].clone());
    let message = refusal(&[file(), class("BertJapaneseTokenizer")]);
    assert!(message.contains("BertJapaneseTokenizer") && message.contains("Python"), "{message}");
    for name in ["BertweetTokenizer", "PhobertTokenizer"] {
        let message = refusal(&[file(), vocab(), class(name)]);
        assert!(message.contains(name) && message.contains("bpe.codes"), "{message}");
    }
    for field in ["word_tokenizer_type", "subword_tokenizer_type"] {
        assert!(refusal(&[vocab(), config(json!({ field: "mecab" }))]).contains(field));
    }
    for class in [json!("tok.KoBertTokenizer"), json!(["tok.KoBertTokenizer", null])] {
        let fields = json!({ "auto_map": { "AutoTokenizer": class } });
        assert!(refusal(&[vocab(), config(fields)]).contains("tok.KoBertTokenizer"));
    }
    let merges =
        || [("vocab.json", json!({ "<s>": 0, "a": 1 })), ("merges.txt", json!("#version: 0.2\n"))];
    let [json, txt] = merges();
    assert!(refusal(&[json, txt, class("BertTokenizer")]).contains("vocab.txt"));
    assert!(refusal(&[vocab(), class("HerbertTokenizer")]).contains("merges.txt"));
    assert!(refusal(&[vocab(), class("CamembertTokenizer")]).contains("sentencepiece.bpe.model"));
    let roformer = ("config.json", json!({ "model_type": "roformer" }));
    assert!(refusal(&[vocab(), roformer]).contains("roformer"));
}

#[test]
fn reports_fields_that_have_no_effect() {
    let goldens = goldens();
    let mut file = goldens["wordpiece"].clone();
    file["speed"] = json!(1);
    let config = json!({ "tokenizer_class": "BertTokenizer", "do_lower_case": true, "never_split": null, "image_token": "[X]",
        "brand_new": 1, "pad_token_type_id": 1, "add_bos_token": false, "auto_map": { "AutoTokenizer": "a.B" } });
    let map = json!({ "cls_token": "[CLS]", "other": 1 });
    let folder = [
        ("tokenizer.json", file),
        ("tokenizer_config.json", config),
        ("special_tokens_map.json", map),
    ];
    let folder = folder.into_iter().map(|(name, value)| (name.to_owned(), value.to_string()));
    let tokenizer = load(&folder.collect()).unwrap();
    assert_eq!(
        tokenizer.warnings(),
        [
            "tokenizer_config.json: field \"brand_new\" is unknown and has no effect",
            "tokenizer_config.json: field \"pad_token_type_id\" has no effect",
            "special_tokens_map.json: field \"other\" is unknown and has no effect",
            "tokenizer_config.json: the code that auto_map names does not run",
            "tokenizer.json: field \"speed\" is unknown and has no effect",
        ]
    );
}

#[test]
fn a_tokenizer_needs_no_role() {
    let goldens = goldens();
    let mut file = goldens["wordpiece"].clone();
    file["model"]["vocab"] = json!({ "[UNK]": 0, "the": 1 });
    file["added_tokens"] = json!([]);
    file["post_processor"] = Value::Null;
    let folder = [("tokenizer.json".to_owned(), file.to_string())].into_iter().collect();
    let tokenizer = load(&folder).unwrap();
    let special = tokenizer.special();
    assert_eq!([&special.cls, &special.sep, &special.pad, &special.mask], [&None; 4]);
    let options = EncodeOptions::default();
    assert_eq!(tokenizer.encode("the cat", None, &options).unwrap()[0].ids, [1, 0]);
    let padded = EncodeOptions { padding: Padding::Longest, ..options };
    let error = tokenizer.encode("the", None, &padded).unwrap_err();
    assert!(matches!(&error, Error::BadInput(text) if text.contains("pad_token")), "{error}");
}
