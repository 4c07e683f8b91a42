//! Why a model says what it says: how much each token of a text adds to a logit, by gradients.
//!
//! Integrated gradients (Sundararajan, Taly, Yan 2017) as captum's `LayerIntegratedGradients` over a model's embeddings
//! computes them, and gradients times inputs as its `LayerGradientXActivation`. The baseline is the text with each
//! token replaced by padding but for special tokens and masks; positions and token types stay. The path goes straight
//! from the baseline's embeddings to the text's, and the integral is Gauss and Legendre's rule over it.
//!
//! - `options`: how a text is explained, and what comes of it      `target`: which logits are
//! - `path`: from the baseline to the text      `gradient`: of logits by embeddings      `quadrature`: where it is taken

mod gradient;
mod options;
mod path;
mod quadrature;
mod target;

use std::pin::Pin;

use gradient::LogitGradient;
use options::MOST_STEPS;
pub use options::{Attribution, Completeness, Explanation, Method, Options, TargetOption};
use path::Path;
use quadrature::gauss_legendre;
pub use target::Subject;
use target::{Call, refuse};

use super::rows::Offsets;
use crate::backend::Processor;
use crate::backend::train::Train;
use crate::config::HeadKind;
use crate::engine::Model;
use crate::tokenizer::{Tokenizer, Truncation};
use crate::{Error, Result};

/// Rows of a gradient's batch at most: what is kept for it is some 10 times a layer's states, for each layer.
const MOST_ROWS: usize = 2048;

/// Called before the first gradients and after some of them, with how many there are and will be; an error ends the call.
pub type Progress<'a> =
    dyn FnMut(usize, usize) -> Pin<Box<dyn Future<Output = Result<()>> + 'a>> + 'a;

/// The tasks whose answers are explained, and their heads.
const TASKS: [(&str, &[HeadKind]); 4] = [
    ("text-classification", &[HeadKind::SequenceClassification]),
    ("token-classification", &[HeadKind::TokenClassification]),
    ("question-answering", &[HeadKind::QuestionAnswering]),
    ("fill-mask", &[HeadKind::MaskedLm, HeadKind::PreTraining]),
];

/// Explains an answer of `task` for a text, with `pair` a second text or, of question answering, the context.
/// `offsets`: what those in `options` count; those of the explanation are bytes.
///
/// # Errors
/// `BadInput` for options that do not fit task, model or text, and for a text without tokens; `Unsupported` for a model
/// with another head, with weights in another precision than f32, or of a family whose layers have no gradients;
/// `BadWeights` where scores are not numbers; the backend's, and what `told` returns.
pub async fn explain<B: Train + Processor>(
    model: &Model<B>,
    task: &str,
    (text, pair): (&str, Option<&str>),
    options: &Options,
    offsets: Offsets,
    told: &mut Progress<'_>,
) -> Result<Explanation> {
    check(model, task, pair, options)?;
    let is_answer = task == "question-answering";
    let truncation = if is_answer { Truncation::OnlySecond } else { Truncation::LongestFirst };
    let (encoding, truncated) =
        model.tokenizer()?.fit(text, pair, truncation, model.max_tokens())?;
    if encoding.sequence_ids.iter().all(Option::is_none) {
        return refuse("the text has no token");
    }
    let is_path = options.method == Method::IntegratedGradients;
    let rule = if is_path { gauss_legendre(options.n_steps) } else { vec![(1.0, 1.0)] };
    told(0, rule.len()).await?;
    let call = Call { model, context: pair, encoding: &encoding, options, offsets };
    let path = Path::new(&call).await?;
    let mut gradient = LogitGradient::new(model).await?;
    let mut attributions = vec![0.0; encoding.len()];
    let most = model.engine().pass_rows().min(MOST_ROWS);
    let mut done = 0;
    for part in rule.chunks((most / encoding.len()).max(1)) {
        let gradients =
            gradient.of(path.copies(part.len()), &path.states(part), &path.target).await?;
        path.add(part, &gradients, options.method, &mut attributions);
        done += part.len();
        told(done, rule.len()).await?;
    }
    let tokens = tokens(model.tokenizer()?, &call, &attributions);
    let completeness = is_path.then(|| Completeness::of(&path, attributions.iter().sum()));
    let (target, score) = (path.subject, path.score as f32);
    Ok(Explanation { target, score, completeness, tokens, truncated })
}

/// Refuses what no text is explained by.
fn check<B: Processor>(
    model: &Model<B>,
    task: &str,
    pair: Option<&str>,
    options: &Options,
) -> Result<()> {
    let Some((_, heads)) = TASKS.iter().find(|(name, _)| *name == task) else {
        let names: Vec<_> = TASKS.iter().map(|(name, _)| *name).collect();
        return Err(Error::Unsupported(format!(
            "explain: answers of {task} are not explained, only those of {}",
            names.join(", ")
        )));
    };
    model.need(task, heads)?;
    if !(1..=MOST_STEPS).contains(&options.n_steps) {
        return refuse(format!("n_steps is {}, expected 1 to {MOST_STEPS}", options.n_steps));
    }
    if task == "question-answering" && pair.is_none() {
        return refuse("question-answering is of a question and a context");
    }
    let others = [
        ("index", options.index.is_some(), "token-classification"),
        ("mask", options.mask.is_some(), "fill-mask"),
    ];
    match others.into_iter().find(|(_, given, of)| *given && *of != task) {
        Some((name, _, of)) => refuse(format!("{name} is of {of}, not of {task}")),
        None => Ok(()),
    }
}

/// The model's tokens with what each adds.
fn tokens<B: Processor>(
    tokenizer: &Tokenizer,
    Call { encoding, .. }: &Call<'_, B>,
    attributions: &[f64],
) -> Vec<Attribution> {
    let token = |n: usize| {
        let (token, span) = (encoding.ids[n], encoding.spans[n]);
        Attribution {
            token,
            token_str: tokenizer.token(token).unwrap_or_default().to_owned(),
            attribution: attributions[n] as f32,
            sequence_id: encoding.sequence_ids[n],
            start: span.start,
            end: span.end,
        }
    };
    (0..encoding.len()).map(token).collect()
}

impl Completeness {
    fn of(path: &Path, sum: f64) -> Self {
        let difference = path.score - path.baseline_score;
        let delta = sum - difference;
        Self {
            baseline_score: path.baseline_score as f32,
            convergence_delta: delta as f32,
            completeness_error: (difference != 0.0).then(|| (delta / difference).abs() as f32),
        }
    }
}
