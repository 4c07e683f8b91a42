// What norm.wgsl normalizes after a layer, in place of shared/residual.wgsl: the residual and the layer's result, which
// may still have parts (see linear.wgsl).

/// Parts of the layer's sums.
override PARTS: u32 = 1u;
/// If true, the layer's bias is to be added; if false, any buffer may be bound in its place.
override BIASED: bool = false;

@group(0) @binding(2) var<storage, read> residual: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(5) var<storage, read> parts_of_sums: array<vec4<f32>>; // [PARTS, rows, groups]
@group(0) @binding(6) var<storage, read> bias: array<vec4<f32>>; // [groups]

/// Writes a group of the sum to x and returns it.
fn add_residual(at: u32) -> vec4<f32> {
    let groups = (params.width + 3u) / 4u;
    var sum = parts_of_sums[at];
    for (var part = 1u; part < PARTS; part++) {
        sum += parts_of_sums[part * params.rows * groups + at];
    }
    if (BIASED) {
        sum += bias[at % groups];
    }
    sum += residual[at];
    x[at] = sum;
    return sum;
}
