// The uniform of kernels that go over all elements of activations, parameters or gradients: an invocation makes a group.

struct Params {
    /// groups of four
    count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
