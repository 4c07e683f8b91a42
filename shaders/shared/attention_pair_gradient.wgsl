// The gradient of the score of a query and a key, for attention by contents and relative positions.

/// Returns the gradient with respect to the product of query and key, and the probability after dropout. The result of a
/// masked query depends on values only.
fn gradient_of(query: u32, key: u32, head: u32, here: Sequence) -> vec2<f32> {
    let at = statistic(query, head);
    let share = exp(score_of(query, key, head) - log_sums[at]);
    if (masked(query) > 0u) {
        return vec2<f32>(0.0, share);
    }
    let kept = share * factor_of(query, key, head, here);
    var product = 0.0;
    for (var g = 0u; g < head_groups(); g++) {
        product += dot(dy_group(query, head, g), head_group(key, 2u, head, g));
    }
    let scale = inverseSqrt(f32(FACTOR * params.head_dim));
    return vec2<f32>(scale * (kept * product - share * deltas[at]), kept);
}
