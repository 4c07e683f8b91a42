// Sums of columns in a fixed order, for the gradients of biases and of norms: y[n] = Σ x[row] · factor[row] over the
// n-th `chunk` rows. Run twice: over chunks of the rows into partial sums, then over all of these, added to y.

struct Params {
    /// rows of x
    rows: u32,
    /// groups of a row
    groups: u32,
    /// rows that an invocation adds up
    chunk: u32,
}

/// Whether x is multiplied by the factors; where not, any buffer may be bound in their place.
override PRODUCT: bool = false;
/// Whether to add to y.
override ADD: bool = false;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [chunks, groups]
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(3) var<storage, read> factors: array<vec4<f32>>; // [rows, groups]

/// An invocation for each group of each chunk: neighbours read neighbouring groups.
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
