// Gradient of attention by contents and relative positions with respect to keys and values. A workgroup handles one row of
// a head and passes over the queries: dk = Σ dscore · (q + the position as a query), dv = Σ probability · dy.

var<workgroup> dscores: array<f32, TILE>;
var<workgroup> shares: array<f32, TILE>; // probabilities after dropout
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

    var dk = vec4<f32>();
    var dv = vec4<f32>();
    for (var tile = here.first; tile < here.end; tile += TILE) {
        let query = tile + index;
        workgroupBarrier();
        dscores[index] = 0.0;
        shares[index] = 0.0;
        places[index] = 0u;
        if (query < here.end) {
            let pair = gradient_of(query, row, head, here);
            dscores[index] = pair.x;
            shares[index] = pair.y;
            places[index] = place_of(query, row);
        }
        workgroupBarrier();
        if (group < head_groups()) {
            for (var i = first; i < first + PART; i++) {
                let other = min(tile + i, here.end - 1u);
                var operand_of_key = head_group(other, 0u, head, group);
                if (TO_CONTENT) {
                    operand_of_key += position_group(places[i], 0u, head, group);
                }
                dk += dscores[i] * operand_of_key;
                dv += shares[i] * dy_group(other, head, group);
            }
        }
    }
    dk = add_parts(index, dk);
    dv = add_parts(index, dv);

    if (index < COLUMNS && group < head_groups()) {
        store_gradient(row, here.end, 1u, head, group, dk);
        store_gradient(row, here.end, 2u, head, group, dv);
    }
}
