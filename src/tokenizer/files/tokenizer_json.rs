//! `tokenizer.json` with BERT's parts. `pipeline` reads all other parts.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::fields;
use super::json::{self, id};
use super::load::Blocks;
use crate::json::{Object, Text, describe, read_as, whole};
use crate::tokenizer::bert::normalize::Normalizer;
use crate::tokenizer::decode::Decoder;
use crate::tokenizer::options::Side;
use crate::tokenizer::pipeline::{self, Pipeline, Trim};
use crate::tokenizer::template::{MAX_SLOTS, Template, TemplateItem};
use crate::tokenizer::vocab::Vocab;
use crate::{Error, Result};

/// The names of BERT's parts.
const NORMALIZER: &str = "BertNormalizer";
const PRE_TOKENIZER: &str = "BertPreTokenizer";

/// The parsed file.
pub(in crate::tokenizer) struct TokenizerJson<'a> {
    file: Object<'a>,
    model: Object<'a>,
}

/// The model of a `tokenizer.json`, and the steps that prepare the text for it.
pub(in crate::tokenizer) enum ModelParts {
    /// BERT's model.
    WordPiece(WordPieceModel, Option<Normalizer>),
    /// Any other model.
    Pipeline(Pipeline),
}

/// BERT's model.
pub(in crate::tokenizer) struct WordPieceModel {
    pub(in crate::tokenizer) vocab: Vocab,
    /// The token in the file; `None` means the default of the class.
    pub(in crate::tokenizer) unk_token: Option<String>,
    pub(in crate::tokenizer) prefix: String,
    pub(in crate::tokenizer) max_chars: usize,
}

impl<'a> TokenizerJson<'a> {
    /// Reads the file.
    pub(in crate::tokenizer) fn read(bytes: &'a [u8]) -> Result<Self> {
        let file = json::parse("tokenizer.json", bytes)?;
        let Some(model) = file.get("model") else { return Err(bad("there is no model in it")) };
        let model = read_as(model).unwrap_or_default();
        Ok(Self { file, model })
    }

