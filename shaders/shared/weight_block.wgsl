// Blocks of the weights of dot_int8.wgsl.

fn weight_block(at: u32) -> Block {
    return Block(array(weights[2u * at], weights[2u * at + 1u]), scales[at]);
}
