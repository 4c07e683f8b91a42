// LayerNorm in front of a layer: residual += x, then x = norm(residual). The kernels norm.wgsl and
// norm_barrier_free.wgsl include this file in place of shared/residual.wgsl.

@group(0) @binding(2) var<storage, read_write> residual: array<vec4<f32>>; // [rows, groups]

/// Adds a group of x to the residual, copies the sum to x and returns it.
fn add_residual(at: u32) -> vec4<f32> {
    let sum = residual[at] + x[at];
    residual[at] = sum;
    x[at] = sum;
    return sum;
}
