alias Sum = vec4<f32>;

// Four multiply-adds.
fn step(sum: Sum, x: Sum) -> Sum {
    return fma(sum, x, x);
}
