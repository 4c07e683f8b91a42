//! Converts ids back to text.

use super::{Model, Tokenizer, pipeline::Decoders};
use crate::{Error, Result};

/// How tokens are joined to a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decoder {
    /// Tokens that begin with `prefix` are joined to the previous token.
    WordPiece { prefix: String, cleanup: bool },
    /// Tokens are joined with spaces.
    Plain,
    /// Any other decoders.
    Steps(Decoders),
    /// An unsupported decoder, with the error message.
    Refused(String),
}

/// The replacements of clean-up, in this order.
const TIDY: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (DO_NOT, " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

/// Replaced in tokens but not in texts, because the reference has only ten replacements for texts.
const DO_NOT: &str = " do not";

/// Removes spaces around punctuation.
pub(super) fn tidy(text: String, is_token: bool) -> String {
    TIDY.iter().filter(|(from, _)| is_token || *from != DO_NOT).fold(text, |text, (from, to)| {
        if text.contains(from) { text.replace(from, to) } else { text }
    })
}

/// Returns the text of the token with index `at`. A token with `prefix` loses the prefix; any other
/// token except the first is preceded by a space.
pub(super) fn piece(token: &str, at: usize, prefix: &str, cleanup: bool) -> String {
    // the first token keeps its prefix
    let continued = token.strip_prefix(prefix).filter(|_| at > 0);
    let piece = match continued {
        Some(rest) => rest.to_owned(),
        None if at == 0 => token.to_owned(),
        None => format!(" {token}"),
    };
    if cleanup { tidy(piece, true) } else { piece }
}

impl Decoder {
    /// Returns the text of tokens.
    fn join(&self, tokens: &[&str]) -> Result<String> {
        match self {
            Self::WordPiece { prefix, cleanup } => {
                let pieces = tokens.iter().enumerate();
                Ok(pieces.map(|(at, token)| piece(token, at, prefix, *cleanup)).collect())
            }
            Self::Plain => Ok(tokens.join(" ")),
            Self::Steps(decoders) => decoders.decode(tokens),
            Self::Refused(message) => Err(Error::Unsupported(message.clone())),
        }
    }
}

impl Tokenizer {
    /// Returns the text of `ids`. Ids without a token are ignored.
    ///
    /// `clean_up_tokenization_spaces` removes the spaces around punctuation in the whole text. Most
    /// checkpoints' decoders have already done this for each token.
    ///
    /// # Errors
    /// `Unsupported` for an unsupported decoder; `BadInput` if the decoders make a text of over 256
    /// MiB.
    pub fn decode(
        &self,
        ids: &[u32],
        skip_special_tokens: bool,
        clean_up_tokenization_spaces: bool,
    ) -> Result<String> {
        let kept = ids.iter().filter(|&&id| !(skip_special_tokens && self.is_special(id)));
        let tokens: Vec<&str> = kept.filter_map(|&id| self.token(id)).collect();
        let text = self.join(&tokens)?;
        Ok(if clean_up_tokenization_spaces { tidy(text, false) } else { text })
    }

    /// Returns the default of `clean_up_tokenization_spaces`: true, unless `tokenizer_config.json`
    /// sets it to false.
    pub fn cleans_up(&self) -> bool {
        self.cleans_up
    }

    /// Returns whether tokens that continue a word begin with a mark.
    pub fn marks_subwords(&self) -> bool {
        match &self.model {
            Model::WordPiece { .. } => true,
            Model::Pipeline(pipeline) => pipeline.marks_subwords(),
        }
    }

    /// Returns the text of tokens, or of texts in place of tokens. Pieces are joined to the
    /// previous one, and spaces around punctuation are removed if the checkpoint's decoder does so.
    ///
    /// # Errors
    /// The errors of [`Tokenizer::decode`].
    pub fn join(&self, tokens: &[&str]) -> Result<String> {
        self.decoder.join(tokens)
    }
}
