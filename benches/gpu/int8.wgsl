alias Sum = vec4<i32>;

// One product of four numbers, which counts as four multiply-adds.
fn step(sum: Sum, x: Sum) -> Sum {
    return sum + Sum(dot4I8Packed(bitcast<u32>(sum.x), 0x01020304u));
}
