// The uniform of training's attention kernels, and dropout of probabilities.

struct Params {
    /// columns of all heads together
    width: u32,
    /// columns of one head
    head_dim: u32,
    /// columns of a row of qkv, in whole groups
    stride: u32,
    /// where the list of sequences begins, in u32s
    sequences_start: u32,
    /// where the blocks begin
    entries_start: u32,
    /// heads
    heads: u32,
    /// rows of qkv
    rows: u32,
    /// halves of the run's seed
    seed_low: u32,
    seed_high: u32,
    /// which of the model's dropouts it is
    site: u32,
    /// which forward pass of the run
    step: u32,
    /// a probability becomes 0 where its random number is less
    threshold: u32,
    /// what the others are multiplied by
    keep_scale: f32,
}

/// Whether there is dropout.
override DROPOUT: bool = false;

@group(0) @binding(0) var<uniform> params: Params;

/// What the probabilities of four keys of a query are multiplied by; `four` is how many fours of the sequence's rows
/// precede them.
fn dropout_factors(query: u32, head: u32, four: u32) -> vec4<f32> {
    if (!DROPOUT) {
        return vec4<f32>(1.0);
    }
    let counter = vec4<u32>(four, query * params.heads + head, params.site, params.step);
    let random = philox(counter, vec2<u32>(params.seed_low, params.seed_high));
    return select(vec4<f32>(params.keep_scale), vec4<f32>(), random < vec4<u32>(params.threshold));
}
