//! Models, decoders and post-processors of `tokenizer.json` against the library `tokenizers`.
//! `tests/goldens/make/make_tokenizer_parts.py` makes the goldens.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;

use serde_json::{Value, json};
use webert::tokenizer::{EncodeOptions, Files, Tokenizer, Truncation};
use webert::{Details, Error, ErrorKind};

fn goldens(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/tokenizer-parts");
    serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap()
}

fn load(file: &Value) -> Result<Tokenizer, Error> {
    let file = file.to_string();
    Tokenizer::load(&Files { tokenizer_json: Some(file.as_bytes()), ..Files::default() })
}

/// The file with another part.
fn with(file: &Value, name: &str, part: &Value) -> Value {
    let mut file = file.clone();
    file[name] = part.clone();
    file
}

/// What the file has besides its vocabulary, for messages.
fn brief(file: &Value) -> String {
    let mut file = file.clone();
    file["added_tokens"].take();
    for list in ["vocab", "merges"] {
        file["model"][list].take();
    }
    file.to_string()
}

/// What a row says beside its text, as webert has it; `error` if it refuses the text.
fn answer(tokenizer: &Tokenizer, row: &Value) -> Value {
    let (text, pair) = (row["text"].as_str().unwrap(), row["pair"].as_str());
    let most = row["most"].as_u64();
    let options = EncodeOptions {
        add_special_tokens: row["special"] == true,
        max_length: most.map(|most| most as usize),
        truncation: if most.is_some() { Truncation::LongestFirst } else { Truncation::None },
        ..EncodeOptions::default()
    };
    let encoding = match tokenizer.encode(text, pair, &options) {
        Ok(mut encodings) => encodings.remove(0),
        Err(error) if error.kind() == ErrorKind::BadTokenizer => return json!("error"),
        Err(other) => panic!("{other}"),
    };
    let count = |byte: u32| text[..byte as usize].chars().count();
    let offsets = |_| {
        let offsets = encoding.spans.iter().map(|span| [count(span.start), count(span.end)]);
        json!(offsets.collect::<Vec<_>>())
    };
    let found = [json!(encoding.ids), json!(encoding.type_ids)];
    let ids_only = tokenizer.encode_batch_ids(&[(text, pair)], &options).unwrap();
    assert_eq!(ids_only[0][0].ids, encoding.ids, "{row}");
    let offsets = pair.is_none().then_some(()).map(offsets);
    json!([found[0], found[1], offsets])
}

fn expected(row: &Value) -> Value {
    match row.get("error") {
        Some(_) => json!("error"),
        None => json!([row["ids"], row["types"], row["offsets"]]),
    }
}

#[derive(Default)]
struct Report {
    equal: usize,
    differ: Vec<String>,
}

impl Report {
    fn check(&mut self, file: &Value, row: &Value, found: &Value, expected: &Value) {
        match found == expected {
            true => self.equal += 1,
            false => self.differ.push(format!(
                "{}\n  {row}\n  found    {found}\n  expected {expected}",
                brief(file)
            )),
        }
    }

    #[track_caller]
    fn finish(self, at_least: usize) {
        let some = self.differ.iter().take(6).cloned().collect::<Vec<_>>().join("\n");
        assert!(self.differ.is_empty(), "{} differ:\n{some}", self.differ.len());
        assert!(self.equal >= at_least, "only {} of {at_least} rows", self.equal);
    }
}

#[test]
fn models_behind_all_parts_equal_the_goldens() {
    let mut report = Report::default();
    for case in goldens("models.json").as_array().unwrap() {
        let tokenizer = match load(&case["file"]) {
            Ok(tokenizer) => tokenizer,
            // BERT's own parts need the unknown token at once.
            Err(error) if is_bad(&error, "unk_token") => continue,
            Err(other) => panic!("{other}: {}", brief(&case["file"])),
        };
        for row in case["rows"].as_array().unwrap() {
            report.check(&case["file"], row, &answer(&tokenizer, row), &expected(row));
        }
    }
    report.finish(600);
}

#[test]
fn decoders_equal_the_goldens() {
    let mut report = Report::default();
    let goldens = goldens("decoders.json");
    for case in goldens["cases"].as_array().unwrap() {
        let file = with(&goldens["file"], "decoder", &case["decoder"]);
        let tokenizer = load(&file).unwrap();
        for row in case["rows"].as_array().unwrap() {
            let ids: Vec<u32> = serde_json::from_value(row["ids"].clone()).unwrap();
            let text = tokenizer.decode(&ids, row["skip"] == true, false).unwrap();
            report.check(&file, row, &json!(text), &row["text"]);
        }
    }
    report.finish(1300);
}

#[test]
fn post_processors_in_any_order_equal_the_goldens() {
    let mut report = Report::default();
    let goldens = goldens("processors.json");
    for case in goldens["cases"].as_array().unwrap() {
        let file = with(&goldens["file"], "post_processor", &case["post_processor"]);
        let tokenizer = match load(&file) {
            Ok(tokenizer) => tokenizer,
            Err(error) if is_unsupported(&error) && case["panics"] == true => {
                let text = error.to_string();
                assert!(text.starts_with("tokenizer.json: post_processor["), "{text}");
                continue;
            }
            Err(other) => panic!("{other}: {}", brief(&file)),
        };
        for row in case["rows"].as_array().unwrap() {
            report.check(&file, row, &answer(&tokenizer, row), &expected(row));
        }
    }
    report.finish(900);
}

