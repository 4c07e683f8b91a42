// Attention scores that compare contents with relative positions (He et al. 2021). The attention kernels include this
// file in place of shared/attention_everywhere.wgsl. Products with positions are computed for the pairs of a tile, so
// no matrix of queries by positions exists.

/// If true, queries are compared with positions as keys.
override TO_POSITION: bool = false;
/// If true, keys are compared with positions as queries.
override TO_CONTENT: bool = false;
/// First column of positions as keys. Positions as queries begin at column 0.
override KEY_COLUMN: u32 = 0u;
/// Columns of a row of positions, in whole groups.
override POSITION_STRIDE: u32 = 4u;
/// Multiplies head_dim under the root of the scale.
override FACTOR: u32 = 1u;
/// Score of a masked key: exp maps it to 0, and differences stay finite.
const OUT_OF_REACH = -1e30;

@group(0) @binding(7) var<storage, read> positions: array<vec4<f32>>; // [distances, stride / 4]
/// Row of positions for each distance from key to query, from -params.reach to params.reach.
@group(0) @binding(8) var<storage, read> position_rows: array<u32>;

/// Returns a row's position within its sequence.
fn column(row: u32) -> u32 {
    return list[params.columns_start + row];
}

/// Returns the number of masked tokens of a masked row's sequence; 0 for a key.
fn masked(row: u32) -> u32 {
    return list[params.columns_start + params.rows + row];
}

/// Returns the first row that the rows from `first` to `end` attend to, and the last + 1. A masked row attends to
/// itself, too.
fn near_keys(here: Sequence, first: u32, end: u32) -> vec2<u32> {
    if (masked(first) > 0u || masked(end - 1u) > 0u) {
        return vec2<u32>(here.first, here.end);
    }
    return vec2<u32>(here.first_key, here.end_key);
}

fn position_at(at: u32) -> f32 {
    return positions[at / 4u][at % 4u];
}

/// Returns four columns of a head of a row of positions, whose columns begin at `first`; zeros beyond the head. Without
/// a loop: llvmpipe ends the loops of an invocation after 65,535 iterations.
fn position_group(row: u32, first: u32, head: u32, group: u32) -> vec4<f32> {
    let at = row * POSITION_STRIDE + first + head * params.head_dim + 4u * group;
    if (ALIGNED) {
        return positions[at / 4u];
    }
    let left = params.head_dim - 4u * group;
    return vec4<f32>(
        position_at(at),
        select(0.0, position_at(at + 1u), left > 1u),
        select(0.0, position_at(at + 2u), left > 2u),
        select(0.0, position_at(at + 3u), left > 3u),
    );
}

/// Returns the product of a query and a key with positions.
fn positioned(query: u32, key: u32, head: u32) -> f32 {
    let row = position_rows[params.reach + column(query) - column(key)];
    var sum = 0.0;
    for (var g = 0u; g < (params.head_dim + 3u) / 4u; g++) {
        if (TO_POSITION) {
            sum += dot(head_group(query, 0u, head, g), position_group(row, KEY_COLUMN, head, g));
        }
        if (TO_CONTENT) {
            sum += dot(head_group(key, 1u, head, g), position_group(row, 0u, head, g));
        }
    }
    return sum * inverseSqrt(f32(params.head_dim));
}

/// Returns the score of a query and a key, adjusted by their positions. Scores of a masked query are equal for all
/// tokens, as in transformers; its own score stands for all masked tokens.
fn adjusted(score: f32, query: u32, key: u32, head: u32) -> f32 {
    let own = masked(query);
    if (own > 0u) {
        if (key == query) {
            return log(f32(own));
        }
        return select(0.0, OUT_OF_REACH, masked(key) > 0u);
    }
    if (masked(key) > 0u || column(key) + params.reach < column(query)) {
        return OUT_OF_REACH;
    }
    var sum = score;
    // Keys beyond the sequence have any column; their scores are not used.
    if ((TO_POSITION || TO_CONTENT) && column(key) <= column(query) + params.reach) {
        sum += positioned(query, key, head);
    }
    return sum * inverseSqrt(f32(FACTOR));
}

/// Returns the scores of four pairs of a query and a key, adjusted by their positions.
fn related(scores: vec4<f32>, queries: vec4<u32>, keys: vec4<u32>, head: u32) -> vec4<f32> {
    var result = scores;
    for (var i = 0u; i < 4u; i++) {
        // A tile may go beyond the last row.
        result[i] = adjusted(scores[i], queries[i], min(keys[i], params.rows - 1u), head);
    }
    return result;
}
