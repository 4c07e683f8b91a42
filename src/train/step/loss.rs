//! Labels, checked against model and batch, and the losses of a head's outputs.

use crate::error::{fault, unexpected};
use std::ops::Range;

use super::similarity::{Pool, Similarity};
use crate::backend::Processor;
use crate::backend::train::{CrossEntropy, IGNORED, Train};
use crate::batch::Batch;
use crate::config::{Config, HeadKind, Problem};
use crate::engine::Model;
use crate::model::heads::{HeadOutputs, HeadRows};
use crate::{Error, ErrorKind, Result};

/// Targets of a batch. Tokens are the rows of the [`Batch`]; the label -100 is ignored.
#[derive(Debug, Clone, PartialEq)]
pub enum Labels {
    /// A class per sequence, or the number of the right choice per group of choices.
    Classes(Vec<i32>),
    /// A number per sequence and label, row-major `[sequences, labels]`.
    Scores(Vec<f32>),
    /// A class per token: a label, a vocabulary id, or for replaced-token detection 1 (replaced) or
    /// 0 (original).
    Tokens(Vec<i32>),
    /// A vocabulary id per token, and a class per sequence: 0 if the second text follows the first.
    PreTraining {
        /// One per token.
        tokens: Vec<i32>,
        /// One per sequence.
        next_sentence: Vec<i32>,
    },
    /// First and last token of an answer per sequence, counted from the sequence's first token.
    /// Places outside the sequence are ignored.
    Answers {
        /// First tokens.
        starts: Vec<i32>,
        /// Last tokens.
        ends: Vec<i32>,
    },
    /// Similarity of the texts of a row. The batch has the first texts of all rows, then the second
    /// texts, then the third texts if present.
    Similarity {
        /// Texts per row.
        columns: usize,
        /// Target cosine of the two texts of each row. `None`: the second text must be nearer to
        /// the first than every other text of the batch that is not a first text.
        scores: Option<Vec<f32>>,
    },
}

/// Labels in the form that the losses take.
pub(in crate::train) struct Targets {
    /// Rows of the first tokens.
    first: Vec<u32>,
    /// Rows of the scored tokens. `None`: all.
    tokens: Option<Vec<u32>>,
    loss: Loss,
}

/// A loss with its targets.
enum Loss {
    /// Over each scored row.
    CrossEntropy(Vec<i32>),
    /// Over each scored token, plus over each sequence's relation.
    Sum(Vec<i32>, Vec<i32>),
    /// Over the rows of each group; targets `[groups, columns]`.
    Groups(Vec<Range<usize>>, Vec<i32>),
    BinaryCrossEntropy(Vec<f32>),
    MeanSquare(Vec<f32>),
    /// Over pooled states.
    Similarity(Similarity),
}

impl Targets {
    /// # Errors
    /// `BadInput` if the kind or number of labels does not match head and batch, or if a label is
    /// outside the head's classes. `Unsupported` if the embeddings' pooling has no gradient.
    pub(in crate::train) fn new<B: Processor>(
        model: &Model<B>,
        batch: &Batch,
        labels: &Labels,
    ) -> Result<Self> {
        let (config, kind) = (model.config(), model.head_spec().kind);
        use HeadKind::{MaskedLm, PreTraining, ReplacedToken, TokenClassification};
        let (tokens, sequences) = (batch.ids.len(), batch.sequences.len());
        let (mut chosen, classes) = (None, kind.scores(config));
        let loss = match (kind, labels) {
            (MaskedLm | TokenClassification, Labels::Tokens(labels)) => {
                let labels = checked("labels", labels, tokens, classes)?;
                Loss::CrossEntropy(choose(labels, &mut chosen)?)
            }
            (ReplacedToken, Labels::Tokens(labels)) => {
                let labels = choose(checked("labels", labels, tokens, 2)?, &mut chosen)?;
                Loss::BinaryCrossEntropy(labels.iter().map(|&label| label as f32).collect())
            }
            (PreTraining, Labels::PreTraining { tokens: labels, next_sentence }) => {
                let labels = checked("labels", labels, tokens, classes)?;
                let pairs = checked("next_sentence_label", next_sentence, sequences, 2)?;
                Loss::Sum(choose(labels, &mut chosen)?, pairs.to_vec())
            }
            (HeadKind::NextSentence, Labels::Classes(labels)) => {
                Loss::CrossEntropy(checked("labels", labels, sequences, classes)?.to_vec())
            }
            (HeadKind::SequenceClassification, labels) => {
                sequence_loss(config, labels, sequences, classes)?
            }
            (HeadKind::MultipleChoice, Labels::Classes(labels)) => choices(labels, sequences)?,
            (HeadKind::QuestionAnswering, Labels::Answers { starts, ends }) => {
                answers(batch, starts, ends)?
            }
            (HeadKind::Bare, Labels::Similarity { columns, scores }) => {
                let pool = Pool::of(model.pooling()?);
                Loss::Similarity(Similarity::new(pool, batch, *columns, scores.as_deref())?)
            }
            _ => {
                return Err(Error::unexpected(
                    ErrorKind::BadInput,
                    format_args!("labels"),
                    format_args!("labels for {}", kind.name()),
                    format_args!("another kind"),
                ));
            }
        };
        Ok(Self { first: batch.first_rows(), tokens: chosen, loss })
    }

