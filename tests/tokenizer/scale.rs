//! Time grows linearly with files and text, not quadratically.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use super::{from_json, tokenizer_json};
use serde_json::{Value, json};
use webert::tokenizer::{EncodeOptions, Tokenizer};

/// Returns the CPU time of this thread, or elapsed time if the system does not report it.
/// Elapsed time would include other programs.
fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let nanoseconds = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = nanoseconds.and_then(|all| all.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// Times the work that `prepare` returns, for a size and for 8 times the size. Linear work
/// takes 8 times as long, quadratic work 64 times.
fn check<W: FnMut()>(what: &str, size: usize, prepare: impl Fn(usize) -> W) {
    let best = |size: usize| {
        let mut work = prepare(size);
        let mut once = || {
            let start = now();
            work();
            now() - start
        };
        (0..5).map(|_| once()).min().unwrap()
    };
    let (small, large) = (best(size), best(8 * size));
    let limit = small * 24 + Duration::from_millis(40); // the resolution of the clock is coarse
    assert!(large < limit, "{what}: {small:?} for {size}, {large:?} for 8 times as much");
}

fn tokenizer(vocab: &[&str], added: &[Value], max_chars: usize) -> Tokenizer {
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##a"];
    let vocab: Vec<String> = special.iter().chain(vocab).map(|&token| token.to_owned()).collect();
    let mut file = tokenizer_json(&vocab, &json!({ "type": "BertNormalizer" }), added);
    file["model"]["max_input_chars_per_word"] = json!(max_chars);
    from_json(&file).unwrap()
}

fn encoding(tokenizer: Tokenizer, text: String) -> impl FnMut() {
    move || {
        std::hint::black_box(tokenizer.encode(&text, None, &EncodeOptions::default()).unwrap());
    }
}

#[test]
fn white_space_beside_added_tokens() {
    for strip in ["lstrip", "rstrip"] {
        for normalized in [false, true] {
            check(strip, 4000, |n| {
                let mut token = json!({ "id": 9, "content": " ", "normalized": normalized });
                token[strip] = json!(true);
                encoding(tokenizer(&[], &[token], 100), " ".repeat(n))
            });
        }
    }
}

#[test]
fn added_tokens_of_many_lengths() {
    check("many lengths", 6000, |n| {
        let longest = (2 * n).isqrt();
        let token = |len| json!({ "content": format!("{}b", "a".repeat(len)) });
        let added: Vec<Value> = (1..longest).map(token).collect();
        encoding(tokenizer(&[], &added, 100), "a".repeat(n))
    });
}

#[test]
fn long_added_tokens() {
    check("one long text", 6000, |n| {
        let added = ["a".repeat(n / 2) + "b", "a".to_owned()].map(|a| json!({ "content": a }));
        encoding(tokenizer(&[], &added, 100), "a".repeat(n))
    });
}

#[test]
fn long_entries_of_the_vocabulary() {
    check("a long entry", 2000, |n| {
        let entry = format!("##{}b", "a".repeat(n));
        encoding(tokenizer(&[&entry], &[], 10_000_000), "a".repeat(n))
    });
}

/// Returns a tokenizer with this model, whose words end at white space.
#[cfg(feature = "tokenizers")]
fn pipeline(model: Value, normalizer: &Value) -> Tokenizer {
    let mut file = tokenizer_json(&[], normalizer, &[]);
    file["pre_tokenizer"] = json!({ "type": "WhitespaceSplit" });
    file["post_processor"] = Value::Null;
    file["decoder"] = Value::Null;
    file["model"] = model;
    from_json(&file).unwrap()
}

#[test]
#[cfg(feature = "tokenizers")]
fn long_words_of_byte_pair_encoding() {
    // a, aa, aaaa, …: each merge joins half of the pairs.
    let tokens: Vec<String> = (0..10).map(|power| "a".repeat(1 << power)).collect();
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(str::to_owned);
    let all = special.iter().chain(&tokens).enumerate();
    let vocab: Value = all.map(|(id, token)| (token.clone(), json!(id))).collect();
    let merges: Vec<_> = tokens[..9].iter().map(|token| json!([token, token])).collect();
    let model = json!({ "type": "BPE", "vocab": vocab, "merges": merges });
    let text_of = |n| encoding(pipeline(model.clone(), &Value::Null), "a".repeat(n));
    check("a word of BPE", 4_000, text_of);
}

#[test]
#[cfg(feature = "tokenizers")]
fn many_merges() {
    check("merges", 4000, |n| {
        let token = |at: usize| char::from_u32(0x1_0000 + at as u32).unwrap().to_string();
        let mut vocab = json!({ "[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "a": 4 });
        for at in 0..n {
            vocab[token(at)] = json!(5 + 2 * at);
            vocab[format!("a{}", token(at))] = json!(6 + 2 * at);
        }
        let merges: Vec<_> = (0..n).map(|at| json!(["a", token(at)])).collect();
        let model = json!({ "type": "BPE", "vocab": vocab, "merges": merges });
        move || drop(std::hint::black_box(pipeline(model.clone(), &Value::Null)))
    });
}

#[test]
#[cfg(feature = "tokenizers")]
fn long_words_of_unigram() {
    let tokens = (1..=16).map(|len| json!(["a".repeat(len), -1.0 - f64::from(len as u8)]));
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(|token| json!([token, 0.0]));
    let vocab: Vec<Value> = special.into_iter().chain(tokens).collect();
    let model = json!({ "type": "Unigram", "unk_id": 1, "vocab": vocab });
    check("a word of Unigram", 20_000, |n| {
        encoding(pipeline(model.clone(), &Value::Null), "a".repeat(n))
    });
}

#[test]
#[cfg(feature = "tokenizers")]
fn marks_in_a_row() {
    for form in ["NFC", "NFD", "NFKC", "NFKD"] {
        check(form, 1_500, |n| {
            let vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(|token| json!([token, 0.0]));
            let model = json!({ "type": "Unigram", "unk_id": 1, "vocab": vocab });
            let marks = "\u{301}\u{316}".repeat(n);
            encoding(pipeline(model, &json!({ "type": form })), format!("a{marks}"))
        });
    }
}

#[test]
fn ids_of_many_added_tokens() {
    check("decode", 4000, |n| {
        let token = |id: usize| json!({ "id": 6 + id, "content": format!("<{id}>") });
        let added: Vec<Value> = (0..n).map(token).collect();
        let tokenizer = tokenizer(&[], &added, 100);
        let ids: Vec<u32> = (6..6 + n as u32).collect();
        move || {
            std::hint::black_box(tokenizer.decode(&ids, true, false).unwrap());
            assert!(
                ids.iter().all(|&id| tokenizer.token(id).and_then(|t| tokenizer.id(t)) == Some(id))
            );
        }
    });
}
