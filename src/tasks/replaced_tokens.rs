//! Replaced-token detection: finds the tokens of a text that were replaced. ELECTRA's discriminator
//! is trained on this task.

use serde::Serialize;

pub use super::options::NoOptions as Options;
use super::{Answer, sigmoid, windows};
use crate::Result;
use crate::backend::Processor;
use crate::config::HeadKind;
use crate::engine::{Model, Tick};

/// The name of the task.
pub const TASK: &str = "replaced-token-detection";

/// A token and whether it was replaced.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replaced {
    /// The token, with `##`.
    pub word: String,
    /// The probability that the token was replaced.
    pub score: f32,
    /// Whether the probability is over one half.
    pub replaced: bool,
    /// The token's index in the model's input; `[CLS]` is 0.
    pub index: u32,
    /// The first byte of the token in the text.
    pub start: u32,
    /// The end of the token in the text, in bytes.
    pub end: u32,
}

impl Answer for Replaced {
    fn map_offsets(&mut self, to: &dyn Fn(u32) -> u32) {
        (self.start, self.end) = (to(self.start), to(self.end));
    }
}

/// Returns the tokens of each text. A text may have any length.
///
/// # Errors
/// `Unsupported` if the model has no head for the task.
pub async fn replaced_tokens<B: Processor>(
    model: &Model<B>,
    texts: &[String],
    _options: &Options,
    tick: Tick<'_>,
) -> Result<Vec<Vec<Replaced>>> {
    model.need(TASK, &[HeadKind::ReplacedToken])?;
    let parts = &mut texts.iter().map(|text| (&text[..], &[][..]));
    let scored = windows::score(model, parts, None, tick).await?;
    let tokenizer = model.tokenizer()?;
    let mut answers = Vec::with_capacity(texts.len());
    for (text, scored) in texts.iter().zip(&scored) {
        let mut tokens = Vec::new();
        for n in 0..scored.windows.len() {
            for place in scored.owned(n) {
                let token = scored.token(tokenizer, text, place);
                let logit = scored.scores(n, place)[0];
                tokens.push(Replaced {
                    word: token.word,
                    score: sigmoid(logit),
                    replaced: logit > 0.0,
                    index: token.index,
                    start: token.start,
                    end: token.end,
                });
            }
        }
        answers.push(tokens);
    }
    Ok(answers)
}
