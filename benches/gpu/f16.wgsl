enable f16;

alias Sum = vec4<f16>;

// Four multiply-adds.
fn step(sum: Sum, x: Sum) -> Sum {
    return fma(sum, x, x);
}
