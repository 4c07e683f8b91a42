//! A text, its pair and options. Windows hold the tokens of the whole text; a batch holds the
//! tokens of each text alone; ASCII texts are split as by a naive WordPiece.

use webert::tokenizer::{EncodeOptions, Encoding, Files, Padding, Tokenizer, Truncation};

use super::check::{allowed, check_encoding};
use super::source::{self, Source};
use super::tiny::VOCABULARY;
use super::tokenizer_json;

const WORD_PIECE: usize = 0;

pub fn run(data: &[u8]) -> bool {
    let mut source = Source::new(data);
    let kind = source.below(4);
    let options = options(&mut source);
    let [text, pair] = source::files(source.rest());
    let text = source::text(text.unwrap_or_default());
    let pair = pair.map(source::text);
    TOKENIZERS.with(|tokenizers| {
        let tokenizer = &tokenizers[kind];
        let taken = check_options(tokenizer, &text, pair.as_deref(), &options);
        check_windows(tokenizer, &text, &options);
        check_batch(tokenizer, &text, pair.as_deref());
        if kind == WORD_PIECE && text.is_ascii() {
            assert_eq!(bare(tokenizer, &text), naive(&text), "{text:?}");
        }
        taken
    })
}

thread_local! {
    static TOKENIZERS: [Tokenizer; 4] = {
        let vocab = VOCABULARY.join("\n");
        let files = Files { vocab_txt: Some(vocab.as_bytes()), ..Files::default() };
        let json = |bytes| tokenizer_json::load(bytes).expect("a seed is a tokenizer");
        [
            Tokenizer::load(&files).expect("a vocabulary of our own"),
            json(include_bytes!("../seeds/tokenizer_json/bpe.json")),
            json(include_bytes!("../seeds/tokenizer_json/unigram.json")),
            json(include_bytes!("../seeds/tokenizer_json/unigram-charsmap.json")),
        ]
    };
}

fn options(source: &mut Source<'_>) -> EncodeOptions {
    let (kinds, max_length, stride) = (source.byte(), source.byte(), source.byte());
    let of = |n: u8, shift: u8| usize::from(kinds >> shift) % usize::from(n);
    EncodeOptions {
        add_special_tokens: kinds & 1 == 0,
        padding: [Padding::None, Padding::Longest, Padding::MaxLength][of(3, 1)],
        truncation: [
            Truncation::None,
            Truncation::LongestFirst,
            Truncation::OnlyFirst,
            Truncation::OnlySecond,
        ][of(4, 3)],
        max_length: (max_length < 200).then_some(usize::from(max_length)),
        stride: usize::from(stride % 16),
        pad_to_multiple_of: (stride >= 192).then_some(usize::from(stride / 16)),
        return_overflowing_tokens: kinds & 128 == 0,
        ..EncodeOptions::default()
    }
}

/// Checks that any options yield consistent encodings or `bad_input`.
fn check_options(
    tokenizer: &Tokenizer,
    text: &str,
    pair: Option<&str>,
    options: &EncodeOptions,
) -> bool {
    let encoded = allowed(tokenizer.encode(text, pair, options), &["bad_input"]);
    for encoding in encoded.iter().flatten() {
        check_encoding(tokenizer, encoding, [text, pair.unwrap_or_default()]);
        let _ = tokenizer.decode(&encoding.ids, options.add_special_tokens, true);
    }
    encoded.is_some()
}

/// Returns the tokens of a text without special tokens.
fn bare(tokenizer: &Tokenizer, text: &str) -> Vec<u32> {
    let options = EncodeOptions { add_special_tokens: false, ..EncodeOptions::default() };
    tokenizer.encode(text, None, &options).expect("no text is refused").remove(0).ids
}

