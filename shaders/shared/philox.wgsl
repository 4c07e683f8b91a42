// Philox 4x32-10 (Salmon et al. 2011): 128 random bits from a counter and a key, in 32-bit arithmetic.

/// Returns the upper half of a 64-bit product, computed from 16-bit halves.
fn multiply_high(a: u32, b: u32) -> u32 {
    let a_low = a & 0xffffu;
    let a_high = a >> 16u;
    let b_low = b & 0xffffu;
    let b_high = b >> 16u;
    let low = a_low * b_low;
    let middle = a_high * b_low + (low >> 16u);
    let other_middle = a_low * b_high + (middle & 0xffffu);
    return a_high * b_high + (middle >> 16u) + (other_middle >> 16u);
}

fn philox(counter: vec4<u32>, key: vec2<u32>) -> vec4<u32> {
    var c = counter;
    var k = key;
    for (var round = 0u; round < 10u; round++) {
        let first = vec2<u32>(multiply_high(0xd2511f53u, c.x), 0xd2511f53u * c.x);
        let second = vec2<u32>(multiply_high(0xcd9e8d57u, c.z), 0xcd9e8d57u * c.z);
        c = vec4<u32>(second.x ^ c.y ^ k.x, second.y, first.x ^ c.w ^ k.y, first.y);
        k += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
    }
    return c;
}