    /// Returns a part of the file; `None` if it is absent or null. For a sequence with one member
    /// in `list`, returns that member.
    fn part(&self, name: &str, list: &str) -> Option<Object<'a>> {
        let part: Object<'_> = self.file.get(name).map(read_as)?.unwrap_or_default();
        let parts = if kind(&part) == "Sequence" { part.get_as(list) } else { None };
        match parts.map(|parts: Vec<Object<'_>>| <[_; 1]>::try_from(parts)) {
            Some(Ok([one])) => Some(one),
            _ => Some(part),
        }
    }

    /// Returns the added tokens with their ids and flags.
    pub(in crate::tokenizer) fn added_tokens(&self) -> Vec<&'a RawValue> {
        self.file.get_as("added_tokens").unwrap_or_default()
    }

    /// Returns the values of `padding` and `truncation` that apply beyond a single call.
    pub(in crate::tokenizer) fn blocks(&self) -> Blocks {
        let part = |name| self.file.get_as::<Object<'_>>(name).unwrap_or_default();
        let side = |part: &Object<'_>| match get_text(part, "direction").as_deref() {
            Some("Left") => Some(Side::Left),
            Some("Right") => Some(Side::Right),
            _ => None,
        };
        let padding = part("padding");
        let mut warnings = Vec::new();
        fields::of_file(&self.file, &mut warnings);
        Blocks {
            warnings,
            pad_token: get_text(&padding, "pad_token").map(Cow::into_owned),
            padding_side: side(&padding),
            truncation_side: side(&part("truncation")),
        }
    }

    /// Returns whether the file has BERT's parts, which a WordPiece class replaces by its own.
    /// Parts that such a class cannot express are kept, because transformers 4 reads them and
    /// models were trained with them.
    pub(in crate::tokenizer) fn is_bert(&self) -> bool {
        let parts = [
            ("normalizer", "normalizers", NORMALIZER),
            ("pre_tokenizer", "pretokenizers", PRE_TOKENIZER),
        ];
        let is_own = |(name, list, own): (&str, &str, &str)| {
            self.part(name, list).is_none_or(|part| kind(&part) == own)
        };
        self.model_kind() == "WordPiece" && parts.into_iter().all(is_own)
    }

    /// Returns the type of the model. Older files do not name it.
    fn model_kind(&self) -> Cow<'a, str> {
        let has = |name| self.model.get(name).is_some();
        match get_text(&self.model, "type") {
            Some(kind) => kind,
            None if has("merges") => "BPE".into(),
            None if has("unk_id") => "Unigram".into(),
            None => "WordPiece".into(),
        }
    }

    /// Returns the vocabulary of a WordPiece model.
    pub(in crate::tokenizer) fn vocab(&self) -> Result<Vocab> {
        vocab(self.model.get("vocab"))
    }

    /// Returns the model, and the steps that prepare the text for it.
    pub(in crate::tokenizer) fn model(&self) -> Result<ModelParts> {
        let kind = self.model_kind();
        let has_own_parts = kind == "WordPiece"
            && self
                .part("normalizer", "normalizers")
                .is_none_or(|part| self::kind(&part) == NORMALIZER)
            && self
                .part("pre_tokenizer", "pretokenizers")
                .is_some_and(|part| self::kind(&part) == PRE_TOKENIZER);
        match has_own_parts {
            true => Ok(ModelParts::WordPiece(word_piece_model(&self.model)?, self.normalizer())),
            false => pipeline::model(&kind, &self.file, &self.model).map(ModelParts::Pipeline),
        }
    }

    /// Returns BERT's normalizer; `None` if the text is not normalised.
    fn normalizer(&self) -> Option<Normalizer> {
        self.part("normalizer", "normalizers").as_ref().map(bert_normalizer)
    }

    /// Returns the decoder. For an unsupported decoder, only `decode` fails.
    pub(in crate::tokenizer) fn decoder(&self) -> Result<Decoder> {
        let Some(part) = self.part("decoder", "decoders") else { return Ok(Decoder::Plain) };
        if kind(&part) != "WordPiece" {
            return match pipeline::decoder(part) {
                Ok(decoders) => Ok(Decoder::Steps(decoders)),
                Err(Error::Unsupported(message)) => Ok(Decoder::Refused(message)),
                Err(other) => Err(other),
            };
        }
        Ok(Decoder::WordPiece {
            prefix: get_text(&part, "prefix").unwrap_or("##".into()).into_owned(),
            cleanup: part.get_as("cleanup").unwrap_or(true),
        })
    }

    /// Returns the positions of special tokens, and whether spans are trimmed.
    pub(in crate::tokenizer) fn processors(&self) -> Result<(Template, Option<Trim>)> {
        let Some(part) = self.part("post_processor", "processors") else {
            return Ok((Template::bare(), None));
        };
        match template(&part)? {
            Some(template) => Ok((template, None)),
            None => pipeline::processors(part),
        }
    }
}

/// Reads BERT's normalizer from its options.
pub(in crate::tokenizer) fn bert_normalizer(part: &Object<'_>) -> Normalizer {
    let flag = |name| part.get_as::<bool>(name);
    Normalizer {
        clean_text: flag("clean_text").unwrap_or(true),
        handle_chinese_chars: flag("handle_chinese_chars").unwrap_or(true),
        strip_accents: flag("strip_accents"),
        lowercase: flag("lowercase").unwrap_or(true),
    }
}

/// Reads the vocabulary and options of a WordPiece model.
pub(in crate::tokenizer) fn word_piece_model(model: &Object<'_>) -> Result<WordPieceModel> {
    let or = |name: &str, default: &'static str| {
        get_text(model, name).unwrap_or(default.into()).into_owned()
    };
    let max_chars = model.get("max_input_chars_per_word").and_then(whole).unwrap_or(100);
    Ok(WordPieceModel {
        vocab: vocab(model.get("vocab"))?,
        unk_token: Some(or("unk_token", "[UNK]")),
        prefix: or("continuing_subword_prefix", "##"),
        max_chars: usize::try_from(max_chars).unwrap_or(usize::MAX),
    })
}

/// Returns the template of a post-processor; `None` if the post-processor has other settings.
pub(in crate::tokenizer) fn template(part: &Object<'_>) -> Result<Option<Template>> {
    match &*kind(part) {
        "BertProcessing" => {
            let (cls, sep) = token_ids(part)?;
            Ok(Some(Template::bert(cls, sep)))
        }
        "TemplateProcessing" => {
            let Pieces { single, pair } = pieces(part)?;
            Ok(Some(Template::new(single.concat(), pair.concat())))
        }
        _ => Ok(None),
    }
}

