//! Random texts with many characters that affect normalization and splitting.

use super::named;
use proptest::prelude::*;
use serde_json::Value;
use webert::tokenizer::{EncodeOptions, Encoding, Padding, Span, Tokenizer, Truncation};

fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => any::<char>(),
        4 => proptest::char::range('\0', '\u{7f}'),
        2 => proptest::char::range('\u{80}', '\u{30ff}'),
        2 => proptest::sample::select(vec![
            '\u{301}', '\u{323}', '\u{302e}', '\u{1d165}', '\u{ad}', '\u{130}', '\u{ac01}', '\u{f900}', '\u{4e2d}', ' ',
        ]),
    ];
    let piece = prop_oneof![
        3 => proptest::collection::vec(character, 0..12).prop_map(String::from_iter),
        1 => proptest::sample::select(vec!["[MASK]", "[SEP]", "[UNK", "hello", "caf\u{e9}s"]).prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn tokenizers() -> Vec<Tokenizer> {
    ["uncased", "uncased_strip_false", "cased", "cased_strip_true", "cased_nochinese"]
        .map(|name| named(name, &Value::Null))
        .into()
}

/// Checks that the spans of a text are in order, lie within it, and are at character
/// boundaries.
fn check_spans(encoding: &Encoding, texts: [&str; 2]) -> Result<(), TestCaseError> {
    let mut last = [Span::default(); 2];
    for (span, sequence) in encoding.spans.iter().zip(&encoding.sequence_ids) {
        let Some(sequence) = sequence.map(usize::from) else { continue };
        let text = texts[sequence];
        prop_assert!(text.get(span.start as usize..span.end as usize).is_some(), "{:?}", span);
        prop_assert!(span.start < span.end);
        prop_assert!(span.start >= last[sequence].start && span.end >= last[sequence].end);
        last[sequence] = *span;
    }
    Ok(())
}

#[test]
fn any_text_has_spans_in_order_and_decodes() {
    let tokenizers = tokenizers();
    let config =
        ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(text in text(), pair in text(), at in 0..5_usize)| {
        let tokenizer = &tokenizers[at];
        let encoding = &tokenizer.encode_batch(&[(&text, Some(&pair))], &EncodeOptions::default()).unwrap()[0][0];
        check_spans(encoding, [&text, &pair])?;
        prop_assert!(encoding.ids.iter().all(|id| tokenizer.token(*id).is_some()));
        let len = encoding.len();
        prop_assert_eq!(
            [encoding.type_ids.len(), encoding.spans.len(), encoding.word_ids.len(),
                encoding.sequence_ids.len(), encoding.attention_mask.len()],
            [len; 5]
        );
        tokenizer.decode(&encoding.ids, false, true).unwrap();
    });
}

#[test]
fn a_text_has_the_same_ids_alone_and_in_a_batch() {
    let tokenizers = tokenizers();
    let config =
        ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(texts in proptest::collection::vec(text(), 1..5), at in 0..5_usize)| {
        let inputs: Vec<_> = texts.iter().map(|text| (text.as_str(), None)).collect();
        let options = EncodeOptions { padding: Padding::Longest, ..EncodeOptions::default() };
        let batch = tokenizers[at].encode_batch(&inputs, &options).unwrap();
        for (text, windows) in texts.iter().zip(batch) {
            let alone = &tokenizers[at].encode(text, None, &EncodeOptions::default()).unwrap()[0];
            prop_assert_eq!(&windows[0].ids[..alone.len()], &alone.ids[..]);
            prop_assert!(windows[0].ids[alone.len()..].iter().all(|id| *id == tokenizers[at].special().pad.as_ref().unwrap().id));
            let mask = windows[0].attention_mask.iter().map(|mask| usize::from(*mask)).sum::<usize>();
            prop_assert_eq!(mask, alone.len());
        }
    });
}

#[test]
fn no_options_panic() {
    let tokenizers = tokenizers();
    let config =
        ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
    let choice = || 0..12_usize;
    proptest!(config, |(text in text(), pair in text(), with_pair: bool, max in choice(), stride in choice(),
            kinds in (0..3_usize, 0..4_usize), flags in any::<(bool, bool)>(), multiple in 0..4_usize)| {
        let options = EncodeOptions {
            add_special_tokens: flags.0,
            return_overflowing_tokens: flags.1,
            padding: [Padding::None, Padding::Longest, Padding::MaxLength][kinds.0],
            truncation: [Truncation::None, Truncation::LongestFirst, Truncation::OnlyFirst,
                Truncation::OnlySecond][kinds.1],
            max_length: Some(max),
            stride,
            pad_to_multiple_of: (multiple > 0).then_some(multiple),
            ..EncodeOptions::default()
        };
        let pair = with_pair.then_some(pair.as_str());
        if let Ok(windows) = tokenizers[0].encode(&text, pair, &options) {
            for window in &windows {
                check_spans(window, [&text, pair.unwrap_or("")])?;
            }
            let added = match (flags.0, pair.is_some_and(|pair| !pair.is_empty())) {
                (false, _) => 0,
                (true, false) => 2,
                (true, true) => 3,
            };
            if kinds == (0, 1) && max >= added {
                prop_assert!(windows[0].len() <= max);
            }
        }
    });
}
