//! `tokenizer.json`: its model, and what goes with it; `components` has the parts.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::{
    components::{self, flat},
    decode::Decoder,
    json,
    normalize::Normalizer,
    pipeline::{Pipeline, Subwords},
    pre_tokenizers::Splitter,
    template::{Slot, Template},
    trim::Trim,
    vocab::Vocab,
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

/// The model of a `tokenizer.json` and what prepares the text for it.
pub(super) enum ModelParts {
    /// BERT's.
    WordPiece(WordPieceModel, Option<Normalizer>),
    /// The others.
    Pipeline(Box<Pipeline>),
}

/// BERT's model.
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

/// A `BertProcessing` or `RobertaProcessing`.
#[derive(Deserialize)]
struct BertProcessing {
    cls: Token,
    sep: Token,
}

/// What a `ByteLevel` or `RobertaProcessing` does to spans.
#[derive(Deserialize)]
#[serde(default)]
struct Trimming {
    trim_offsets: bool,
    add_prefix_space: bool,
}

impl Default for Trimming {
    fn default() -> Self {
        Self { trim_offsets: true, add_prefix_space: true }
    }
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
    /// Reads the file.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self> {
        let file = json::parse("tokenizer.json", bytes)?;
        let Some(model) = file.get("model") else { return Err(bad("there is no model in it")) };
        let model = read_as(model).unwrap_or_default();
        Ok(Self { file, model })
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

    /// The model, and what prepares the text for it.
    pub(super) fn model(&self) -> Result<ModelParts> {
        let is_bpe = || self.model.get("merges").is_some();
        match get_text(&self.model, "type").as_deref() {
            Some("WordPiece") => self.word_piece(),
            Some("BPE") => self.pipeline(true),
            Some("Unigram") => self.pipeline(false),
            None if is_bpe() => self.pipeline(true),
            None => self.word_piece(),
            Some(other) => Err(unsupported("model", other)),
        }
    }

    fn word_piece(&self) -> Result<ModelParts> {
        let pre_tokenizer = kind(self.part("pre_tokenizer", "pretokenizers"));
        if pre_tokenizer != "BertPreTokenizer" {
            return Err(unlike_bert("pre_tokenizer", &pre_tokenizer, "BertPreTokenizer"));
        }
        Ok(ModelParts::WordPiece(self.word_piece_model()?, self.normalizer()?))
    }

    fn pipeline(&self, is_bpe: bool) -> Result<ModelParts> {
        let pre_tokenizers = components::pre_tokenizers(self.file.get("pre_tokenizer"))?;
        let byte_level = matches!(pre_tokenizers.last(), Some(Splitter::ByteLevel { .. }));
        let model = match is_bpe {
            true => Subwords::Bpe(components::bpe(&self.model, byte_level)?),
            false if byte_level => {
                return Err(unsupported("pre_tokenizer", "ByteLevel before a Unigram model"));
            }
            false => Subwords::Unigram(Box::new(components::unigram(&self.model)?)),
        };
        let normalizers = components::normalizers(self.file.get("normalizer"))?;
        Ok(ModelParts::Pipeline(Box::new(Pipeline { normalizers, pre_tokenizers, model })))
    }

