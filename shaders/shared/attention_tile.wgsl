// Tiles of attention's products, for training. A workgroup handles one head and a block of OWN rows of a sequence. It
// passes over OTHERS rows of the sequence at a time. No score outlives its tile.

const OWN = 16u;
const OTHERS = 32u;
/// Groups of a head loaded into workgroup memory per step.
const CHUNK = 4u;
const THREADS = 64u;
/// Invocations per two of the block's rows; each handles four of the other rows.
const LANES = 8u;
/// Groups of a head whose columns one workgroup computes: 8 or 16. A wider head has several workgroups.
override COLUMNS: u32 = 16u;

var<workgroup> own_tile: array<vec4<f32>, 64>; // [CHUNK, OWN]
var<workgroup> other_tile: array<vec4<f32>, 128>; // [CHUNK, 4, OTHERS / 4]: neighbours read neighbours

fn head_groups() -> u32 {
    return (params.head_dim + 3u) / 4u;
}

/// Loads CHUNK groups of the operands' rows, starting at `group`. Rows after `last` repeat it.
fn load_chunk(own: u32, own_part: u32, other: u32, other_part: u32, last: u32, head: u32, group: u32, index: u32) {
    let g = index % CHUNK;
    let in_head = group + g < head_groups();
    let row = index / CHUNK;
    var value = vec4<f32>();
    if (in_head) {
        value = operand(min(own + row, last), own_part, head, group + g);
    }
    own_tile[g * OWN + row] = value;
    for (var r = row; r < OTHERS; r += THREADS / CHUNK) {
        var other_value = vec4<f32>();
        if (in_head) {
            other_value = operand(min(other + r, last), other_part, head, group + g);
        }
        other_tile[g * OTHERS + r % 4u * LANES + r / 4u] = other_value;
    }
}

/// Returns products of the block's rows, which start at `own`, with the rows that start at `other`. An invocation
/// computes own rows index / LANES and index / LANES + 8, with four other rows from 4 · (index % LANES).
fn products(own: u32, own_part: u32, other: u32, other_part: u32, last: u32, head: u32, index: u32) -> mat2x4<f32> {
    var sums = mat2x4<f32>();
    for (var group = 0u; group < head_groups(); group += CHUNK) {
        load_chunk(own, own_part, other, other_part, last, head, group, index);
        workgroupBarrier();
        for (var g = 0u; g < CHUNK; g++) {
            let i = g * OTHERS + index % LANES;
            let four = mat4x4<f32>(other_tile[i], other_tile[i + 8u], other_tile[i + 16u], other_tile[i + 24u]);
            sums[0] += own_tile[g * OWN + index / LANES] * four;
            sums[1] += own_tile[g * OWN + index / LANES + 8u] * four;
        }
        workgroupBarrier();
    }
    return sums;
}

/// Returns one group of four rows, starting at `row`.
fn four_rows(row: u32, part: u32, last: u32, head: u32, group: u32) -> mat4x4<f32> {
    return mat4x4<f32>(
        operand(min(row, last), part, head, group),
        operand(min(row + 1u, last), part, head, group),
        operand(min(row + 2u, last), part, head, group),
        operand(min(row + 3u, last), part, head, group),
    );
}

/// Returns the first of the block's rows for which an invocation computes a group of columns. The next ones follow
/// THREADS / COLUMNS rows apart, two or four in all.
fn first_own(index: u32) -> u32 {
    return index / COLUMNS;
}

/// Returns for each of four rows, starting at `key`, if it is a key of the sequence.
fn are_keys(key: u32, here: Sequence) -> vec4<bool> {
    let keys = vec4<u32>(key) + vec4<u32>(0u, 1u, 2u, 3u);
    return (keys >= vec4<u32>(here.first_key)) & (keys < vec4<u32>(here.end_key));
}

/// Returns dropout_factors of four keys, starting at `key`. A multiple of four rows of the sequence must precede `key`.
fn key_factors(query: u32, head: u32, key: u32, here: Sequence) -> vec4<f32> {
    return dropout_factors(query, head, (key - here.first) / 4u);
}
