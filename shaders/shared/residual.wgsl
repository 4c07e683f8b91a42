// The residual added before a LayerNorm that follows a layer. residual_norm.wgsl defines the same function for a
// LayerNorm in front of a layer.

/// If true, a residual is added first. If false, any buffer may be bound in its place.
override RESIDUAL: bool = false;

@group(0) @binding(2) var<storage, read> residual: array<vec4<f32>>; // [rows, groups]

/// Adds the residual to a group of x and returns the sum.
fn add_residual(at: u32) -> vec4<f32> {
    if (RESIDUAL) {
        x[at] += residual[at];
    }
    return x[at];
}
