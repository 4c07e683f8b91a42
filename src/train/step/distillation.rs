//! Distillation: another model's outputs, the teacher's, as targets (Hinton et al. 2015). Losses and
//! names are taken from DistilBERT's training script (Sanh et al. 2019): soft targets at a
//! temperature, the cosine of the last states, and the loss of the labels.
//!
//! A teacher has a device of its own, so its outputs are copied to the host. The losses of soft
//! targets and of cosines are computed there, with the student's outputs.

use crate::error::{fault, unexpected};
use std::rc::Rc;

use webert_kernels::divergence;

use super::loss::Targets;
use super::replacement::same_tokens;
use crate::backend::Processor;
use crate::backend::train::{CrossEntropy, Train};
use crate::batch::{Batch, Limits};
use crate::config::HeadKind;
use crate::engine::{Model, Request};
use crate::model::heads::HeadOutputs;
use crate::train::arguments::TrainingArguments;
use crate::{Error, ErrorKind, Result};

/// Heads whose scores can be soft targets.
const HEADS: [HeadKind; 3] =
    [HeadKind::MaskedLm, HeadKind::SequenceClassification, HeadKind::TokenClassification];

/// Weights of the parts of a distillation's loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::train) struct Weights {
    /// Divisor of the scores before their softmax.
    temperature: f32,
    /// Weight of the soft targets.
    soft: f32,
    /// Weight of the labels.
    labels: f32,
    /// Weight of the cosine of the last states.
    cosine: f32,
}

impl Weights {
    /// Returns the weights of a run. Defaults are DistilBERT's: its README for masked
    /// language models, and `run_squad_w_distillation.py` for other heads.
    ///
    /// # Errors
    /// `BadInput` for the weight of another head, and if all weights are 0.
    pub(in crate::train) fn new(arguments: &TrainingArguments, kind: HeadKind) -> Result<Self> {
        let is_masked = kind == HeadKind::MaskedLm;
        let TrainingArguments { alpha_mlm, alpha_labels, .. } = arguments;
        let (own, other) =
            if is_masked { (alpha_mlm, alpha_labels) } else { (alpha_labels, alpha_mlm) };
        let [other_name, own_name] =
            if is_masked { ["alpha_labels", "alpha_mlm"] } else { ["alpha_mlm", "alpha_labels"] };
        if other.is_some() {
            let head = kind.name();
            return Err(fault!(
                BadInput,
                "{other_name}: expected {own_name} for the head {head}",
                item = "{other_name}",
                expected = "{own_name}",
            ));
        }
        let [soft, labels, cosine] = if is_masked { [5.0, 2.0, 1.0] } else { [0.5, 0.5, 0.0] };
        let weights = Self {
            temperature: arguments.temperature.unwrap_or(2.0) as f32,
            soft: arguments.alpha_ce.unwrap_or(soft) as f32,
            labels: own.unwrap_or(labels) as f32,
            cosine: arguments.alpha_cos.unwrap_or(cosine) as f32,
        };
        if weights.soft + weights.labels + weights.cosine == 0.0 {
            return Err(fault!(
                BadInput,
                "alpha_ce, {own_name}, alpha_cos: expected one above 0",
                item = "alpha_ce, {own_name}, alpha_cos",
                expected = "one above 0",
            ));
        }
        Ok(weights)
    }

    /// Rejects options of a distillation in a run without a teacher.
    ///
    /// # Errors
    /// `BadInput`, naming the option.
    pub(in crate::train) fn refuse(arguments: &TrainingArguments) -> Result<()> {
        let options = arguments.distillation_options();
        match options.iter().find(|(_, value)| value.is_some()) {
            None => Ok(()),
            Some((name, _)) => Err(fault!(
                BadInput,
                "{name}: expected a teacher. Pass `teacher` to `Trainer.from_pretrained`.",
                item = "{name}",
                expected = "a teacher",
            )),
        }
    }
}