    /// Returns the rows of the state that the head reads.
    pub(in crate::train) fn rows(&self) -> HeadRows<'_> {
        HeadRows { first: Some(&self.first), tokens: self.tokens.as_deref() }
    }

    /// Returns true if each scored row has one class as its target.
    pub(in crate::train) fn are_classes(&self) -> bool {
        matches!(self.loss, Loss::CrossEntropy(_))
    }

    /// Returns the loss of embeddings, if the labels are for embeddings. No head runs then.
    pub(in crate::train) fn similarity(&self) -> Option<&Similarity> {
        match &self.loss {
            Loss::Similarity(similarity) => Some(similarity),
            _ => None,
        }
    }

    /// Checks that class weights fit this loss: one per class, over classes.
    ///
    /// # Errors
    /// `BadInput` if they do not.
    pub(in crate::train) fn check_weights(
        &self,
        weights: Option<&[f32]>,
        classes: usize,
    ) -> Result<()> {
        match (weights, &self.loss) {
            (None, _) => Ok(()),
            (Some(weights), Loss::CrossEntropy(_)) if weights.len() == classes => Ok(()),
            (Some(weights), Loss::CrossEntropy(_)) => Err(Error::unexpected(
                ErrorKind::BadInput,
                format_args!("class_weights"),
                format_args!("one for each of {classes} classes"),
                format_args!("{}", weights.len()),
            )),
            _ => Err(fault!(
                BadInput,
                "class_weights: expected only with a cross-entropy over classes",
                item = "class_weights",
            )),
        }
    }

    /// Adds the loss to `losses`, each `[1, 1]`: the head's loss, and the second loss of
    /// pre-training. The outputs are replaced by their gradients, times `how.scale`.
    ///
    /// # Errors
    /// Errors of the backend, because vectors of embeddings are read.
    pub(in crate::train) async fn apply<B: Train>(
        &self,
        backend: &mut B,
        outputs: &mut HeadOutputs<B>,
        how: CrossEntropy<'_>,
        [loss, second]: &mut [B::Rows; 2],
    ) -> Result<()> {
        if let Some((similarity, vectors)) = self.similarity().zip(outputs.pooled.as_mut()) {
            return similarity.apply(backend, vectors, how.scale, loss).await;
        }
        let Some(logits) = outputs.logits.as_mut() else { return Ok(()) };
        match &self.loss {
            Loss::CrossEntropy(targets) => backend.cross_entropy(logits, targets, how, loss),
            Loss::Sum(tokens, pairs) => {
                backend.cross_entropy(logits, tokens, how, loss);
                if let Some(relation) = outputs.relation.as_mut() {
                    backend.cross_entropy(relation, pairs, how, second);
                }
            }
            Loss::Groups(groups, targets) => {
                backend.cross_entropy_of_groups(logits, groups, targets, how.scale, loss);
            }
            Loss::BinaryCrossEntropy(targets) => {
                backend.binary_cross_entropy(logits, targets, how.scale, loss);
            }
            Loss::MeanSquare(targets) => backend.mean_square(logits, targets, how.scale, loss),
            // Handled above: it is over vectors, not logits.
            Loss::Similarity(_) => {}
        }
        Ok(())
    }
}

