// What the kernels of LayerNorm share: y = (x - mean) / deviation · scale + shift, in place, where x
// may have a residual added first.

struct Params {
    /// rows of x
    rows: u32,
    /// columns of x
    width: u32,
    /// added to the variance, inside the root
    eps: f32,
}

/// Whether a residual is added first; without, any buffer may be bound in its place.
override RESIDUAL: bool = false;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> x: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(2) var<storage, read> residual: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(3) var<storage, read> scale: array<vec4<f32>>; // [groups]
@group(0) @binding(4) var<storage, read> shift: array<vec4<f32>>; // [groups]

/// A group of x, to which the residual has been added.
fn added(at: u32) -> vec4<f32> {
    if (RESIDUAL) {
        x[at] += residual[at];
    }
    return x[at];
}

/// Squares of what is there of a row's group.
fn square(d: vec4<f32>, group: u32) -> vec4<f32> {
    let there = vec4<u32>(4u * group) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(params.width);
    return select(vec4<f32>(), d * d, there);
}

fn inverse_deviation(squares: f32) -> f32 {
    return inverseSqrt(squares / f32(params.width) + params.eps);
}

/// Columns that only fill up the last group have scale and shift 0.
fn finish(first: u32, group: u32, mean: f32, inverse: f32) {
    let at = first + group;
    x[at] = (x[at] - mean) * inverse * scale[group] + shift[group];
}
