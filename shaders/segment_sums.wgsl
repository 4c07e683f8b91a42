// y[to] += Σ weight · x[from], or y[to] = Σ weight · x[from]. Rows are added to the rows they came from, always in the
// same order. Used for the gradients of embeddings, gather and mean_pool, and for mean_pool itself. A segment is one
// row of y; within a dispatch, no two segments share a row. One invocation per group of a segment.

struct Params {
    /// number of segments
    segments: u32,
    /// groups of a row, in x and y
    groups: u32,
    /// index in the list of the first entry
    entries_start: u32,
}

/// If true, the sum is added to y; if false, it replaces y.
override ADD: bool = true;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>; // [rows, groups]
/// Three numbers per segment: its row of y, its first entry, its last entry + 1. Then the entries: a row of x and the
/// bits of its weight.
@group(0) @binding(3) var<storage, read> list: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    let segment = at / params.groups;
    if (segment >= params.segments) {
        return;
    }
    let group = at % params.groups;
    var sum = vec4<f32>();
    for (var entry = list[3u * segment + 1u]; entry < list[3u * segment + 2u]; entry++) {
        let i = params.entries_start + 2u * entry;
        sum += bitcast<f32>(list[i + 1u]) * x[list[i] * params.groups + group];
    }
    let to = list[3u * segment] * params.groups + group;
    if (ADD) {
        y[to] += sum;
    } else {
        y[to] = sum;
    }
}