/// Checks that a teacher fits a model.
///
/// # Errors
/// `Unsupported` for another head than [`HEADS`] and for positions that are counted in another way.
/// `BadInput` if heads, vocabularies, or labels differ, and for a model that is its own teacher.
pub(in crate::train) fn check_teacher<B: Processor>(
    model: &Model<B>,
    teacher: &Model<B>,
) -> Result<()> {
    let kind = model.head_spec().kind;
    model.need("training with a teacher", &HEADS)?;
    teacher.need("a teacher", &[kind])?;
    if Rc::ptr_eq(model.engine(), teacher.engine()) {
        return Err(unexpected!(BadInput, "teacher", "another model", "the student"));
    }
    same_tokens(model, teacher, "teacher")?;
    let (own, other) = (model.config(), teacher.config());
    if kind != HeadKind::MaskedLm && own.labels != other.labels {
        return Err(Error::unexpected(
            ErrorKind::BadInput,
            format_args!("labels"),
            format_args!("{:?} like the teacher's", other.labels),
            format_args!("{:?}", own.labels),
        ));
    }
    let [own, other]: [Limits; 2] = [own.into(), other.into()];
    let counts = |limits: Limits| (limits.first_position, limits.padding, limits.types == 0);
    if counts(own) != counts(other) {
        let [own, found] = [model, teacher].map(|model| model.config().family.model_type());
        return Err(fault!(
            Unsupported,
            "teacher: model_type \"{found}\" counts positions or token types in another way than \"{own}\"",
            item = "teacher",
            found = "model_type \"{found}\"",
        ));
    }
    Ok(())
}

/// Outputs of a teacher for a batch, row-major.
pub(in crate::train) struct Taught {
    weights: Weights,
    /// `[rows, scores]`, the rows that the student's head scores.
    logits: Vec<f32>,
    scores: usize,
    /// `[tokens, hidden]`; empty if no loss reads them.
    states: Vec<f32>,
    hidden: usize,
}

impl Taught {
    /// Runs a teacher over a batch of its student.
    ///
    /// # Errors
    /// `BadInput` if a text is too long for the teacher, or if states of another width are to be
    /// compared. `Unsupported` for labels that are not single classes. Errors of the backend.
    pub(in crate::train) async fn new<B: Processor>(
        teacher: &Model<B>,
        student: &Model<B>,
        batch: &Batch,
        targets: &Targets,
        weights: Weights,
    ) -> Result<Self> {
        if !targets.are_classes() {
            return Err(fault!(
                Unsupported,
                "teacher: expected one label per text or token (problem_type single_label_classification)",
                item = "teacher",
                expected = "one label per text or token",
            ));
        }
        let (config, own) = (teacher.config(), student.config());
        let longest = batch.sequences.iter().map(|sequence| sequence.rows.len()).max().unwrap_or(0);
        let last = batch.positions.iter().copied().max().unwrap_or(0) as usize;
        if last >= config.positions {
            return Err(Error::unexpected(
                ErrorKind::BadInput,
                format_args!("max_length"),
                format_args!("at most the {} tokens of the teacher", config.max_tokens()),
                format_args!("{longest}"),
            ));
        }
        let reads_states = weights.cosine > 0.0;
        if reads_states && config.hidden != own.hidden {
            let [own, found] = [own.hidden, config.hidden];
            return Err(fault!(
                BadInput,
                "alpha_cos: expected a teacher with the student's hidden_size {own}, got {found}. Set `alpha_cos` to 0.",
                item = "alpha_cos",
                expected = "a teacher with the student's hidden_size {own}",
                found = "{found}",
            ));
        }
        let kind = teacher.head_spec().kind;
        let tokens = targets.rows().tokens.filter(|_| kind.reads_tokens()).map(<[u32]>::to_vec);
        let states = if reads_states { vec![config.last_state()] } else { Vec::new() };
        let request =
            Request { batch: batch.clone(), head: true, tokens, states, ..Request::default() };
        let mut response = teacher.forward(request).await?;
        let states = response.states.pop().unwrap_or_default();
        let (scores, hidden) = (kind.scores(config), config.hidden);
        Ok(Self { weights, logits: response.logits, scores, states, hidden })
    }

