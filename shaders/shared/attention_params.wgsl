// The uniform of the attention kernels.

struct Params {
    /// columns of all heads together
    width: u32,
    /// columns of one head
    head_dim: u32,
    /// columns of a row of qkv, in whole groups
    stride: u32,
    /// index in the list of the first sequence, in u32s
    sequences_start: u32,
    /// index in the list of the first entry: a block (attention) or a row's sequence (attention_probabilities)
    entries_start: u32,
    /// heads
    heads: u32,
    /// rows of qkv
    rows: u32,
    /// number of blocks
    blocks: u32,
    /// index in the list of the first row's position within its sequence
    columns_start: u32,
    /// greatest distance of a key that is attended to
    reach: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
