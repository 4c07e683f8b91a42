//! Tokenization speed in MB of UTF-8 per second, on one thread: `cargo bench --bench tokenizer`.

#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use serde_json::Value;
use webert::tokenizer::{EncodeOptions, Files, Tokenizer};

const VOCAB: &str = include_str!("../tests/goldens/tokenizer/vocab-uncased.txt");
const HUB: &str = include_str!("../tests/goldens/tokenizer-hub/cases.json");
const FILES: [&str; 7] = [
    "tokenizer.json",
    "vocab.json",
    "merges.txt",
    "vocab.txt",
    "bpe.codes",
    "tokenizer_config.json",
    "config.json",
];
const SINGLE: &str = include_str!("../tests/goldens/tokenizer/single.jsonl");

fn main() {
    let files = Files { vocab_txt: Some(VOCAB.as_bytes()), ..Files::default() };
    let tokenizer = Tokenizer::load(&files).unwrap();
    let load = best(|| {
        black_box(Tokenizer::load(&files).unwrap());
    });
    println!("load vocab.txt              {:8.2} ms", load.as_secs_f64() * 1e3);
    let json = tokenizer_json();
    let files = Files { tokenizer_json: Some(json.as_bytes()), ..Files::default() };
    let load = best(|| {
        black_box(Tokenizer::load(&files).unwrap());
    });
    println!("load tokenizer.json         {:8.2} ms", load.as_secs_f64() * 1e3);

    measure(&tokenizer, "words of the vocabulary", &lines(words(str::to_owned)));
    measure(&tokenizer, "the same, capitalised", &lines(words(capitalised)));
    measure(&tokenizer, "words put together", &lines(compounds()));
    let strings = golden_strings();
    measure(&tokenizer, "golden strings", &strings);
    let text = |wanted: fn(&str) -> bool| -> Vec<String> {
        let strings: Vec<String> = strings.iter().filter(|text| wanted(text)).cloned().collect();
        strings.iter().cycle().take(strings.len() * 50).cloned().collect()
    };
    measure(&tokenizer, "golden strings, Cyrillic", &text(|text| text.contains('и')));
    measure(&tokenizer, "golden strings, Han", &text(|text| text.contains(is_han)));
    measure(&tokenizer, "a word of 1 MB", &["x".repeat(1 << 20)]);
    measure(&tokenizer, "a word of 1 MB, accents", &["\u{e9}".repeat(1 << 19)]);
    let words = lines(words(str::to_owned));
    for (name, tokenizer) in hub() {
        measure(&tokenizer, &name, &words);
    }
}

/// Returns the tokenizers of `tests/goldens/tokenizer-hub` whose files are JSON or text.
fn hub() -> Vec<(String, Tokenizer)> {
    let goldens: Value = serde_json::from_str(HUB).unwrap();
    let load = |(name, golden): (&String, &Value)| {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let content = |file: &str| golden["files"].get(file).map(text);
        let files = FILES.map(|file| content(file).map(String::into_bytes));
        let [json, vocab, merges, txt, codes, settings, config] = &files;
        let tokenizer = Tokenizer::load(&Files {
            tokenizer_json: json.as_deref(),
            vocab_json: vocab.as_deref(),
            merges_txt: merges.as_deref(),
            vocab_txt: txt.as_deref(),
            bpe_codes: codes.as_deref(),
            tokenizer_config: settings.as_deref(),
            config: config.as_deref(),
            ..Files::default()
        });
        tokenizer.ok().map(|tokenizer| (name.clone(), tokenizer))
    };
    goldens.as_object().unwrap().iter().filter_map(load).collect()
}

fn is_han(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// Returns the shortest of several runs, the one with the least disturbance.
fn best(mut run: impl FnMut()) -> Duration {
    let once = || {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    std::iter::repeat_with(once).take(20).min().unwrap_or_default()
}

fn measure(tokenizer: &Tokenizer, name: &str, texts: &[String]) {
    let bytes: usize = texts.iter().map(String::len).sum();
    let mut tokens = 0;
    let time = best(|| {
        tokens = 0;
        for text in texts {
            let encoding = tokenizer.encode(text, None, &EncodeOptions::default());
            tokens += encoding.unwrap()[0].len();
        }
    });
    let speed = bytes as f64 / 1e6 / time.as_secs_f64();
    println!("{name:<27} {speed:8.1} MB/s  ({bytes} bytes, {tokens} tokens)");
}

/// Returns whole words of the vocabulary, in pseudo-random order.
fn words(map: fn(&str) -> String) -> Vec<String> {
    let words: Vec<&str> =
        VOCAB.lines().filter(|word| word.bytes().all(|c| c.is_ascii_lowercase())).collect();
    let mut at = 0;
    let next = || {
        at = (at + 7919) % words.len();
        map(words[at])
    };
    std::iter::repeat_with(next).take(150_000).collect()
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_ascii_uppercase() + rest
}

/// Returns words that are not in the vocabulary as a whole.
fn compounds() -> Vec<String> {
    words(str::to_owned).chunks(2).map(<[String]>::concat).collect()
}

/// Joins words to 1 MB of lines of about 900 bytes.
fn lines(words: Vec<String>) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut total = 0;
    for word in words {
        total += word.len() + 1;
        if total > 1_000_000 {
            break;
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(&word);
            line.push(' ');
            if line.len() >= 900 {
                lines.push(String::new());
            }
        }
    }
    lines
}

fn golden_strings() -> Vec<String> {
    let rows = SINGLE.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.map(|row| row["text"].as_str().unwrap().to_owned()).collect()
}

/// Returns the same vocabulary as a `tokenizer.json`.
fn tokenizer_json() -> String {
    let vocab: serde_json::Map<String, Value> =
        VOCAB.lines().enumerate().map(|(id, token)| (token.to_owned(), id.into())).collect();
    serde_json::json!({
        "normalizer": { "type": "BertNormalizer" },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "model": { "type": "WordPiece", "vocab": vocab },
    })
    .to_string()
}
