// dropout(softmax(q · kᵀ / √head_dim)) · v with an online softmax (Milakov and Gimelshein 2018), like attention.wgsl.
// It also stores the logarithm of each softmax's sum. A block's own rows are queries; the other rows are keys.

/// Score of a row outside the sequence's keys: exp maps it to 0, and differences stay finite.
const MASKED = -1e30;

var<workgroup> scores: array<vec4<f32>, 128>; // [OWN, OTHERS / 4]
var<workgroup> parts: array<f32, 128>; // [OWN, LANES]: partial sums of the tile
var<workgroup> maxima: array<f32, 16>; // [OWN]
var<workgroup> rescales: array<f32, 16>; // [OWN]: exp(old maximum - new maximum)
var<workgroup> sums: array<f32, 16>; // [OWN]

fn operand(row: u32, part: u32, head: u32, group: u32) -> vec4<f32> {
    return head_group(row, part, head, group);
}

/// Updates a query's maximum over all keys so far. One invocation per query.
fn update_maximum(own: u32) {
    var four = scores[own * LANES];
    for (var i = 1u; i < LANES; i++) {
        four = max(four, scores[own * LANES + i]);
    }
    let maximum = max(maxima[own], max(max(four.x, four.y), max(four.z, four.w)));
    rescales[own] = exp(maxima[own] - maximum);
    maxima[own] = maximum;
}

fn update_sum(own: u32) {
    var sum = rescales[own] * sums[own];
    for (var i = 0u; i < LANES; i++) {
        sum += parts[own * LANES + i];
    }
    sums[own] = sum;
}

/// Writes exp(score - maximum) of four keys of a query to `scores`, after dropout, and the sum before dropout to
/// `parts`.
fn exponentiate(own: u32, lane: u32, four: vec4<f32>, factors: vec4<f32>) {
    let exps = exp(four - maxima[own]);
    parts[own * LANES + lane] = dot(exps, vec4<f32>(1.0));
    scores[own * LANES + lane] = exps * factors;
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
    let scale = inverseSqrt(f32(params.head_dim));
    if (index < OWN) {
        maxima[index] = MASKED;
        sums[index] = 0.0;
    }

    var a = vec4<f32>();
    var b = vec4<f32>();
    var c = vec4<f32>();
    var d = vec4<f32>();
    for (var tile = here.first; tile < here.end_key; tile += OTHERS) {
        let product = products(row, 0u, tile, 1u, last, head, index);
        let key = tile + 4u * lane;
        let valid = are_keys(key, here);
        let one = select(vec4<f32>(MASKED), scale * product[0], valid);
        let two = select(vec4<f32>(MASKED), scale * product[1], valid);
        scores[own * LANES + lane] = one;
        scores[(own + 8u) * LANES + lane] = two;
        workgroupBarrier();
        if (index < OWN) {
            update_maximum(index);
        }
        workgroupBarrier();
        exponentiate(own, lane, one, key_factors(row + own, head, key, here));
        exponentiate(own + 8u, lane, two, key_factors(row + own + 8u, head, key, here));
        workgroupBarrier();
        if (index < OWN) {
            update_sum(index);
        }
        a *= rescales[first];
        b *= rescales[first + apart];
        if (COLUMNS > 8u) {
            c *= rescales[first + 2u * apart];
            d *= rescales[first + 3u * apart];
        }
        if (group < head_groups()) {
            for (var i = 0u; i < LANES; i++) {
                let values = four_rows(tile + 4u * i, 2u, last, head, group);
                a += values * scores[first * LANES + i];
                b += values * scores[(first + apart) * LANES + i];
                if (COLUMNS > 8u) {
                    c += values * scores[(first + 2u * apart) * LANES + i];
                    d += values * scores[(first + 3u * apart) * LANES + i];
                }
            }
        }
    }
    workgroupBarrier();

    if (group < head_groups()) {
        store_result(row + first, head, group, here.end, a / sums[first]);
        store_result(row + first + apart, head, group, here.end, b / sums[first + apart]);
        if (COLUMNS > 8u) {
            store_result(row + first + 2u * apart, head, group, here.end, c / sums[first + 2u * apart]);
            store_result(row + first + 3u * apart, head, group, here.end, d / sums[first + 3u * apart]);
        }
    }
    if (workgroup.z == 0u && index < OWN && row + index < here.end) {
        store_log_sum(row + index, head, maxima[index] + log(sums[index]));
    }
}

fn store_result(row: u32, head: u32, group: u32, end: u32, value: vec4<f32>) {
    if (row < end) {
        store(row, head, group, value);
    }
}
