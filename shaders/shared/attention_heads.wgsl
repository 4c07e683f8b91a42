// The uniform of the attention kernels, the sequences of the batch, and how queries, keys and values
// lie in a row.

struct Params {
    /// columns of all heads together
    width: u32,
    /// columns of one head
    head_dim: u32,
    /// columns of a row of qkv, in whole groups
    stride: u32,
    /// where the list of sequences begins, in u32s
    sequences_start: u32,
    /// where the entries begin: blocks (attention) or each row's sequence (attention_probabilities)
    entries_start: u32,
    /// heads
    heads: u32,
    /// rows of qkv
    rows: u32,
    /// number of blocks
    blocks: u32,
}

/// Rows and keys of a sequence.
struct Sequence {
    /// its first row
    first: u32,
    /// its last row + 1
    end: u32,
    /// its first key
    first_key: u32,
    /// its last key + 1
    end_key: u32,
    /// rows · keys of all sequences before it
    pairs_before: u32,
}

/// Whether every head begins at a whole group.
override ALIGNED: bool = true;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> list: array<u32>;
@group(0) @binding(3) var<storage, read> qkv: array<vec4<f32>>; // [rows, stride / 4]

fn sequence(number: u32) -> Sequence {
    let at = params.sequences_start + 5u * number;
    return Sequence(list[at], list[at + 1u], list[at + 2u], list[at + 3u], list[at + 4u]);
}

/// Four columns of a head's queries (part 0), keys (1) or values (2); zeros beyond the head.
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

/// Writes a group of a row of y, `[rows, width in whole groups]`.
fn store(row: u32, head: u32, group: u32, value: vec4<f32>) {
    let stride = (params.width + 3u) / 4u * 4u;
    for (var i = 0u; i < 4u; i++) {
        let column = 4u * group + i;
        let at = head * params.head_dim + column;
        // the last head also fills up the row
        if (column < params.head_dim || (head + 1u == params.heads && at < stride)) {
            y[row * stride + at] = value[i];
        }
    }
}