/// Returns the loss of a sequence classifier. Like transformers, `problem_type` decides, or else
/// the kind and number of labels.
fn sequence_loss(
    config: &Config,
    labels: &Labels,
    sequences: usize,
    classes: usize,
) -> Result<Loss> {
    let guess = match labels {
        _ if classes == 1 => Problem::Regression,
        Labels::Classes(_) => Problem::SingleLabel,
        _ => Problem::MultiLabel,
    };
    match (config.problem.unwrap_or(guess), labels) {
        (Problem::SingleLabel, Labels::Classes(labels)) => {
            Ok(Loss::CrossEntropy(checked("labels", labels, sequences, classes)?.to_vec()))
        }
        (problem @ (Problem::MultiLabel | Problem::Regression), Labels::Scores(scores)) => {
            check_count("labels", scores.len(), sequences * classes)?;
            if let Some(score) = scores.iter().find(|score| !score.is_finite()) {
                return Err(fault!(
                    BadInput,
                    "labels: {score} is not a finite number",
                    item = "labels",
                    expected = "finite numbers",
                    found = "{score}",
                ));
            }
            Ok(match problem {
                Problem::Regression => Loss::MeanSquare(scores.clone()),
                _ => Loss::BinaryCrossEntropy(scores.clone()),
            })
        }
        (problem, _) => Err(Error::unexpected(
            ErrorKind::BadInput,
            format_args!("labels"),
            format_args!("labels for {problem:?}"),
            format_args!("another kind"),
        )),
    }
}

/// Returns the loss over choices. The choices of a question follow each other, the same number for
/// each question.
fn choices(labels: &[i32], sequences: usize) -> Result<Loss> {
    if labels.is_empty() || !sequences.is_multiple_of(labels.len()) {
        return Err(Error::unexpected(
            ErrorKind::BadInput,
            format_args!("labels"),
            format_args!("one for each question"),
            format_args!("{} for {sequences} choices", labels.len()),
        ));
    }
    let count = sequences / labels.len();
    let groups = (0..labels.len()).map(|group| group * count..(group + 1) * count).collect();
    Ok(Loss::Groups(groups, checked("labels", labels, labels.len(), count)?.to_vec()))
}

/// Returns the loss of answers: the first column scores starts, the second ends.
fn answers(batch: &Batch, starts: &[i32], ends: &[i32]) -> Result<Loss> {
    check_count("start_positions", starts.len(), batch.sequences.len())?;
    check_count("end_positions", ends.len(), batch.sequences.len())?;
    let groups: Vec<_> = batch.sequences.iter().map(|sequence| sequence.rows.clone()).collect();
    let mut targets = Vec::with_capacity(2 * groups.len());
    for (group, places) in groups.iter().zip(starts.iter().zip(ends)) {
        let within = 0..group.len() as i32;
        for place in [places.0, places.1] {
            targets.push(if within.contains(place) { *place } else { IGNORED });
        }
    }
    Ok(Loss::Groups(groups, targets))
}

fn check_count(name: &str, found: usize, expected: usize) -> Result<()> {
    if found != expected {
        return Err(Error::unexpected(
            ErrorKind::BadInput,
            format_args!("{name}"),
            format_args!("{expected} entries"),
            format_args!("{found}"),
        ));
    }
    Ok(())
}

/// Returns the labels after checking their number, and that each is a class or [`IGNORED`].
fn checked<'a>(
    name: &str,
    labels: &'a [i32],
    expected: usize,
    classes: usize,
) -> Result<&'a [i32]> {
    check_count(name, labels.len(), expected)?;
    let is_class = |label: i32| usize::try_from(label).is_ok_and(|label| label < classes);
    match labels.iter().find(|&&label| label != IGNORED && !is_class(label)) {
        None => Ok(labels),
        Some(label) => Err(Error::unexpected(
            ErrorKind::BadInput,
            format_args!("{name}"),
            format_args!("{IGNORED} or one of {classes} classes"),
            format_args!("{label}"),
        )),
    }
}

/// Returns the labels that are not ignored and stores their rows.
fn choose(labels: &[i32], rows: &mut Option<Vec<u32>>) -> Result<Vec<i32>> {
    let counted = labels.iter().enumerate().filter(|(_, label)| **label != IGNORED);
    let (chosen, labels): (Vec<u32>, Vec<i32>) =
        counted.map(|(row, &label)| (row as u32, label)).unzip();
    if labels.is_empty() {
        return Err(unexpected!(BadInput, "labels", "a label for a token of the batch", "none"));
    }
    *rows = Some(chosen);
    Ok(labels)
}
