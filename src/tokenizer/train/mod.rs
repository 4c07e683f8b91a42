//! Trains a WordPiece vocabulary from text. The result equals `BertWordPieceTokenizer.train` of
//! Hugging Face's `tokenizers`.
//!
//! Texts are normalised and split as in BERT's tokenizer. Only the words and their counts are kept.
//! `merges` then builds the vocabulary, and `files` writes it as checkpoint files. The library
//! breaks ties by the order of the pieces `##c` in a randomly seeded hash map. Here these pieces
//! are ordered by code point, so a text always has the same vocabulary.
//!
//! ```
//! use webert::tokenizer::{EncodeOptions, Files, Tokenizer};
//! use webert::tokenizer::train::{TokenizerTrainer, TrainOptions};
//!
//! # fn main() -> webert::Result<()> {
//! let options = TrainOptions { vocab_size: 60, min_frequency: 1, ..TrainOptions::default() };
//! let mut trainer = TokenizerTrainer::new(options)?;
//! for text in ["low lower lowest", "new newer newest", "wide wider widest"] {
//!     trainer.add(text);
//! }
//! let trained = trainer.finish()?;
//! assert_eq!(trained.tokens()[..5], ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]);
//!
//! let tokenizer = Tokenizer::load(&Files {
//!     tokenizer_json: Some(trained.tokenizer_json()?.as_bytes()),
//!     ..Files::default()
//! })?;
//! let encodings = tokenizer.encode("newest", None, &EncodeOptions::default())?;
//! assert_eq!(tokenizer.token(encodings[0].ids[1]), Some("newest"));
//! # Ok(())
//! # }
//! ```

mod files;
mod merges;

use crate::error::fault;
use std::collections::HashMap;

use serde::Deserialize;

use super::unicode::{self, PUNCTUATION, SPACE};
use super::{Span, span};
use crate::Result;
use crate::tokenizer::bert::normalize::{Normalizer, Sink, Stream};

/// The prefix of a piece that continues a word.
const PREFIX: &str = "##";

/// The tokens that BERT's tokenizer requires.
const NEEDED: [&str; 4] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];

/// Options of training. Names and defaults are the same as in `BertWordPieceTokenizer` and its
/// `train` method.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainOptions {
    /// The size of the whole vocabulary. It can be exceeded, because the special tokens and the
    /// alphabet are always kept.
    pub vocab_size: usize,
    /// The minimum count of a pair of pieces to become a piece. 0 means 1.
    pub min_frequency: u64,
    /// The maximum size of the alphabet. The most frequent characters are kept. `None` means all.
    pub limit_alphabet: Option<usize>,
    /// Characters that are always in the alphabet. Only the first character of each text is used.
    pub initial_alphabet: Vec<String>,
    /// The first tokens of the vocabulary, in order.
    pub special_tokens: Vec<String>,
    /// Whether control characters are removed and white space is replaced by U+0020.
    pub clean_text: bool,
    /// Whether each ideograph becomes a word.
    pub handle_chinese_chars: bool,
    /// Whether accents are removed. `None` means the value of `lowercase`.
    pub strip_accents: Option<bool>,
    /// Whether text is lowercased.
    pub lowercase: bool,
}

impl Default for TrainOptions {
    fn default() -> Self {
        Self {
            vocab_size: 30_000,
            min_frequency: 2,
            limit_alphabet: Some(1000),
            initial_alphabet: Vec::new(),
            special_tokens: ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
                .map(str::to_owned)
                .into(),
            clean_text: true,
            handle_chinese_chars: true,
            strip_accents: None,
            lowercase: true,
        }
    }
}

impl TrainOptions {
    fn check(&self) -> Result<()> {
        for token in NEEDED {
            if !self.special_tokens.iter().any(|special| special == token) {
                return Err(fault!(
                    BadInput,
                    "special_tokens has no {token}, without which BERT's tokenizer cannot work",
                    item = "special_tokens",
                    expected = "{token}",
                ));
            }
        }
        if self.special_tokens.iter().any(String::is_empty) {
            return Err(fault!(
                BadInput,
                "special_tokens has an empty token",
                item = "special_tokens",
                found = "an empty token",
            ));
        }
        if self.initial_alphabet.iter().any(String::is_empty) {
            return Err(fault!(
                BadInput,
                "initial_alphabet has an empty text",
                item = "initial_alphabet",
                found = "an empty text",
            ));
        }
        Ok(())
    }

    fn normalizer(&self) -> Normalizer {
        let Self { clean_text, handle_chinese_chars, strip_accents, lowercase, .. } = *self;
        Normalizer { clean_text, handle_chinese_chars, strip_accents, lowercase }
    }
}

/// Takes texts one by one, then builds a vocabulary of their words. The memory depends on the
/// number of distinct words and not on the length of the texts.
#[derive(Debug)]
pub struct TokenizerTrainer {
    options: TrainOptions,
    words: WordCounts,
}

