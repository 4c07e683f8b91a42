// First step of attention's gradient: deltas = Σ dy · y per head, which equals Σ p · dp over the keys (Dao et al.
// 2022). One invocation per row and head.

@group(0) @binding(1) var<storage, read_write> deltas: array<f32>; // [rows, heads in whole groups]
@group(0) @binding(2) var<storage, read> dy: array<f32>; // [rows, width in whole groups]
@group(0) @binding(3) var<storage, read> y: array<f32>; // [rows, width in whole groups]

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    if (at >= params.rows * params.heads) {
        return;
    }
    let row = at / params.heads;
    let head = at % params.heads;
    let first = row * ((params.width + 3u) / 4u * 4u) + head * params.head_dim;
    var sum = 0.0;
    for (var i = first; i < first + params.head_dim; i++) {
        sum += dy[i] * y[i];
    }
    deltas[row * ((params.heads + 3u) / 4u * 4u) + head] = sum;
}
