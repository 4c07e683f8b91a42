// The uniform of the linear layers. A weight matrix too large for one buffer is in several, each of
// which makes some columns of y.

struct Params {
    /// rows of x and y
    rows: u32,
    /// groups of a row of x
    groups: u32,
    /// columns of y
    outputs: u32,
    /// the first column that these weights make
    first: u32,
    /// how many they make: rows of weights
    count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
