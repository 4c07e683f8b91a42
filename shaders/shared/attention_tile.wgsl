// Tiles of attention's products, for training: a workgroup has a block of OWN rows of a sequence and one head, and passes
// over OTHERS rows of the sequence at a time. No score is kept beyond its tile.

const OWN = 16u;
const OTHERS = 32u;
/// Groups of a head that a step loads into workgroup memory.
const CHUNK = 4u;
const THREADS = 64u;
/// Invocations that share two of the block's rows; each has four of the other rows.
const LANES = 8u;
/// Groups of a head that a workgroup makes columns of, 8 or 16; a wider head has several workgroups.
override COLUMNS: u32 = 16u;

var<workgroup> own_tile: array<vec4<f32>, 64>; // [CHUNK, OWN]
var<workgroup> other_tile: array<vec4<f32>, 128>; // [CHUNK, 4, OTHERS / 4]: neighbouring invocations read neighbours

fn head_groups() -> u32 {
    return (params.head_dim + 3u) / 4u;
}

/// Loads CHUNK groups from `group` on of the operands' rows; rows after `last` repeat it.
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

/// Products of the block's rows, from `own` on, and OTHERS rows from `other` on: those of own rows index / LANES and
/// 8 more with the four other rows from 4 · (index % LANES) on.
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

/// A group of four rows from `row` on.
fn four_rows(row: u32, part: u32, last: u32, head: u32, group: u32) -> mat4x4<f32> {
    return mat4x4<f32>(
        operand(min(row, last), part, head, group),
        operand(min(row + 1u, last), part, head, group),
        operand(min(row + 2u, last), part, head, group),
        operand(min(row + 3u, last), part, head, group),
    );
}

/// The first of the block's rows of which an invocation makes a group of columns; the others are THREADS / COLUMNS rows
/// apart: two or four.
fn first_own(index: u32) -> u32 {
    return index / COLUMNS;
}

/// Four keys from `key` on: whether they are the sequence's.
fn are_keys(key: u32, here: Sequence) -> vec4<bool> {
    let keys = vec4<u32>(key) + vec4<u32>(0u, 1u, 2u, 3u);
    return (keys >= vec4<u32>(here.first_key)) & (keys < vec4<u32>(here.end_key));
}

/// dropout_factors of four keys from `key` on, of which there is a multiple of four in the sequence before.
fn key_factors(query: u32, head: u32, key: u32, here: Sequence) -> vec4<f32> {
    return dropout_factors(query, head, (key - here.first) / 4u);
}
