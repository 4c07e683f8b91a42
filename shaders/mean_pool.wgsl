// Mean of the key rows of each sequence. One invocation per group of a sequence.

struct Params {
    /// number of sequences
    sequences: u32,
    /// groups of a row, in x and y
    groups: u32,
    /// index in the list of the first sequence: see shared/attention_heads.wgsl
    sequences_start: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [sequences, groups]
@group(0) @binding(2) var<storage, read> list: array<u32>;
@group(0) @binding(3) var<storage, read> x: array<vec4<f32>>; // [rows, groups]

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    let sequence = at / params.groups;
    if (sequence >= params.sequences) {
        return;
    }
    let first = list[params.sequences_start + 5u * sequence + 2u];
    let end = list[params.sequences_start + 5u * sequence + 3u];
    var sum = vec4<f32>();
    for (var row = first; row < end; row++) {
        sum += x[row * params.groups + at % params.groups];
    }
    y[at] = sum / f32(end - first);
}
