// softmax(q · kᵀ / √head_dim) · v on a software adapter, without barriers or workgroup memory. An invocation handles
// four rows of a sequence, one head and up to 8 groups of the result. It passes over the keys, 4 at a time. A head
// wider than 8 groups computes its scores once per 8 groups. Loads cost most here, so each loaded key and value serves
// four rows.

/// Groups per head.
override GROUPS: u32 = 16u;
/// Rows of a block; a workgroup takes 8 blocks.
const BLOCK = 16u;
const THREADS = 32u;
/// Score of a key beyond the last: exp maps it to 0, and differences stay finite.
const MASKED = -1e30;

/// Returns one group of four rows, starting at `row`. Rows beyond `end` repeat the last row before it.
fn load_4_rows(row: u32, end: u32, which: u32, head: u32, group: u32) -> mat4x4<f32> {
    let last = end - 1u;
    return mat4x4<f32>(
        head_group(row, which, head, group),
        head_group(min(row + 1u, last), which, head, group),
        head_group(min(row + 2u, last), which, head, group),
        head_group(min(row + 3u, last), which, head, group),
    );
}

/// Multiplies each of four rows by its own factor.
fn scale_rows(m: mat4x4<f32>, by: vec4<f32>) -> mat4x4<f32> {
    return mat4x4<f32>(m[0] * by.x, m[1] * by.y, m[2] * by.z, m[3] * by.w);
}

fn store_4_rows(row: u32, end: u32, head: u32, group: u32, m: mat4x4<f32>) {
    store(row, head, group, m[0]);
    if (row + 1u < end) { store(row + 1u, head, group, m[1]); }
    if (row + 2u < end) { store(row + 2u, head, group, m[2]); }
    if (row + 3u < end) { store(row + 3u, head, group, m[3]); }
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup.x * THREADS + index;
    let block = at / (BLOCK / 4u);
    if (block >= params.blocks) {
        return;
    }
    let here = sequence(list[params.entries_start + 2u * block]);
    let row = list[params.entries_start + 2u * block + 1u] + 4u * (at % (BLOCK / 4u));
    if (row >= here.end) {
        return;
    }
    let head = workgroup.y;
    let group = 8u * workgroup.z;
    let near = near_keys(here, row, min(row + 4u, here.end));
    let end = near.y;
    let rows = min(vec4<u32>(row) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(here.end - 1u));

    // one column or component per row
    var maximum = vec4<f32>(MASKED);
    var sum = vec4<f32>();
    var a = mat4x4<f32>();
    var b = mat4x4<f32>();
    var c = mat4x4<f32>();
    var d = mat4x4<f32>();
    var e = mat4x4<f32>();
    var f = mat4x4<f32>();
    var g = mat4x4<f32>();
    var h = mat4x4<f32>();
    for (var key = near.x; key < end; key += 4u) {
        // [key][row]
        var scores = mat4x4<f32>();
        for (var g = 0u; g < GROUPS; g++) {
            scores += transpose(load_4_rows(row, here.end, 0u, head, g)) * load_4_rows(key, end, 1u, head, g);
        }
        scores *= inverseSqrt(f32(params.head_dim));
        scores[0] = related(scores[0], rows, vec4<u32>(key), head);
        scores[1] = related(scores[1], rows, vec4<u32>(key + 1u), head);
        scores[2] = related(scores[2], rows, vec4<u32>(key + 2u), head);
        scores[3] = related(scores[3], rows, vec4<u32>(key + 3u), head);
        let masked = vec4<f32>(MASKED);
        if (key + 1u >= end) { scores[1] = masked; }
        if (key + 2u >= end) { scores[2] = masked; }
        if (key + 3u >= end) { scores[3] = masked; }
        let new_maximum = max(maximum, max(max(scores[0], scores[1]), max(scores[2], scores[3])));
        let rescale = exp(maximum - new_maximum);
        let exps = mat4x4<f32>(exp(scores[0] - new_maximum), exp(scores[1] - new_maximum), exp(scores[2] - new_maximum), exp(scores[3] - new_maximum));
        maximum = new_maximum;
        sum = rescale * sum + exps * vec4<f32>(1.0);
        let by_row = transpose(exps);
        a = scale_rows(a, rescale) + load_4_rows(key, end, 2u, head, group) * by_row;
        if (GROUPS > 1u) { b = scale_rows(b, rescale) + load_4_rows(key, end, 2u, head, group + 1u) * by_row; }
        if (GROUPS > 2u) { c = scale_rows(c, rescale) + load_4_rows(key, end, 2u, head, group + 2u) * by_row; }
        if (GROUPS > 3u) { d = scale_rows(d, rescale) + load_4_rows(key, end, 2u, head, group + 3u) * by_row; }
        if (GROUPS > 4u) { e = scale_rows(e, rescale) + load_4_rows(key, end, 2u, head, group + 4u) * by_row; }
        if (GROUPS > 5u) { f = scale_rows(f, rescale) + load_4_rows(key, end, 2u, head, group + 5u) * by_row; }
        if (GROUPS > 6u) { g = scale_rows(g, rescale) + load_4_rows(key, end, 2u, head, group + 6u) * by_row; }
        if (GROUPS > 7u) { h = scale_rows(h, rescale) + load_4_rows(key, end, 2u, head, group + 7u) * by_row; }
    }

    let inverse = 1.0 / sum;
    store_4_rows(row, here.end, head, group, scale_rows(a, inverse));
    store_4_rows(row, here.end, head, group + 1u, scale_rows(b, inverse));
    store_4_rows(row, here.end, head, group + 2u, scale_rows(c, inverse));
    store_4_rows(row, here.end, head, group + 3u, scale_rows(d, inverse));
    store_4_rows(row, here.end, head, group + 4u, scale_rows(e, inverse));
    store_4_rows(row, here.end, head, group + 5u, scale_rows(f, inverse));
    store_4_rows(row, here.end, head, group + 6u, scale_rows(g, inverse));
    store_4_rows(row, here.end, head, group + 7u, scale_rows(h, inverse));
}
