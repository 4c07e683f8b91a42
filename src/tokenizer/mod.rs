//! Converts text to ids with the byte range of each, and ids back to text. Supports WordPiece,
//! WordLevel, byte-pair encoding and Unigram.
//!
//! A text passes through these modules in order:
//!
//! - `added`: splits off the special tokens in the text; the `automaton` finds them
//! - `bert`: BERT's tokenizer, in one pass over the rest. `normalize` cleans the text and removes
//!   accents and case. `words` splits it at white space and punctuation. `wordpiece` splits each
//!   word into the longest tokens of the `vocab`
//! - `pipeline`: all other tokenizers, built from the parts of a `tokenizer.json`. Unsupported
//!   without the feature `tokenizers`
//! - `cache`: the tokens of repeated words
//! - `truncate`, `template`, `pad`: the length of an encoding, and its special tokens
//!
//! `files` reads a checkpoint's files, `decode` returns text, and `train` builds vocabularies.
//! `unicode` holds the properties of characters. Results equal Hugging Face's fast tokenizers,
//! including their quirks, because models were trained on them.

mod added;
mod automaton;
mod bert;
mod cache;
mod count;
mod decode;
mod encode;
mod encoding;
mod files;
mod normalized;
mod options;
mod pad;
#[cfg_attr(not(feature = "tokenizers"), path = "no_pipeline.rs")]
mod pipeline;
#[cfg(feature = "train")]
mod segment;
mod template;
#[cfg(feature = "train")]
pub mod train;
mod truncate;
mod unicode;
mod vocab;
mod word_shapes;
#[cfg(feature = "families")]
mod words;

pub(crate) use count::Count;
pub use count::{MAX_TOKENS, MAX_WINDOWS};
pub use encoding::{Encoding, Span};
pub use files::load::Files;
pub use options::{EncodeOptions, Padding, Side, Truncation};
#[cfg(feature = "train")]
pub use segment::Segment;
pub(crate) use unicode::lower;
#[cfg(feature = "families")]
pub(crate) use words::words;

use added::AddedTokens;
use bert::normalize::{Ascii, Normalizer};
use bert::wordpiece::WordPiece;
use decode::Decoder;
use encoding::span;
use pipeline::{Pipeline, Trim};
use template::Template;
use vocab::Vocab;
use word_shapes::set_word_shapes;

/// Whether larger code is used for speed. False only in the binary that runs models on a GPU alone,
/// because the size of its first download matters more.
const IS_FAST: bool = cfg!(any(feature = "cpu", feature = "tokenizers"));

/// The position of a text in the input, for rules about its first token: 0 for a text alone, 1 for
/// a text with a pair, 2 for the pair. `None` means that no special tokens are added.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Place(Option<usize>);

#[cfg(feature = "tokenizers")]
impl Place {
    /// The number of positions.
    const COUNT: usize = 3;
}

/// A special token: its text and id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Special {
    /// The token's text.
    pub token: String,
    /// The token's index in the vocabulary.
    pub id: u32,
}

/// The tokens with a role. A checkpoint may lack some of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecialTokens {
    /// Begins every input: `[CLS]`.
    pub cls: Option<Special>,
    /// Ends the text and the pair: `[SEP]`.
    pub sep: Option<Special>,
    /// Fills unused positions: `[PAD]`.
    pub pad: Option<Special>,
    /// Replaces a word without tokens: `[UNK]`.
    pub unk: Option<Special>,
    /// Marks a token to be predicted: `[MASK]`.
    pub mask: Option<Special>,
}

/// How the text between added tokens is split into tokens.
#[derive(Debug, Clone)]
enum Model {
    /// BERT's model.
    WordPiece {
        model: Box<WordPiece>,
        normalizer: Option<Normalizer>,
        /// The result of `Normalizer::ascii` for `normalizer`.
        ascii: Box<[Ascii; 256]>,
    },
    /// Any other model.
    Pipeline(Pipeline),
}

impl Model {
    fn vocab(&self) -> &Vocab {
        match self {
            Self::WordPiece { model, .. } => model.vocab(),
            Self::Pipeline(pipeline) => pipeline.vocab(),
        }
    }
}

