// The sequences of the batch, and the layout of queries, keys and values within a row.

/// Range of rows and range of keys of a sequence.
struct Sequence {
    /// its first row
    first: u32,
    /// its last row + 1
    end: u32,
    /// its first key
    first_key: u32,
    /// its last key + 1
    end_key: u32,
    /// Σ rows · keys of the sequences before it
    pairs_before: u32,
}

/// If true, every head starts at a whole group.
override ALIGNED: bool = true;

@group(0) @binding(2) var<storage, read> list: array<u32>;
@group(0) @binding(3) var<storage, read> qkv: array<vec4<f32>>; // [rows, stride / 4]

fn sequence(number: u32) -> Sequence {
    let at = params.sequences_start + 5u * number;
    return Sequence(list[at], list[at + 1u], list[at + 2u], list[at + 3u], list[at + 4u]);
}

/// Returns four columns of a head's queries (which = 0), keys (1) or values (2); zeros beyond the head.
fn head_group(row: u32, which: u32, head: u32, group: u32) -> vec4<f32> {
    let at = row * params.stride + which * params.width + head * params.head_dim + 4u * group;
    if (ALIGNED) {
        return qkv[at / 4u];
    }
    var value = vec4<f32>();
    for (var i = 0u; i < 4u && 4u * group + i < params.head_dim; i++) {
        value[i] = qkv[(at + i) / 4u][(at + i) % 4u];
    }
    return value;
}
