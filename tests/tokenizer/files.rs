//! The files of a tokenizer, and which of them counts.

use super::{CASED, UNCASED, from_json, lines, load, named, tokenizer_json};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::tokenizer::{EncodeOptions, Files, Span, Tokenizer};

/// A `tokenizer.json` with BERT's own template equals `vocab.txt`.
#[wasm_bindgen_test(unsupported = test)]
fn both_kinds_of_file_give_one_tokenizer() {
    let vocab: Vec<String> = CASED.lines().map(String::from).collect();
    let normalizer = json!({ "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
        "strip_accents": null, "lowercase": false });
    let mut file = tokenizer_json(&vocab, &normalizer, &[]);
    let id = |token: &str| vocab.iter().position(|known| known == token).unwrap();
    let (cls, sep) = (id("[CLS]"), id("[SEP]"));
    let special =
        |token: &str, kind: u8| json!({ "SpecialToken": { "id": token, "type_id": kind } });
    let sequence = |name: &str, kind: u8| json!({ "Sequence": { "id": name, "type_id": kind } });
    let template = json!({
        "type": "TemplateProcessing",
        "single": [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0)],
        "pair": [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0), sequence("B", 1), special("[SEP]", 1)],
        "special_tokens": {
            "[CLS]": { "id": "[CLS]", "ids": [cls], "tokens": ["[CLS]"] },
            "[SEP]": { "id": "[SEP]", "ids": [sep], "tokens": ["[SEP]"] },
        },
    });
    let bert = json!({ "type": "BertProcessing", "cls": ["[CLS]", cls], "sep": ["[SEP]", sep] });
    let of_vocab = named("cased", &Value::Null);
    for processor in [template, bert] {
        file["post_processor"] = processor;
        let of_json = from_json(&file).unwrap();
        assert_eq!(of_json.special(), of_vocab.special());
        assert_eq!(of_json.vocab_size(), 2000);
        for row in lines(include_str!("../goldens/tokenizer/single.jsonl")) {
            let text = row["text"].as_str().unwrap();
            for pair in [None, Some("The [MASK] \u{e9}.")] {
                let options = EncodeOptions::default();
                let (a, b) =
                    (of_json.encode(text, pair, &options), of_vocab.encode(text, pair, &options));
                assert_eq!(a, b, "{text}");
            }
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn berts_files_have_its_special_tokens_whatever_lies_beside_them() {
    let vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].map(String::from);
    let json = tokenizer_json(&vocab, &json!({ "type": "BertNormalizer" }), &[]).to_string();
    let txt = vocab.join("\n");
    let (json, txt) = (Some(json.as_bytes()), Some(txt.as_bytes()));
    for (tokenizer_json, vocab_txt) in [(json, None), (None, txt), (json, txt)] {
        let files = Files {
            tokenizer_json,
            vocab_txt,
            vocab_json: Some(b"{}"),
            merges_txt: Some(b""),
            spiece_model: Some(b""),
            ..Files::default()
        };
        let special = Tokenizer::load(&files).unwrap().special().clone();
        let found = [special.pad, special.unk, special.cls, special.sep, special.mask];
        let found = found.map(|special| special.unwrap().token);
        assert_eq!(found, vocab);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn the_config_amends_the_tokenizer_file() {
    let vocab: Vec<String> =
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "CAF\u{c9}", "caf\u{e9}", "cafe", "CAFE"]
            .map(String::from)
            .into();
    let file = |lowercase: bool| {
        let normalizer =
            json!({ "type": "BertNormalizer", "lowercase": lowercase, "strip_accents": null });
        tokenizer_json(&vocab, &normalizer, &[]).to_string()
    };
    let id = |lowercase: bool, config: Value| {
        let (file, config) = (file(lowercase), config.to_string());
        let files = Files {
            tokenizer_json: Some(file.as_bytes()),
            vocab_txt: Some(b"not read"),
            tokenizer_config: Some(config.as_bytes()),
            ..Files::default()
        };
        Tokenizer::load(&files)
            .unwrap()
            .encode("CAF\u{c9}", None, &EncodeOptions::default())
            .unwrap()[0]
            .ids[0]
    };
    assert_eq!(id(false, json!({})), 5);
    assert_eq!(id(true, json!({})), 7);
    assert_eq!(id(true, json!({ "do_lower_case": false })), 5);
    assert_eq!(id(false, json!({ "do_lower_case": true })), 7);
    assert_eq!(id(false, json!({ "do_lower_case": true, "strip_accents": false })), 6);
    assert_eq!(id(false, json!({ "strip_accents": true })), 8);
    let generic = json!({ "do_lower_case": true, "tokenizer_class": "PreTrainedTokenizerFast" });
    assert_eq!(id(false, generic), 5);
}

#[wasm_bindgen_test(unsupported = test)]
fn special_tokens_come_from_any_of_the_files() {
    let vocab = "<pad>\n<unk>\n<s>\n</s>\nx\n<mask>\n";
    let map = json!({ "cls_token": "<s>", "sep_token": { "content": "</s>" }, "pad_token": "<pad>", "unk_token": "<unk>",
        "mask_token": { "content": "<mask>", "lstrip": true, "normalized": false }, "additional_special_tokens": ["<new>"] })
    .to_string();
    let added = json!({ "<old>": 6 }).to_string();
    let config = json!({ "model_max_length": 1e30, "cls_token": "[CLS]" }).to_string();
    let files = Files {
        vocab_txt: Some(vocab.as_bytes()),
        special_tokens_map: Some(map.as_bytes()),
        added_tokens: Some(added.as_bytes()),
        tokenizer_config: Some(config.as_bytes()),
        ..Files::default()
    };
    let tokenizer = Tokenizer::load(&files).unwrap();
    let found =
        &tokenizer.encode("x  <mask> <old>y<new>", None, &EncodeOptions::default()).unwrap()[0];
    assert_eq!(found.ids, [2, 4, 5, 6, 1, 7, 3]);
    assert_eq!(found.spans[2], Span { start: 1, end: 9 });
    assert_eq!(tokenizer.special().mask.as_ref().map(|mask| mask.id), Some(5));
    assert_eq!((tokenizer.model_max_length(), tokenizer.vocab_size()), (None, 8));
    assert_eq!(
        (tokenizer.token(7), tokenizer.id("<old>"), tokenizer.token(8)),
        (Some("<new>"), Some(6), None)
    );
    assert_eq!(
        (tokenizer.is_special(7), tokenizer.is_special(6), tokenizer.is_special(5)),
        (true, false, true)
    );
    assert_eq!(tokenizer.decode(&[2, 4, 6, 7, 99], true, false).unwrap(), "x <old>");

    let added = json!({ "<old>": 6, "<new>": 9 }).to_string();
    let files = Files { added_tokens: Some(added.as_bytes()), ..files };
    let tokenizer = Tokenizer::load(&files).unwrap();
    // Ids after the vocabulary are contiguous.
    assert_eq!(tokenizer.id("<new>"), Some(7));
    assert_eq!((tokenizer.is_special(7), tokenizer.is_special(6)), (true, false));

    let decoder = json!({ "added_tokens_decoder": { "5": { "content": "<mask>", "special": true, "normalized": false,
        "rstrip": true } }, "model_max_length": 77 });
    let config = {
        let mut config: Value = serde_json::from_str(&map).unwrap();
        config.as_object_mut().unwrap().extend(decoder.as_object().unwrap().clone());
        config.to_string()
    };
    let files = Files {
        vocab_txt: Some(vocab.as_bytes()),
        tokenizer_config: Some(config.as_bytes()),
        ..Files::default()
    };
    let tokenizer = Tokenizer::load(&files).unwrap();
    let found = &tokenizer.encode(" <mask>  x", None, &EncodeOptions::default()).unwrap()[0];
    assert_eq!(
        (found.spans[1], tokenizer.model_max_length()),
        (Span { start: 1, end: 9 }, Some(77))
    );
}

#[wasm_bindgen_test(unsupported = test)]
fn vocab_lines_may_end_in_any_way() {
    let tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "", "one", "two"];
    let two = |vocab: String| load(&vocab, &json!({})).id("two");
    assert_eq!(two(tokens.join("\n")), Some(6));
    assert_eq!(two(tokens.join("\n") + "\n"), Some(6));
    assert_eq!(two(tokens.join("\r\n") + "\r\n"), Some(6));
    assert_eq!(two(tokens.join("\r")), Some(6));
    // If a token occurs twice, the last line counts.
    assert_eq!(two(tokens.join("\n") + "\ntwo\n"), Some(7));
}

#[wasm_bindgen_test(unsupported = test)]
fn the_vocabulary_is_given_whole() {
    let vocab: Vec<String> =
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "x", "##y"].map(String::from).into();
    let added = [
        json!({ "id": 9, "content": "<new>", "special": true }),
        json!({ "id": 3, "content": "[SEP]", "special": true }),
        json!({ "id": 7, "content": "<plain>" }),
    ];
    let file = tokenizer_json(&vocab, &json!({ "type": "BertNormalizer" }), &added);
    let tokenizer = from_json(&file).unwrap();
    let all: std::collections::BTreeMap<&str, u32> = tokenizer.vocab().collect();
    assert_eq!(all.len(), 8);
    assert_eq!((all["##y"], all["[SEP]"], all["<new>"], all["<plain>"]), (5, 3, 6, 7));
    assert!(all.iter().all(|(token, id)| tokenizer.id(token) == Some(*id)));
    // [UNK], [SEP], [PAD], [CLS] in Hugging Face's order, then tokens without a role.
    assert_eq!(tokenizer.special_ids(), [1, 3, 0, 2, 6]);
    assert_eq!((tokenizer.padding_side(), tokenizer.truncation_side()), ("right", "right"));
    let config = json!({ "padding_side": "left", "truncation_side": "left" });
    let tokenizer = load(UNCASED, &config);
    assert_eq!((tokenizer.padding_side(), tokenizer.truncation_side()), ("left", "left"));
}
