// The embeddings of a token, in place of shared/residual.wgsl: the sum of a row of each table, which norm.wgsl then
// normalizes in the same dispatch. shared/weight_*.wgsl is included once per table (see kernels.rs).

/// If false, the model has no table of positions; any table is bound in its place.
override POSITIONS: bool = true;
/// If false, the model has no table of token types.
override TYPES: bool = true;

@group(0) @binding(2) var<storage, read> list: array<u32>; // [3, rows]: row numbers in the tables of words, types, positions

fn row_groups() -> u32 {
    return (params.width + 3u) / 4u;
}

/// Writes a group of the sum to x and returns it.
fn add_residual(at: u32) -> vec4<f32> {
    let groups = row_groups();
    let row = at / groups;
    let group = at % groups;
    let word = list[row];
    var sum = word_weight(word, word * groups + group);
    if (POSITIONS) {
        let position = list[2u * params.rows + row];
        sum += position_weight(position, position * groups + group);
    }
    if (TYPES) {
        let token_type = list[params.rows + row];
        sum += type_weight(token_type, token_type * groups + group);
    }
    x[at] = sum;
    return sum;
}
