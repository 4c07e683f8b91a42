// The uniform of the attention kernels.

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
    /// where it begins in the list where in its sequence each row stands
    columns_start: u32,
    /// the greatest distance of a key that is attended to
    reach: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
