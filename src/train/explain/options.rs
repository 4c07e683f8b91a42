//! Options and result of an explanation.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::target::Subject;

/// Largest number of steps. More would add less than rounding.
pub(super) const MOST_STEPS: usize = 1000;

/// Options of a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExplainOptions {
    /// How attributions are computed.
    pub method: Method,
    /// Number of gradients along the path, 1 to 1000. Only for integrated gradients.
    pub n_steps: usize,
    /// What to explain: a label or its index, a token of the vocabulary or its id, or an answer's
    /// place in the context. `None`: the model's own prediction, the one with the largest score.
    pub target: Option<TargetOption>,
    /// For token classification: the token whose label is explained, as an index among the model's
    /// tokens.
    pub index: Option<u32>,
    /// For fill-mask: the number of the mask within the text. `None`: 0, the first.
    pub mask: Option<u32>,
}

impl Default for ExplainOptions {
    fn default() -> Self {
        let (method, n_steps) = (Method::default(), 32);
        Self { method, n_steps, target: None, index: None, mask: None }
    }
}

/// How attributions are computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The mean gradient between a baseline and the text, times the difference of the two. The
    /// attributions add up to the difference of the scores (Sundararajan et al. 2017).
    #[default]
    IntegratedGradients,
    /// The gradient at the text, times its embeddings. It takes one gradient, and the attributions
    /// have no meaningful sum.
    GradientXInput,
}

/// What to explain.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "expected a name, an index, or an object of start and end")]
pub enum TargetOption {
    /// A label or token, by name.
    Name(String),
    /// A label or token, by number.
    Index(u32),
    /// A part of the context. Other fields of an answer are ignored.
    Span {
        /// Start offset.
        start: u32,
        /// End offset, exclusive.
        end: u32,
    },
}

impl fmt::Display for TargetOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "\"{name}\""),
            Self::Index(index) => write!(f, "{index}"),
            Self::Span { start, end } => write!(f, "{start} to {end}"),
        }
    }
}

/// The explanation of a model's result for a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// What is explained.
    pub target: Subject,
    /// Its logit. For an answer, the sum of the logits of start and end.
    pub score: f32,
    /// How far the attributions are from the expected sum. Only for integrated gradients.
    #[serde(flatten)]
    pub completeness: Option<Completeness>,
    /// Attributions, one per token of the model.
    pub tokens: Vec<Attribution>,
    /// Present if the text was truncated to the model's limit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// How far the attributions are from adding up to the difference of the scores of text and
/// baseline.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Completeness {
    /// Score of the baseline.
    pub baseline_score: f32,
    /// Sum of the attributions minus the difference of the scores.
    pub convergence_delta: f32,
    /// |`convergence_delta`| divided by the difference of the scores. `None` if the difference is
    /// 0.
    pub completeness_error: Option<f32>,
}

/// The share of a token in the score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attribution {
    /// Token id.
    pub token: u32,
    /// Token text, including a prefix such as `##`.
    pub token_str: String,
    /// Contribution to the score.
    pub attribution: f32,
    /// Text of the token: 0 for the first, 1 for the second. `None` for a special token.
    pub sequence_id: Option<u8>,
    /// Byte offset in that text.
    pub start: u32,
    /// Byte offset of the end, exclusive.
    pub end: u32,
}

impl Explanation {
    /// Replaces each byte offset by the result of `to`, which is called with the number of the text
    /// and the offset.
    pub fn map_offsets(&mut self, to: &dyn Fn(u8, u32) -> u32) {
        for Attribution { sequence_id, start, end, .. } in &mut self.tokens {
            let of = sequence_id.unwrap_or_default();
            (*start, *end) = (to(of, *start), to(of, *end));
        }
        if let Subject::Answer { start, end, .. } = &mut self.target {
            (*start, *end) = (to(1, *start), to(1, *end));
        }
    }
}
