// Clipping by the norm of all gradients together, like torch.nn.utils.clip_grad_norm_.

/// If true, gradients are clipped. If false, any buffer may be bound in place of the sum.
override CLIP: bool = false;

@group(0) @binding(3) var<storage, read> squares: array<f32>; // [1]: Σ gradient² over all gradients

/// Returns true if the sum is finite. Tests its bits, because shader compilers may assume that no number is infinite.
fn is_finite() -> bool {
    return !CLIP || (bitcast<u32>(squares[0]) & 0x7f800000u) != 0x7f800000u;
}

/// Returns the factor of the gradients.
fn clip_factor() -> f32 {
    if (!CLIP) {
        return 1.0;
    }
    // PyTorch adds the same 1e-6.
    return min(1.0, params.max_norm / (sqrt(squares[0]) + 1e-6));
}
