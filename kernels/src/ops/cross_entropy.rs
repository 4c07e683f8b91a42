//! Cross-entropy over the columns of each row.

use super::softmax::exponentials;
use crate::threads::parallel_items;
use crate::{Rows, Workspace};

/// The target that counts for nothing.
pub const IGNORED: i32 = -100;

/// How targets become a loss.
#[derive(Debug, Clone, Copy, Default)]
pub struct CrossEntropy<'a> {
    /// A weight for each class; `None`: all 1. The loss is the weighted mean, as PyTorch's.
    pub class_weights: Option<&'a [f32]>,
    /// The share of the target that all classes have in equal parts.
    pub label_smoothing: f32,
    /// What the gradient is multiplied by: 1 over the number of micro-batches that a step adds up. The loss is not.
    pub scale: f32,
}

impl CrossEntropy<'_> {
    fn weight(&self, class: usize) -> f32 {
        self.class_weights.map_or(1.0, |weights| weights[class])
    }

    /// What the losses of these targets are divided by.
    fn total(&self, targets: &[i32]) -> f64 {
        let counted = targets.iter().filter_map(|&target| class(target));
        counted.map(|class| f64::from(self.weight(class))).sum()
    }
}

/// The class of a target that counts.
fn class(target: i32) -> Option<usize> {
    if target == IGNORED { None } else { usize::try_from(target).ok() }
}

/// The cross-entropy of each row of `logits` `[rows, classes]` with its target, a class or [`IGNORED`]: becomes
/// its own gradient in place; the loss is added to `loss` `[1, 1]`. Where no row counts both are 0.
pub fn cross_entropy(
    logits: &mut Rows,
    targets: &[i32],
    how: CrossEntropy<'_>,
    loss: &mut Rows,
    workspace: &mut Workspace,
) {
    let (total, cols) = (how.total(targets), logits.cols);
    let mut losses = vec![0.0; targets.len()];
    let rows = logits.data.chunks_mut(cols).zip(targets).zip(&mut losses);
    parallel_items(&mut workspace.threads, rows, &|_, ((row, &target), loss)| match class(target)
        .filter(|_| total > 0.0)
    {
        Some(class) => *loss = row_loss(row, class, &how, total),
        None => row.fill(0.0),
    });
    loss.data[0] += losses.iter().sum::<f64>() as f32;
}

/// A row's share of the loss. The row becomes p · (own + Σ others) - own at its class - others, where `own` and
/// `others` are the weights of -log p of its class and of every class.
fn row_loss(row: &mut [f32], class: usize, how: &CrossEntropy<'_>, total: f64) -> f64 {
    let smoothing = f64::from(how.label_smoothing);
    let own = (1.0 - smoothing) * f64::from(how.weight(class)) / total;
    let each = smoothing / row.len() as f64 / total;
    let mut of_logits = own * f64::from(row[class]);
    let mut of_all = own;
    if smoothing > 0.0 {
        for (class, x) in row.iter().enumerate() {
            let other = each * f64::from(how.weight(class));
            of_logits += other * f64::from(*x);
            of_all += other;
        }
    }
    let (maximum, sum) = exponentials(row);
    let scale = f64::from(how.scale);
    let factor = (of_all / sum * scale) as f32;
    for x in row.iter_mut() {
        *x *= factor;
    }
    row[class] -= (own * scale) as f32;
    if smoothing > 0.0 {
        let each = (each * scale) as f32;
        for (class, x) in row.iter_mut().enumerate() {
            *x -= each * how.weight(class);
        }
    }
    (f64::from(maximum) + sum.ln()) * of_all - of_logits
}
