// Mean square of logits - targets.

fn loss_and_gradient(logit: f32, wanted: f32) -> vec2<f32> {
    let difference = logit - wanted;
    return vec2<f32>(difference * difference, 2.0 * difference);
}
