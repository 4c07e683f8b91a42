// The operands that linear.wgsl multiplies: 32-bit floats.

alias Operand4 = vec4<f32>;
alias Operand4x4 = mat4x4<f32>;

fn narrow(v: vec4<f32>) -> Operand4 {
    return v;
}

/// sums + x · w, a product at a time: four instructions a sum, where the four products' own sum would take a fifth.
fn add_products(sums: vec4<f32>, x: Operand4, w: Operand4x4) -> vec4<f32> {
    let columns = transpose(w);
    return sums + x.x * columns[0] + x.y * columns[1] + x.z * columns[2] + x.w * columns[3];
}
