// Convolution with kernels of each token's own (Jiang et al. 2020). The kernel of a head is the softmax of its scores over
// the neighbours. One invocation per group of y.

/// Number of heads.
override HEADS: u32 = 1u;

@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [rows, groups of width]
@group(0) @binding(4) var<storage, read> kernels: array<f32>; // [rows, HEADS · taps in whole groups]

/// Returns the scores of a neighbour for the heads of four columns from `first`.
fn scores(row: u32, first: u32, tap: u32) -> vec4<f32> {
    let start = row * ((HEADS * params.taps + 3u) / 4u * 4u) + tap;
    let columns = min(vec4<u32>(first) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(params.width - 1u));
    let at = start + columns / (params.width / HEADS) * params.taps;
    return vec4<f32>(kernels[at.x], kernels[at.y], kernels[at.z], kernels[at.w]);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid) * 64u + index;
    let groups = (params.width + 3u) / 4u;
    if (at >= params.rows * groups) {
        return;
    }
    let row = at / groups;
    let first = at % groups * 4u;
    var maximum = scores(row, first, 0u);
    for (var tap = 1u; tap < params.taps; tap++) {
        maximum = max(maximum, scores(row, first, tap));
    }
    var total = vec4<f32>();
    var sum = vec4<f32>();
    for (var tap = 0u; tap < params.taps; tap++) {
        let share = exp(scores(row, first, tap) - maximum);
        total += share;
        let source = neighbour(row, tap);
        if (source < params.rows) {
            sum += share * x[source * groups + first / 4u];
        }
    }
    y[at] = sum / total;
}
