// Operands of linear.wgsl: 16-bit floats, whose largest value is 65,504.

enable f16;

alias Operand4 = vec4<f16>;
alias Operand4x4 = mat4x4<f16>;

fn narrow(v: vec4<f32>) -> Operand4 {
    // Without the clamp, a larger activation would become infinite.
    return Operand4(clamp(v, vec4<f32>(-65504.0), vec4<f32>(65504.0)));
}

/// Returns sums + x · w. Four products at a time are added in 16 bits.
fn add_products(sums: vec4<f32>, x: Operand4, w: Operand4x4) -> vec4<f32> {
    return sums + vec4<f32>(x * w);
}
