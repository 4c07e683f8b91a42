//! `tokenizer.json`, as far as it describes a BERT.

use std::borrow::Cow;

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
        match &*kind(&file.part("pre_tokenizer", "pretokenizers").unwrap_or_default()) {
            "BertPreTokenizer" => Ok(file),
            other => Err(unsupported("pre_tokenizer", other, "BertPreTokenizer")),
        }
    }

    /// A part of the file, null being none; of a sequence of one, in `list`, that one.
    fn part(&self, name: &str, list: &str) -> Option<Object<'a>> {
        let part: Object<'_> = self.file.get(name).map(read_as)?.unwrap_or_default();
        let parts = if kind(&part) == "Sequence" { part.get_as(list) } else { None };
        match parts.map(|parts: Vec<Object<'_>>| <[_; 1]>::try_from(parts)) {
            Some(Ok([one])) => Some(one),
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
        let flag = |name| part.get_as::<bool>(name);
        match &*kind(&part) {
            "BertNormalizer" => Ok(Some(Normalizer {
                clean_text: flag("clean_text").unwrap_or(true),
                handle_chinese_chars: flag("handle_chinese_chars").unwrap_or(true),
                strip_accents: flag("strip_accents"),
                lowercase: flag("lowercase").unwrap_or(true),
            })),
            other => Err(unsupported("normalizer", other, "BertNormalizer")),
        }
    }

    pub(super) fn decoder(&self) -> Result<Decoder> {
        let Some(part) = self.file.get("decoder") else { return Ok(Decoder::Plain) };
        let part: Object<'_> = read_as(part).unwrap_or_default();
        match &*kind(&part) {
            "WordPiece" => Ok(Decoder::WordPiece {
                prefix: get_text(&part, "prefix").unwrap_or("##".into()).into_owned(),
                cleanup: part.get_as("cleanup").unwrap_or(true),
            }),
            other => Err(unsupported("decoder", other, "WordPiece")),
        }
    }

    /// Where special tokens go.
    pub(super) fn template(&self) -> Result<Template> {
        let Some(part) = self.part("post_processor", "processors") else {
            return Ok(Template::bare());
        };
        let damaged = || {
            Error::BadTokenizer(format!(
                "tokenizer.json: the post_processor is not one text, or one text and one pair, \
                 with special tokens that have ids, {MAX_SLOTS} tokens and texts at most"
            ))
        };
        match &*kind(&part) {
            "BertProcessing" => {
                let id = |name| id(part.get_as::<Vec<&RawValue>>(name)?.get(1)?);
                let (cls, sep) = (id("cls").ok_or_else(damaged)?, id("sep").ok_or_else(damaged)?);
                Ok(Template::bert(cls, sep))
            }
            "TemplateProcessing" => {
                let special = part.get_as("special_tokens").unwrap_or_default();
                let slots = |name| slots(part.get_as(name)?, &special);
                let (single, pair) = (slots("single"), slots("pair"));
                let template = single.zip(pair).map(|(single, pair)| Template { single, pair });
                template.filter(Template::is_complete).ok_or_else(damaged)
            }
            other => Err(unsupported("post_processor", other, "TemplateProcessing")),
        }
    }
}

/// The parts of a template, `{"Sequence": {"id": "A", "type_id": 0}}` or
/// `{"SpecialToken": {"id": "[CLS]", "type_id": 0}}`; a special token may have several ids.
fn slots(parts: Vec<Object<'_>>, special: &Object<'_>) -> Option<Vec<Slot>> {
    let mut slots = Vec::new();
    // Of each part its tokens are looked for by name, of which there may be many, too.
    (parts.len() <= MAX_SLOTS).then_some(())?;
    for part in parts {
        let text: Option<Object<'_>> = part.get_as("Sequence");
        let is_text = text.is_some();
        let part = text.or_else(|| part.get_as("SpecialToken"))?;
        let type_id = id(part.get("type_id")?)?;
        match (is_text, &*get_text(&part, "id")?) {
            (true, "A") => slots.push(Slot::Text { pair: false, type_id }),
            (true, "B") => slots.push(Slot::Text { pair: true, type_id }),
            (true, _) => return None,
            (false, name) => {
                let token: Object<'_> = special.get_as(name)?;
                for value in token.get_as::<Vec<&RawValue>>("ids")? {
                    slots.push(Slot::Special { id: id(value)?, type_id });
                }
            }
        }
        (slots.len() <= MAX_SLOTS).then_some(())?;
    }
    Some(slots)
}

/// The `type` of a part; empty where there is none.
fn kind<'a>(part: &Object<'a>) -> Cow<'a, str> {
    get_text(part, "type").unwrap_or_default()
}

/// A string of an object.
fn get_text<'a>(object: &Object<'a>, name: &str) -> Option<Cow<'a, str>> {
    object.get_as(name).map(|Text(text)| text)
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
