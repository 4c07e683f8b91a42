// The mean binary cross-entropy of sigmoid(logits) with their targets.

/// -t · log(sigmoid(z)) - (1 - t) · log(1 - sigmoid(z)), so that no exp can overflow, and sigmoid(z) - t.
fn loss_and_gradient(logit: f32, wanted: f32) -> vec2<f32> {
    let e = exp(-abs(logit));
    let sigmoid = select(e, 1.0, logit >= 0.0) / (1.0 + e);
    return vec2<f32>(max(logit, 0.0) - logit * wanted + log_1_plus(e), sigmoid - wanted);
}

/// log(1 + e) for e from 0 to 1: where 1 + e would lose e's digits, its series to the third power.
fn log_1_plus(e: f32) -> f32 {
    return select(log(1.0 + e), e * (1.0 - e * (0.5 - e / 3.0)), e < 0.01);
}
