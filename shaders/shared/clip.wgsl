// Clipping by the norm of all gradients together, as torch.nn.utils.clip_grad_norm_.

/// Whether gradients are clipped; where not, any buffer may be bound in place of the sum.
override CLIP: bool = false;

@group(0) @binding(3) var<storage, read> squares: array<f32>; // [1]: the sum of the squares of all gradients

/// Whether the sum is finite. By its bits, as shaders may be compiled as if no number were infinite.
fn is_finite() -> bool {
    return !CLIP || (bitcast<u32>(squares[0]) & 0x7f800000u) != 0x7f800000u;
}

/// What gradients are multiplied by.
fn clip_factor() -> f32 {
    if (!CLIP) {
        return 1.0;
    }
    return min(1.0, params.max_norm / (sqrt(squares[0]) + 1e-6));
}
