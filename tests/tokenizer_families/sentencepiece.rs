//! `spiece.model` and `sentencepiece.bpe.model`, whole and damaged.

use serde_json::{Value, json};
use webert::tokenizer::{EncodeOptions, Files, Tokenizer};
use webert::{Error, ErrorKind};

use super::folder;

/// Returns a field of a message. `kind` 0 is a number, 2 is bytes, 5 is four bytes.
fn field(number: u8, kind: u8, value: &[u8]) -> Vec<u8> {
    let key = (u32::from(number) << 3) | u32::from(kind);
    let mut bytes = varint(key);
    if kind == 2 {
        bytes.extend(varint(value.len() as u32));
    }
    bytes.extend(value);
    bytes
}

fn varint(mut number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn piece(text: &[u8], score: f32, kind: u8) -> Vec<u8> {
    let score = field(2, 5, &score.to_le_bytes());
    field(1, 2, &[field(1, 2, text), score, field(3, 0, &[kind])].concat())
}

/// Returns a model with ALBERT's five tokens and an `a`, followed by other parts.
fn model(more: &[Vec<u8>]) -> Vec<u8> {
    let special = ["<pad>", "[CLS]", "[SEP]", "[MASK]"].map(|t| piece(t.as_bytes(), 0.0, 3));
    let unk = piece(b"<unk>", 0.0, 2);
    let own = [unk, special.concat(), piece("\u{2581}a".as_bytes(), -1.0, 1)];
    [own.concat(), more.concat()].concat()
}

fn load(bytes: &[u8], config: &str) -> webert::Result<Tokenizer> {
    Tokenizer::load(&Files {
        spiece_model: Some(bytes),
        tokenizer_config: Some(config.as_bytes()),
        ..Files::default()
    })
}

fn ids(tokenizer: &Tokenizer, text: &str) -> Vec<u32> {
    tokenizer.encode(text, None, &EncodeOptions::default()).unwrap().remove(0).ids
}

#[test]
fn what_is_not_known_of_a_message_is_passed_over() {
    let unknown = [
        field(9, 0, &[0xff, 1]),
        field(10, 1, &[0; 8]),
        field(4, 2, b"x"),
        field(2, 2, &field(99, 5, &[0; 4])),
    ];
    let tokenizer = load(&model(&unknown), "{}").unwrap();
    assert_eq!(ids(&tokenizer, "a A b[MASK]"), [2, 5, 5, 0, 4, 3]);
    // A later trainer_spec replaces the unk_id.
    let specs = [field(2, 2, &field(40, 0, &[3])), field(2, 2, &field(40, 0, &[0]))];
    assert_eq!(ids(&load(&model(&specs), "{}").unwrap(), "b"), [2, 0, 3]);
}

/// darts-clone, sentencepiece's trie, stores offsets of 2^21 and more in multiples of 256,
/// marked by bit 9.
#[test]
fn far_offsets_of_a_charsmap_are_followed() {
    let mut trie = vec![0_u32; 512];
    let (ends, value, b) = (1 << 8, 1 << 31, u32::from(b'b'));
    trie[0] = 1 << 10 | 1 << 9;
    trie[256 ^ b'b' as usize] = 1 << 10 | ends | b;
    trie[256 ^ b'b' as usize ^ 1] = value; // the text at offset 0
    let trie: Vec<u8> = trie.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let charsmap = [&(trie.len() as u32).to_le_bytes()[..], &trie, b"a\0"].concat();
    let tokenizer = load(&model(&[field(3, 2, &field(2, 2, &charsmap))]), "{}").unwrap();
    assert_eq!(ids(&tokenizer, "b"), [2, 5, 3], "as a");
    assert_eq!(ids(&tokenizer, "c"), [2, 0, 3]);
}

#[test]
fn a_folder_that_names_no_class_has_the_tokens_of_its_files_family() {
    let of = |name: &str, file: &str| {
        let bytes = std::fs::read(folder().join(name).join(file)).unwrap();
        let bytes = Some(&*bytes);
        let files = match file {
            "spiece.model" => Files { spiece_model: bytes, ..Files::default() },
            _ => Files { sentencepiece_bpe_model: bytes, ..Files::default() },
        };
        let named = super::load(name, &Value::Null, &[]);
        assert_eq!(Tokenizer::load(&files).unwrap().special(), named.special(), "{name}");
    };
    of("albert-spiece", "spiece.model");
    of("xlmr-spiece", "sentencepiece.bpe.model");
}

/// Ids of DebertaV2TokenizerFast of transformers 4.57.6 for a model with these pieces.
#[test]
fn debertas_model_has_its_own_parts() {
    let special = ["[PAD]", "[CLS]", "[SEP]"].map(|t| piece(t.as_bytes(), 0.0, 3));
    let others = [
        ("\u{2581}a", -1.0),
        ("b", -1.0),
        (",", -2.0),
        ("\u{2581}", -3.0),
        ("\u{2581}b", -1.5),
        ("\u{2581},", -0.5),
        ("a", -4.0),
    ];
    let others = others.map(|(text, score)| piece(text.as_bytes(), score, 1)).concat();
    let unk = piece(b"[UNK]", 0.0, 2);
    let bytes = [special.concat(), unk, others, field(2, 2, &field(40, 0, &[3]))].concat();
    for (option, ids_of_second, ids_of_third) in [
        ("{}", &[1, 7, 3, 4, 5, 6, 5, 7, 3, 2][..], &[1, 4, 6, 8, 9, 10, 2][..]),
        (r#"{"do_lower_case": true}"#, &[1, 4, 4, 5, 6, 5, 7, 3, 2], &[1, 4, 6, 8, 9, 10, 2]),
        (r#"{"split_by_punct": true}"#, &[1, 7, 3, 4, 5, 9, 8, 7, 3, 2], &[1, 4, 9, 8, 7, 9, 4, 2]),
    ] {
        let files = Files {
            spm_model: Some(&bytes),
            tokenizer_config: Some(option.as_bytes()),
            config: Some(br#"{"model_type": "deberta-v2"}"#),
            ..Files::default()
        };
        let tokenizer = Tokenizer::load(&files).unwrap();
        assert_eq!(tokenizer.special().mask.as_ref().unwrap().id, 11, "{option}");
        assert_eq!(ids(&tokenizer, " a  b[MASK] b "), [1, 4, 8, 11, 8, 2], "{option}");
        assert_eq!(ids(&tokenizer, "A ab,b x"), ids_of_second, "{option}");
        assert_eq!(ids(&tokenizer, "a, b ,a"), ids_of_third, "{option}");
        let pair = tokenizer.encode("a", Some("b"), &EncodeOptions::default()).unwrap();
        assert_eq!(pair[0].ids, [1, 4, 2, 8, 2]);
        assert_eq!(pair[0].type_ids, [0, 0, 0, 1, 1]);
    }
}

#[test]
fn the_mask_takes_the_space_before_it_unless_a_file_says_otherwise() {
    let spans = |config: &str| {
        let tokenizer = load(&model(&[]), config).unwrap();
        let found = tokenizer.encode("a [MASK]", None, &EncodeOptions::default()).unwrap();
        found[0].spans[found[0].ids.iter().position(|&id| id == 4).unwrap()]
    };
    let named = |flag: bool| {
        let token = json!({ "content": "[MASK]", "lstrip": flag, "special": true });
        json!({ "added_tokens_decoder": { "4": token } }).to_string()
    };
    assert_eq!([spans("{}").start, spans("{\"mask_token\": \"[MASK]\"}").start], [1, 1]);
    assert_eq!([spans(&named(false)).start, spans(&named(true)).start], [2, 1]);
}

#[test]
fn damaged_files_are_refused_by_name() {
    let spec = |number, value: &[u8]| field(2, 2, &field(number, 0, value));
    let charsmap = field(3, 2, &field(2, 2, &[0xff; 9]));
    let nan = piece(b"b", f32::NAN, 1);
    for (more, words) in [
        (spec(3, &[2]), ["BPE", "Unigram"]),
        (spec(3, &[3]), ["WORD", "Unigram"]),
        (spec(3, &[4]), ["CHAR", "Unigram"]),
        (spec(3, &[77]), ["no known type", "Unigram"]),
        (spec(40, &[99]), ["unk_id", "damaged"]),
        (spec(40, &[0xff; 11]), ["trainer_spec", "damaged"]),
        (charsmap, ["precompiled_charsmap", "damaged"]),
        (nan, ["a piece", "damaged"]),
        (piece(b"\xff", 0.0, 1), ["a piece", "damaged"]),
        (field(1, 2, &field(2, 0, &[1])), ["a piece", "damaged"]),
        (field(1, 0, &[1]), ["the file", "damaged"]),
        (vec![0x0a, 0x7f, 0x0a], ["the file", "damaged"]),
        (vec![0x0b], ["the file", "damaged"]),
        (vec![0x00, 0x01], ["the file", "damaged"]),
        (field(1, 2, &[]).repeat(1 << 20), ["1048576", "pieces"]),
    ] {
        refused(load(&model(&[more]), "{}"), "spiece.model", &words);
    }
    let class = "{\"tokenizer_class\": \"BertJapaneseTokenizer\"}";
    refused(load(&model(&[]), class), "tokenizer_config.json", &["BertJapaneseTokenizer"]);
    refused(load(b"", "{}"), "spiece.model", &["empty"]);
    refused(load(b"<!DOCTYPE html><html></html>", "{}"), "spiece.model", &["HTML"]);
    let lacking = [piece(b"<unk>", 0.0, 2), piece(b"a", -1.0, 1)].concat();
    refused(load(&lacking, "{}"), "spiece.model", &["[CLS]"]);
    let bytes = Some(&*model(&[spec(3, &[2])]));
    let files = Files { sentencepiece_bpe_model: bytes, ..Files::default() };
    refused(Tokenizer::load(&files), "sentencepiece.bpe.model", &["BPE"]);
}

fn is_refusal(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::BadTokenizer | ErrorKind::Unsupported)
}

fn refused(loaded: webert::Result<Tokenizer>, name: &str, words: &[&str]) {
    match loaded {
        Ok(_) => panic!("was not refused: {words:?}"),
        Err(error) if is_refusal(&error) => {
            let text = error.to_string();
            assert!(text.contains(name), "{name} is not in: {text}");
            assert!(words.iter().all(|word| text.contains(word)), "{words:?} in: {text}");
        }
        Err(other) => panic!("another kind of error: {other:?}"),
    }
}

/// A file that is truncated or has a changed byte is either a tokenizer or rejected.
#[test]
fn no_damage_is_worse_than_an_error() {
    let whole = std::fs::read(folder().join("albert-spiece/spiece.model"));
    let Ok(whole) = whole else { return assert!(std::env::var_os("FAMILY_GOLDENS").is_some()) };
    let mut refused = 0;
    let mut check = |bytes: &[u8]| match load(bytes, "{}") {
        Ok(tokenizer) => {
            let _ = ids(&tokenizer, "The \u{fb01}rst  of\t9, x [MASK]");
        }
        Err(error) if is_refusal(&error) => refused += 1,
        Err(other) => panic!("{other:?}"),
    };
    for len in (0..whole.len()).step_by(97) {
        check(&whole[..len]);
    }
    // the first pieces, and the specs after the last piece
    let last = whole.len();
    for at in (0..200).chain(last - 900..last) {
        let mut bytes = whole.clone();
        for value in [0, 0x7f, 0xff] {
            bytes[at] = value;
            check(&bytes);
        }
    }
    assert!(refused > 200, "{refused}");
}
