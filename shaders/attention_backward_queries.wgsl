// Gradient of attention with respect to the queries, in one pass over the keys. Let p = exp(score - log_sum), m the
// dropout factor and dp = m · dy · vᵀ. Then the gradient of the score is p · (dp - delta), and dq is its product with
// k. A block's own rows are queries; the other rows are keys.

var<workgroup> dscores: array<vec4<f32>, 128>; // [OWN, OTHERS / 4], times 1 / √head_dim

/// Returns the gradients of four scores: one query and four keys from `key`.
fn score_gradient(score: vec4<f32>, dp: vec4<f32>, query: u32, head: u32, key: u32, here: Sequence) -> vec4<f32> {
    let scale = inverseSqrt(f32(params.head_dim));
    let at = statistic(query, head);
    let p = select(vec4<f32>(), exp(scale * score - log_sums[at]), are_keys(key, here));
    return scale * p * (key_factors(query, head, key, here) * dp - deltas[at]);
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
    let last = here.end - 1u;
    let own = index / LANES;
    let lane = index % LANES;
    let group = workgroup.z * COLUMNS + index % COLUMNS;
    let first = first_own(index);
    let apart = THREADS / COLUMNS;

    var a = vec4<f32>();
    var b = vec4<f32>();
    var c = vec4<f32>();
    var d = vec4<f32>();
    for (var tile = here.first; tile < here.end_key; tile += OTHERS) {
        let score = products(row, 0u, tile, 1u, last, head, index);
        let dp = products(row, 3u, tile, 2u, last, head, index);
        let key = tile + 4u * lane;
        let query = min(row + own, last);
        dscores[own * LANES + lane] = score_gradient(score[0], dp[0], query, head, key, here);
        let later = min(row + own + 8u, last);
        dscores[(own + 8u) * LANES + lane] = score_gradient(score[1], dp[1], later, head, key, here);
        workgroupBarrier();
        if (group < head_groups()) {
            for (var i = 0u; i < LANES; i++) {
                let keys = four_rows(tile + 4u * i, 1u, last, head, group);
                a += keys * dscores[first * LANES + i];
                b += keys * dscores[(first + apart) * LANES + i];
                if (COLUMNS > 8u) {
                    c += keys * dscores[(first + 2u * apart) * LANES + i];
                    d += keys * dscores[(first + 3u * apart) * LANES + i];
                }
            }
        }
    }

    if (group < head_groups()) {
        store_gradient(row + first, here.end, 0u, head, group, a);
        store_gradient(row + first + apart, here.end, 0u, head, group, b);
        if (COLUMNS > 8u) {
            store_gradient(row + first + 2u * apart, here.end, 0u, head, group, c);
            store_gradient(row + first + 3u * apart, here.end, 0u, head, group, d);
        }
    }
}
