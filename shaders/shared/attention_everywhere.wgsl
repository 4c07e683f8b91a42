// Scores of attention that depend on content alone, over all keys; attention_relative.wgsl is its twin.

/// The first key that rows from `first` to `end` attend to, and the last + 1.
fn near_keys(here: Sequence, first: u32, end: u32) -> vec2<u32> {
    return vec2<u32>(here.first_key, here.end_key);
}

/// The scores of four pairs of a query and a key, by where these stand.
fn related(scores: vec4<f32>, queries: vec4<u32>, keys: vec4<u32>, head: u32) -> vec4<f32> {
    return scores;
}