/// A tokenizer: a vocabulary and the rules of one checkpoint.
#[derive(Debug, Clone)]
pub struct Tokenizer {
    model: Model,
    /// If set, white space is removed from spans.
    trim: Option<Trim>,
    added: AddedTokens,
    template: Template,
    decoder: Decoder,
    special: SpecialTokens,
    model_max_length: Option<usize>,
    /// `clean_up_tokenization_spaces`
    cleans_up: bool,
    /// `split_special_tokens`
    splits_special: bool,
    /// Whether `model_input_names` has `token_type_ids`.
    has_types: bool,
    /// Whether token types say how a word is written: see `word_shapes`.
    has_word_shapes: bool,
    /// Whether `model_input_names` has `attention_mask`.
    has_mask: bool,
    /// Warnings about unknown fields of the files.
    warnings: Vec<String>,
    padding_side: Side,
    truncation_side: Side,
}

impl Tokenizer {
    /// Returns the text of a token, with `##`.
    pub fn token(&self, id: u32) -> Option<&str> {
        let added = self.added.by_id(id).map(|token| token.content.as_str());
        added.or_else(|| self.model.vocab().token(id))
    }

    /// Returns the id of a token, written as in the vocabulary.
    pub fn id(&self, token: &str) -> Option<u32> {
        let added = self.added.by_content(token).map(|token| token.id);
        added.or_else(|| self.model.vocab().id(token))
    }

    /// Returns all tokens and their ids: first the vocabulary, then the added tokens, each ordered
    /// by id. If a text occurs twice, [`Tokenizer::id`] returns the last one.
    pub fn vocab(&self) -> impl Iterator<Item = (&str, u32)> {
        let added = self.added.in_order().map(|token| (token.content.as_str(), token.id));
        self.model.vocab().entries().chain(added)
    }

    /// Returns the ids of the special tokens without duplicates. Tokens with a role come first, in
    /// Hugging Face's order. The others follow, ordered by id.
    pub fn special_ids(&self) -> Vec<u32> {
        let SpecialTokens { cls, sep, pad, unk, mask } = &self.special;
        let roles = [unk, sep, pad, cls, mask];
        let others = self.added.in_order().filter(|token| token.special).map(|token| token.id);
        let mut ids: Vec<u32> = Vec::new();
        for id in roles.into_iter().flatten().map(|special| special.id) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let roles = ids.clone();
        ids.extend(others.filter(|id| !roles.contains(id)));
        ids.dedup();
        ids
    }

    /// Returns the side for padding: `right` or `left`.
    pub fn padding_side(&self) -> &'static str {
        self.padding_side.name()
    }

    /// Returns the side for truncation: `right` or `left`.
    pub fn truncation_side(&self) -> &'static str {
        self.truncation_side.name()
    }

    /// Returns the largest id plus one, with added tokens.
    pub fn vocab_size(&self) -> usize {
        self.model.vocab().size().max(self.added.size())
    }

    /// Returns the names of the inputs that a call returns. `input_ids` comes first.
    /// `token_type_ids` and `attention_mask` follow if the model takes them.
    pub fn model_input_names(&self) -> Vec<&'static str> {
        let types = self.has_types.then_some("token_type_ids");
        let mask = self.has_mask.then_some("attention_mask");
        [Some("input_ids"), types, mask].into_iter().flatten().collect()
    }

    /// Returns a warning for each unknown field of the files.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Sets the token types of the encoding of a text or its pair, if they say how words are written.
    pub(crate) fn set_types(&self, encoding: &mut Encoding, texts: [&str; 2]) {
        if self.has_word_shapes {
            set_word_shapes(encoding, texts);
        }
    }

    /// Returns the tokens with a role.
    pub fn special(&self) -> &SpecialTokens {
        &self.special
    }

    /// Returns whether `decode` omits the token when it skips special tokens.
    pub fn is_special(&self, id: u32) -> bool {
        self.added.by_id(id).is_some_and(|token| token.special)
    }

    /// Returns the model's maximum number of tokens; `None` if the checkpoint does not set it.
    pub fn model_max_length(&self) -> Option<usize> {
        self.model_max_length
    }
}
