// softmax(q · kᵀ / √head_dim) · v. A workgroup handles one head and a block of 16 queries of one sequence. It passes
// over the keys, 16 at a time, with an online softmax (Milakov and Gimelshein 2018), so the matrix of scores is never
// stored.

/// Groups per head, at most 16.
override GROUPS: u32 = 16u;
const QUERIES = 16u;
const KEYS = 16u;
/// Invocations per query. Each computes 4 scores per tile and every fourth group of the result.
const LANES = 4u;
const THREADS = 64u;
/// Score of a key beyond the last: exp maps it to 0, and differences stay finite.
const MASKED = -1e30;

// In each loop only one index depends on the invocation. Compilers that bounds-check workgroup memory then check it
// once.
var<workgroup> queries: array<array<vec4<f32>, QUERIES>, 16>; // [GROUPS, QUERIES]
/// Key 4 · n + i is at [i][n], so invocations that share a query read neighbouring elements.
var<workgroup> keys: array<array<array<vec4<f32>, LANES>, 4>, 16>; // [GROUPS, 4, KEYS / 4]
var<workgroup> values: array<array<vec4<f32>, 16>, KEYS>; // [KEYS, GROUPS]
var<workgroup> scores: array<array<vec4<f32>, LANES>, QUERIES>; // [QUERIES, KEYS / 4]
var<workgroup> exps: array<array<vec4<f32>, LANES>, QUERIES>; // [QUERIES, KEYS / 4]

fn load_queries(row: u32, end: u32, head: u32, index: u32) {
    let scale = inverseSqrt(f32(params.head_dim));
    for (var i = index; i < QUERIES * GROUPS; i += THREADS) {
        let r = row + i / GROUPS;
        var value = vec4<f32>();
        if (r < end) {
            value = scale * head_group(r, 0u, head, i % GROUPS);
        }
        queries[i % GROUPS][i / GROUPS] = value;
    }
}

fn load_keys(row: u32, end: u32, head: u32, index: u32) {
    for (var i = index; i < KEYS * GROUPS; i += THREADS) {
        let n = i / GROUPS;
        let r = row + n;
        var key = vec4<f32>();
        var value = vec4<f32>();
        if (r < end) {
            key = head_group(r, 1u, head, i % GROUPS);
            value = head_group(r, 2u, head, i % GROUPS);
        }
        keys[i % GROUPS][n % 4u][n / 4u] = key;
        values[n][i % GROUPS] = value;
    }
}

/// Returns the scores of four keys.
fn score(query: u32, lane: u32) -> vec4<f32> {
    var sums = vec4<f32>();
    for (var g = 0u; g < GROUPS; g++) {
        let four = transpose(mat4x4<f32>(keys[g][0][lane], keys[g][1][lane], keys[g][2][lane], keys[g][3][lane]));
        let q = queries[g][query];
        // One product at a time takes four instructions per sum; a dot product would need a fifth.
        sums = sums + q.x * four[0] + q.y * four[1] + q.z * four[2] + q.w * four[3];
    }
    return sums;
}

/// Returns one group of a tile's contribution: the values weighted by exp(score).
fn weighted_values(query: u32, group: u32) -> vec4<f32> {
    var sum = vec4<f32>();
    for (var j = 0u; j < LANES; j++) {
        let share = exps[query][j];
        sum = sum + share.x * values[4u * j][group] + share.y * values[4u * j + 1u][group]
            + share.z * values[4u * j + 2u][group] + share.w * values[4u * j + 3u][group];
    }
    return sum;
}

fn tile_max(query: u32) -> f32 {
    let four = max(max(scores[query][0], scores[query][1]), max(scores[query][2], scores[query][3]));
    return max(max(four.x, four.y), max(four.z, four.w));
}

fn tile_sum(query: u32) -> f32 {
    return dot(exps[query][0] + exps[query][1] + exps[query][2] + exps[query][3], vec4<f32>(1.0));
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let block = params.entries_start + 2u * workgroup.x;
    let here = sequence(list[block]);
    let row = list[block + 1u];
    let head = workgroup.y;
    let query = index / LANES;
    let lane = index % LANES;
    load_queries(row, here.end, head, index);

    var maximum = MASKED;
    var sum = 0.0;
    var a = vec4<f32>();
    var b = vec4<f32>();
    var c = vec4<f32>();
    var d = vec4<f32>();
    let near = near_keys(here, row, min(row + QUERIES, here.end));
    let own_row = vec4<u32>(min(row + query, here.end - 1u));
    for (var tile = near.x; tile < near.y; tile += KEYS) {
        load_keys(tile, near.y, head, index);
        workgroupBarrier();
        let key = vec4<u32>(tile + 4u * lane) + vec4<u32>(0u, 1u, 2u, 3u);
        let all_scores = related(score(query, lane), own_row, key, head);
        let own_scores = select(vec4<f32>(MASKED), all_scores, key < vec4<u32>(near.y));
        scores[query][lane] = own_scores;
        workgroupBarrier();
        // Online softmax: rescale what was summed under the old maximum.
        let new_maximum = max(maximum, tile_max(query));
        let rescale = exp(maximum - new_maximum);
        maximum = new_maximum;
        exps[query][lane] = exp(own_scores - new_maximum);
        workgroupBarrier();
        sum = rescale * sum + tile_sum(query);
        a = rescale * a + weighted_values(query, lane);
        if (GROUPS > 4u) { b = rescale * b + weighted_values(query, lane + 4u); }
        if (GROUPS > 8u) { c = rescale * c + weighted_values(query, lane + 8u); }
        if (GROUPS > 12u) { d = rescale * d + weighted_values(query, lane + 12u); }
        workgroupBarrier();
    }

    if (row + query < here.end) {
        if (lane < GROUPS) { store(row + query, head, lane, a / sum); }
        if (lane + 4u < GROUPS) { store(row + query, head, lane + 4u, b / sum); }
        if (lane + 8u < GROUPS) { store(row + query, head, lane + 8u, c / sum); }
        if (lane + 12u < GROUPS) { store(row + query, head, lane + 12u, d / sum); }
    }
}
