// Gradient of attention by contents and relative positions with respect to the queries. A workgroup handles one query of
// a head and passes over the keys: dq = Σ dscore · (k + the position as a key).

var<workgroup> dscores: array<f32, TILE>;
var<workgroup> places: array<u32, TILE>; // rows of positions

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

    var sum = vec4<f32>();
    for (var tile = here.first; tile < here.end; tile += TILE) {
        let key = tile + index;
        workgroupBarrier();
        dscores[index] = 0.0;
        places[index] = 0u;
        if (key < here.end) {
            dscores[index] = gradient_of(row, key, head, here).x;
            places[index] = place_of(row, key);
        }
        workgroupBarrier();
        if (group < head_groups()) {
            for (var i = first; i < first + PART; i++) {
                var operand_of_query = head_group(min(tile + i, here.end - 1u), 1u, head, group);
                if (TO_POSITION) {
                    operand_of_query += position_group(places[i], KEY_COLUMN, head, group);
                }
                sum += dscores[i] * operand_of_query;
            }
        }
    }
    sum = add_parts(index, sum);

    if (index < COLUMNS && group < head_groups()) {
        store_gradient(row, here.end, 0u, head, group, sum);
    }
}
