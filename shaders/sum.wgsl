// Sum of numbers or of their squares. A workgroup adds up `chunk` groups, in an order that depends only on the count.
// Large inputs take two runs: chunks into partial sums, then the partial sums.

struct Params {
    /// numbers
    count: u32,
    /// groups per workgroup
    chunk: u32,
}

/// If true, adds up squares.
override SQUARE: bool = false;
/// If true, the sum is added to y; if false, it replaces y.
override ADD: bool = false;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<f32>; // [workgroups]
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>; // [count in whole groups]

/// Returns a group, with zeros beyond the last number.
fn load(group: u32) -> vec4<f32> {
    let there = vec4<u32>(4u * group) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(params.count);
    return select(vec4<f32>(), x[group], there);
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid);
    let groups = (params.count + 3u) / 4u;
    if (at * params.chunk >= groups) {
        return;
    }
    let end = min((at + 1u) * params.chunk, groups);
    var four = vec4<f32>();
    for (var group = at * params.chunk + index; group < end; group += THREADS) {
        let value = load(group);
        if (SQUARE) {
            four += value * value;
        } else {
            four += value;
        }
    }
    let sum = reduce(index, dot(four, vec4<f32>(1.0)), false);
    if (index == 0u) {
        if (ADD) {
            y[at] += sum;
        } else {
            y[at] = sum;
        }
    }
}
