//! `tokenizer.json`, as far as it describes a BERT.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;

use super::{
    decode::Decoder,
    json::{self, flag, kind},
    normalize::Normalizer,
    template::{Slot, Template},
    vocab::{Vocab, VocabBuilder},
};
use crate::{Error, Result};

/// The file. Its truncation and padding are left-overs of whoever wrote it and are not read.
#[derive(Deserialize)]
pub(super) struct TokenizerJson {
    /// Objects with text, id and flags.
    #[serde(default)]
    pub(super) added_tokens: Vec<Value>,
    #[serde(default)]
    normalizer: Value,
    #[serde(default)]
    pre_tokenizer: Value,
    #[serde(default)]
    post_processor: Value,
    #[serde(default)]
    decoder: Value,
    model: Model,
}

#[derive(Deserialize)]
struct Model {
    #[serde(rename = "type")]
    kind: Option<String>,
    unk_token: Option<String>,
    continuing_subword_prefix: Option<String>,
    max_input_chars_per_word: Option<usize>,
    merges: Option<IgnoredAny>,
    vocab: Entries,
}

/// The model of a `tokenizer.json`.
pub(super) struct WordPieceModel {
    pub(super) vocab: Vocab,
    pub(super) unk_token: String,
    pub(super) prefix: String,
    pub(super) max_chars: usize,
}

impl TokenizerJson {
    /// Reads the file and checks that its parts are those of a BERT.
    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        let file: Self = json::parse("tokenizer.json", bytes)?;
        let model = &file.model;
        let found = match model.kind.as_deref() {
            None if model.merges.is_some() => Some("BPE"),
            None | Some("WordPiece") => None,
            other => other,
        };
        if let Some(found) = found {
            return Err(Error::BadTokenizer(format!(
                "tokenizer.json holds a {found} model; BERT's is WordPiece"
            )));
        }
        let splitter = only(&file.pre_tokenizer, "pretokenizers");
        match kind(splitter) {
            "BertPreTokenizer" => Ok(file),
            other => Err(unsupported("pre_tokenizer", other, "BertPreTokenizer")),
        }
    }

    /// The vocabulary and the rules that go with it.
    pub(super) fn model(&mut self) -> Result<WordPieceModel> {
        let vocab = self.model.vocab.0.take().ok_or_else(|| {
            Error::BadTokenizer("tokenizer.json: model.vocab is a list, not an object".into())
        })?;
        let or = |value: &Option<String>, default: &str| value.clone().unwrap_or(default.into());
        Ok(WordPieceModel {
            vocab,
            unk_token: or(&self.model.unk_token, "[UNK]"),
            prefix: or(&self.model.continuing_subword_prefix, "##"),
            max_chars: self.model.max_input_chars_per_word.unwrap_or(100),
        })
    }

    /// `None` where the text is taken as it is.
    pub(super) fn normalizer(&self) -> Result<Option<Normalizer>> {
        let normalizer = only(&self.normalizer, "normalizers");
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
        let decoder = &self.decoder;
        match kind(decoder) {
            _ if decoder.is_null() => Ok(Decoder::Plain),
            "WordPiece" => Ok(Decoder::WordPiece {
                prefix: decoder.get("prefix").and_then(Value::as_str).unwrap_or("##").into(),
                cleanup: flag(decoder, "cleanup").unwrap_or(true),
            }),
            other => Err(unsupported("decoder", other, "WordPiece")),
        }
    }

    /// Where special tokens go.
    pub(super) fn template(&self) -> Result<Template> {
        let processor = only(&self.post_processor, "processors");
        let damaged = || {
            Error::BadTokenizer(
                "tokenizer.json: the post_processor is not one text, or one text and one pair, \
                 with special tokens that have ids"
                    .into(),
            )
        };
        match kind(processor) {
            _ if processor.is_null() => Ok(Template::bare()),
            "BertProcessing" => {
                let id = |name| id(processor.get(name)?.get(1)?);
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

/// The one part of a sequence of one, or else the part itself.
fn only<'a>(part: &'a Value, list: &str) -> &'a Value {
    match part.get(list).and_then(Value::as_array).map(Vec::as_slice) {
        Some([one]) if kind(part) == "Sequence" => one,
        _ => part,
    }
}

fn id(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|id| u32::try_from(id).ok())
}

/// The parts of a template, `{"Sequence": {"id": "A", "type_id": 0}}` or
/// `{"SpecialToken": {"id": "[CLS]", "type_id": 0}}`; a special token may have several ids.
fn slots(processor: &Value, name: &str) -> Option<Vec<Slot>> {
    let mut slots = Vec::new();
    for part in processor.get(name)?.as_array()? {
        let (part, is_text) = match part.get("Sequence") {
            Some(text) => (text, true),
            None => (part.get("SpecialToken")?, false),
        };
        let type_id = id(part.get("type_id")?)?;
        let name = part.get("id")?.as_str()?;
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
    }
    Some(slots)
}

/// `{"token": id, …}`, read straight into a vocabulary; `None` for the list that other models
/// have there.
struct Entries(Option<Vocab>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tokens and ids")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Entries, A::Error> {
        let mut vocab = VocabBuilder::default();
        while let Some((Text(token), id)) = map.next_entry::<Text<'_>, u32>()? {
            vocab.insert(&token, id).map_err(de::Error::custom)?;
        }
        Ok(Entries(Some(vocab.finish())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Entries, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Entries(None))
    }
}

/// A string that is borrowed from the file wherever it holds no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
