// Mean binary cross-entropy of sigmoid(logits) with their targets.

/// Returns -t · log(sigmoid(z)) - (1 - t) · log(1 - sigmoid(z)), in a form in which no exp can overflow, and its
/// gradient sigmoid(z) - t.
fn loss_and_gradient(logit: f32, wanted: f32) -> vec2<f32> {
    let e = exp(-abs(logit));
    let sigmoid = select(e, 1.0, logit >= 0.0) / (1.0 + e);
    return vec2<f32>(max(logit, 0.0) - logit * wanted + log_1_plus(e), sigmoid - wanted);
}

/// Returns log(1 + e) for e from 0 to 1, with a relative error of 1e-7. A plain log(1 + e) would lose e's digits in the
/// sum. With s = e / (2 + e), log(1 + e) = 2 · artanh(s) = 2 · (s + s³ / 3 + s⁵ / 5 + …).
fn log_1_plus(e: f32) -> f32 {
    let s = e / (2.0 + e);
    let z = s * s;
    let series = ((((z / 11.0 + 1.0 / 9.0) * z + 1.0 / 7.0) * z + 0.2) * z + 1.0 / 3.0) * z + 1.0;
    return 2.0 * s * series;
}
