// y = activation(x · weightᵀ + bias) on a software adapter, without barriers. On SwiftShader and llvmpipe it is four to
// seven times as fast as linear.wgsl.

@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>; // [rows, groups]

fn x_rows(at: vec4<u32>) -> mat4x4<f32> {
    return mat4x4<f32>(x[at.x], x[at.y], x[at.z], x[at.w]);
}

fn w_rows(row: vec4<u32>, at: vec4<u32>) -> mat4x4<f32> {
    return mat4x4<f32>(
        weight(row.x, at.x),
        weight(row.y, at.y),
        weight(row.z, at.z),
        weight(row.w, at.w),
    );
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
    let x1 = params.groups * clamped_rows(row, params.rows - 1u);
    let x2 = params.groups * clamped_rows(row + 4u, params.rows - 1u);
    let w1 = clamped_rows(column, params.count - 1u);
    let w2 = clamped_rows(column + 4u, params.count - 1u);
    // [x][w]
    var s11 = mat4x4<f32>();
    var s12 = mat4x4<f32>();
    var s21 = mat4x4<f32>();
    var s22 = mat4x4<f32>();
    for (var i = 0u; i < params.groups; i++) {
        let w1_four = w_rows(w1, params.groups * w1 + i);
        let w2_four = w_rows(w2, params.groups * w2 + i);
        if (ROWS == 1u) {
            s11[0] += x[x1.x + i] * w1_four;
            s12[0] += x[x1.x + i] * w2_four;
        } else {
            let x1_four = x_rows(x1 + i);
            s11 += transpose(w1_four) * x1_four;
            s12 += transpose(w2_four) * x1_four;
        }
        if (ROWS > 4u) {
            let x2_four = x_rows(x2 + i);
            s21 += transpose(w1_four) * x2_four;
            s22 += transpose(w2_four) * x2_four;
        }
    }
    store_4_rows(row, column, s11);
    store_4_rows(row, column + 4u, s12);
    if (ROWS > 4u) {
        store_4_rows(row + 4u, column, s21);
        store_4_rows(row + 4u, column + 4u, s22);
    }
}
