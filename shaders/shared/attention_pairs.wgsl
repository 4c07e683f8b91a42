// Pairs of a query and a key, for training of attention by contents and relative positions. A workgroup handles one row
// of a head, or one row of positions. It passes over its pairs in tiles of TILE, one pair per invocation. Then each
// invocation sums up a part of the tile for one group of columns. No score outlives its tile.

const TILE = 64u;
/// Groups of a head that one workgroup sums up. A wider head has several workgroups.
const COLUMNS = 16u;
/// Pairs of a tile per part: TILE · COLUMNS / 64.
const PART = 16u;

var<workgroup> part_sums: array<vec4<f32>, TILE>;

fn head_groups() -> u32 {
    return (params.head_dim + 3u) / 4u;
}

fn score_of(query: u32, key: u32, head: u32) -> f32 {
    var sum = 0.0;
    for (var g = 0u; g < head_groups(); g++) {
        sum += dot(head_group(query, 0u, head, g), head_group(key, 1u, head, g));
    }
    return adjusted(sum * inverseSqrt(f32(params.head_dim)), query, key, head);
}

/// Returns the dropout factor of a probability. Rows that are masked have no dropout.
fn factor_of(query: u32, key: u32, head: u32, here: Sequence) -> f32 {
    if (!DROPOUT || masked(query) > 0u) {
        return 1.0;
    }
    let place = key - here.first;
    let four = dropout_factors(query, head, place / 4u);
    return four[place % 4u];
}

/// Returns the row of positions for a query and a key; 0 if scores do not depend on positions.
fn place_of(query: u32, key: u32) -> u32 {
    if (TO_POSITION || TO_CONTENT) {
        return position_rows[params.reach + column(query) - column(key)];
    }
    return 0u;
}

/// Returns the sum over the parts of the tile of one group of columns, to each invocation of that group.
fn add_parts(index: u32, sum: vec4<f32>) -> vec4<f32> {
    workgroupBarrier();
    part_sums[index] = sum;
    workgroupBarrier();
    let group = index % COLUMNS;
    return part_sums[group] + part_sums[group + COLUMNS] + part_sums[group + 2u * COLUMNS] + part_sums[group + 3u * COLUMNS];
}
