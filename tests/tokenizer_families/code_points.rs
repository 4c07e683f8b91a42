//! Checksums over blocks of code points. `tests/goldens/make/make_codepoints.py` makes and
//! describes them.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use webert::tokenizer::{EncodeOptions, Encoding, Files, Tokenizer};

use super::{folder, load};

const TEXTS: [&str; 2] = ["{}", "a{}b \u{aa}{}\u{aa}"];
const SPECIAL: [&str; 4] = ["<unk>", "[CLS]", "[SEP]", "[PAD]"];

/// Returns the blocks of code points: 256 each in the first two planes, otherwise 4,096.
fn blocks() -> impl Iterator<Item = Vec<char>> {
    let firsts = (0..0x2_0000).step_by(256).chain((0x2_0000..0x11_0000).step_by(4096));
    let block = |first: u32| {
        let count = if first < 0x2_0000 { 256 } else { 4096 };
        (first..first + count).filter_map(char::from_u32).collect::<Vec<_>>()
    };
    firsts.map(block).filter(|block| !block.is_empty())
}

/// Returns the model that replaces a file's own, by the second word of a golden's name.
fn model_of(kind: &str, file: &Value) -> Value {
    let vocab = if kind == "bytes" {
        let pieces = SPECIAL.iter().chain(&["a", "b", "\u{2581}"]).map(|p| json!([p, -1.0]));
        let bytes = (0..256).map(|byte| json!([format!("<0x{byte:02X}>"), -2.0]));
        return json!({ "type": "Unigram", "unk_id": 0, "byte_fallback": true,
            "vocab": pieces.chain(bytes).collect::<Vec<_>>() });
    } else {
        let tokens = ('\0'..=char::MAX).flat_map(|c| [format!("{c}"), format!("##{c}")]);
        ["[UNK]", "[CLS]", "[SEP]", "[PAD]"].map(String::from).into_iter().chain(tokens)
    };
    let mut model = file["model"].clone();
    model["unk_token"] = json!("[UNK]");
    model["vocab"] = vocab.zip(0..).map(|(token, id)| (token, json!(id))).collect();
    model
}

/// Returns the tokenizer of a golden, or `None` if the folder does not have it.
fn tokenizer(name: &str) -> Option<Tokenizer> {
    let (base, kind) = name.split_once(' ').unwrap_or((name, ""));
    let file = std::fs::read(folder().join(base).join("tokenizer.json")).ok()?;
    if kind.is_empty() {
        return Some(load(base, &Value::Null, &[]));
    }
    let mut file: Value = serde_json::from_slice(&file).unwrap();
    file["model"] = model_of(kind, &file);
    for part in ["added_tokens", "post_processor", "decoder"] {
        file[part] = Value::Null;
    }
    let file = file.to_string();
    let files = Files { tokenizer_json: Some(file.as_bytes()), ..Files::default() };
    Some(Tokenizer::load(&files).unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// Returns the CRC-32 of numbers as little-endian bytes.
fn crc32(numbers: &[u32]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut at = 0;
        while at < 256 {
            let (mut crc, mut bit) = (at as u32, 0);
            while bit < 8 {
                crc = (crc >> 1) ^ (if crc & 1 == 1 { 0xedb8_8320 } else { 0 });
                bit += 1;
            }
            table[at] = crc;
            at += 1;
        }
        table
    };
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
    !bytes.fold(!0, |crc, byte| (crc >> 8) ^ TABLE[(crc as u8 ^ byte) as usize])
}

/// Returns the ids and offsets of every text of a code point.
fn results(tokenizer: &Tokenizer, c: char) -> [(Encoding, Vec<[u32; 2]>); 2] {
    let options = EncodeOptions { add_special_tokens: false, ..EncodeOptions::default() };
    TEXTS.map(|text| {
        let text = text.replace("{}", c.encode_utf8(&mut [0; 4]));
        let encoding = tokenizer.encode(&text, None, &options).unwrap().remove(0);
        let alone = tokenizer.encode_batch_ids(&[(&text, None)], &options).unwrap();
        assert_eq!(alone[0][0].ids, encoding.ids, "{text:?}");
        let count = |byte: u32| text[..byte as usize].chars().count() as u32;
        let offsets = encoding.spans.iter().map(|span| [count(span.start), count(span.end)]);
        let offsets = offsets.collect();
        (encoding, offsets)
    })
}

fn number(results: &[(Encoding, Vec<[u32; 2]>); 2]) -> u32 {
    let mut numbers = Vec::new();
    for (encoding, offsets) in results {
        numbers.push(encoding.ids.len() as u32);
        numbers.extend(&encoding.ids);
        numbers.extend(offsets.iter().flatten());
    }
    crc32(&numbers)
}

/// Returns the difference in a block: its only code point that differs, or all of its results.
fn difference(tokenizer: &Tokenizer, block: &[char], sums: [u32; 2], golden: [u32; 2]) -> String {
    let [sum, placed] = [0, 1].map(|n: usize| golden[n].wrapping_sub(sums[n]));
    let only = (1..).zip(block).filter(|(at, _)| sum.wrapping_mul(*at) == placed);
    let only: Vec<char> = only.map(|(_, c)| *c).collect();
    let shown = if let [only] = only[..] { &[only][..] } else { block };
    let rows = shown.iter().map(|&c| {
        let of = results(tokenizer, c).map(|(e, offsets)| format!("{:?} {offsets:?}", e.ids));
        format!("U+{:04X} {}\n", c as u32, of.join(" "))
    });
    rows.collect()
}

/// Returns the first block that differs from its golden, and the number of such blocks. Returns
/// `None` without the tokenizer.
fn check(name: &str, golden: &str) -> Option<String> {
    let tokenizer = tokenizer(name)?;
    let golden = |at: usize| {
        let hex = |at: usize| u32::from_str_radix(&golden[at..at + 8], 16).unwrap();
        [hex(16 * at), hex(16 * at + 8)]
    };
    let (mut first, mut differ) = (None, 0);
    for (at, block) in blocks().enumerate() {
        let mut sums = [0_u32; 2];
        for (place, &c) in (1..).zip(&block) {
            let number = number(&results(&tokenizer, c));
            sums = [sums[0].wrapping_add(number), sums[1].wrapping_add(number.wrapping_mul(place))];
        }
        if sums != golden(at) {
            differ += 1;
            first.get_or_insert_with(|| {
                let rows = difference(&tokenizer, &block, sums, golden(at));
                format!("block {:04X}, found:\n{rows}", block[0] as u32)
            });
        }
    }
    let first = first.map(|first| format!("{name}: {differ} blocks differ; {first}\n"));
    Some(first.unwrap_or_default())
}

#[test]
fn every_code_point_equals_the_goldens() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/families/codepoints.json");
    let goldens: BTreeMap<String, String> =
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let (mut checked, mut failures) = (0, String::new());
    std::thread::scope(|scope| {
        let checks = goldens.iter().map(|(name, golden)| scope.spawn(|| check(name, golden)));
        for check in checks.collect::<Vec<_>>() {
            let Some(difference) = check.join().unwrap() else { continue };
            checked += 1;
            failures.push_str(&difference);
        }
    });
    assert!(
        failures.is_empty(),
        "what the library gives: python3 make_codepoints.py {} NAME BLOCK\n{failures}",
        folder().display()
    );
    assert!(checked >= 6, "only {checked} tokenizers were checked");
}
