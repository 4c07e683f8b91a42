// Sums of columns in a fixed order, for the gradients of biases and norms: y[n] = Σ x[row] · factor[row] over the n-th
// `chunk` of rows. It runs twice: first over chunks of rows into partial sums, then over the partial sums into y.

struct Params {
    /// rows of x
    rows: u32,
    /// groups of a row
    groups: u32,
    /// rows added up by one invocation
    chunk: u32,
}

/// If true, x is multiplied by the factors. If false, any buffer may be bound in their place.
override PRODUCT: bool = false;
/// If true, the sums are added to y; if false, they replace y.
override ADD: bool = false;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [chunks, groups]
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(3) var<storage, read> factors: array<vec4<f32>>; // [rows, groups]

/// One invocation per group of each chunk, so neighbouring invocations read neighbouring groups.
@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    let first = at / params.groups * params.chunk;
    if (first >= params.rows) {
        return;
    }
    var sum = vec4<f32>();
    for (var row = first; row < min(first + params.chunk, params.rows); row++) {
        let i = row * params.groups + at % params.groups;
        if (PRODUCT) {
            sum += x[i] * factors[i];
        } else {
            sum += x[i];
        }
    }
    if (ADD) {
        y[at] += sum;
    } else {
        y[at] = sum;
    }
}
