//! Every code point, and the limits of words.

use super::{Report, code_points, from_json, load, named, tokenizer_json};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::tokenizer::{EncodeOptions, Span};

/// The goldens' results for single code points.
struct CodePoints {
    removed: Vec<bool>,
    space: Vec<bool>,
    cjk: Vec<bool>,
    punctuation: Vec<bool>,
    white: Vec<bool>,
    strip: std::collections::HashMap<u32, String>,
    lower: std::collections::HashMap<u32, String>,
}

impl CodePoints {
    fn read() -> Self {
        let file: Value =
            serde_json::from_str(include_str!("../goldens/tokenizer/codepoints.json")).unwrap();
        let set = |name: &str| {
            let mut set = vec![false; 0x11_0000];
            let ranges: Vec<(usize, usize)> = serde_json::from_value(file[name].clone()).unwrap();
            ranges.iter().for_each(|&(first, last)| set[first..=last].fill(true));
            set
        };
        let map = |name: &str| {
            let pairs: Vec<(u32, String)> = serde_json::from_value(file[name].clone()).unwrap();
            pairs.into_iter().collect()
        };
        Self {
            removed: set("removed"),
            space: set("space"),
            cjk: set("cjk"),
            punctuation: set("punctuation"),
            white: set("pretokenizer_whitespace"),
            strip: map("strip_accents"),
            lower: map("lowercase"),
        }
    }

    fn stripped(&self, c: char) -> String {
        if let '\u{ac00}'..='\u{d7a3}' = c {
            let at = c as u32 - 0xac00;
            let jamo = [0x1100 + at / 588, 0x1161 + at % 588 / 28, 0x11a7 + at % 28];
            let len = 2 + usize::from(!at.is_multiple_of(28));
            return jamo[..len].iter().map(|&c| char::from_u32(c).unwrap()).collect();
        }
        self.strip.get(&(c as u32)).cloned().unwrap_or_else(|| c.to_string())
    }

