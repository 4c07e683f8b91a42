//! Files and options that are rejected.

use super::{UNCASED, from_json, load, named, tokenizer_json};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::Error;
use webert::tokenizer::{EncodeOptions, Encoding, Files, Padding, Tokenizer, Truncation};

const HTML: &str = "<!DOCTYPE html><html><body>Not Found</body></html>";

/// A tokenizer.json that loads.
fn good_json() -> Value {
    let vocab: Vec<String> = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(String::from).into();
    let good = tokenizer_json(&vocab, &json!({ "type": "BertNormalizer" }), &[]);
    assert!(from_json(&good).is_ok());
    good
}

/// Returns a tokenizer.json with another value at `pointer`.
fn json_with(pointer: &str, value: Value) -> String {
    let mut file = good_json();
    *file.pointer_mut(pointer).unwrap() = value;
    file.to_string()
}

/// Asserts that a tokenizer.json is rejected with an error that has all these words.
fn refused_json(file: &str, words: [&str; 2]) {
    refused(&Files { tokenizer_json: Some(file.as_bytes()), ..Files::default() }, &words, file);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_damaged_tokenizer_json_is_refused_by_name() {
    let good = good_json().to_string();
    for (file, words) in [
        ("", ["tokenizer.json", "empty"]),
        (HTML, ["tokenizer.json", "HTML"]),
        ("version https://git-lfs.github.com/spec/v1", ["tokenizer.json", "LFS"]),
        (&good[..good.len() / 2], ["tokenizer.json", "cut short"]),
        ("[1, 2]", ["tokenizer.json", "list"]),
        ("{}", ["tokenizer.json", "model"]),
    ] {
        refused_json(file, words);
    }
    for (pointer, value, words) in [
        ("/model/type", json!("OtherModel"), ["OtherModel", "model"]),
        ("/model/vocab", json!(["x"]), ["model.vocab", "list"]),
        ("/model/vocab", json!({ "x": -1 }), ["tokenizer.json", "-1"]),
        ("/model/vocab", json!({ "x": 4_000_000_000_u32 }), ["4000000000", "\"x\""]),
        ("/model/vocab", json!({ "[PAD]": 0, "[CLS]": 1, "[SEP]": 2 }), ["[UNK]", "unk_token"]),
        ("/added_tokens", json!([{ "id": 1 }]), ["added token", "text"]),
    ] {
        refused_json(&json_with(pointer, value), words);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn unknown_components_are_refused_by_name() {
    let bpe = json!({ "type": "BPE", "vocab": { "x": 0 }, "merges": ["x y"] });
    let other = json!({ "type": "OtherNormalizer" });
    let several = json!({ "type": "Sequence", "normalizers": [{ "type": "NFC" }, { "type": "OtherNormalizer" }] });
    let before = json!({ "type": "OtherPreTokenizer" });
    for (pointer, value, words, word) in [
        ("/model", bpe, ["\"y\"", "merge"], "BPE"),
        ("/normalizer", other, ["normalizer:", "OtherNormalizer"], "normalizer"),
        ("/normalizer", several, ["normalizer[1]", "OtherNormalizer"], "normalizer"),
        ("/pre_tokenizer", before, ["pre_tokenizer:", "OtherPre"], "pre_tokenizer"),
    ] {
        // A binary without the feature refuses every such component.
        let words = if cfg!(feature = "tokenizers") { words } else { [word, "all features"] };
        refused_json(&json_with(pointer, value), words);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn unknown_post_processors_and_long_templates_are_refused_by_name() {
    let unknown = json!({ "type": "OtherProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0] });
    let template =
        json!({ "type": "TemplateProcessing", "single": [], "pair": [], "special_tokens": {} });
    let mut lengthy = template.clone();
    lengthy["single"] = json!(["A", "[CLS]"].map(|id| {
        let kind = if id == "A" { "Sequence" } else { "SpecialToken" };
        json!({ kind: { "id": id, "type_id": 0 } })
    }));
    lengthy["special_tokens"] = json!({ "[CLS]": { "id": "[CLS]", "ids": vec![2; 64] } });
    lengthy["pair"] = json!(["A", "B"].map(|id| json!({ "Sequence": { "id": id, "type_id": 0 } })));
    let mut empty = template.clone();
    empty["single"] = json!(vec![json!({ "SpecialToken": { "id": "[X]", "type_id": 0 } }); 64]);
    empty["single"].as_array_mut().unwrap().push(lengthy["single"][0].clone());
    empty["special_tokens"] = json!({ "[X]": { "id": "[X]", "ids": [] } });
    empty["pair"] = lengthy["pair"].clone();
    for (value, word) in
        [(unknown, "OtherProcessing"), (template, "one text"), (lengthy, "64"), (empty, "64")]
    {
        refused_json(&json_with("/post_processor", value), ["post_processor", word]);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_damaged_vocab_txt_is_refused_by_name() {
    for (vocab, words) in [
        (&b""[..], ["vocab.txt", "empty"]),
        (HTML.as_bytes(), ["vocab.txt", "HTML"]),
        (b"[PAD]\n[UNK]\n\xff\xfe", ["vocab.txt", "UTF-8"]),
        (b"[PAD]\n[CLS]\n[SEP]\n[MASK]\nx\n", ["vocab.txt", "[UNK]"]),
        (b"[PAD]\n[CLS]\n[UNK]\n[MASK]\nx\n", ["vocab.txt", "[SEP]"]),
    ] {
        refused(&Files { vocab_txt: Some(vocab), ..Files::default() }, &words, "");
    }
    refused(&Files::default(), &["tokenizer.json", "vocab.txt"], "");
}

#[wasm_bindgen_test(unsupported = test)]
fn a_damaged_file_beside_vocab_txt_is_refused_by_name() {
    let vocab_txt = Some(&b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n"[..]);
    let decoder = "{\"added_tokens_decoder\": {\"x\": {\"content\": \"y\"}}}";
    for (config, words) in [
        (HTML, ["tokenizer_config.json", "HTML"]),
        ("{\"padding_side\": \"top\"}", ["padding_side", "top"]),
        (decoder, ["added_tokens_decoder", "x"]),
        ("[]", ["tokenizer_config.json", "object"]),
    ] {
        let tokenizer_config = Some(config.as_bytes());
        refused(&Files { vocab_txt, tokenizer_config, ..Files::default() }, &words, config);
    }
    let added_tokens = Some(&b"{\"x\": \"y\"}"[..]);
    let files = Files { vocab_txt, added_tokens, ..Files::default() };
    refused(&files, &["added_tokens.json", "x"], "");
}

fn refused(files: &Files<'_>, words: &[&str], file: &str) {
    match Tokenizer::load(files) {
        Ok(_) => panic!("was not refused: {file} ({words:?})"),
        Err(error) if matches!(error.code(), "bad_tokenizer" | "unsupported") => {
            let text = error.to_string();
            assert!(
                words.iter().all(|word| text.contains(word)),
                "{words:?} are not all in: {text}"
            );
        }
        Err(other) => panic!("another kind of error: {other:?}"),
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn impossible_options_are_refused() {
    let tokenizer = named("uncased", &Value::Null);
    let base = EncodeOptions::default();
    let cut = EncodeOptions { truncation: Truncation::LongestFirst, max_length: Some(8), ..base };
    let padded = EncodeOptions { padding: Padding::MaxLength, ..base };
    for (options, word) in [
        (EncodeOptions { stride: 7, ..cut }, "stride"),
        (EncodeOptions { stride: 6, ..cut }, "stride"),
        (EncodeOptions { truncation: Truncation::OnlySecond, ..cut }, "only_second"),
        (
            EncodeOptions { padding: Padding::Longest, pad_to_multiple_of: Some(5), ..cut },
            "multiple",
        ),
        (EncodeOptions { pad_to_multiple_of: Some(0), ..padded }, "pad_to_multiple_of"),
        (EncodeOptions { pad_to_multiple_of: Some(usize::MAX), ..padded }, "pad_to_multiple_of"),
        (EncodeOptions { max_length: Some(usize::MAX), ..padded }, "max_length"),
    ] {
        match tokenizer.encode("one two three four five six seven eight", None, &options) {
            Err(Error::BadInput(text)) => assert!(text.contains(word), "{text}"),
            other => panic!("{options:?} gave {other:?}"),
        }
    }
    let endless = load(UNCASED, &json!({ "model_max_length": 1e19 }));
    match endless.encode("one two", None, &padded) {
        Err(Error::BadInput(text)) => assert!(text.contains("model_max_length"), "{text}"),
        other => panic!("{other:?}"),
    }
    let empty = tokenizer.encode_batch(&[], &EncodeOptions { padding: Padding::Longest, ..base });
    assert_eq!(empty.unwrap(), Vec::<Vec<Encoding>>::new());
}

/// A few kilobytes of text and two options would otherwise use all memory.
#[wasm_bindgen_test(unsupported = test)]
fn more_than_one_call_gives_is_refused_before_memory_is_taken() {
    let tokenizer = named("uncased", &Value::Null);
    let text = "a b ".repeat(12_000);
    let windows = EncodeOptions {
        truncation: Truncation::LongestFirst,
        return_overflowing_tokens: true,
        ..EncodeOptions::default()
    };
    let padded = EncodeOptions {
        padding: Padding::MaxLength,
        max_length: Some(1 << 20),
        ..EncodeOptions::default()
    };
    let small = EncodeOptions { max_length: Some(5), ..windows };
    let overlapping = EncodeOptions { max_length: Some(2002), stride: 1999, ..windows };
    let one = (text.as_str(), None);
    for (inputs, options, what) in [
        // Each window of one text with each window of the other, one token each.
        (vec![(text.as_str(), Some(text.as_str()))], small, "2880000000 tokens in 576000000"),
        (vec![one], overlapping, "44046002 tokens in 22001 windows"),
        (vec![("a", None); 2000], padded, "17825792 tokens in 17 windows"),
        (vec![one; 700], EncodeOptions::default(), "16777398 tokens in 699 windows"),
    ] {
        match tokenizer.encode_batch(&inputs, &options) {
            Err(Error::BadInput(text)) => assert!(text.contains(what), "{text}"),
            other => panic!("{options:?} gave {:?}", other.map(|batch| batch.len())),
        }
    }
    let overlapping = EncodeOptions { stride: 1000, ..overlapping };
    assert_eq!(tokenizer.encode(&text, None, &overlapping).unwrap().len(), 23);
    let padded = tokenizer.encode_batch(&[("a", None), ("b", None)], &padded).unwrap();
    assert_eq!(padded[1][0].len(), 1 << 20);
}

#[cfg(not(feature = "tokenizers"))]
#[wasm_bindgen_test(unsupported = test)]
fn what_only_other_models_have_is_refused_by_name() {
    let vocab: Vec<String> = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(String::from).into();
    let good = tokenizer_json(&vocab, &json!({ "type": "BertNormalizer" }), &[]);
    let roberta = json!({ "type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0] });
    let steps = json!({ "type": "Sequence", "decoders": [{ "type": "Fuse" }] });
    for (part, value, found) in [
        ("model", json!({ "type": "Unigram" }), "Unigram"),
        ("model", json!({ "vocab": { "x": 0 }, "merges": [] }), "BPE"),
        ("post_processor", roberta, "RobertaProcessing"),
        ("post_processor", json!({ "type": "ByteLevel" }), "ByteLevel"),
    ] {
        let mut file = good.clone();
        file[part] = value;
        let Err(Error::Unsupported(message)) = from_json(&file) else { panic!("{part} {found}") };
        assert!(message.contains(part) && message.contains(found), "{message}");
    }
    // A decoder is refused by `decode` alone.
    for (value, found) in [(json!({ "type": "Metaspace" }), "Metaspace"), (steps, "Fuse")] {
        let mut file = good.clone();
        file["decoder"] = value;
        let decoded = from_json(&file).unwrap().decode(&[2], false, false);
        let Err(Error::Unsupported(message)) = decoded else { panic!("{found}: {decoded:?}") };
        assert!(message.contains("decoder") && message.contains(found), "{message}");
    }
    let files =
        Files { vocab_json: Some(b"{}"), merges_txt: Some(b"#version: 0.2"), ..Files::default() };
    let Err(Error::Unsupported(message)) = Tokenizer::load(&files) else { panic!("it is loaded") };
    assert!(message.contains("vocab.json") && message.contains("all features"), "{message}");
    // Classes and families with other tokenizers.
    let file = good.to_string();
    for (named, config, model) in [
        ("RobertaTokenizer", r#"{"tokenizer_class": "RobertaTokenizer"}"#, "{}"),
        ("MPNetTokenizer", "{}", r#"{"model_type": "bert", "tokenizer_class": "MPNetTokenizer"}"#),
        ("esm", "{}", r#"{"model_type": "esm"}"#),
    ] {
        let files = Files {
            tokenizer_json: Some(file.as_bytes()),
            tokenizer_config: Some(config.as_bytes()),
            config: Some(model.as_bytes()),
            ..Files::default()
        };
        let Err(Error::Unsupported(message)) = Tokenizer::load(&files) else { panic!("{named}") };
        assert!(message.contains(named) && message.contains("all features"), "{message}");
    }
}