/// The parts of a `TemplateProcessing`. Each part is a text or the ids of a special token.
pub(in crate::tokenizer) struct Pieces {
    pub(in crate::tokenizer) single: Vec<Vec<TemplateItem>>,
    pub(in crate::tokenizer) pair: Vec<Vec<TemplateItem>>,
}

/// Reads the parts of a `TemplateProcessing`.
pub(in crate::tokenizer) fn pieces(part: &Object<'_>) -> Result<Pieces> {
    let special = part.get_as("special_tokens").unwrap_or_default();
    let slots = |name| slots(part.get_as(name)?, &special);
    let pieces = slots("single").zip(slots("pair")).map(|(single, pair)| Pieces { single, pair });
    let is_complete =
        |pieces: &Pieces| Template::is_complete(&pieces.single.concat(), &pieces.pair.concat());
    pieces.filter(is_complete).ok_or_else(no_template)
}

/// Returns the ids of `cls` and `sep` in a `BertProcessing` or `RobertaProcessing`, e.g. 101 for
/// `["[CLS]", 101]`.
pub(in crate::tokenizer) fn token_ids(part: &Object<'_>) -> Result<(u32, u32)> {
    let id = |name| id(part.get_as::<Vec<&RawValue>>(name)?.get(1)?);
    id("cls").zip(id("sep")).ok_or_else(no_template)
}

pub(in crate::tokenizer) fn no_template() -> Error {
    Error::BadTokenizer(format!(
        "tokenizer.json: the post_processor is not one text, or one text and one pair, with \
         special tokens that have ids, {MAX_SLOTS} tokens and texts at most"
    ))
}

/// Reads the parts of a template: `{"Sequence": {"id": "A", "type_id": 0}}` or
/// `{"SpecialToken": {"id": "[CLS]", "type_id": 0}}`. A special token may have several ids.
fn slots(parts: Vec<Object<'_>>, special: &Object<'_>) -> Option<Vec<Vec<TemplateItem>>> {
    let (mut slots, mut count) = (Vec::new(), 0);
    // Each part looks up its token by name among possibly many tokens, so the number of parts is
    // limited.
    (parts.len() <= MAX_SLOTS).then_some(())?;
    for part in parts {
        let text: Option<Object<'_>> = part.get_as("Sequence");
        let is_text = text.is_some();
        let part = text.or_else(|| part.get_as("SpecialToken"))?;
        let type_id = id(part.get("type_id")?)?;
        let piece: Vec<TemplateItem> = match (is_text, &*get_text(&part, "id")?) {
            (true, "A") => vec![TemplateItem::Text { pair: false, type_id, type_of_rest: 0 }],
            (true, "B") => vec![TemplateItem::Text { pair: true, type_id, type_of_rest: 1 }],
            (true, _) => return None,
            (false, name) => {
                let token: Object<'_> = special.get_as(name)?;
                let ids = token.get_as::<Vec<&RawValue>>("ids")?;
                let ids = ids
                    .into_iter()
                    .map(|value| Some(TemplateItem::Special { id: id(value)?, type_id }));
                ids.collect::<Option<_>>()?
            }
        };
        count += piece.len();
        (count <= MAX_SLOTS).then_some(())?;
        slots.push(piece);
    }
    Some(slots)
}

/// Returns the `type` of a part; empty if absent.
pub(in crate::tokenizer) fn kind<'a>(part: &Object<'a>) -> Cow<'a, str> {
    get_text(part, "type").unwrap_or_default()
}

/// Returns a string of an object.
pub(in crate::tokenizer) fn get_text<'a>(object: &Object<'a>, name: &str) -> Option<Cow<'a, str>> {
    object.get_as(name).map(|Text(text)| text)
}

pub(in crate::tokenizer) fn bad(what: &str) -> Error {
    Error::BadTokenizer(format!("tokenizer.json is not what it should be: {what}"))
}

/// Reads a vocabulary from `{"token": id, …}`.
pub(in crate::tokenizer) fn vocab(entries: Option<&RawValue>) -> Result<Vocab> {
    let Some(entries) = entries.and_then(read_as::<Object<'_>>) else {
        let found = entries.map_or("missing", |entries| describe(entries.get()));
        return Err(bad(&format!("model.vocab is {found}, not an object of tokens and ids")));
    };
    json::vocab("tokenizer.json is not what it should be: model.vocab", &entries)
}
