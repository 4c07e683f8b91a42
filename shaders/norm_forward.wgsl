// LayerNorm that also stores what its gradient needs. One workgroup per row.

struct Params {
    /// rows of x
    rows: u32,
    /// columns of x
    width: u32,
    /// added to the variance, inside the root
    eps: f32,
}

/// If true, a residual is added to x first. If false, any buffer may be bound in its place.
override RESIDUAL: bool = false;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(2) var<storage, read_write> normalized: array<vec4<f32>>; // [rows, groups], before scale and shift
@group(0) @binding(3) var<storage, read_write> inverses: array<vec4<f32>>; // [rows, 1]: 1 / deviation
@group(0) @binding(4) var<storage, read> x: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(5) var<storage, read> residual: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(6) var<storage, read> scale: array<vec4<f32>>; // [groups]
@group(0) @binding(7) var<storage, read> shift: array<vec4<f32>>; // [groups]

/// Returns a group of the row minus the mean; zeros beyond the row's last column.
fn centred(first: u32, group: u32, mean: f32) -> vec4<f32> {
    let in_row = vec4<u32>(4u * group) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(params.width);
    return select(vec4<f32>(), normalized[first + group] - mean, in_row);
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let row = workgroup_index(workgroup, grid);
    if (row >= params.rows) {
        return;
    }
    let groups = (params.width + 3u) / 4u;
    let first = row * groups;

    // Until the end, `normalized` holds x + residual. Each invocation reads only the groups it wrote, so no barrier is
    // needed.
    var sum = vec4<f32>();
    for (var g = index; g < groups; g += THREADS) {
        var value = x[first + g];
        if (RESIDUAL) {
            value += residual[first + g];
        }
        normalized[first + g] = value;
        sum += value;
    }
    let mean = reduce(index, dot(sum, vec4<f32>(1.0)), false) / f32(params.width);

    // A second pass, because the difference of two large sums would lose digits.
    var squares = 0.0;
    for (var g = index; g < groups; g += THREADS) {
        let difference = centred(first, g, mean);
        squares += dot(difference, difference);
    }
    let inverse = inverseSqrt(reduce(index, squares, false) / f32(params.width) + params.eps);
    for (var g = index; g < groups; g += THREADS) {
        let value = inverse * centred(first, g, mean);
        normalized[first + g] = value;
        y[first + g] = value * scale[g] + shift[g];
    }
    if (index == 0u) {
        inverses[row] = vec4<f32>(inverse, 0.0, 0.0, 0.0);
    }
}
