// The uniform of elementwise kernels over activations, parameters or gradients. One invocation per group.

struct Params {
    /// groups of four
    count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
