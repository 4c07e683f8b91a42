// Attention scores that depend on content only, over all keys. attention_relative.wgsl defines the same functions for
// scores by position.

/// Returns the first key that the rows from `first` to `end` attend to, and the last + 1.
fn near_keys(here: Sequence, first: u32, end: u32) -> vec2<u32> {
    return vec2<u32>(here.first_key, here.end_key);
}

/// Returns the scores of four pairs of a query and a key, unchanged.
fn related(scores: vec4<f32>, queries: vec4<u32>, keys: vec4<u32>, head: u32) -> vec4<f32> {
    return scores;
}
