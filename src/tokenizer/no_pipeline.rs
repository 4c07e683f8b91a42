//! Replaces `pipeline` in a build without the feature `tokenizers`. WordPiece is the only model.
//! Files that name another model, or a part that only other models use, are rejected.

use super::added::AddedTokens;
use super::template::Template;
use super::vocab::Vocab;
use super::{Place, Span};
use crate::json::Object;
use crate::tokenizer::bert::words::Tokens;
use crate::tokenizer::files::settings::Settings;
use crate::tokenizer::files::tokenizer_json::kind;
use crate::{Error, Result};

/// Has no values in this build.
#[derive(Debug, Clone)]
pub(super) enum Pipeline {}

impl Pipeline {
    pub(super) fn vocab(&self) -> &Vocab {
        match *self {}
    }

    pub(super) fn unk(&self) -> Option<u32> {
        match *self {}
    }

    pub(super) fn marks_subwords(&self) -> bool {
        match *self {}
    }

    pub(super) fn normalize(&self, _text: &str) -> Result<String> {
        match *self {}
    }

    pub(super) fn amend(
        &mut self,
        _settings: &Settings<'_>,
        _trim: &mut Option<Trim>,
        _is_class: bool,
    ) {
        match *self {}
    }

    pub(super) fn is_byte_level(&self) -> bool {
        match *self {}
    }

    pub(super) fn tokens(
        &self,
        _text: &str,
        _added: &AddedTokens,
        _trim: Option<&Trim>,
        _tokens: &mut Tokens,
    ) -> Result<()> {
        match *self {}
    }
}

/// Has no values in this build.
#[derive(Debug, Clone)]
pub(super) enum Trim {}

impl Trim {
    pub(super) fn span(
        &self,
        _text: &str,
        _token: &str,
        _span: Span,
        _first: Option<Place>,
    ) -> Span {
        match *self {}
    }
}

/// Has no values in this build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decoders {}

impl Decoders {
    pub(super) fn decode(&self, _tokens: &[&str]) -> Result<String> {
        match *self {}
    }
}

pub(super) fn model(kind: &str, _file: &Object<'_>, _model: &Object<'_>) -> Result<Pipeline> {
    Err(match kind {
        "WordPiece" => lacking("tokenizer.json: the normalizer or pre_tokenizer is not BERT's"),
        kind => lacking_kind("model", kind),
    })
}

pub(super) fn processors(part: Object<'_>) -> Result<(Template, Option<Trim>)> {
    Err(lacking_kind("post_processor", &kind(&part)))
}

pub(super) fn decoder(part: Object<'_>) -> Result<Decoders> {
    Err(lacking_kind("decoder", &kind(&part)))
}

/// Returns the error for a part of tokenizer.json that this build lacks.
fn lacking_kind(part: &str, kind: &str) -> Error {
    lacking(&format!("tokenizer.json: the {part} is \"{kind}\""))
}

/// Returns the error for something that this build does not read. Service workers and edge functions
/// run only such builds.
pub(super) fn lacking(what: &str) -> Error {
    Error::Unsupported(format!(
        "{what}, which only binaries with all features read: import \"webert\" in a page, a Worker or Node"
    ))
}
