// Dot products of quantized rows, exact in 32 bits. The weight matrix has the layout of weight_i8.wgsl.

@group(0) @binding(3) var<storage, read> weights: array<vec4<u32>>; // [rows, blocks, 2]
@group(0) @binding(4) var<storage, read> scales: array<f32>; // [rows, blocks]

/// Returns sum + a · b. Products are added one by one, which devices do as they multiply.
fn dot16(sum: i32, a: vec4<u32>, b: vec4<u32>) -> i32 {
    return sum + dot4I8Packed(a.x, b.x) + dot4I8Packed(a.y, b.y) + dot4I8Packed(a.z, b.z) + dot4I8Packed(a.w, b.w);
}

/// Adds the products of half a block of x with the same halves of four columns.
fn dots(sums: vec4<i32>, x: vec4<u32>, a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32>) -> vec4<i32> {
    return vec4<i32>(dot16(sums.x, x, a), dot16(sums.y, x, b), dot16(sums.z, x, c), dot16(sums.w, x, d));
}
