//! Replaced-token detection: which tokens of a text did someone else put there? The task that
//! ELECTRA's discriminator is trained on.

use serde::Serialize;

pub use super::options::NoOptions as Options;
use super::{Answer, sigmoid, windows};
use crate::Result;
use crate::backend::Processor;
use crate::config::HeadKind;
use crate::engine::{Model, Tick};

/// The name of the task.
pub const TASK: &str = "replaced-token-detection";

/// A token and whether it belongs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replaced {
    /// The token, `##` included.
    pub word: String,
    /// The probability that it was replaced.
    pub score: f32,
    /// Whether that is over one half.
    pub replaced: bool,
    /// Its place among the model's tokens, `[CLS]` being 0.
    pub index: u32,
    /// Where its bytes begin in the text.
    pub start: u32,
    /// Where they end.
    pub end: u32,
}

impl Answer for Replaced {
    fn map_offsets(&mut self, to: &dyn Fn(u32) -> u32) {
        (self.start, self.end) = (to(self.start), to(self.end));
    }
}

/// The tokens of each text, of any length.
///
/// # Errors
/// `Unsupported` where the model has no such head.
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
