//! Cross-entropy down the columns, over the rows of each group: starts and ends of answers, and
//! multiple choice.

use std::ops::Range;

use super::cross_entropy::IGNORED;
use super::softmax::exponentials;
use crate::Rows;

/// Adds the cross-entropy of the rows of each group to `loss`, `[1, 1]`, and replaces `logits` by
/// their gradient times `scale`.
///
/// The softmax of each column runs over the rows of a group. `targets`, `[groups, cols]`, are row
/// numbers within the group, or [`IGNORED`]. The loss is the mean over the targets of a column that
/// count, then over the columns. The gradient outside of groups is 0.
pub fn cross_entropy_of_groups(
    logits: &mut Rows,
    groups: &[Range<usize>],
    targets: &[i32],
    scale: f32,
    loss: &mut Rows,
) {
    let cols = logits.cols;
    let mut gradient = vec![0.0; logits.data.len()];
    let mut total = 0.0;
    for column in 0..cols {
        let target = |group: usize| match targets[group * cols + column] {
            IGNORED => None,
            target => usize::try_from(target).ok(),
        };
        let counted = (0..groups.len()).filter(|&group| target(group).is_some()).count();
        let share = 1.0 / (counted * cols) as f64;
        for (group, rows) in groups.iter().enumerate() {
            let Some(target) = target(group) else { continue };
            let at = |row: usize| (rows.start + row) * cols + column;
            let mut scores: Vec<f32> = (0..rows.len()).map(|row| logits.data[at(row)]).collect();
            let own = f64::from(scores[target]);
            let (maximum, sum) = exponentials(&mut scores);
            total += share * (f64::from(maximum) + sum.ln() - own);
            let each = share * f64::from(scale);
            for (row, e) in scores.iter().enumerate() {
                gradient[at(row)] = (each / sum) as f32 * e;
            }
            gradient[at(target)] -= each as f32;
        }
    }
    logits.data.copy_from_slice(&gradient);
    loss.data[0] += total as f32;
}
