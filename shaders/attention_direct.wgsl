// softmax(q · kᵀ / √each) · v on an adapter that is a program, without workgroup memory: an
// invocation takes one row, one head and up to 8 groups of the result, and passes over the keys,
// 4 at a time. Wider heads score their keys once for every 8 groups.

/// Groups of a head.
override GROUPS: u32 = 16u;
const THREADS = 32u;
/// The score of a key that is not there: exp makes it 0, and differences stay finite.
const NEVER = -1e30;

/// A row's four scores with the keys from `key` on.
fn score(row: u32, head: u32, key: u32, end: u32) -> vec4<f32> {
    let last = end - 1u;
    var sums = vec4<f32>();
    for (var g = 0u; g < GROUPS; g++) {
        sums += part(row, 0u, head, g) * mat4x4<f32>(
            part(key, 1u, head, g),
            part(min(key + 1u, last), 1u, head, g),
            part(min(key + 2u, last), 1u, head, g),
            part(min(key + 3u, last), 1u, head, g),
        );
    }
    let there = vec4<u32>(key) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(end);
    return select(vec4<f32>(NEVER), sums * inverseSqrt(f32(params.each)), there);
}

/// One group of four keys' contribution: their shares times their values.
fn weigh(shares: vec4<f32>, head: u32, key: u32, end: u32, group: u32) -> vec4<f32> {
    let last = end - 1u;
    return mat4x4<f32>(
        part(key, 2u, head, group),
        part(min(key + 1u, last), 2u, head, group),
        part(min(key + 2u, last), 2u, head, group),
        part(min(key + 3u, last), 2u, head, group),
    ) * shares;
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let row = workgroup.x * THREADS + index;
    if (row >= params.rows) {
        return;
    }
    let head = workgroup.y;
    let group = 8u * workgroup.z;
    let here = sequence(list[params.blocks + row]);
    let end = here.end_key;

    var most = NEVER;
    var sum = 0.0;
    var a = vec4<f32>();
    var b = vec4<f32>();
    var c = vec4<f32>();
    var d = vec4<f32>();
    var e = vec4<f32>();
    var f = vec4<f32>();
    var g = vec4<f32>();
    var h = vec4<f32>();
    for (var key = here.first_key; key < end; key += 4u) {
        let scores = score(row, head, key, end);
        let now = max(most, max(max(scores.x, scores.y), max(scores.z, scores.w)));
        let fade = exp(most - now);
        let shares = exp(scores - now);
        most = now;
        sum = fade * sum + dot(shares, vec4<f32>(1.0));
        a = fade * a + weigh(shares, head, key, end, group);
        if (GROUPS > 1u) { b = fade * b + weigh(shares, head, key, end, group + 1u); }
        if (GROUPS > 2u) { c = fade * c + weigh(shares, head, key, end, group + 2u); }
        if (GROUPS > 3u) { d = fade * d + weigh(shares, head, key, end, group + 3u); }
        if (GROUPS > 4u) { e = fade * e + weigh(shares, head, key, end, group + 4u); }
        if (GROUPS > 5u) { f = fade * f + weigh(shares, head, key, end, group + 5u); }
        if (GROUPS > 6u) { g = fade * g + weigh(shares, head, key, end, group + 6u); }
        if (GROUPS > 7u) { h = fade * h + weigh(shares, head, key, end, group + 7u); }
    }

    store(row, head, group, a / sum);
    store(row, head, group + 1u, b / sum);
    store(row, head, group + 2u, c / sum);
    store(row, head, group + 3u, d / sum);
    store(row, head, group + 4u, e / sum);
    store(row, head, group + 5u, f / sum);
    store(row, head, group + 6u, g / sum);
    store(row, head, group + 7u, h / sum);
}
