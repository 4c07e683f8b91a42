//! Mean squared error.

use crate::Rows;

/// Adds the mean of (logits - targets)² to `loss`, `[1, 1]`. `targets` are row-major like `logits`.
/// Replaces `logits` by their gradient times `scale`.
pub fn mean_square(logits: &mut Rows, targets: &[f32], scale: f32, loss: &mut Rows) {
    let share = 1.0 / logits.data.len() as f64;
    let mut total = 0.0;
    for (logit, target) in logits.data.iter_mut().zip(targets) {
        let difference = f64::from(*logit) - f64::from(*target);
        total += difference * difference;
        *logit = (2.0 * difference * share * f64::from(scale)) as f32;
    }
    loss.data[0] += (total * share) as f32;
}
