// The uniform of the linear layers. A weight matrix too large for one buffer is split into parts, each of which
// computes some columns of y.

struct Params {
    /// rows of x and y
    rows: u32,
    /// groups of a row of x
    groups: u32,
    /// columns of y
    outputs: u32,
    /// first column that this part computes
    first: u32,
    /// number of columns that this part computes, and of its rows of weights
    count: u32,
    /// groups that a part of the sums has, see linear.wgsl
    part_groups: u32,
    /// added to the variance, inside the root, if x is to be normalized
    eps: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
