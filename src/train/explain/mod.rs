//! Explanations: how much each token of a text adds to a logit, computed from gradients.
//!
//! Integrated gradients (Sundararajan, Taly, Yan 2017) follow captum's `LayerIntegratedGradients`
//! over a model's embeddings; gradient times input follows its `LayerGradientXActivation`. The
//! baseline is the text with every token replaced by padding, except special tokens and masks.
//! Positions and token types stay. The path from the baseline's embeddings to the text's is a
//! straight line, and the integral uses Gauss-Legendre quadrature.
//!
//! - `options`: the options and the result
//! - `target`: the logits to explain
//! - `path`: from the baseline to the text
//! - `gradient`: gradients of logits with respect to embeddings
//! - `quadrature`: the points of the integral

mod gradient;
mod options;
mod path;
mod quadrature;
mod target;

use crate::error::fault;
use std::pin::Pin;

use gradient::LogitGradient;
use options::MOST_STEPS;
pub use options::{Attribution, Completeness, ExplainOptions, Explanation, Method, TargetOption};
use path::Path;
use quadrature::gauss_legendre;
pub use target::Subject;
use target::{Call, refuse};

use crate::backend::Processor;
use crate::backend::train::Train;
use crate::config::HeadKind;
use crate::engine::Model;
use crate::tokenizer::{Tokenizer, Truncation};
use crate::train::data::rows::Offsets;
use crate::{Error, ErrorKind, Result};

/// Largest number of rows in a batch of gradients. The tape keeps about 10 times a layer's state
/// for each layer.
const MOST_ROWS: usize = 2048;

/// Called before the first gradient and after each batch of gradients, with the number computed and
/// the total. An error ends the call.
pub type Progress<'a> =
    dyn FnMut(usize, usize) -> Pin<Box<dyn Future<Output = Result<()>> + 'a>> + 'a;

/// The tasks that can be explained, with their heads.
const TASKS: [(&str, &[HeadKind]); 4] = [
    ("text-classification", &[HeadKind::SequenceClassification]),
    ("token-classification", &[HeadKind::TokenClassification]),
    ("question-answering", &[HeadKind::QuestionAnswering]),
    ("fill-mask", &[HeadKind::MaskedLm, HeadKind::PreTraining]),
];

/// Explains a result of `task` for a text. `pair` is a second text or, for question answering, the
/// context. `offsets` is the unit of offsets in `options`; offsets in the explanation are in bytes.
///
/// # Errors
/// `BadInput` for options that do not fit task, model or text, and for a text without tokens.
/// `Unsupported` for a model with another head, with weights that are not f32, or of a family whose
/// layers have no gradients. `BadWeights` if scores are not finite. Errors of the backend and of
/// `progress`.
pub async fn explain<B: Train + Processor>(
    model: &Model<B>,
    task: &str,
    text: &str,
    pair: Option<&str>,
    options: &ExplainOptions,
    offsets: Offsets,
    progress: &mut Progress<'_>,
) -> Result<Explanation> {
    check(model, task, pair, options)?;
    let is_answer = task == "question-answering";
    // The question must stay whole.
    let truncation = if is_answer { Truncation::OnlySecond } else { Truncation::LongestFirst };
    let (encoding, truncated) =
        model.tokenizer()?.fit(text, pair, truncation, model.max_tokens())?;
    if encoding.sequence_ids.iter().all(Option::is_none) {
        return refuse("text", "one or more tokens", "none");
    }
    let is_path = options.method == Method::IntegratedGradients;
    let rule = if is_path { gauss_legendre(options.n_steps) } else { vec![(1.0, 1.0)] };
    progress(0, rule.len()).await?;
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
        progress(done, rule.len()).await?;
    }
    let tokens = tokens(model.tokenizer()?, &call, &attributions);
    let completeness = is_path.then(|| Completeness::of(&path, attributions.iter().sum()));
    let (target, score) = (path.subject, path.score as f32);
    Ok(Explanation { target, score, completeness, tokens, truncated })
}

/// Checks the task, the model and the options.
fn check<B: Processor>(
    model: &Model<B>,
    task: &str,
    pair: Option<&str>,
    options: &ExplainOptions,
) -> Result<()> {
    let Some((_, heads)) = TASKS.iter().find(|(name, _)| *name == task) else {
        let names: Vec<_> = TASKS.iter().map(|(name, _)| *name).collect();
        return Err(Error::unexpected(
            ErrorKind::Unsupported,
            format_args!("explain"),
            format_args!("a task of {}", names.join(", ")),
            format_args!("{task}"),
        ));
    };
    model.need(task, heads)?;
    if !(1..=MOST_STEPS).contains(&options.n_steps) {
        return refuse("n_steps", &format!("1 to {MOST_STEPS}"), options.n_steps);
    }
    if task == "question-answering" && pair.is_none() {
        return Err(fault!(
            BadInput,
            "explain: question-answering: expected a question and a context",
            item = "question-answering",
            expected = "a question and a context",
        ));
    }
    let others = [
        ("index", options.index.is_some(), "token-classification"),
        ("mask", options.mask.is_some(), "fill-mask"),
    ];
    match others.into_iter().find(|(_, given, of)| *given && *of != task) {
        Some((name, _, of)) => Err(fault!(
            BadInput,
            "explain: {name}: expected only for {of}, not for {task}",
            item = "{name}",
            found = "{task}",
        )),
        None => Ok(()),
    }
}

/// Returns the model's tokens with their attributions.
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
