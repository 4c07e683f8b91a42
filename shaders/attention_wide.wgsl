// softmax(q · kᵀ / √head_dim) · v, as attention.wgsl, over 32 queries and 32 keys at a time: an invocation computes 4 × 4
// scores, which takes half the reads of workgroup memory per product. variants.rs repeats the lines between #each and
// #end.

/// Groups per head, at most 16.
override GROUPS: u32 = 16u;
const QUERIES = 32u;
const KEYS = 32u;
const THREADS = 64u;
/// Invocations per query. Each has four queries, LANES apart, and four neighbouring keys.
const LANES = 8u;
/// Groups of a head's keys or values that are in workgroup memory at a time.
const CHUNK = 8u;
/// Score of a key beyond the last: exp maps it to 0, and differences stay finite.
const MASKED = -1e30;

// The places within eight vectors are permuted, so invocations that store neighbouring groups write to different banks.
var<workgroup> queries: array<array<array<vec4<f32>, LANES>, 4>, 16>; // query LANES · i + n at [group][i][n]
/// Keys: key 4 · n + j at [group][j][n]. Values: a group of value 4 · n + j at [n][j][group].
var<workgroup> tile: array<array<array<vec4<f32>, LANES>, 4>, CHUNK>;
var<workgroup> exps: array<array<array<vec4<f32>, LANES>, LANES>, 4>; // four keys n of query LANES · i + m at [i][n][m]
/// A number of each invocation for each of its queries, to be reduced over LANES.
var<workgroup> lane_numbers: array<array<array<f32, LANES>, LANES>, 4>;

fn load_queries(row: u32, end: u32, head: u32, index: u32) {
    let scale = inverseSqrt(f32(params.head_dim));
    for (var i = index; i < QUERIES * GROUPS; i += THREADS) {
        let query = i / GROUPS;
        let group = i % GROUPS;
        var value = vec4<f32>();
        if (row + query < end) {
            value = scale * head_group(row + query, 0u, head, group);
        }
        queries[group][query / LANES][(query % LANES) ^ (group % 8u)] = value;
    }
}

/// Returns a group of a key (which = 1) or value (2) for the tile; zeros beyond the last.
fn tile_group(row: u32, end: u32, which: u32, head: u32, group: u32) -> vec4<f32> {
    var value = vec4<f32>();
    if (row < end && group < GROUPS) {
        value = head_group(row, which, head, group);
    }
    return value;
}

fn load_keys(row: u32, end: u32, head: u32, chunk: u32, index: u32) {
    let group = index % CHUNK;
    let key = index / CHUNK;
#each l LOADS
    let value#l = tile_group(row + key + #lu * 8u, end, 1u, head, chunk + group);
#end
#each l LOADS
    tile[group][(key + #lu * 8u) % 4u][((key + #lu * 8u) / 4u) ^ group] = value#l;
#end
}

fn load_values(row: u32, end: u32, head: u32, chunk: u32, index: u32) {
    let group = index % CHUNK;
    let key = index / CHUNK;
#each l LOADS
    let value#l = tile_group(row + key + #lu * 8u, end, 2u, head, chunk + group);
#end
#each l LOADS
    tile[(key + #lu * 8u) / 4u][(key + #lu * 8u) % 4u][group] = value#l;
#end
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
    let query = index / LANES;
    let lane = index % LANES;
    load_queries(row, here.end, head, index);

#each i ROWS
    var maximum#i = MASKED;
    var sum#i = 0.0;
    var low#i = vec4<f32>();
    var high#i = vec4<f32>();
#end
    let near = near_keys(here, row, min(row + QUERIES, here.end));
    for (var first = near.x; first < near.y; first += KEYS) {
#each i ROWS
        var score#i = vec4<f32>();
#end
        for (var chunk = 0u; chunk < GROUPS; chunk += CHUNK) {
            load_keys(first, near.y, head, chunk, index);
            workgroupBarrier();
#each g CHUNK
            {
                let four = transpose(mat4x4<f32>(
                    tile[#g][0][lane ^ #gu],
                    tile[#g][1][lane ^ #gu],
                    tile[#g][2][lane ^ #gu],
                    tile[#g][3][lane ^ #gu],
                ));
                // Chunks beyond the first read only what they stored: a head of at most 8 groups has one chunk.
                let group = min(chunk + #gu, GROUPS - 1u);
#each i ROWS
                {
                    let q = queries[group][#i][query ^ (group % 8u)];
                    score#i = score#i + q.x * four[0] + q.y * four[1] + q.z * four[2] + q.w * four[3];
                }
#end
            }
#end
            workgroupBarrier();
        }
        let key = vec4<u32>(first + 4u * lane) + vec4<u32>(0u, 1u, 2u, 3u);
#each i ROWS
        {
            let own_row = vec4<u32>(min(row + query + #iu * LANES, here.end - 1u));
            score#i = select(vec4<f32>(MASKED), related(score#i, own_row, key, head), key < vec4<u32>(near.y));
            lane_numbers[#i][query][lane] = max(max(score#i.x, score#i.y), max(score#i.z, score#i.w));
        }
#end
        load_values(first, near.y, head, 0u, index);
        workgroupBarrier();
        // Online softmax: rescale what was summed under the old maximum.
#each i ROWS
        {
            var new_maximum = maximum#i;
#each n LANES
            new_maximum = max(new_maximum, lane_numbers[#i][query][#n]);
#end
            let rescale = exp(maximum#i - new_maximum);
            maximum#i = new_maximum;
            let share = exp(score#i - new_maximum);
            exps[#i][lane][query ^ lane] = share;
            sum#i = rescale * sum#i + dot(share, vec4<f32>(1.0));
            low#i *= rescale;
            high#i *= rescale;
        }
#end
        workgroupBarrier();
#each n LANES
        {
            let a = tile[#n][0][lane];
            let b = tile[#n][1][lane];
            let c = tile[#n][2][lane];
            let d = tile[#n][3][lane];
#each i ROWS
            {
                let share = exps[#i][#n][query ^ #nu];
                low#i = low#i + share.x * a + share.y * b + share.z * c + share.w * d;
            }
#end
        }
#end
        workgroupBarrier();
        if (GROUPS > CHUNK) {
            load_values(first, near.y, head, CHUNK, index);
            workgroupBarrier();
#each n LANES
            {
                let a = tile[#n][0][lane];
                let b = tile[#n][1][lane];
                let c = tile[#n][2][lane];
                let d = tile[#n][3][lane];
#each i ROWS
                {
                    let share = exps[#i][#n][query ^ #nu];
                    high#i = high#i + share.x * a + share.y * b + share.z * c + share.w * d;
                }
#end
            }
#end
            workgroupBarrier();
        }
    }

#each i ROWS
    lane_numbers[#i][query][lane] = sum#i;
#end
    workgroupBarrier();
#each i ROWS
    {
        var sum = 0.0;
#each n LANES
        sum += lane_numbers[#i][query][#n];
#end
        let to = row + query + #iu * LANES;
        if (to < here.end) {
            if (lane < GROUPS) { store(to, head, lane, low#i / sum); }
            if (lane + CHUNK < GROUPS) { store(to, head, lane + CHUNK, high#i / sum); }
        }
    }
#end
}
