// y = activation(x · weightᵀ + bias) on a software adapter, from quantized rows, without barriers. One load brings four
// numbers, which are multiplied as floats. On SwiftShader it takes about 0.6 of the time of linear_barrier_free.wgsl.
// WGSL's product of 8-bit integers takes twice as long there.

@group(0) @binding(2) var<storage, read> x: array<u32>; // [rows, blocks, 8]
@group(0) @binding(6) var<storage, read> x_scales: array<f32>; // [rows, blocks]
@group(0) @binding(3) var<storage, read> weights: array<u32>; // [count, blocks, 8]
@group(0) @binding(4) var<storage, read> scales: array<f32>; // [count, blocks]

fn x_scale(at: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(x_scales[at.x], x_scales[at.y], x_scales[at.z], x_scales[at.w]);
}

fn w_scale(at: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(scales[at.x], scales[at.y], scales[at.z], scales[at.w]);
}

/// Returns four rows of four numbers each, as floats.
fn dequantize(a: u32, b: u32, c: u32, d: u32, scale: vec4<f32>) -> mat4x4<f32> {
    return mat4x4<f32>(
        scale.x * unpack4x8snorm(a),
        scale.y * unpack4x8snorm(b),
        scale.z * unpack4x8snorm(c),
        scale.w * unpack4x8snorm(d),
    );
}

fn x_rows(at: vec4<u32>, scale: vec4<f32>) -> mat4x4<f32> {
    return dequantize(x[at.x], x[at.y], x[at.z], x[at.w], scale);
}

fn w_rows(at: vec4<u32>, scale: vec4<f32>) -> mat4x4<f32> {
    return dequantize(weights[at.x], weights[at.y], weights[at.z], weights[at.w], scale);
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let column = 8u * (workgroup.x * THREADS + index);
    let row = workgroup.y * ROWS;
    if (column >= params.count) {
        return;
    }
    let blocks = (params.groups + 7u) / 8u;
    let x1 = blocks * clamped_rows(row, params.rows - 1u);
    let x2 = blocks * clamped_rows(row + 4u, params.rows - 1u);
    let w1 = blocks * clamped_rows(column, params.count - 1u);
    let w2 = blocks * clamped_rows(column + 4u, params.count - 1u);
    // [x][w]
    var s11 = mat4x4<f32>();
    var s12 = mat4x4<f32>();
    var s21 = mat4x4<f32>();
    var s22 = mat4x4<f32>();
    for (var b = 0u; b < blocks; b++) {
        let w1_scale = w_scale(w1 + b);
        let w2_scale = w_scale(w2 + b);
        var x1_scale = vec4<f32>(x_scales[x1.x + b]);
        var x2_scale = vec4<f32>();
        if (ROWS > 1u) { x1_scale = x_scale(x1 + b); }
        if (ROWS > 4u) { x2_scale = x_scale(x2 + b); }
        for (var i = 0u; i < 8u; i++) {
            let w1_four = w_rows(8u * (w1 + b) + i, w1_scale);
            let w2_four = w_rows(8u * (w2 + b) + i, w2_scale);
            if (ROWS == 1u) {
                let one = x1_scale.x * unpack4x8snorm(x[8u * (x1.x + b) + i]);
                s11[0] += one * w1_four;
                s12[0] += one * w2_four;
            } else {
                let x1_four = x_rows(8u * (x1 + b) + i, x1_scale);
                s11 += transpose(w1_four) * x1_four;
                s12 += transpose(w2_four) * x1_four;
            }
            if (ROWS > 4u) {
                let x2_four = x_rows(8u * (x2 + b) + i, x2_scale);
                s21 += transpose(w1_four) * x2_four;
                s22 += transpose(w2_four) * x2_four;
            }
        }
    }
    store_4_rows(row, column, s11);
    store_4_rows(row, column + 4u, s12);
    if (ROWS > 4u) {
        store_4_rows(row + 4u, column, s21);
        store_4_rows(row + 4u, column + 4u, s22);
    }
}
