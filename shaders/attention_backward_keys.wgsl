// Gradient of attention with respect to keys and values, in one pass over the queries. dk is the sum of the queries
// weighted by their scores' gradients (see attention_backward_queries.wgsl). dv is the sum of the rows of dy weighted
// by the probabilities after dropout. A block's own rows are keys; the other rows are queries.

var<workgroup> dscores: array<vec4<f32>, 128>; // [OWN, OTHERS / 4], already multiplied by 1 / √head_dim
var<workgroup> shares: array<vec4<f32>, 128>; // [OWN, OTHERS / 4]: probabilities after dropout
var<workgroup> factors: array<f32, 512>; // [OWN, OTHERS]: dropout factors

/// Computes the tile's dropout factors. An invocation handles four keys of a query together, because they share one
/// block of random numbers.
fn load_factors(row: u32, tile: u32, head: u32, here: Sequence, index: u32) {
    for (var i = index; i < OTHERS * OWN / 4u; i += THREADS) {
        let query = i / 4u;
        let own = 4u * (i % 4u);
        let four = key_factors(tile + query, head, row + own, here);
        for (var j = 0u; j < 4u; j++) {
            factors[(own + j) * OTHERS + query] = four[j];
        }
    }
}

fn four_factors(own: u32, lane: u32) -> vec4<f32> {
    if (!DROPOUT) {
        return vec4<f32>(1.0);
    }
    let i = own * OTHERS + 4u * lane;
    return vec4<f32>(factors[i], factors[i + 1u], factors[i + 2u], factors[i + 3u]);
}

/// Returns where `log_sums` and `deltas` hold the values of four queries, starting at `query`.
fn four_statistics(query: u32, last: u32, head: u32) -> vec4<u32> {
    return vec4<u32>(
        statistic(min(query, last), head),
        statistic(min(query + 1u, last), head),
        statistic(min(query + 2u, last), head),
        statistic(min(query + 3u, last), head),
    );
}

/// Writes the probabilities and the scores' gradients of one key and four queries to workgroup memory.
fn store_tile(row: u32, own: u32, lane: u32, tile: u32, head: u32, here: Sequence, score: vec4<f32>, dp: vec4<f32>) {
    let scale = inverseSqrt(f32(params.head_dim));
    let query = tile + 4u * lane;
    let queries = vec4<u32>(query) + vec4<u32>(0u, 1u, 2u, 3u);
    let is_key = row + own >= here.first_key && row + own < here.end_key;
    let valid = vec4<bool>(is_key) & (queries < vec4<u32>(here.end));
    let at = four_statistics(query, here.end - 1u, head);
    let log_sum = vec4<f32>(log_sums[at.x], log_sums[at.y], log_sums[at.z], log_sums[at.w]);
    let delta = vec4<f32>(deltas[at.x], deltas[at.y], deltas[at.z], deltas[at.w]);
    let p = select(vec4<f32>(), exp(scale * score - log_sum), valid);
    let factor = four_factors(own, lane);
    shares[own * LANES + lane] = p * factor;
    dscores[own * LANES + lane] = scale * p * (factor * dp - delta);
}

/// Returns a tile's contribution to one of the block's keys: rows of queries (part 0) weighted by the scores'
/// gradients, or rows of dy (part 3) weighted by the probabilities.
fn weighted(rows: mat4x4<f32>, part: u32, own: u32, i: u32) -> vec4<f32> {
    if (part == 0u) {
        return rows * dscores[own * LANES + i];
    }
    return rows * shares[own * LANES + i];
}

/// Adds a tile's contribution to one group of the gradients of keys (part 0: rows are queries) or values (part 3: rows
/// of dy), for an invocation's rows.
fn accumulate(sums: ptr<function, mat4x4<f32>>, tile: u32, part: u32, last: u32, head: u32, group: u32, index: u32) {
    let first = first_own(index);
    let apart = THREADS / COLUMNS;
    for (var i = 0u; i < LANES; i++) {
        let rows = four_rows(tile + 4u * i, part, last, head, group);
        (*sums)[0] += weighted(rows, part, first, i);
        (*sums)[1] += weighted(rows, part, first + apart, i);
        if (COLUMNS > 8u) {
            (*sums)[2] += weighted(rows, part, first + 2u * apart, i);
            (*sums)[3] += weighted(rows, part, first + 3u * apart, i);
        }
    }
}

fn store_rows(row: u32, end: u32, part: u32, head: u32, group: u32, sums: mat4x4<f32>) {
    let apart = THREADS / COLUMNS;
    store_gradient(row, end, part, head, group, sums[0]);
    store_gradient(row + apart, end, part, head, group, sums[1]);
    if (COLUMNS > 8u) {
        store_gradient(row + 2u * apart, end, part, head, group, sums[2]);
        store_gradient(row + 3u * apart, end, part, head, group, sums[3]);
    }
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

    var dk = mat4x4<f32>();
    var dv = mat4x4<f32>();
    for (var tile = here.first; tile < here.end; tile += OTHERS) {
        if (DROPOUT) {
            load_factors(row, tile, head, here, index);
        }
        // The barriers inside `products` also separate writing this tile's factors from reading them, and this tile's
        // sums from the previous tile's.
        let score = products(row, 1u, tile, 0u, last, head, index);
        let dp = products(row, 2u, tile, 3u, last, head, index);
        store_tile(row, own, lane, tile, head, here, score[0], dp[0]);
        store_tile(row, own + 8u, lane, tile, head, here, score[1], dp[1]);
        workgroupBarrier();
        if (group < head_groups()) {
            accumulate(&dk, tile, 0u, last, head, group, index);
            accumulate(&dv, tile, 3u, last, head, group, index);
        }
    }

    if (group < head_groups()) {
        store_rows(row + first_own(index), here.end, 1u, head, group, dk);
        store_rows(row + first_own(index), here.end, 2u, head, group, dv);
    }
}
