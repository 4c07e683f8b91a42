//! `tokenizer.json`, as far as it describes a BERT.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::{
    decode::Decoder,
    json::{self, id},
    normalize::Normalizer,
    template::{Slot, Template},
    vocab::{Vocab, VocabBuilder},
};
use crate::json::{Object, Text, describe, read_as, whole};
use crate::{Error, Result};

/// Tokens and texts of a template at most: each of its parts may name the same long list of ids.
const MAX_SLOTS: usize = 64;

/// The file. Its truncation and padding are left-overs of whoever wrote it and are not read.
pub(super) struct TokenizerJson<'a> {
    file: Object<'a>,
    model: Object<'a>,
}

/// The model of a `tokenizer.json`.
pub(super) struct WordPieceModel {
    pub(super) vocab: Vocab,
    pub(super) unk_token: String,
    pub(super) prefix: String,
    pub(super) max_chars: usize,
}

/// A `BertNormalizer`; its `strip_accents` may be null.
#[derive(Deserialize)]
#[serde(default)]
struct BertNormalizer {
    clean_text: bool,
    handle_chinese_chars: bool,
    strip_accents: Option<bool>,
    lowercase: bool,
}

impl Default for BertNormalizer {
    fn default() -> Self {
        Self { clean_text: true, handle_chinese_chars: true, strip_accents: None, lowercase: true }
    }
}

/// The token of a `BertProcessing`, its text and its id.
type Token = (IgnoredAny, u32);

/// A `BertProcessing`.
#[derive(Deserialize)]
struct BertProcessing {
    cls: Token,
    sep: Token,
}

/// A `TemplateProcessing`.
#[derive(Deserialize)]
struct TemplateProcessing {
    single: Vec<Piece>,
    pair: Vec<Piece>,
    special_tokens: BTreeMap<String, Special>,
}

/// A part of a template: `{"Sequence": {"id": "A", "type_id": 0}}` or
/// `{"SpecialToken": {"id": "[CLS]", "type_id": 0}}`.
#[derive(Deserialize)]
enum Piece {
    Sequence { id: String, type_id: u32 },
    SpecialToken { id: String, type_id: u32 },
}

/// A special token of a template, which may have several ids.
#[derive(Deserialize)]
struct Special {
    ids: Vec<u32>,
}

impl<'a> TokenizerJson<'a> {
    /// Reads the file and checks that its parts are those of a BERT.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self> {
        let file = json::parse("tokenizer.json", bytes)?;
        let Some(model) = file.get("model") else { return Err(bad("there is no model in it")) };
        let model = read_as(model).unwrap_or_default();
        let found = match get_text(&model, "type") {
            None if model.get("merges").is_some() => Some("BPE".into()),
            None => None,
            Some(kind) if kind == "WordPiece" => None,
            other => other,
        };
        if let Some(found) = found {
            return Err(Error::BadTokenizer(format!(
                "tokenizer.json holds a {found} model; BERT's is WordPiece"
            )));
        }
        let file = Self { file, model };
        match &*kind(file.part("pre_tokenizer", "pretokenizers")) {
            "BertPreTokenizer" => Ok(file),
            other => Err(unsupported("pre_tokenizer", other, "BertPreTokenizer")),
        }
    }

    /// A part of the file; of a sequence of one, in `list`, that one.
    fn part(&self, name: &str, list: &str) -> Option<&'a RawValue> {
        let part = self.file.get(name)?;
        let parts: Option<Vec<&RawValue>> =
            read_as(part).and_then(|part: Object<'_>| part.get_as(list));
        match parts.as_deref() {
            Some(&[one]) if kind(Some(part)) == "Sequence" => Some(one),
            _ => Some(part),
        }
    }

    /// Tokens with their ids and flags.
    pub(super) fn added_tokens(&self) -> Vec<&'a RawValue> {
        self.file.get_as("added_tokens").unwrap_or_default()
    }

    /// The vocabulary and the rules that go with it.
    pub(super) fn model(&self) -> Result<WordPieceModel> {
        let or = |name: &str, default: &'static str| {
            get_text(&self.model, name).unwrap_or(default.into()).into_owned()
        };
        let max_chars = self.model.get("max_input_chars_per_word").and_then(whole);
        Ok(WordPieceModel {
            vocab: vocab(self.model.get("vocab"))?,
            unk_token: or("unk_token", "[UNK]"),
            prefix: or("continuing_subword_prefix", "##"),
            max_chars: max_chars.unwrap_or(100) as usize,
        })
    }

    /// `None` where the text is taken as it is.
    pub(super) fn normalizer(&self) -> Result<Option<Normalizer>> {
        let Some(part) = self.part("normalizer", "normalizers") else { return Ok(None) };
        match &*kind(Some(part)) {
            "BertNormalizer" => {
                let BertNormalizer { clean_text, handle_chinese_chars, strip_accents, lowercase } =
                    typed("normalizer", part)?;
                Ok(Some(Normalizer { clean_text, handle_chinese_chars, strip_accents, lowercase }))
            }
            other => Err(unsupported("normalizer", other, "BertNormalizer")),
        }
    }

    pub(super) fn decoder(&self) -> Result<Decoder> {
        let Some(part) = self.file.get("decoder") else { return Ok(Decoder::Plain) };
        match &*kind(Some(part)) {
            "WordPiece" => {
                let decoder: Object<'_> = typed("decoder", part)?;
                Ok(Decoder::WordPiece {
                    prefix: get_text(&decoder, "prefix").unwrap_or("##".into()).into_owned(),
                    cleanup: decoder.get_as("cleanup").unwrap_or(true),
                })
            }
            other => Err(unsupported("decoder", other, "WordPiece")),
        }
    }

    /// Where special tokens go.
    pub(super) fn template(&self) -> Result<Template> {
        let Some(part) = self.part("post_processor", "processors") else {
            return Ok(Template::bare());
        };
        match &*kind(Some(part)) {
            "BertProcessing" => {
                let BertProcessing { cls: (_, cls), sep: (_, sep) } =
                    typed("post_processor", part)?;
                Ok(Template::bert(cls, sep))
            }
            "TemplateProcessing" => {
                let processing: TemplateProcessing = typed("post_processor", part)?;
                processing.template().filter(Template::is_complete).ok_or_else(|| {
                    Error::BadTokenizer(format!(
                        "tokenizer.json: the post_processor is not one text, or one text and one \
                         pair, with special tokens that have ids, {MAX_SLOTS} tokens and texts at \
                         most"
                    ))
                })
            }
            other => Err(unsupported("post_processor", other, "TemplateProcessing")),
        }
    }
}