/// Checks that the windows of a text, joined without their overlaps, are the whole text.
fn check_windows(tokenizer: &Tokenizer, text: &str, options: &EncodeOptions) {
    let length = options.max_length.unwrap_or(8).clamp(1, 32);
    // The reference requires a stride below the length minus two special tokens, even if none are
    // added.
    let stride = options.stride.min(length.saturating_sub(3));
    let windows = EncodeOptions {
        add_special_tokens: false,
        truncation: Truncation::LongestFirst,
        max_length: Some(length),
        stride,
        return_overflowing_tokens: true,
        ..EncodeOptions::default()
    };
    let windows = tokenizer.encode(text, None, &windows).expect("such windows are never refused");
    let mut joined = Vec::new();
    for Encoding { ids, .. } in windows {
        let shared = stride.min(joined.len());
        assert!(ids.len() <= length && joined.ends_with(&ids[..shared]), "{ids:?} of {text:?}");
        joined.extend_from_slice(&ids[shared..]);
    }
    assert_eq!(joined, bare(tokenizer, text), "{text:?}");
}

/// Checks that a text has the same tokens in a batch as alone.
fn check_batch(tokenizer: &Tokenizer, text: &str, pair: Option<&str>) {
    // A tokenizer without a padding token refuses to pad.
    let padding = if tokenizer.special().pad.is_some() { Padding::Longest } else { Padding::None };
    let options = EncodeOptions { padding, ..EncodeOptions::default() };
    let batch = [(text, None), (pair.unwrap_or("a b"), None), ("", None)];
    let together = tokenizer.encode_batch(&batch, &options).expect("no text is refused");
    let ids = tokenizer.encode_batch_ids(&batch, &options).expect("as with all the rest");
    for (((text, _), found), ids) in batch.iter().zip(together).zip(ids) {
        let [found, ids] = [&found[0], &ids[0]];
        assert_eq!((&ids.ids, &ids.type_ids), (&found.ids, &found.type_ids), "{text:?}");
        assert_eq!(ids.attention_mask, found.attention_mask, "{text:?}");
        let alone = tokenizer.encode(text, None, &EncodeOptions::default()).expect("as before");
        assert_eq!(found.ids[..alone[0].len()], alone[0].ids, "{text:?}");
    }
}

/// WordPiece for ASCII, from its description: lower case, split at spaces and punctuation, each
/// word cut into the longest tokens from the left. Special tokens in the text stay whole.
fn naive(text: &str) -> Vec<u32> {
    let id = |token: &str| VOCABULARY.iter().position(|entry| *entry == token);
    let special =
        |text: &str| VOCABULARY[..5].iter().copied().find(|token| text.starts_with(token));
    let is_space = |c| matches!(c, ' ' | '\t' | '\n' | '\r');
    let mut ids = Vec::new();
    let mut word = String::new();
    let mut rest = text;
    loop {
        let found = special(rest);
        let first = rest.chars().next();
        let ends = first.is_none_or(|c| is_space(c) || c.is_ascii_punctuation());
        if (ends || found.is_some()) && !word.is_empty() {
            ids.extend(pieces(&std::mem::take(&mut word), id));
        }
        let Some(c) = first else { return ids.into_iter().map(|id| id as u32).collect() };
        let length = found.map_or(1, str::len);
        match found {
            Some(token) => ids.extend(id(token)),
            None if c.is_ascii_punctuation() => ids.extend(pieces(&c.to_string(), id)),
            None if is_space(c) => {}
            None if c.is_ascii_control() => {} // removed by cleaning, and no word boundary
            None => word.push(c.to_ascii_lowercase()),
        }
        rest = &rest[length..];
    }
}

/// Returns the longest tokens of a word from the left, or the unknown token if a part matches none.
fn pieces(word: &str, id: impl Fn(&str) -> Option<usize>) -> Vec<usize> {
    const UNKNOWN: usize = 1;
    const MAX_CHARS: usize = 100;
    let (mut ids, mut start) = (Vec::new(), 0);
    while start < word.len() {
        let prefix = if start > 0 { "##" } else { "" };
        let ends = (start + 1..=word.len()).rev();
        let longest = ends
            .into_iter()
            .find_map(|end| Some((end, id(&format!("{prefix}{}", &word[start..end]))?)));
        match longest {
            Some((end, id)) if word.len() <= MAX_CHARS => {
                ids.push(id);
                start = end;
            }
            _ => return vec![UNKNOWN],
        }
    }
    ids
}
