//! Cross-entropy over the columns of each row.

use super::softmax::exponentials;
use crate::threads::parallel_items;
use crate::{Rows, Workspace};

/// Target of a row that does not count, as in PyTorch.
pub const IGNORED: i32 = -100;

/// How targets become a loss.
#[derive(Debug, Clone, Copy, Default)]
pub struct CrossEntropy<'a> {
    /// Weight of each class; `None` means 1 for all. The loss is the weighted mean, as in PyTorch.
    pub class_weights: Option<&'a [f32]>,
    /// Share of the target that is spread evenly over all classes.
    pub label_smoothing: f32,
    /// Factor of the gradient, but not of the loss: 1 / number of micro-batches that a step adds
    /// up.
    pub scale: f32,
}

impl CrossEntropy<'_> {
    /// Returns the weight of `class`.
    fn weight(&self, class: usize) -> f32 {
        self.class_weights.map_or(1.0, |weights| weights[class])
    }

    /// Returns the divisor of the losses: the sum of the targets' weights.
    fn total(&self, targets: &[i32]) -> f64 {
        let counted = targets.iter().filter_map(|&target| class(target));
        counted.map(|class| f64::from(self.weight(class))).sum()
    }
}

/// Returns the class of a target, or `None` if the target does not count.
fn class(target: i32) -> Option<usize> {
    if target == IGNORED { None } else { usize::try_from(target).ok() }
}

/// Adds the mean cross-entropy of `logits`, `[rows, classes]`, and their targets to `loss`, `[1,
/// 1]`. Replaces `logits` by their gradient. A target is a class or [`IGNORED`]. If no row counts,
/// loss and gradient are 0.
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

/// Returns a row's share of the loss, and replaces the row by its gradient. `own` and `others` are
/// the weights of -log p for the target class and for each class:
///
/// ```text
/// gradient = p · (own + Σ others) - own (at the target class) - others
/// ```
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
