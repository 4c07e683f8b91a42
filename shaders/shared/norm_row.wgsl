// LayerNorm of one row, shared by its kernels: x = (x - mean) / deviation · scale + shift, after `add_residual`.

struct Params {
    /// rows of x
    rows: u32,
    /// columns of x
    width: u32,
    /// added to the variance, inside the root
    eps: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> x: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(3) var<storage, read> scale: array<vec4<f32>>; // [groups]
@group(0) @binding(4) var<storage, read> shift: array<vec4<f32>>; // [groups]

/// Returns the squares of a group of a row; zeros beyond the row's last column.
fn square(d: vec4<f32>, group: u32) -> vec4<f32> {
    let in_row = vec4<u32>(4u * group) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(params.width);
    return select(vec4<f32>(), d * d, in_row);
}

fn mean_of(sum: f32) -> f32 {
    return sum / f32(params.width);
}

fn inverse_deviation(squares: f32) -> f32 {
    return inverseSqrt(squares / f32(params.width) + params.eps);
}
