// The operands that linear.wgsl multiplies: 16-bit floats, which end at 65,504.

enable f16;

alias Operand4 = vec4<f16>;
alias Operand4x4 = mat4x4<f16>;

fn narrow(v: vec4<f32>) -> Operand4 {
    return Operand4(clamp(v, vec4<f32>(-65504.0), vec4<f32>(65504.0)));
}
