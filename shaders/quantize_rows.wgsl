// Quantizes rows of activations for linear_barrier_free_int8.wgsl. One invocation per block.

@group(0) @binding(1) var<storage, read_write> y: array<vec4<u32>>; // [rows, blocks, 2]
@group(0) @binding(3) var<storage, read_write> y_scales: array<f32>; // [rows, blocks]

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) grid: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let at = workgroup_index(workgroup, grid) * 32u + index;
    let blocks = (params.groups + 7u) / 8u;
    if (at >= params.rows * blocks) {
        return;
    }
    let block = quantized_block(at / blocks, at % blocks);
    y[2u * at] = block.groups[0];
    y[2u * at + 1u] = block.groups[1];
    y_scales[at] = block.scale;
}
