// softmax(q · kᵀ / √each) · v on an adapter that is a program, without workgroup memory: an
// invocation takes four rows of a sequence, one head and up to 8 groups of the result, and passes
// over the keys, 4 at a time. Wider heads score their keys once for every 8 groups. Loads cost
// most: a key's and a value's serves four rows.

/// Groups of a head.
override GROUPS: u32 = 16u;
/// Rows of an entry of the list of blocks; a workgroup takes 8 of these.
const BLOCK = 16u;
const THREADS = 32u;
/// The score of a key that is not there: exp makes it 0, and differences stay finite.
const NEVER = -1e30;

/// A group of four rows from `row` on; one that is not there repeats the last before `end`.
fn four(row: u32, end: u32, which: u32, head: u32, group: u32) -> mat4x4<f32> {
    let last = end - 1u;
    return mat4x4<f32>(
        part(row, which, head, group),
        part(min(row + 1u, last), which, head, group),
        part(min(row + 2u, last), which, head, group),
        part(min(row + 3u, last), which, head, group),
    );
}

/// Each of four rows by a factor of its own.
fn scaled(m: mat4x4<f32>, by: vec4<f32>) -> mat4x4<f32> {
    return mat4x4<f32>(m[0] * by.x, m[1] * by.y, m[2] * by.z, m[3] * by.w);
}

fn store_four(row: u32, end: u32, head: u32, group: u32, m: mat4x4<f32>) {
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
    if (block >= params.count) {
        return;
    }
    let here = sequence(list[params.blocks + 2u * block]);
    let row = list[params.blocks + 2u * block + 1u] + 4u * (at % (BLOCK / 4u));
    if (row >= here.end) {
        return;
    }
    let head = workgroup.y;
    let group = 8u * workgroup.z;
    let end = here.end_key;

    // a column or a component for each row
    var most = vec4<f32>(NEVER);
    var sum = vec4<f32>();
    var a = mat4x4<f32>();
    var b = mat4x4<f32>();
    var c = mat4x4<f32>();
    var d = mat4x4<f32>();
    var e = mat4x4<f32>();
    var f = mat4x4<f32>();
    var g = mat4x4<f32>();
    var h = mat4x4<f32>();
    for (var key = here.first_key; key < end; key += 4u) {
        // [key][row]
        var scores = mat4x4<f32>();
        for (var g = 0u; g < GROUPS; g++) {
            scores += transpose(four(row, here.end, 0u, head, g)) * four(key, end, 1u, head, g);
        }
        scores *= inverseSqrt(f32(params.each));
        let never = vec4<f32>(NEVER);
        if (key + 1u >= end) { scores[1] = never; }
        if (key + 2u >= end) { scores[2] = never; }
        if (key + 3u >= end) { scores[3] = never; }
        let now = max(most, max(max(scores[0], scores[1]), max(scores[2], scores[3])));
        let fade = exp(most - now);
        let shares = mat4x4<f32>(exp(scores[0] - now), exp(scores[1] - now), exp(scores[2] - now), exp(scores[3] - now));
        most = now;
        sum = fade * sum + shares * vec4<f32>(1.0);
        let by_row = transpose(shares);
        a = scaled(a, fade) + four(key, end, 2u, head, group) * by_row;
        if (GROUPS > 1u) { b = scaled(b, fade) + four(key, end, 2u, head, group + 1u) * by_row; }
        if (GROUPS > 2u) { c = scaled(c, fade) + four(key, end, 2u, head, group + 2u) * by_row; }
        if (GROUPS > 3u) { d = scaled(d, fade) + four(key, end, 2u, head, group + 3u) * by_row; }
        if (GROUPS > 4u) { e = scaled(e, fade) + four(key, end, 2u, head, group + 4u) * by_row; }
        if (GROUPS > 5u) { f = scaled(f, fade) + four(key, end, 2u, head, group + 5u) * by_row; }
        if (GROUPS > 6u) { g = scaled(g, fade) + four(key, end, 2u, head, group + 6u) * by_row; }
        if (GROUPS > 7u) { h = scaled(h, fade) + four(key, end, 2u, head, group + 7u) * by_row; }
    }

    let share = 1.0 / sum;
    store_four(row, here.end, head, group, scaled(a, share));
    store_four(row, here.end, head, group + 1u, scaled(b, share));
    store_four(row, here.end, head, group + 2u, scaled(c, share));
    store_four(row, here.end, head, group + 3u, scaled(d, share));
    store_four(row, here.end, head, group + 4u, scaled(e, share));
    store_four(row, here.end, head, group + 5u, scaled(f, share));
    store_four(row, here.end, head, group + 6u, scaled(g, share));
    store_four(row, here.end, head, group + 7u, scaled(h, share));
}
