// What is added before LayerNorm that follows a layer; residual_norm.wgsl is its twin.

/// Whether a residual is added first; where not, any buffer may be bound in its place.
override RESIDUAL: bool = false;

@group(0) @binding(2) var<storage, read> residual: array<vec4<f32>>; // [rows, groups]

/// Adds the residual to a group of x; gives that group.
fn add_residual(at: u32) -> vec4<f32> {
    if (RESIDUAL) {
        x[at] += residual[at];
    }
    return x[at];
}
