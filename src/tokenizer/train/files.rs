//! Writes a trained vocabulary as checkpoint files.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{PREFIX, TrainedTokenizer};
use crate::{Error, Result};

/// Words with more characters become `[UNK]`, as in every BERT.
const MAX_CHARS: usize = 100;

impl TrainedTokenizer {
    /// Returns `tokenizer.json` in the format of `BertTokenizerFast`.
    ///
    /// # Errors
    /// `OutOfMemory`. Writing these texts as JSON cannot fail in any other way.
    pub fn tokenizer_json(&self) -> Result<String> {
        let id = |token: &str| self.tokens.iter().position(|other| other == token);
        let special = |token: &str| json!({ "id": token, "ids": [id(token)], "tokens": [token] });
        let file = TokenizerJson {
            version: "1.0",
            truncation: None,
            padding: None,
            added_tokens: self.special_tokens().map(|(id, token)| added(token, Some(id))).collect(),
            normalizer: json!({
                "type": "BertNormalizer",
                "clean_text": self.options.clean_text,
                "handle_chinese_chars": self.options.handle_chinese_chars,
                "strip_accents": self.options.strip_accents,
                "lowercase": self.options.lowercase,
            }),
            pre_tokenizer: json!({ "type": "BertPreTokenizer" }),
            post_processor: json!({
                "type": "TemplateProcessing",
                "single": [piece("[CLS]", 0), text("A", 0), piece("[SEP]", 0)],
                "pair": [
                    piece("[CLS]", 0), text("A", 0), piece("[SEP]", 0), text("B", 1), piece("[SEP]", 1)
                ],
                "special_tokens": { "[CLS]": special("[CLS]"), "[SEP]": special("[SEP]") },
            }),
            decoder: json!({ "type": "WordPiece", "prefix": PREFIX, "cleanup": true }),
            model: Model {
                kind: "WordPiece",
                unk_token: "[UNK]",
                continuing_subword_prefix: PREFIX,
                max_input_chars_per_word: MAX_CHARS,
                vocab: Vocab(&self.tokens),
            },
        };
        written("tokenizer.json", &file)
    }

    /// Returns `tokenizer_config.json`. `max_length` is the model's maximum number of tokens.
    ///
    /// # Errors
    /// The errors of [`TrainedTokenizer::tokenizer_json`].
    pub fn tokenizer_config(&self, max_length: usize) -> Result<String> {
        let decoder = self.special_tokens().map(|(id, token)| (id.to_string(), added(token, None)));
        let has_mask = self.tokens.iter().any(|token| token == "[MASK]");
        let file = json!({
            "added_tokens_decoder": decoder.collect::<serde_json::Map<_, _>>(),
            "cls_token": "[CLS]",
            "do_lower_case": self.options.lowercase,
            "mask_token": has_mask.then_some("[MASK]"),
            "model_max_length": max_length,
            "pad_token": "[PAD]",
            "sep_token": "[SEP]",
            "strip_accents": self.options.strip_accents,
            "tokenize_chinese_chars": self.options.handle_chinese_chars,
            "tokenizer_class": "BertTokenizer",
            "unk_token": "[UNK]",
        });
        written("tokenizer_config.json", &file)
    }

    /// Returns `vocab.txt`, with one token per line.
    pub fn vocab_txt(&self) -> String {
        self.tokens.iter().flat_map(|token| [token, "\n"]).collect()
    }

    /// Returns the special tokens with their ids. They are the first tokens of the vocabulary,
    /// without duplicates.
    fn special_tokens(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_special = |token: &&String| self.options.special_tokens.contains(token);
        self.tokens.iter().take_while(is_special).map(String::as_str).enumerate()
    }
}

fn written(name: &str, file: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(file)
        .map_err(|error| Error::OutOfMemory(format!("{name} cannot be written: {error}")))
}

/// Returns a special token with its flags.
fn added(token: &str, id: Option<usize>) -> Value {
    let mut value = json!({
        "content": token, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
        "special": true,
    });
    if let Some(id) = id {
        value["id"] = json!(id);
    }
    value
}

/// Returns a special token of a template.
fn piece(token: &str, type_id: u32) -> Value {
    json!({ "SpecialToken": { "id": token, "type_id": type_id } })
}

/// Returns a text of a template: `A`, or its pair `B`.
fn text(id: &str, type_id: u32) -> Value {
    json!({ "Sequence": { "id": id, "type_id": type_id } })
}

#[derive(Serialize)]
struct TokenizerJson<'a> {
    version: &'static str,
    truncation: Option<()>,
    padding: Option<()>,
    added_tokens: Vec<Value>,
    normalizer: Value,
    pre_tokenizer: Value,
    post_processor: Value,
    decoder: Value,
    model: Model<'a>,
}

#[derive(Serialize)]
struct Model<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    unk_token: &'static str,
    continuing_subword_prefix: &'static str,
    max_input_chars_per_word: usize,
    vocab: Vocab<'a>,
}

/// Maps tokens to ids, in the order of ids.
struct Vocab<'a>(&'a [String]);

impl Serialize for Vocab<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (id, token) in self.0.iter().enumerate() {
            map.serialize_entry(token, &id)?;
        }
        map.end()
    }
}