    /// Adds the weighted losses to `loss`. The student's outputs are replaced by their gradients,
    /// times `how.scale`. Returns the gradient with respect to the student's last states `state`,
    /// `[tokens, hidden]`, if a loss reads them.
    ///
    /// # Errors
    /// Errors of the backend.
    pub(in crate::train) async fn apply<B: Train>(
        mut self,
        backend: &mut B,
        targets: &Targets,
        outputs: &mut HeadOutputs<B>,
        state: &B::Rows,
        how: CrossEntropy<'_>,
        loss: &mut B::Rows,
    ) -> Result<Option<B::Rows>> {
        let Weights { temperature, soft, labels, cosine } = self.weights;
        let Some(logits) = outputs.logits.as_mut() else { return Ok(None) };
        let mut student = backend.read(&[&*logits]).await?.swap_remove(0);
        let mut total = 0.0;
        if labels > 0.0 {
            let mut of_labels = [backend.zeros(1, 1)?, backend.zeros(1, 1)?];
            let how = CrossEntropy { scale: how.scale * labels, ..how };
            targets.apply(backend, outputs, how, &mut of_labels).await?;
            let value = backend.read(&[&of_labels[0]]).await?;
            total += f64::from(labels) * f64::from(value[0][0]);
        } else {
            backend.clear(logits);
        }
        let Some(logits) = outputs.logits.as_mut() else { return Ok(None) };
        let scale = how.scale * soft;
        let rows = student.len() / self.scores.max(1);
        let value = divergence(&mut student, &mut self.logits, self.scores, temperature, scale);
        total += f64::from(soft) * value;
        let mut gradient = B::Rows::default();
        backend.put(&student, rows, &mut gradient)?;
        backend.add(&gradient, logits);
        let mut dstate = None;
        if cosine > 0.0 {
            let mut states = backend.read(&[state]).await?.swap_remove(0);
            let (tokens, width) = (states.len() / self.hidden.max(1), self.hidden);
            let value = cosine_loss(&mut states, &self.states, width, how.scale * cosine);
            total += f64::from(cosine) * value;
            let mut gradient = B::Rows::default();
            backend.put(&states, tokens, &mut gradient)?;
            dstate = Some(gradient);
        }
        let mut sum = B::Rows::default();
        backend.put(&[total as f32], 1, &mut sum)?;
        backend.add(&sum, loss);
        Ok(dstate)
    }
}

/// Term of PyTorch's `CosineEmbeddingLoss` against division by 0.
const EPSILON: f64 = 1e-12;

/// Returns the mean over the rows of 1 - cos(student, teacher), as `torch.nn.CosineEmbeddingLoss`
/// with targets of 1. Both are `[rows, width]`. `student` is replaced by the gradient times `scale`.
fn cosine_loss(student: &mut [f32], teacher: &[f32], width: usize, scale: f32) -> f64 {
    let rows = student.len() / width.max(1);
    let mut total = 0.0;
    let pairs = student.chunks_exact_mut(width.max(1)).zip(teacher.chunks_exact(width.max(1)));
    for (x, y) in pairs {
        let [mut xy, mut xx, mut yy] = [0.0, EPSILON, EPSILON];
        for (&x, &y) in x.iter().zip(y) {
            let (x, y) = (f64::from(x), f64::from(y));
            (xy, xx, yy) = (xy + x * y, xx + x * x, yy + y * y);
        }
        let length = (xx * yy).sqrt();
        let cosine = xy / length;
        total += 1.0 - cosine;
        let factor = -f64::from(scale) / rows as f64;
        for (x, &y) in x.iter_mut().zip(y) {
            *x = (factor * (f64::from(y) / length - cosine * f64::from(*x) / xx)) as f32;
        }
    }
    total / rows.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::cosine_loss;

    #[test]
    fn the_cosine_has_the_gradient_of_finite_differences() {
        let student = [0.5, -1.0, 2.0, 1.5, 0.25, -0.75];
        let teacher = [-2.0, 1.0, 0.125, 1.0, 3.0, 1.5];
        let mut gradient = student;
        cosine_loss(&mut gradient, &teacher, 3, 0.5);
        for place in 0..student.len() {
            let at = |step: f32| {
                let mut moved = student;
                moved[place] += step;
                cosine_loss(&mut moved, &teacher, 3, 1.0)
            };
            let step = 2.0_f32.powi(-7);
            let found = 0.5 * (at(step) - at(-step)) / f64::from(2.0 * step);
            let slope = f64::from(gradient[place]);
            assert!((found - slope).abs() < 1e-4, "{found}, {slope}");
        }
        assert!(cosine_loss(&mut { teacher }, &teacher, 3, 1.0).abs() < 1e-9);
        assert_eq!(cosine_loss(&mut [0.0; 3], &[0.0; 3], 3, 1.0), 1.0);
    }
}