impl TemplateProcessing {
    fn template(&self) -> Option<Template> {
        Some(Template { single: self.slots(&self.single)?, pair: self.slots(&self.pair)? })
    }

    fn slots(&self, pieces: &[Piece]) -> Option<Vec<Slot>> {
        let mut slots = Vec::new();
        (pieces.len() <= MAX_SLOTS).then_some(())?;
        for piece in pieces {
            match *piece {
                Piece::Sequence { ref id, type_id } => {
                    let pair = ["A", "B"].iter().position(|text| text == id)? == 1;
                    slots.push(Slot::Text { pair, type_id });
                }
                Piece::SpecialToken { ref id, type_id } => {
                    let ids = &self.special_tokens.get(id)?.ids;
                    slots.extend(ids.iter().map(|&id| Slot::Special { id, type_id }));
                }
            }
            (slots.len() <= MAX_SLOTS).then_some(())?;
        }
        Some(slots)
    }
}

/// The `type` of a part; empty where there is none.
fn kind(part: Option<&RawValue>) -> Cow<'_, str> {
    let part: Option<Object<'_>> = part.and_then(read_as);
    part.and_then(|part| get_text(&part, "type")).unwrap_or_default()
}

/// A string of an object.
fn get_text<'a>(object: &Object<'a>, name: &str) -> Option<Cow<'a, str>> {
    object.get_as(name).map(|Text(text)| text)
}

/// A part of the file as what its type makes it.
fn typed<'a, T: Deserialize<'a>>(name: &str, part: &'a RawValue) -> Result<T> {
    crate::json::parse(part.get().as_bytes())
        .map_err(|error| Error::BadTokenizer(format!("tokenizer.json: the {name}: {error}")))
}

fn unsupported(part: &str, found: &str, expected: &str) -> Error {
    let found = if found.is_empty() { "missing" } else { found };
    Error::Unsupported(format!("tokenizer.json: the {part} is {found}; BERT's is {expected}"))
}

fn bad(what: &str) -> Error {
    Error::BadTokenizer(format!("tokenizer.json is not what it should be: {what}"))
}

/// `{"token": id, …}` as a vocabulary.
fn vocab(entries: Option<&RawValue>) -> Result<Vocab> {
    let Some(entries) = entries.and_then(read_as::<Object<'_>>) else {
        let found = entries.map_or("missing", |entries| describe(entries.get()));
        return Err(bad(&format!("model.vocab is {found}, not an object of tokens and ids")));
    };
    let mut vocab = VocabBuilder::default();
    for (token, number) in &entries.0 {
        let id = id(number).ok_or_else(|| {
            bad(&format!("model.vocab has the id {} for \"{token}\"", describe(number.get())))
        })?;
        vocab.insert(token, id)?;
    }
    Ok(vocab.finish())
}
