//! Ids back to text.

use super::{Model, Tokenizer, pipeline::Decoders};
use crate::{Error, Result};

/// How tokens become text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decoder {
    /// Pieces that begin with `prefix` are joined to what stands before them.
    WordPiece { prefix: String, cleanup: bool },
    /// A space between all tokens.
    Plain,
    /// Others.
    Steps(Decoders),
    /// An unsupported one, with the message of the error.
    Refused(String),
}

/// What tidying replaces, in this order.
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

/// Tidied in a token, but not in a text: there the reference has ten replacements, not eleven.
const DO_NOT: &str = " do not";

/// Takes out the spaces around punctuation that no typist would set.
pub(super) fn tidy(text: String, is_token: bool) -> String {
    TIDY.iter().filter(|(from, _)| is_token || *from != DO_NOT).fold(text, |text, (from, to)| {
        if text.contains(from) { text.replace(from, to) } else { text }
    })
}

/// The text of a token that is the one `at` of its text: pieces that begin with `prefix` lose it,
/// others get a space before them.
pub(super) fn piece(token: &str, at: usize, prefix: &str, cleanup: bool) -> String {
    let continued = token.strip_prefix(prefix).filter(|_| at > 0);
    let piece = match continued {
        Some(rest) => rest.to_owned(),
        None if at == 0 => token.to_owned(),
        None => format!(" {token}"),
    };
    if cleanup { tidy(piece, true) } else { piece }
}

impl Decoder {
    /// The text that tokens make.
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
    /// Returns the text of `ids`; ids that no token has are left out.
    ///
    /// `clean_up_tokenization_spaces` removes the spaces around punctuation in the whole text,
    /// after most checkpoints' decoder has already done so token by token.
    ///
    /// # Errors
    /// `Unsupported` if the decoder is; `BadInput` if the decoders make a text of over 256 MiB.
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

    /// Whether the checkpoint has `clean_up_tokenization_spaces` where a caller does not say: unless its
    /// `tokenizer_config.json` says false.
    pub fn cleans_up(&self) -> bool {
        self.cleans_up
    }

    /// Whether tokens that continue a word begin with a mark.
    pub fn marks_subwords(&self) -> bool {
        match &self.model {
            Model::WordPiece { .. } => true,
            Model::Pipeline(pipeline) => pipeline.marks_subwords(),
        }
    }

    /// The text that tokens, or texts in their stead, make: pieces are joined to what stands
    /// before them, and the spaces around punctuation go as the checkpoint's decoder has it.
    ///
    /// # Errors
    /// As [`Tokenizer::decode`].
    pub fn join(&self, tokens: &[&str]) -> Result<String> {
        self.decoder.join(tokens)
    }
}
