//! The tokenizers of HerBERT, BERTweet, PhoBERT and CamemBERT against transformers 5.24.
//! `tests/goldens/make/make_tokenizer_hub.py` makes the goldens. `HUB_TEXTS=FILE` names a larger
//! file that it made.

#![cfg(not(target_arch = "wasm32"))]
#![cfg(feature = "tokenizers")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use webert::tokenizer::{EncodeOptions, Files, Tokenizer};
use webert::{Error, ErrorKind};

/// A folder: file names and contents.
type Folder = BTreeMap<String, Vec<u8>>;

fn load(folder: &Folder) -> Result<Tokenizer, Error> {
    let file = |name: &str| folder.get(name).map(Vec::as_slice);
    Tokenizer::load(&Files {
        tokenizer_json: file("tokenizer.json"),
        vocab_txt: file("vocab.txt"),
        bpe_codes: file("bpe.codes"),
        vocab_json: file("vocab.json"),
        merges_txt: file("merges.txt"),
        sentencepiece_bpe_model: file("sentencepiece.bpe.model"),
        spm_model: file("spm.model"),
        tokenizer_config: file("tokenizer_config.json"),
        config: file("config.json"),
        ..Files::default()
    })
}

fn path(golden: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(golden)
}

fn goldens() -> Value {
    let own = || path("tokenizer-hub/cases.json");
    let path = std::env::var_os("HUB_TEXTS").map_or_else(own, PathBuf::from);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn folder(golden: &Value) -> Folder {
    let content = |(name, value): (&String, &Value)| {
        let bytes = match (value.as_str(), value["golden"].as_str(), value["base64"].as_str()) {
            (Some(text), ..) => text.as_bytes().to_vec(),
            (_, Some(golden), _) => std::fs::read(path(golden)).unwrap(),
            (.., Some(base64)) => decoded(base64),
            _ => value.to_string().into_bytes(),
        };
        (name.clone(), bytes)
    };
    golden["files"].as_object().unwrap().iter().map(content).collect()
}

/// Returns the bytes of a base64 text.
fn decoded(base64: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> = base64.trim_end_matches('=').bytes().map(value).collect();
    let group = |digits: &[u32]| {
        let number = digits.iter().fold(0, |number, digit| number << 6 | digit);
        let bytes = (number << (6 * (4 - digits.len()))).to_be_bytes();
        bytes[1..digits.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}

#[test]
fn tokens_types_spans_and_texts_match_the_library() {
    let goldens = goldens();
    let (mut checked, mut failures) = (0, Vec::new());
    for (name, golden) in goldens.as_object().unwrap() {
        let tokenizer = load(&folder(golden)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let rows = golden["rows"].as_str().map_or(&golden["rows"], |other| &goldens[other]["rows"]);
        for row in rows.as_array().unwrap() {
            let (text, pair) = (row["text"].as_str().unwrap(), row["pair"].as_str());
            let inputs = [(text, pair)];
            let found = tokenizer.encode_batch(&inputs, &EncodeOptions::default()).unwrap();
            let found = &found[0][0];
            let ids_only = tokenizer.encode_batch_ids(&inputs, &EncodeOptions::default()).unwrap();
            assert_eq!(found.ids, ids_only[0][0].ids, "{name} {text:?}");
            let ids: Vec<u32> = serde_json::from_value(row["ids"].clone()).unwrap();
            let offsets = found.spans.iter().zip(&found.sequence_ids).map(|(span, sequence)| {
                let text = if *sequence == Some(1) { pair.unwrap() } else { text };
                let count = |byte: u32| text[..byte as usize].chars().count();
                [count(span.start), count(span.end)]
            });
            let decoded = |skips| json!(tokenizer.decode(&ids, skips, false).unwrap());
            for (what, found, expected) in [
                ("ids", json!(found.ids), &row["ids"]),
                ("types", json!(found.type_ids), &row["types"]),
                ("offsets", json!(offsets.collect::<Vec<_>>()), &row["offsets"]),
                ("decoded", decoded(false), &row["decoded"]),
                ("decoded_skip", decoded(true), &row["decoded_skip"]),
            ] {
                if expected.is_null() {
                    continue;
                }
                checked += 1;
                if found != *expected {
                    failures.push(format!(
                        "{name} {what} {text:?}\n   found    {found}\n   expected {expected}"
                    ));
                }
            }
        }
    }
    let some = failures.iter().take(12).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} of {checked}:\n{some}", failures.len());
    assert!(checked > 1200, "{checked}");
    println!("{checked} equal");
}

/// Returns the goldens' folder `name` with a file replaced.
fn with(name: &str, file: &str, content: &[u8]) -> Folder {
    let mut folder = folder(&goldens()[name]);
    folder.insert(file.into(), content.to_vec());
    folder
}

#[test]
fn damaged_files_are_reported_by_name() {
    for (file, content, word) in [
        ("vocab.txt", &b"the 3\nriver\n"[..], "line 2"),
        ("vocab.txt", b"the 3\nriver 2\nthe 1\n", "\"the\" again"),
        ("vocab.txt", b"the 3\n\xff 2\n", "UTF-8"),
        ("vocab.txt", b"<!DOCTYPE html>", "HTML"),
        ("bpe.codes", b"t h 3\n\xff e 2\n", "UTF-8"),
        ("bpe.codes", b"<!DOCTYPE html>", "HTML"),
    ] {
        match load(&with("phobert", file, content)) {
            Err(error) if error.kind() == ErrorKind::BadTokenizer => {
                let message = error.to_string();
                assert!(message.starts_with(file) && message.contains(word), "{message}");
            }
            other => panic!("{file} {content:?}: {:?}", other.map(|_| ())),
        }
    }
    // Lines with another number of fields and an incomplete last line have no merge.
    let tokenizer = load(&with("phobert", "bpe.codes", b"t h\nt h e 1\n\nt h 1")).unwrap();
    let ids = |tokenizer: &Tokenizer| {
        tokenizer.encode("th", None, &EncodeOptions::default()).unwrap()[0].ids.clone()
    };
    assert_eq!(ids(&tokenizer).len(), 4);
    let tokenizer = load(&with("phobert", "bpe.codes", b"t h</w> 1\n")).unwrap();
    assert_eq!(ids(&tokenizer).len(), 3);
}

#[test]
fn spans_of_a_normalised_tweet_cover_the_text_that_each_token_came_from() {
    let goldens = goldens();
    let tokenizer = load(&folder(&goldens["bertweet"])).unwrap();
    let text = "@anna says: don&#39;t… 😂 see http://a.org/x !!!!!!";
    let encoding = &tokenizer.encode(text, None, &EncodeOptions::default()).unwrap()[0];
    let spans: Vec<_> = encoding.spans.iter().zip(&encoding.word_ids).collect();
    let of_word = |number: u32| {
        let tokens = spans.iter().filter(|(_, word)| **word == Some(number));
        let mut tokens = tokens.map(|(span, _)| (span.start, span.end));
        let (start, mut end) = tokens.next().unwrap();
        tokens.for_each(|(_, last)| end = end.max(last));
        &text[start as usize..end as usize]
    };
    let words: Vec<_> = (0..12).map(of_word).collect();
    let expected =
        ["@anna", "says", ":", "do", "n&#39;t", "…", "😂", "see", "http://a.org/x", "!", "!", "!"];
    assert_eq!(words, expected);
}

#[test]
fn long_texts_take_linear_time() {
    let goldens = goldens();
    for name in ["bertweet", "phobert", "herbert", "camembert"] {
        let tokenizer = load(&folder(&goldens[name])).unwrap();
        for text in ["x".repeat(1 << 18), "the river isn't 😂 @x :) ".repeat(1 << 13)] {
            let encoding = tokenizer.encode(&text, None, &EncodeOptions::default());
            assert!(encoding.unwrap()[0].len() > 10, "{name}");
        }
    }
}
