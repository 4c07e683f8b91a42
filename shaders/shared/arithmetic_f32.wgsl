// Operands of linear.wgsl: 32-bit floats.

alias Operand4 = vec4<f32>;
alias Operand4x4 = mat4x4<f32>;

fn narrow(v: vec4<f32>) -> Operand4 {
    return v;
}

/// Returns sums + x · w. One product at a time takes four instructions per sum; a dot product would need a fifth.
fn add_products(sums: vec4<f32>, x: Operand4, w: Operand4x4) -> vec4<f32> {
    let columns = transpose(w);
    return sums + x.x * columns[0] + x.y * columns[1] + x.z * columns[2] + x.w * columns[3];
}
