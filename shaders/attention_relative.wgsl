// Attention scores that depend on the positions of query and key: only keys within a window (Beltagy et al. 2020), or a
// bias by distance (Raffel et al. 2020). The attention kernels include this file in place of
// shared/attention_everywhere.wgsl. Keys out of reach of a block of queries are skipped, so the cost is the sequence's
// length times the window.

/// If true, scores have a bias.
override BIASED: bool = false;
/// If 1, queries are multiplied by vectors of distances (Shaw et al. 2018); if 2, keys are multiplied as well.
override VECTORS: u32 = 0u;
/// The number of these vectors: 2 · positions - 1.
override DISTANCES: u32 = 1u;
/// From this distance on, all keys are in the last bucket.
const MAX_DISTANCE = 128;
/// Score of a key out of reach: exp maps it to 0, and differences stay finite.
const OUT_OF_REACH = -1e30;

@group(0) @binding(4) var<storage, read> bias: array<f32>; // [buckets, heads], or vectors [DISTANCES, head_dim]
/// Bucket of each distance from -MAX_DISTANCE to MAX_DISTANCE.
@group(0) @binding(5) var<storage, read> buckets: array<u32>;

/// Returns a row's position within its sequence.
fn column(row: u32) -> u32 {
    return list[params.columns_start + row];
}

/// Returns the first key from `first` to `end` whose position is at least `least`, by binary search.
fn key_from(first: u32, end: u32, least: u32) -> u32 {
    var low = first;
    var high = end;
    while (low < high) {
        let middle = (low + high) / 2u;
        if (column(middle) < least) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Returns the range of keys within reach of the rows from `first` to `end`: the first key and the last + 1. The range
/// has at least one key. A masked first token may have no key in reach; nothing reads its result, but it must be a
/// number.
fn near_keys(here: Sequence, first: u32, end: u32) -> vec2<u32> {
    let least = column(first) - min(column(first), params.reach);
    let last = column(end - 1u) + params.reach;
    let near = key_from(here.first_key, here.end_key - 1u, least);
    return vec2<u32>(near, max(near + 1u, key_from(near, here.end_key, last + 1u)));
}

/// Returns the products of a query and a key with the vector of `distance`, the query's position minus the key's.
fn products(query: u32, key: u32, head: u32, distance: i32) -> f32 {
    // Chromium rejects a clamp whose constant bounds are out of order, also for models without such vectors.
    let place = clamp(distance + i32(DISTANCES / 2u), 0, max(i32(DISTANCES), 1) - 1);
    let first = u32(place) * params.head_dim;
    var sum = 0.0;
    for (var g = 0u; 4u * g < params.head_dim; g++) {
        var value = head_group(query, 0u, head, g);
        if (VECTORS == 2u) {
            value += head_group(key, 1u, head, g);
        }
        for (var i = 0u; i < 4u && 4u * g + i < params.head_dim; i++) {
            sum += value[i] * bias[first + 4u * g + i];
        }
    }
    return sum * inverseSqrt(f32(params.head_dim));
}

/// Returns the scores of four pairs of a query and a key, adjusted by their positions.
fn related(scores: vec4<f32>, queries: vec4<u32>, keys: vec4<u32>, head: u32) -> vec4<f32> {
    var result = scores;
    for (var i = 0u; i < 4u; i++) {
        let distance = i32(column(keys[i])) - i32(column(queries[i]));
        if (u32(abs(distance)) > params.reach) {
            result[i] = OUT_OF_REACH;
        } else if (BIASED) {
            let bucket = buckets[u32(clamp(distance, -MAX_DISTANCE, MAX_DISTANCE) + MAX_DISTANCE)];
            result[i] += bias[bucket * params.heads + head];
        } else if (VECTORS > 0u) {
            result[i] += products(queries[i], keys[i], head, -distance);
        }
    }
    return result;
}