impl TokenizerTrainer {
    /// # Errors
    /// `BadInput` if a special token that BERT needs is missing, or a text of the options is empty.
    pub fn new(options: TrainOptions) -> Result<Self> {
        options.check()?;
        Ok(Self { options, words: WordCounts::default() })
    }

    /// Counts the words of a text. Special tokens in the text are treated as text.
    pub fn add(&mut self, text: &str) {
        let mut stream = Stream::new(self.options.normalizer(), &mut self.words);
        for (at, c) in text.char_indices() {
            stream.push(c, span(at, at + c.len_utf8()));
        }
        stream.finish();
        self.words.end();
    }

    /// Returns the number of distinct words so far.
    pub fn distinct_words(&self) -> usize {
        self.words.counts.len()
    }

    /// Builds the vocabulary.
    ///
    /// # Errors
    /// `BadInput` if the texts have no words and the options have no initial alphabet.
    pub fn finish(self) -> Result<TrainedTokenizer> {
        let Self { options, words } = self;
        let words: Vec<(String, u64)> = words.counts.into_iter().collect();
        if words.is_empty() && options.initial_alphabet.is_empty() {
            return Err(fault!(
                BadInput,
                "the texts have no word to make a vocabulary of",
                item = "the texts",
                expected = "a word",
            ));
        }
        let tokens = merges::vocabulary(&words, &options);
        Ok(TrainedTokenizer { options, tokens })
    }
}

/// A vocabulary and the options that it was built with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainedTokenizer {
    options: TrainOptions,
    /// The tokens in the order of their ids.
    tokens: Vec<String>,
}

impl TrainedTokenizer {
    /// Returns the tokens in the order of their ids, starting at 0.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }
}

/// The words of normalised text, and the count of each.
#[derive(Debug, Default)]
struct WordCounts {
    counts: HashMap<String, u64>,
    /// The current word.
    word: String,
}

impl WordCounts {
    /// Ends the current word.
    fn end(&mut self) {
        if self.word.is_empty() {
            return;
        }
        match self.counts.get_mut(&self.word) {
            Some(count) => *count += 1,
            None => {
                self.counts.insert(self.word.clone(), 1);
            }
        }
        self.word.clear();
    }
}

impl Sink for &mut WordCounts {
    fn accept(&mut self, c: char, _source: Span) {
        let flags = unicode::flags(c);
        if flags & (SPACE | PUNCTUATION) != 0 {
            self.end();
        }
        if flags & SPACE == 0 {
            self.word.push(c);
        }
        if flags & PUNCTUATION != 0 {
            self.end();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use super::{TokenizerTrainer, TrainOptions};
    use crate::ErrorKind;

    fn counts(options: TrainOptions, texts: &[&str]) -> Vec<(String, u64)> {
        let mut trainer = TokenizerTrainer::new(options).unwrap();
        texts.iter().for_each(|text| trainer.add(text));
        let mut counts: Vec<_> = trainer.words.counts.into_iter().collect();
        counts.sort();
        counts
    }

    #[test]
    fn words_are_those_of_berts_tokenizer() {
        let found =
            counts(TrainOptions::default(), &["Low, low-\u{e9}t\u{e9}", "\u{4e2d}\u{6587} LOW"]);
        let expected =
            [(",", 1), ("-", 1), ("ete", 1), ("low", 3), ("\u{4e2d}", 1), ("\u{6587}", 1)];
        assert_eq!(found, expected.map(|(word, count)| (word.to_owned(), count)));

        let cased =
            TrainOptions { lowercase: false, handle_chinese_chars: false, ..Default::default() };
        let found = counts(cased, &["Low \u{c9}t\u{e9}", "\u{4e2d}\u{6587}"]);
        let expected = [("Low", 1), ("\u{c9}t\u{e9}", 1), ("\u{4e2d}\u{6587}", 1)];
        assert_eq!(found, expected.map(|(word, count)| (word.to_owned(), count)));
    }

    #[test]
    fn what_cannot_be_trained_is_refused() {
        let special_tokens = vec!["[PAD]".into(), "[UNK]".into(), "[SEP]".into()];
        let options = TrainOptions { special_tokens, ..TrainOptions::default() };
        let error = TokenizerTrainer::new(options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadInput);
        let details = error.details().unwrap();
        assert_eq!((details.item(), details.expected()), (Some("special_tokens"), Some("[CLS]")));

        let mut trainer = TokenizerTrainer::new(TrainOptions::default()).unwrap();
        trainer.add(" \n\t");
        let error = trainer.finish().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadInput);
        assert!(error.to_string().contains("no word"), "{error}");
    }

    #[test]
    fn unknown_options_are_refused() {
        let error = serde_json::from_str::<TrainOptions>(r#"{"vocabsize": 5}"#).unwrap_err();
        assert!(error.to_string().contains("unknown field `vocabsize`"), "{error}");
        let read: TrainOptions =
            serde_json::from_str(r#"{"vocab_size": 5, "limit_alphabet": null}"#).unwrap();
        assert_eq!(
            read,
            TrainOptions { vocab_size: 5, limit_alphabet: None, ..TrainOptions::default() }
        );
    }
}
