//! `tokenizer.json`, as far as it describes a BERT.

use super::{
    decode::Decoder,
    json::{self, flag, id, kind},
    normalize::Normalizer,
    template::{Slot, Template},
    vocab::{Vocab, VocabBuilder},
};
use crate::json::Value;
use crate::{Error, Result};

/// Tokens and texts of a template at most: each of its parts may name the same long list of ids.
const MAX_SLOTS: usize = 64;

/// The file. Its truncation and padding are left-overs of whoever wrote it and are not read.
pub(super) struct TokenizerJson<'a>(Value<'a>);

/// The model of a `tokenizer.json`.
pub(super) struct WordPieceModel {
    pub(super) vocab: Vocab,
    pub(super) unk_token: String,
    pub(super) prefix: String,
    pub(super) max_chars: usize,
}

impl<'a> TokenizerJson<'a> {
    /// Reads the file and checks that its parts are those of a BERT.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self> {
        let file = Self(json::parse("tokenizer.json", bytes)?);
        let model = file.part("model");
        let found = match model.get("type").and_then(Value::as_text) {
            _ if model.is_null() => return Err(bad("there is no model in it")),
            None if model.get("merges").is_some() => Some("BPE"),
            None | Some("WordPiece") => None,
            other => other,
        };
        if let Some(found) = found {
            return Err(Error::BadTokenizer(format!(
                "tokenizer.json holds a {found} model; BERT's is WordPiece"
            )));
        }
        match kind(only(file.part("pre_tokenizer"), "pretokenizers")) {
            "BertPreTokenizer" => Ok(file),
            other => Err(unsupported("pre_tokenizer", other, "BertPreTokenizer")),
        }
    }

    /// A part of the file; null where there is none.
    fn part(&self, name: &str) -> &Value<'a> {
        self.0.get(name).unwrap_or(&Value::Null)
    }

    /// Objects with text, id and flags.
    pub(super) fn added_tokens(&self) -> &[Value<'a>] {
        self.part("added_tokens").as_array().unwrap_or_default()
    }

    /// The vocabulary and the rules that go with it.
    pub(super) fn model(&self) -> Result<WordPieceModel> {
        let model = self.part("model");
        let or = |name: &str, default: &str| {
            model.get(name).and_then(Value::as_text).unwrap_or(default).to_owned()
        };
        let max_chars = model.get("max_input_chars_per_word").and_then(Value::as_whole);
        Ok(WordPieceModel {
            vocab: vocab(model.get("vocab").unwrap_or(&Value::Null))?,
            unk_token: or("unk_token", "[UNK]"),
            prefix: or("continuing_subword_prefix", "##"),
            max_chars: max_chars.unwrap_or(100) as usize,
        })
    }

    /// `None` where the text is taken as it is.
    pub(super) fn normalizer(&self) -> Result<Option<Normalizer>> {
        let normalizer = only(self.part("normalizer"), "normalizers");
        match kind(normalizer) {
            _ if normalizer.is_null() => Ok(None),
            "BertNormalizer" => Ok(Some(Normalizer {
                clean_text: flag(normalizer, "clean_text").unwrap_or(true),
                handle_chinese_chars: flag(normalizer, "handle_chinese_chars").unwrap_or(true),
                strip_accents: flag(normalizer, "strip_accents"),
                lowercase: flag(normalizer, "lowercase").unwrap_or(true),
            })),
            other => Err(unsupported("normalizer", other, "BertNormalizer")),
        }
    }

    pub(super) fn decoder(&self) -> Result<Decoder> {
        let decoder = self.part("decoder");
        match kind(decoder) {
            _ if decoder.is_null() => Ok(Decoder::Plain),
            "WordPiece" => Ok(Decoder::WordPiece {
                prefix: decoder.get("prefix").and_then(Value::as_text).unwrap_or("##").into(),
                cleanup: flag(decoder, "cleanup").unwrap_or(true),
            }),
            other => Err(unsupported("decoder", other, "WordPiece")),
        }
    }

    /// Where special tokens go.
    pub(super) fn template(&self) -> Result<Template> {
        let processor = only(self.part("post_processor"), "processors");
        let damaged = || {
            Error::BadTokenizer(format!(
                "tokenizer.json: the post_processor is not one text, or one text and one pair, \
                 with special tokens that have ids, {MAX_SLOTS} tokens and texts at most"
            ))
        };
        match kind(processor) {
            _ if processor.is_null() => Ok(Template::bare()),
            "BertProcessing" => {
                let id = |name| id(processor.get(name)?.as_array()?.get(1)?);
                let (cls, sep) = (id("cls").ok_or_else(damaged)?, id("sep").ok_or_else(damaged)?);
                Ok(Template::bert(cls, sep))
            }
            "TemplateProcessing" => {
                let slots = |name| slots(processor, name).ok_or_else(damaged);
                let template = Template { single: slots("single")?, pair: slots("pair")? };
                template.is_complete().then_some(template).ok_or_else(damaged)
            }
            other => Err(unsupported("post_processor", other, "TemplateProcessing")),
        }
    }
}

fn unsupported(part: &str, found: &str, expected: &str) -> Error {
    let found = if found.is_empty() { "missing" } else { found };
    Error::Unsupported(format!("tokenizer.json: the {part} is {found}; BERT's is {expected}"))
}

fn bad(what: &str) -> Error {
    Error::BadTokenizer(format!("tokenizer.json is not what it should be: {what}"))
}

/// `{"token": id, …}` as a vocabulary.
fn vocab(entries: &Value<'_>) -> Result<Vocab> {
    if !matches!(entries, Value::Object(_)) {
        let found = entries.describe();
        return Err(bad(&format!("model.vocab is {found}, not an object of tokens and ids")));
    }
    let mut vocab = VocabBuilder::default();
    for (token, number) in entries.entries() {
        let id = id(number).ok_or_else(|| {
            bad(&format!("model.vocab has the id {} for \"{token}\"", number.describe()))
        })?;
        vocab.insert(token, id)?;
    }
    Ok(vocab.finish())
}

/// The one part of a sequence of one, or else the part itself.
fn only<'v, 'a>(part: &'v Value<'a>, list: &str) -> &'v Value<'a> {
    match part.get(list).and_then(Value::as_array) {
        Some([one]) if kind(part) == "Sequence" => one,
        _ => part,
    }
}

/// The parts of a template, `{"Sequence": {"id": "A", "type_id": 0}}` or
/// `{"SpecialToken": {"id": "[CLS]", "type_id": 0}}`; a special token may have several ids.
fn slots(processor: &Value<'_>, name: &str) -> Option<Vec<Slot>> {
    let mut slots = Vec::new();
    // Of each part its tokens are looked for by name, of which there may be many, too.
    for part in processor.get(name)?.as_array().filter(|parts| parts.len() <= MAX_SLOTS)? {
        let (part, is_text) = match part.get("Sequence") {
            Some(text) => (text, true),
            None => (part.get("SpecialToken")?, false),
        };
        let type_id = id(part.get("type_id")?)?;
        let name = part.get("id")?.as_text()?;
        match (is_text, name) {
            (true, "A") => slots.push(Slot::Text { pair: false, type_id }),
            (true, "B") => slots.push(Slot::Text { pair: true, type_id }),
            (true, _) => return None,
            (false, _) => {
                for value in processor.get("special_tokens")?.get(name)?.get("ids")?.as_array()? {
                    slots.push(Slot::Special { id: id(value)?, type_id });
                }
            }
        }
        (slots.len() <= MAX_SLOTS).then_some(())?;
    }
    Some(slots)
}
