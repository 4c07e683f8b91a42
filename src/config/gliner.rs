//! `gliner_config.json`: a GLiNER model finds entities of labels that the caller chooses.

use std::borrow::Cow;

use super::raw::Fields;
use crate::json::{self, Object};
use crate::{Details, Error, ErrorKind, Result};

/// The name of the file.
pub const GLINER_CONFIG: &str = "gliner_config.json";

/// How a model scores the spans of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanMode {
    /// From projections of the first and the last word, with one layer over both.
    Marker,
    /// As `Marker`, with two layers.
    MarkerV0,
    /// As `MarkerV0`, with the mean of all words as a third input.
    MarkerV1,
    /// Each word has scores for the start, the end and the inside of an entity.
    TokenLevel,
}

/// The head of a GLiNER model and the prompt that it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gliner {
    /// How spans are scored.
    pub span_mode: SpanMode,
    /// Width of the head.
    pub hidden: usize,
    /// Largest number of words in an entity. It has no effect on `TokenLevel`.
    pub max_width: usize,
    /// Largest number of words that are read at once.
    pub max_len: usize,
    /// Number of bidirectional LSTM layers over the words; 0 for none.
    pub rnn_layers: usize,
    /// Token in front of each label.
    pub ent_token: String,
    /// Token between the labels and the text.
    pub sep_token: String,
    /// Id of `ent_token`. `None`: it follows the tokenizer's vocabulary.
    pub class_token: Option<u32>,
    /// If true, a label's vector is the state of `ent_token`; otherwise the state of the token
    /// behind it.
    pub embeds_ent_token: bool,
}

/// The parts of the gliner library that are not computed here, with the field that names each.
const PARTS: [(&str, &str); 3] = [
    ("labels_encoder", "a second encoder for labels"),
    ("labels_decoder", "a decoder that writes labels"),
    ("relations_layer", "relations between entities"),
];

impl Gliner {
    /// Reads `gliner_config.json`.
    ///
    /// # Errors
    /// `BadConfig` for a file that is not JSON, a field of another type or an impossible size.
    /// `Unsupported` for a variant that is not computed here, naming its field.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let object: Object<'_> = json::read(GLINER_CONFIG, bytes).map_err(Error::BadConfig)?;
        // the readers of fields name config.json
        Self::read(&Fields(object)).map_err(|error| match error {
            Error::BadConfig(text) if text.starts_with("config.json") => {
                Error::BadConfig(format!("gliner_{text}"))
            }
            Error::Detailed(details) if details.file() == Some("config.json") => {
                details.in_file(GLINER_CONFIG).error()
            }
            other => other,
        })
    }

    fn read(fields: &Fields<'_>) -> Result<Self> {
        refuse_variants(fields)?;
        let size = |name: &str, default: usize, least: usize| {
            let size = fields.size(name)?.unwrap_or(default);
            // far larger than any model; keeps every product of two sizes within 48 bits
            if (least..=1 << 20).contains(&size) {
                return Ok(size);
            }
            let most = 1 << 20;
            let (kind, item) = (ErrorKind::BadConfig, format_args!("{name}"));
            let what = format_args!(": expected {least} to {most}, got {size}");
            let details = Details::new(kind, GLINER_CONFIG, item, what);
            Err(details.values(format_args!("{least} to {most}"), format_args!("{size}")).error())
        };
        let text = |name: &str, default: &'static str| {
            Ok::<_, Error>(fields.text(name)?.unwrap_or(Cow::Borrowed(default)).into_owned())
        };
        let class_token: Option<i64> = fields.number("class_token_index")?;
        let vocab: Option<i64> = fields.number("vocab_size")?;
        // -1 in either field: the library adds its tokens to the tokenizer
        let is_given = class_token.is_some_and(|id| id >= 0) && vocab.is_some_and(|size| size >= 0);
        Ok(Self {
            span_mode: span_mode(&text("span_mode", "markerV0")?)?,
            hidden: size("hidden_size", 512, 4)?,
            max_width: size("max_width", 12, 1)?,
            max_len: size("max_len", 384, 1)?,
            rnn_layers: size("num_rnn_layers", 1, 0)?,
            ent_token: text("ent_token", "<<ENT>>")?,
            sep_token: text("sep_token", "<<SEP>>")?,
            class_token: class_token.filter(|_| is_given).and_then(|id| id.try_into().ok()),
            embeds_ent_token: fields.flag("embed_ent_token")?.unwrap_or(true),
        })
    }
}

/// Returns the config of the encoder within `gliner_config.json`, if the file has it.
pub(super) fn encoder_config(bytes: &[u8]) -> Result<Option<&[u8]>> {
    let object: Object<'_> = json::read(GLINER_CONFIG, bytes).map_err(Error::BadConfig)?;
    Ok(object.get("encoder_config").map(|value| value.get().as_bytes()))
}

fn span_mode(name: &str) -> Result<SpanMode> {
    match name {
        "marker" => Ok(SpanMode::Marker),
        "markerV0" => Ok(SpanMode::MarkerV0),
        "markerV1" => Ok(SpanMode::MarkerV1),
        // the library's checks use both spellings
        "token_level" | "token-level" => Ok(SpanMode::TokenLevel),
        other => Err(unsupported(&format!(
            "span_mode \"{other}\" is not supported; expected one of \"marker\", \"markerV0\", \"markerV1\", \"token_level\""
        ))),
    }
}

/// Rejects variants that change the answers and are not computed here.
fn refuse_variants(fields: &Fields<'_>) -> Result<()> {
    if let Some((field, what)) = PARTS.into_iter().find(|(field, _)| fields.is_there(field)) {
        return Err(unsupported(&format!("{field} ({what}) is not supported; expected null")));
    }
    if let Some(schema) = fields.text("post_fusion_schema")?.filter(|schema| !schema.is_empty()) {
        return Err(unsupported(&format!(
            "post_fusion_schema \"{schema}\" is not supported; expected \"\""
        )));
    }
    for field in ["fuse_layers", "represent_spans"] {
        if fields.flag(field)? == Some(true) {
            return Err(unsupported(&format!("{field} true is not supported; expected false")));
        }
    }
    if fields.is_there("precomputed_prompts_mode") {
        return Err(unsupported("precomputed_prompts_mode is not supported; expected null"));
    }
    match fields.text("words_splitter_type")?.as_deref() {
        None | Some("whitespace") => Ok(()),
        Some(other) => Err(unsupported(&format!(
            "words_splitter_type \"{other}\" is not supported; expected \"whitespace\""
        ))),
    }
}

fn unsupported(what: &str) -> Error {
    let (kind, what) = (ErrorKind::Unsupported, format_args!("{what}"));
    Details::new(kind, GLINER_CONFIG, format_args!(""), what).error()
}
