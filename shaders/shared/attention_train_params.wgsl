// The uniform of training's attention kernels, and dropout of the probabilities.

struct Params {
    /// columns of all heads together
    width: u32,
    /// columns of one head
    head_dim: u32,
    /// columns of a row of qkv, in whole groups
    stride: u32,
    /// index in the list of the first sequence, in u32s
    sequences_start: u32,
    /// index in the list of the first block, or of the first row's sequence
    entries_start: u32,
    /// heads
    heads: u32,
    /// rows of qkv
    rows: u32,
    /// lower and upper half of the run's seed
    seed_low: u32,
    seed_high: u32,
    /// number of this dropout within the model
    site: u32,
    /// number of the forward pass within the run
    step: u32,
    /// a probability becomes 0 if its random number is below this
    threshold: u32,
    /// factor of the probabilities that are kept
    keep_scale: f32,
    /// index in the list of the first row's position within its sequence
    columns_start: u32,
    /// greatest distance of two rows of a sequence
    reach: u32,
    /// first query of a slice, and number of its queries
    first_query: u32,
    queries: u32,
}

/// If true, dropout is applied.
override DROPOUT: bool = false;

@group(0) @binding(0) var<uniform> params: Params;

/// Returns the dropout factors of the probabilities of a query and four keys. `four` counts groups of four rows from
/// the start of the sequence.
fn dropout_factors(query: u32, head: u32, four: u32) -> vec4<f32> {
    if (!DROPOUT) {
        return vec4<f32>(1.0);
    }
    let counter = vec4<u32>(four, query * params.heads + head, params.site, params.step);
    let random = philox(counter, vec2<u32>(params.seed_low, params.seed_high));
    return select(vec4<f32>(params.keep_scale), vec4<f32>(), random < vec4<u32>(params.threshold));
}
