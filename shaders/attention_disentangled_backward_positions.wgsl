// Gradient of attention by contents and relative positions with respect to the positions. A workgroup handles one row of
// positions and a head. It passes over the queries of a slice, each with the keys at the distances of that row: as a key
// the position adds up dscore · q, as a query dscore · k.

@group(0) @binding(9) var<storage, read_write> dpositions: array<f32>; // [positions, stride]

var<workgroup> dscores: array<f32, TILE>;
var<workgroup> pairs: array<vec2<u32>, TILE>; // queries and keys

/// Returns the row at position `wanted` of a sequence, or the sequence's end if there is none.
fn row_at(here: Sequence, wanted: u32) -> u32 {
    var low = here.first;
    var high = here.end;
    while (low < high) {
        let middle = (low + high) / 2u;
        if (column(middle) < wanted) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    if (low < here.end && column(low) == wanted) {
        return low;
    }
    return here.end;
}

/// Stores the query of a pair, its key and the gradient of their score. `distance` counts from -params.reach. A pair
/// whose key does not exist has the gradient 0.
fn load_pair(query: u32, distance: u32, head: u32, index: u32) {
    let here = sequence(list[params.entries_start + query]);
    let furthest = column(query) + params.reach;
    if (furthest < distance) {
        return;
    }
    let key = row_at(here, furthest - distance);
    if (key < here.end) {
        dscores[index] = gradient_of(query, key, head, here).x;
        pairs[index] = vec2<u32>(query, key);
    }
}

fn add(first: u32, head: u32, group: u32, value: vec4<f32>) {
    let at = first + head * params.head_dim + 4u * group;
    for (var i = 0u; i < min(4u, params.head_dim - 4u * group); i++) {
        dpositions[at + i] += value[i];
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let position = workgroup.x;
    let head = workgroup.y;
    let group = workgroup.z * COLUMNS + index % COLUMNS;
    let first = index / COLUMNS * PART;
    // The first distance of each row of positions follows the rows of the distances.
    let begin = position_rows[2u * params.reach + 1u + position];
    let distances = position_rows[2u * params.reach + 2u + position] - begin;

    var as_key = vec4<f32>();
    var as_query = vec4<f32>();
    for (var tile = 0u; tile < params.queries * distances; tile += TILE) {
        let pair = tile + index;
        workgroupBarrier();
        dscores[index] = 0.0;
        pairs[index] = vec2<u32>(0u);
        if (pair < params.queries * distances) {
            load_pair(params.first_query + pair / distances, begin + pair % distances, head, index);
        }
        workgroupBarrier();
        if (group < head_groups()) {
            for (var i = first; i < first + PART; i++) {
                as_key += dscores[i] * head_group(pairs[i].x, 0u, head, group);
                as_query += dscores[i] * head_group(pairs[i].y, 1u, head, group);
            }
        }
    }
    as_key = add_parts(index, as_key);
    as_query = add_parts(index, as_query);

    if (index < COLUMNS && group < head_groups()) {
        if (TO_POSITION) {
            add(position * POSITION_STRIDE + KEY_COLUMN, head, group, as_key);
        }
        if (TO_CONTENT) {
            add(position * POSITION_STRIDE, head, group, as_query);
        }
    }
}
