// The operands that linear.wgsl multiplies: 32-bit floats.

alias Operand4 = vec4<f32>;
alias Operand4x4 = mat4x4<f32>;

fn narrow(v: vec4<f32>) -> Operand4 {
    return v;
}
