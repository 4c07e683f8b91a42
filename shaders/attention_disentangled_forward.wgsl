// Attention by contents and relative positions with an online softmax (Milakov and Gimelshein 2018) and dropout of the
// probabilities. It also stores the logarithm of each softmax's sum. A workgroup handles one query of a head.

var<workgroup> weights: array<f32, TILE>; // exp(score - maximum) of a tile's keys, after dropout

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let row = workgroup.x;
    let head = workgroup.y;
    let here = sequence(list[params.entries_start + row]);
    let group = workgroup.z * COLUMNS + index % COLUMNS;
    let first = index / COLUMNS * PART;

    var maximum = OUT_OF_REACH;
    var total = 0.0;
    var sum = vec4<f32>();
    for (var tile = here.first; tile < here.end; tile += TILE) {
        let key = tile + index;
        var score = OUT_OF_REACH;
        if (key < here.end) {
            score = score_of(row, key, head);
        }
        let greatest = max(maximum, reduce(index, score, true));
        let rescale = exp(maximum - greatest);
        let share = exp(score - greatest);
        maximum = greatest;
        total = rescale * total + reduce(index, share, false);
        weights[index] = share * factor_of(row, key, head, here);
        workgroupBarrier();
        sum *= rescale;
        if (group < head_groups()) {
            for (var i = first; i < first + PART; i++) {
                sum += weights[i] * head_group(min(tile + i, here.end - 1u), 2u, head, group);
            }
        }
    }
    sum = add_parts(index, sum);

    if (index < COLUMNS && group < head_groups()) {
        store(row, head, group, sum / total);
    }
    if (index == 0u && workgroup.z == 0u) {
        store_log_sum(row, head, maximum + log(total));
    }
}
