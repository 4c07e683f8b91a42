//! How a text is explained, and what comes of it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::target::Subject;

/// Steps at most: what more would add is less than rounding.
pub(super) const MOST_STEPS: usize = 1000;

/// Options of a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// How attributions are computed.
    pub method: Method,
    /// Gradients of the path, 1 to 1000; of integrated gradients alone.
    pub n_steps: usize,
    /// What is explained: a label or its index, a token of the vocabulary or its id, an answer's place in the context;
    /// `None`: what the model says itself, the greatest.
    pub target: Option<TargetOption>,
    /// Of token classification, the token whose label is explained: its place among the model's tokens.
    pub index: Option<u32>,
    /// Of masks, which of the text's; `None`: the first, 0.
    pub mask: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        let (method, n_steps) = (Method::default(), 32);
        Self { method, n_steps, target: None, index: None, mask: None }
    }
}

/// How attributions are computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The gradient's mean on the way from a baseline to the text, times the difference of both: attributions add up to
    /// the difference of the scores (Sundararajan et al. 2017).
    #[default]
    IntegratedGradients,
    /// The gradient at the text times its embeddings: one gradient, and no sum that they add up to.
    GradientXInput,
}

/// What is explained.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "expected a name, an index, or an object of start and end")]
pub enum TargetOption {
    /// By its name.
    Name(String),
    /// By its number.
    Index(u32),
    /// A part of the context; other fields of an answer are ignored.
    Span {
        /// Where it begins.
        start: u32,
        /// Where it ends.
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

/// Why a model says something of a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// What is explained.
    pub target: Subject,
    /// Its logit, or the sum of those of an answer's start and end.
    pub score: f32,
    /// How far the attributions are from adding up; of integrated gradients.
    #[serde(flatten)]
    pub completeness: Option<Completeness>,
    /// One for each of the model's tokens.
    pub tokens: Vec<Attribution>,
    /// Present where the text was cut to the model's window.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// How far attributions are from adding up to the difference of the scores of text and baseline.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Completeness {
    /// The baseline's score.
    pub baseline_score: f32,
    /// The sum of the attributions less that difference.
    pub convergence_delta: f32,
    /// Its absolute value as a share of the difference; `None` where there is no difference.
    pub completeness_error: Option<f32>,
}

/// What a token adds to the score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attribution {
    /// Its id.
    pub token: u32,
    /// The token itself, `##` included.
    pub token_str: String,
    /// What it adds.
    pub attribution: f32,
    /// Which text it is of: 0, or of two texts 1 for the second; `None`: a special token.
    pub sequence_id: Option<u8>,
    /// Where its bytes begin in that text.
    pub start: u32,
    /// Where they end.
    pub end: u32,
}

impl Explanation {
    /// Replaces each offset in bytes of a text, the first or the second, by what `to` makes of it.
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