/// A file of one word.
fn small() -> Value {
    let vocab = json!({ "<unk>": 0, "a": 1, "</s>": 2 });
    json!({ "model": { "type": "WordLevel", "vocab": vocab, "unk_token": "<unk>" } })
}

#[test]
fn an_unsupported_decoder_is_an_error_of_decode_alone() {
    let parts =
        json!([{ "type": "Fuse" }, { "type": "Sequence", "decoders": [{ "type": "New" }] }]);
    let of_list = json!({ "type": "Sequence", "decoders": parts });
    let alone = json!({ "type": "New" });
    for (part, place) in [(alone, "decoder: New"), (of_list, "decoder[1][0]: New")] {
        let tokenizer = load(&with(&small(), "decoder", &part)).unwrap();
        let encodings = tokenizer.encode("a", None, &EncodeOptions::default()).unwrap();
        assert_eq!(encodings[0].ids, [1]);
        let error = tokenizer.decode(&[1], false, false).unwrap_err();
        let text = format!("tokenizer.json: {place} is not supported");
        assert_eq!((error.code(), error.to_string()), ("unsupported", text));
    }
    let lacks = json!({ "type": "Strip", "content": "a", "start": 1 });
    let error = load(&with(&small(), "decoder", &lacks)).unwrap_err();
    assert!(is_bad(&error, "\"stop\""), "{error}");
    let parts = error.details().map(Details::parts).unwrap();
    assert_eq!(parts[..2], ["tokenizer.json", "decoder: Strip: \"stop\""]);
}

fn is_bad(error: &Error, what: &str) -> bool {
    error.kind() == ErrorKind::BadTokenizer && error.to_string().contains(what)
}

fn is_unsupported(error: &Error) -> bool {
    error.kind() == ErrorKind::Unsupported
}

#[test]
fn unsupported_parts_are_named_by_their_places() {
    for (name, list) in [
        ("normalizer", "normalizers"),
        ("pre_tokenizer", "pretokenizers"),
        ("post_processor", "processors"),
    ] {
        let refused = |part: &Value| match load(&with(&small(), name, part)) {
            Err(error) if is_unsupported(&error) => {
                let parts = error.details().map(Details::parts).unwrap();
                assert!(parts[0] == "tokenizer.json" && parts[1].starts_with(name), "{parts:?}");
                error.to_string()
            }
            other => panic!("{name}: {:?}", other.map(|_| ())),
        };
        let new = json!({ "type": "New" });
        assert_eq!(refused(&new), format!("tokenizer.json: {name}: New is not supported"));
        let nested = json!({ "type": "Sequence", list: [new] });
        let known = json!({ "type": if name == "normalizer" { "NFC" } else { "ByteLevel" } });
        let part = json!({ "type": "Sequence", list: [known, nested] });
        assert_eq!(refused(&part), format!("tokenizer.json: {name}[1][0]: New is not supported"));
        let many = json!({ "type": "Sequence", list: vec![known; 65] });
        assert!(refused(&many).contains(&format!("{name}[64]: ")), "{}", refused(&many));
    }
}

#[test]
fn a_text_that_needs_a_missing_unknown_token_is_refused() {
    let mut file = small();
    file["model"]["unk_token"] = json!("[UNK]");
    let tokenizer = load(&file).unwrap();
    let encode = |text| tokenizer.encode(text, None, &EncodeOptions::default());
    assert_eq!(encode("a").unwrap()[0].ids, [1]);
    let error = encode("b").unwrap_err();
    assert!(is_bad(&error, "unk_token"), "{error}");
    assert!(encode("b").is_err(), "also when the word is in the cache");
}

/// Files that would make a text of any length, or take any time.
#[test]
fn hostile_decoders_are_bounded() {
    let grow = json!({ "type": "Replace", "pattern": { "String": "a" }, "content": "aaaaaaaa" });
    let part = json!({ "type": "Sequence", "decoders": vec![grow; 64] });
    let error = load(&with(&small(), "decoder", &part)).unwrap().decode(&[1], false, false);
    assert_eq!(error.unwrap_err().code(), "bad_input");
    let gaps = json!({ "type": "BPEDecoder", "suffix": "" });
    let part = json!({ "type": "Sequence", "decoders": vec![gaps; 64] });
    let error = load(&with(&small(), "decoder", &part)).unwrap().decode(&[1, 1], false, false);
    assert_eq!(error.unwrap_err().code(), "bad_input");
    let often = u64::MAX / 4;
    let part = json!({ "type": "Strip", "content": "a", "start": often, "stop": often });
    let text = load(&with(&small(), "decoder", &part)).unwrap().decode(&[1, 2], false, false);
    assert_eq!(text.unwrap(), "</s>");
}