    /// Tokens with their ids and flags.
    pub(super) fn added_tokens(&self) -> Vec<&'a RawValue> {
        self.file.get_as("added_tokens").unwrap_or_default()
    }

    fn word_piece_model(&self) -> Result<WordPieceModel> {
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
    fn normalizer(&self) -> Result<Option<Normalizer>> {
        let Some(part) = self.part("normalizer", "normalizers") else { return Ok(None) };
        match &*kind(Some(part)) {
            "BertNormalizer" => {
                let BertNormalizer { clean_text, handle_chinese_chars, strip_accents, lowercase } =
                    typed("normalizer", part)?;
                Ok(Some(Normalizer { clean_text, handle_chinese_chars, strip_accents, lowercase }))
            }
            other => Err(unlike_bert("normalizer", other, "BertNormalizer")),
        }
    }

    pub(super) fn decoder(&self) -> Result<Decoder> {
        components::decoder(self.file.get("decoder"))
    }

    /// Where special tokens go, and whether spans are trimmed.
    pub(super) fn processors(&self) -> Result<(Template, Option<Trim>)> {
        let (mut template, mut trim) = (None, None);
        for (kind, part) in flat("post_processor", self.file.get("post_processor"), "processors")? {
            let before = template.is_some();
            match &*kind {
                "BertProcessing" | "RobertaProcessing" => {
                    let BertProcessing { cls: (_, cls), sep: (_, sep) } =
                        typed("post_processor", part)?;
                    let is_bert = kind == "BertProcessing";
                    let new = if is_bert { Template::bert } else { Template::roberta };
                    template = Some(new(cls, sep));
                }
                "TemplateProcessing" => {
                    let processing: TemplateProcessing = typed("post_processor", part)?;
                    template = Some(processing.complete()?);
                }
                "ByteLevel" => {}
                other => return Err(unsupported("post_processor", other)),
            }
            if before && kind != "ByteLevel" {
                return Err(unsupported("post_processor", "a Sequence with two templates"));
            }
            if kind == "ByteLevel" || kind == "RobertaProcessing" {
                let Trimming { trim_offsets, add_prefix_space } = typed("post_processor", part)?;
                trim = trim_offsets.then_some(Trim { add_prefix_space }).or(trim);
            }
        }
        Ok((template.unwrap_or_else(Template::bare), trim))
    }
}

impl TemplateProcessing {
    /// The template, if it is one.
    fn complete(&self) -> Result<Template> {
        self.template().filter(Template::is_complete).ok_or_else(|| {
            Error::BadTokenizer(format!(
                "tokenizer.json: the post_processor is not one text, or one text and one pair, \
                 with special tokens that have ids, {MAX_SLOTS} tokens and texts at most"
            ))
        })
    }

    fn template(&self) -> Option<Template> {
        let (single, pair) = (self.slots(&self.single)?, self.slots(&self.pair)?);
        Some(Template { single, pair, types_of_kept: true })
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
pub(super) fn kind(part: Option<&RawValue>) -> Cow<'_, str> {
    let part: Option<Object<'_>> = part.and_then(read_as);
    part.and_then(|part| get_text(&part, "type")).unwrap_or_default()
}

/// A string of an object.
pub(super) fn get_text<'a>(object: &Object<'a>, name: &str) -> Option<Cow<'a, str>> {
    object.get_as(name).map(|Text(text)| text)
}

/// A part of the file as what its type makes it.
pub(super) fn typed<'a, T: Deserialize<'a>>(name: &str, part: &'a RawValue) -> Result<T> {
    crate::json::parse(part.get().as_bytes())
        .map_err(|error| Error::BadTokenizer(format!("tokenizer.json: the {name}: {error}")))
}

/// A part that goes with no WordPiece model.
fn unlike_bert(part: &str, found: &str, expected: &str) -> Error {
    let found = if found.is_empty() { "missing" } else { found };
    Error::Unsupported(format!("tokenizer.json: the {part} is {found}; BERT's is {expected}"))
}

pub(super) fn unsupported(part: &str, found: &str) -> Error {
    let found = if found.is_empty() { "of no type" } else { found };
    Error::Unsupported(format!("tokenizer.json: the {part} is {found}, which is not supported"))
}

pub(super) fn bad(what: &str) -> Error {
    Error::BadTokenizer(format!("tokenizer.json is not what it should be: {what}"))
}

/// `{"token": id, …}` as a vocabulary.
pub(super) fn vocab(entries: Option<&RawValue>) -> Result<Vocab> {
    let Some(entries) = entries.and_then(read_as::<Object<'_>>) else {
        let found = entries.map_or("missing", |entries| describe(entries.get()));
        return Err(bad(&format!("model.vocab is {found}, not an object of tokens and ids")));
    };
    json::vocab("tokenizer.json is not what it should be: model.vocab", &entries)
}
