//! Binary cross-entropy of logits.
//!
//! ```text
//! loss = mean(max(x, 0) - x · target + ln(1 + e^-|x|))
//! ```

use crate::Rows;

/// Adds the mean binary cross-entropy of sigmoid(logits) and `targets` to `loss`, `[1, 1]`.
/// `targets` are row-major like `logits`. Replaces `logits` by their gradient times `scale`.
pub fn binary_cross_entropy(logits: &mut Rows, targets: &[f32], scale: f32, loss: &mut Rows) {
    let share = 1.0 / logits.data.len() as f64;
    let mut total = 0.0;
    for (logit, target) in logits.data.iter_mut().zip(targets) {
        let (x, target) = (f64::from(*logit), f64::from(*target));
        // Unlike e^-x, e^-|x| cannot overflow.
        let e = (-x.abs()).exp();
        total += x.max(0.0) - x * target + e.ln_1p();
        let sigmoid = if x < 0.0 { e } else { 1.0 } / (1.0 + e);
        *logit = ((sigmoid - target) * share * f64::from(scale)) as f32;
    }
    loss.data[0] += (total * share) as f32;
}