    /// Returns the words of the text `a`, `c`, `b`, each as characters.
    fn words(&self, c: char, clean: bool, chinese: bool, strip: bool, lower: bool) -> Vec<String> {
        let is = |set: &[bool], c: char| set[c as usize];
        let mut text = c.to_string();
        if clean && is(&self.removed, c) {
            text = String::new();
        } else if clean && is(&self.space, c) {
            text = " ".into();
        } else if chinese && is(&self.cjk, c) {
            text = format!(" {c} ");
        }
        if strip {
            text = text.chars().map(|c| self.stripped(c)).collect();
        }
        if lower {
            let lower =
                |c: char| self.lower.get(&(c as u32)).cloned().unwrap_or_else(|| c.to_string());
            text = text.chars().map(lower).collect();
        }
        let mut words = vec![String::new()];
        for c in format!("a{text}b").chars() {
            if is(&self.white, c) {
                words.push(String::new());
            } else if is(&self.punctuation, c) {
                words.extend([c.to_string(), String::new()]);
            } else {
                words.last_mut().unwrap().push(c);
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }
}

fn all_chars() -> impl Iterator<Item = char> {
    '\0'..=char::MAX
}

/// Returns a vocabulary of every code point, at the start and inside a word. Line ends cannot be in
/// the file, and never reach the vocabulary.
fn vocab_of_all_code_points() -> String {
    let mut vocab = String::from("[PAD]\n[UNK]\n[CLS]\n[SEP]\n");
    for c in all_chars().filter(|c| !matches!(c, '\n' | '\r')) {
        vocab.extend([c, '\n', '#', '#', c, '\n']);
    }
    vocab
}

#[wasm_bindgen_test(unsupported = test)]
fn every_code_point_is_normalised_as_in_the_goldens() {
    let golden = CodePoints::read();
    let vocab = vocab_of_all_code_points();
    let text: String = all_chars().flat_map(|c| ['a', c, 'b', ' ']).collect();
    let mut report = Report::default();
    for (chinese, strip, lower) in [
        (false, false, false),
        (true, false, false),
        (false, true, false),
        (false, false, true),
        (true, true, true),
    ] {
        let config = json!({ "do_lower_case": lower, "strip_accents": strip, "tokenize_chinese_chars": chinese });
        let tokenizer = load(&vocab, &config);
        let options = EncodeOptions { add_special_tokens: false, ..EncodeOptions::default() };
        let encoding = &tokenizer.encode(&text, None, &options).unwrap()[0];
        let (mut at, mut byte) = (0, 0);
        for c in all_chars() {
            byte += 3 + c.len_utf8() as u32;
            let mut found: Vec<String> = Vec::new();
            let mut word = None;
            while at < encoding.len() && encoding.spans[at].end <= byte {
                let token = tokenizer.token(encoding.ids[at]).unwrap();
                // `##` alone is the token `#` inside a word. `#` never occurs there.
                let piece = token.strip_prefix("##").unwrap_or(token);
                if word == encoding.word_ids[at] {
                    found.last_mut().unwrap().push_str(piece);
                } else {
                    found.push(piece.into());
                    word = encoding.word_ids[at];
                }
                at += 1;
            }
            let expected = golden.words(c, true, chinese, strip, lower);
            report.checked += 1;
            if found != expected {
                report
                    .failures
                    .push(format!("U+{:04X} {config}: {found:?}, not {expected:?}", c as u32));
            }
        }
    }
    report.failures.truncate(50);
    report.finish(5 * 1_112_064);
}

#[wasm_bindgen_test(unsupported = test)]
fn without_cleaning_all_white_space_splits() {
    let golden = CodePoints::read();
    let vocab: Vec<String> =
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "##b"].map(String::from).into();
    let normalizer = json!({ "type": "BertNormalizer", "clean_text": false, "handle_chinese_chars": false,
        "strip_accents": false, "lowercase": false });
    for normalizer in [normalizer, Value::Null] {
        let tokenizer = from_json(&tokenizer_json(&vocab, &normalizer, &[])).unwrap();
        for c in all_chars().filter(|c| golden.white[*c as usize]) {
            let found =
                &tokenizer.encode(&format!("a{c}b"), None, &EncodeOptions::default()).unwrap()[0];
            assert_eq!(found.ids, [4, 5], "U+{:04X}", c as u32);
        }
        // A control character is part of the word, which is then unknown.
        let found = &tokenizer.encode("a\u{1}b", None, &EncodeOptions::default()).unwrap()[0];
        assert_eq!((found.ids.as_slice(), found.spans[0]), (&[1][..], Span { start: 0, end: 3 }));
    }
}

/// The reference assigns sources to reordered marks by position; these expected values are its
/// outputs.
#[wasm_bindgen_test(unsupported = test)]
fn reordered_marks_swap_their_sources() {
    let tokenizer = load("[PAD]\n[UNK]\n[CLS]\n[SEP]\nx\n##\u{302e}\n##\u{1d165}\n", &json!({}));
    let options = EncodeOptions { add_special_tokens: false, ..EncodeOptions::default() };
    // Combining classes 224 and 216, and 230 for a mark that is stripped.
    let found = &tokenizer.encode("x\u{301}\u{302e}\u{1d165}", None, &options).unwrap()[0];
    let tokens: Vec<_> = found.ids.iter().map(|id| tokenizer.token(*id).unwrap()).collect();
    assert_eq!(tokens, ["x", "##\u{1d165}", "##\u{302e}"]);
    assert_eq!(code_points("x\u{301}\u{302e}\u{1d165}", &found.spans), [0, 1, 1, 2, 2, 3]);
    // U+1D15E is a starter and a mark of class 216. Both get its source.
    let tokenizer = load("[PAD]\n[UNK]\n[CLS]\n[SEP]\n\u{1d157}\n##\u{1d165}\n", &json!({}));
    let found = &tokenizer.encode("\u{1d15e}", None, &options).unwrap()[0];
    assert_eq!((found.ids.as_slice(), found.spans[1]), (&[4, 5][..], Span { start: 0, end: 4 }));
    // U+113C5 has a decomposition since Unicode 16, which the reference does not know.
    let tokenizer = load("[PAD]\n[UNK]\n[CLS]\n[SEP]\n\u{113c5}\n", &json!({}));
    assert_eq!(tokenizer.encode("\u{113c5}", None, &options).unwrap()[0].ids, [4]);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_word_has_a_hundred_code_points_at_most() {
    let tokenizer = named("uncased", &Value::Null);
    let unk = tokenizer.special().unk.as_ref().unwrap().id;
    for (unit, limit) in [("a", 100), ("\u{e9}", 100), ("\u{1f600}", 100), ("\u{ac01}", 33)] {
        for (count, is_unk) in [(limit, false), (limit + 1, true), (200_000, true)] {
            let word = unit.repeat(count);
            let found = &tokenizer
                .encode(&format!("x {word} y"), None, &EncodeOptions::default())
                .unwrap()[0];
            // No token of this vocabulary is an emoji.
            let is_unk = is_unk || unit == "\u{1f600}";
            assert_eq!(found.ids[2] == unk, is_unk, "{unit} {count}");
            if is_unk {
                assert_eq!(found.spans[2], Span { start: 2, end: 2 + word.len() as u32 });
                assert_eq!(found.len(), 5, "{unit} {count}");
            }
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_longer_limit_is_honoured_and_still_linear() {
    let vocab: Vec<String> =
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##a", "##aa", "aaa"].map(String::from).into();
    let mut file = tokenizer_json(&vocab, &json!({ "type": "BertNormalizer" }), &[]);
    file["model"]["max_input_chars_per_word"] = json!(10_000_000);
    let found = &from_json(&file)
        .unwrap()
        .encode(&"a".repeat(1 << 20), None, &EncodeOptions::default())
        .unwrap()[0];
    assert_eq!(found.ids[..3], [7, 6, 6]);
    assert_eq!(found.spans.last().unwrap().end, 1 << 20);
    assert_eq!(found.len(), 1 + ((1 << 20) - 3) / 2 + 1);
}

/// Long words and tokens are split like short ones.
#[wasm_bindgen_test(unsupported = test)]
fn long_tokens_are_found_in_long_words() {
    let unit = "ab\u{e9}";
    let long = unit.repeat(300);
    let vocab: Vec<String> = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##a", "##b", "##\u{e9}"]
        .map(String::from)
        .into_iter()
        .chain([format!("##b\u{e9}{long}"), format!("##{long}")])
        .collect();
    let normalizer = json!({ "type": "BertNormalizer", "lowercase": false });
    let mut file = tokenizer_json(&vocab, &normalizer, &[]);
    file["model"]["max_input_chars_per_word"] = json!(100_000);
    let tokenizer = from_json(&file).unwrap();
    let word = format!("{}b", unit.repeat(602));
    let found = &tokenizer.encode(&word, None, &EncodeOptions::default()).unwrap()[0];
    // The second token starts at the second byte, and the third where the second ends. One unit is
    // left.
    let spans: Vec<_> = found.spans.iter().map(|span| (span.start, span.end)).collect();
    assert_eq!(found.ids, [4, 8, 9, 5, 6, 7, 6]);
    assert_eq!(spans[..3], [(0, 1), (1, 1204), (1204, 2404)]);
    let unknown =
        &tokenizer.encode(&format!("{word}c"), None, &EncodeOptions::default()).unwrap()[0];
    assert_eq!(unknown.ids, [1]);
}
