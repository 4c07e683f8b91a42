// y = softmax(q · kᵀ / √head_dim) · v · weightᵀ + bias for few rows: attention and the layer after it. A workgroup
// computes attention of up to four queries for all heads, and multiplies these whole rows with some of the weights. So
// no result is a sum over workgroups.

struct Params {
    /// columns of all heads together, a multiple of 4
    width: u32,
    /// columns of one head, a multiple of 4
    head_dim: u32,
    /// columns of a row of qkv, in whole groups
    stride: u32,
    /// index in the list of the first sequence, in u32s
    sequences_start: u32,
    /// index in the list of the first block of 16 queries
    entries_start: u32,
    /// heads
    heads: u32,
    /// columns of y, a multiple of 4
    outputs: u32,
}

/// Groups per head.
override GROUPS: u32 = 16u;
const THREADS = 256u;
/// Queries of a workgroup, a quarter of a block. A vector below has a component for each.
const QUERIES = 4u;
/// Invocations that share four columns of y and read neighbouring groups of their weights.
const LANES = 16u;
/// Columns of y that a workgroup computes at a time.
const COLUMNS = 64u;
/// Score of a key beyond the last: exp maps it to 0.
const MASKED = -1e30;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>; // [rows, outputs / 4]
@group(0) @binding(5) var<storage, read> bias: array<vec4<f32>>; // [outputs / 4]
@group(0) @binding(7) var<storage, read_write> context: array<vec4<f32>>; // [rows, width / 4]

/// The least that a device has: the queries and later the result of their attention, [QUERIES, width / 4], then scores,
/// [heads, keys], and later sums, [THREADS].
var<workgroup> memory: array<vec4<f32>, 1024>;

/// Returns one group of the four rows at the start of the memory.
fn four_rows(group: u32, groups: u32) -> mat4x4<f32> {
    return mat4x4<f32>(memory[group], memory[groups + group], memory[2u * groups + group], memory[3u * groups + group]);
}

fn load_queries(row: u32, last: u32, groups: u32, index: u32) {
    let scale = inverseSqrt(f32(params.head_dim));
    for (var i = index; i < QUERIES * groups; i += THREADS) {
        memory[i] = scale * head_group(min(row + i / groups, last), 0u, 0u, i % groups);
    }
}

/// Computes the scores of all heads and keys. `keys` is their number in whole groups.
fn score(here: Sequence, keys: u32, groups: u32, index: u32) {
    for (var i = index; i < params.heads * keys; i += THREADS) {
        let key = here.first_key + i % keys;
        let first = i / keys * GROUPS;
        let row = min(key, here.end_key - 1u);
        var sums = vec4<f32>();
        for (var g = 0u; g < GROUPS; g++) {
            sums += head_group(row, 1u, 0u, first + g) * four_rows(first + g, groups);
        }
        memory[QUERIES * groups + i] = select(vec4<f32>(MASKED), sums, key < here.end_key);
    }
}

/// Computes the values weighted by exp(score), one group of columns per invocation at a time.
fn attend(here: Sequence, keys: u32, groups: u32, index: u32) {
    let last = here.end_key - 1u;
    for (var group = index; group < groups; group += THREADS) {
        let scores = QUERIES * groups + group / GROUPS * keys;
        var maximum = vec4<f32>(MASKED);
        for (var key = 0u; key < keys; key++) {
            maximum = max(maximum, memory[scores + key]);
        }
        var total = vec4<f32>();
        var sums = mat4x4<f32>();
        for (var key = 0u; key < keys; key += 4u) {
            let row = vec4<u32>(here.first_key + key) + vec4<u32>(0u, 1u, 2u, 3u);
            // Loaded before the first is used, so that one does not wait for the other.
            let a = head_group(min(row.x, last), 2u, 0u, group);
            let b = head_group(min(row.y, last), 2u, 0u, group);
            let c = head_group(min(row.z, last), 2u, 0u, group);
            let d = head_group(min(row.w, last), 2u, 0u, group);
            let shares = mat4x4<f32>(
                exp(memory[scores + key] - maximum),
                exp(memory[scores + key + 1u] - maximum),
                exp(memory[scores + key + 2u] - maximum),
                exp(memory[scores + key + 3u] - maximum),
            );
            total += shares[0] + shares[1] + shares[2] + shares[3];
            sums += mat4x4<f32>(a, b, c, d) * transpose(shares);
        }
        memory[group] = sums[0] / total.x;
        memory[groups + group] = sums[1] / total.y;
        memory[2u * groups + group] = sums[2] / total.z;
        memory[3u * groups + group] = sums[3] / total.w;
    }
}

/// Adds the sums of the invocations that share a column. The first four return one row each.
fn reduce(sums: vec4<f32>, groups: u32, index: u32) -> f32 {
    let first = QUERIES * groups + index;
    memory[first] = sums;
    workgroupBarrier();
    let lane = index % LANES;
    var sum = 0.0;
    if (lane < QUERIES) {
        for (var other = 0u; other < LANES; other++) {
            sum += memory[first - lane + other][lane];
        }
    }
    workgroupBarrier();
    return sum;
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let block = params.entries_start + workgroup.y / 4u * 2u;
    let here = sequence(list[block]);
    let row = list[block + 1u] + workgroup.y % 4u * QUERIES;
    if (row >= here.end) {
        return;
    }
    let count = min(QUERIES, here.end - row);
    let groups = params.width / 4u;
    let keys = (here.end_key - here.first_key + 3u) / 4u * 4u;
    load_queries(row, here.end - 1u, groups, index);
    workgroupBarrier();
    score(here, keys, groups, index);
    workgroupBarrier();
    attend(here, keys, groups, index);
    workgroupBarrier();
    if (workgroup.x == 0u) {
        for (var i = index; i < count * groups; i += THREADS) {
            context[row * groups + i] = memory[i];
        }
    }

    let lane = index % LANES;
    for (var first = workgroup.x * COLUMNS; first < params.outputs; first += grid.x * COLUMNS) {
        let column = first + index / LANES * 4u;
        // Columns beyond the last repeat it.
        let columns = min(vec4<u32>(column) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(params.outputs - 1u));
        var sums = mat4x4<f32>();
        for (var g = lane; g < groups; g += LANES) {
            let a = weight(columns.x, columns.x * groups + g);
            let b = weight(columns.y, columns.y * groups + g);
            let c = weight(columns.z, columns.z * groups + g);
            let d = weight(columns.w, columns.w * groups + g);
            let rows = four_rows(g, groups);
            sums += mat4x4<f32>(a * rows, b * rows, c * rows, d * rows);
        }
        let four = vec4<f32>(
            reduce(sums[0], groups, index),
            reduce(sums[1], groups, index),
            reduce(sums[2], groups, index),
            reduce(sums[3], groups, index),
        );
        if (lane < count && column < params.outputs) {
            y[(row + lane) * (params.outputs / 4u) + column / 4u] = four + bias[column / 4u];
        }
    }
}
