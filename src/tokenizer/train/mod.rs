//! A WordPiece vocabulary made from text: what `BertWordPieceTokenizer.train` of Hugging Face's
//! `tokenizers` gives.
//!
//! Texts are normalised and split as BERT's tokenizer splits them, and only the words are kept, with
//! their counts; `merges` then makes the vocabulary, and `files` writes it as a checkpoint has it.
//! The library breaks ties by the order in which a randomly seeded hash map gives out the pieces
//! `##c`; here they are in the order of their code points, so that a text has one vocabulary.
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

use std::collections::HashMap;

use serde::Deserialize;

use super::unicode::{self, PUNCTUATION, SPACE};
use super::{Span, span};
use crate::tokenizer::bert::normalize::{Normalizer, Sink, Stream};
use crate::{Error, Result};

/// What begins a piece that goes on with a word.
const PREFIX: &str = "##";

/// The tokens without which BERT's tokenizer cannot be loaded.
const NEEDED: [&str; 4] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];

/// What is asked of a vocabulary. Names and defaults are those of `BertWordPieceTokenizer` and of its
/// `train`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainOptions {
    /// Tokens of the whole vocabulary; the special tokens and the alphabet stay even where they are more.
    pub vocab_size: usize,
    /// How often a pair of pieces has to occur to become a piece; 0 is as 1.
    pub min_frequency: u64,
    /// The most characters of the alphabet, the most frequent ones; `None`: all.
    pub limit_alphabet: Option<usize>,
    /// Characters that are in the alphabet whether they occur or not: the first one of each text.
    pub initial_alphabet: Vec<String>,
    /// The first tokens, in order.
    pub special_tokens: Vec<String>,
    /// Control characters go, white space becomes U+0020.
    pub clean_text: bool,
    /// Ideographs become words by themselves.
    pub handle_chinese_chars: bool,
    /// Accents go; `None`: where case goes.
    pub strip_accents: Option<bool>,
    /// Case goes.
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
                return Err(Error::BadInput(format!(
                    "special_tokens has no {token}, without which BERT's tokenizer cannot work"
                )));
            }
        }
        if self.special_tokens.iter().any(String::is_empty) {
            return Err(Error::BadInput("special_tokens has an empty token".into()));
        }
        if self.initial_alphabet.iter().any(String::is_empty) {
            return Err(Error::BadInput("initial_alphabet has an empty text".into()));
        }
        Ok(())
    }

    fn normalizer(&self) -> Normalizer {
        let Self { clean_text, handle_chinese_chars, strip_accents, lowercase, .. } = *self;
        Normalizer { clean_text, handle_chinese_chars, strip_accents, lowercase }
    }
}

/// Takes texts one by one, then makes a vocabulary of their words. Memory goes with the number of different
/// words, not with the texts.
#[derive(Debug)]
pub struct TokenizerTrainer {
    options: TrainOptions,
    words: WordCounts,
}

impl TokenizerTrainer {
    /// # Errors
    /// `BadInput` where a special token that BERT needs is missing, or a text of the options is empty.
    pub fn new(options: TrainOptions) -> Result<Self> {
        options.check()?;
        Ok(Self { options, words: WordCounts::default() })
    }

    /// Counts the words of a text. Special tokens that are written in it are text like any other.
    pub fn add(&mut self, text: &str) {
        let mut stream = Stream::new(self.options.normalizer(), &mut self.words);
        for (at, c) in text.char_indices() {
            stream.push(c, span(at, at + c.len_utf8()));
        }
        stream.finish();
        self.words.end();
    }

    /// How many different words there are so far.
    pub fn distinct_words(&self) -> usize {
        self.words.counts.len()
    }

    /// Makes the vocabulary.
    ///
    /// # Errors
    /// `BadInput` where the texts had no word at all, and nothing else gives an alphabet.
    pub fn finish(self) -> Result<TrainedTokenizer> {
        let Self { options, words } = self;
        let words: Vec<(String, u64)> = words.counts.into_iter().collect();
        if words.is_empty() && options.initial_alphabet.is_empty() {
            return Err(Error::BadInput("the texts have no word to make a vocabulary of".into()));
        }
        let tokens = merges::vocabulary(&words, &options);
        Ok(TrainedTokenizer { options, tokens })
    }
}

/// A vocabulary and the rules it was made by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainedTokenizer {
    options: TrainOptions,
    /// In the order of their ids.
    tokens: Vec<String>,
}

impl TrainedTokenizer {
    /// The tokens in the order of their ids, from 0 on.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }
}

/// The words of normalised text and how often each occurs.
#[derive(Debug, Default)]
struct WordCounts {
    counts: HashMap<String, u64>,
    /// The word so far.
    word: String,
}

impl WordCounts {
    /// Ends the word so far.
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
    use crate::Error;

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
        assert!(matches!(&error, Error::BadInput(text) if text.contains("[CLS]")), "{error}");

        let mut trainer = TokenizerTrainer::new(TrainOptions::default()).unwrap();
        trainer.add(" \n\t");
        let error = trainer.finish().unwrap_err();
        assert!(matches!(&error, Error::BadInput(text) if text.contains("no word")), "{error}");
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
