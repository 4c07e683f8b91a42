// Attention probabilities, softmax(q · kᵀ / √head_dim). One workgroup per row and head. y is one long column: [heads,
// rows, keys] for each sequence in turn.

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let row = workgroup.x;
    let head = workgroup.y;
    let here = sequence(list[params.entries_start + row]);
    let keys = here.end_key - here.first_key;
    let rows = here.end - here.first;
    let start = params.heads * here.pairs_before + (head * rows + row - here.first) * keys;
    let scale = inverseSqrt(f32(params.head_dim));

    var maximum = -1e30;
    for (var key = index; key < keys; key += THREADS) {
        var score = 0.0;
        for (var g = 0u; g < (params.head_dim + 3u) / 4u; g++) {
            score += dot(head_group(row, 0u, head, g), head_group(here.first_key + key, 1u, head, g));
        }
        score = related(vec4<f32>(score * scale), vec4<u32>(row), vec4<u32>(here.first_key + key), head).x;
        y[start + key] = score;
        maximum = max(maximum, score);
    }
    maximum = reduce(index, maximum, true);

    var sum = 0.0;
    for (var key = index; key < keys; key += THREADS) {
        let share = exp(y[start + key] - maximum);
        y[start + key] = share;
        sum += share;
    }
    sum = reduce(index, sum, false);
    for (var key = index; key < keys; key += THREADS) {
        y[start + key] /= sum;
    }
}
