// y = activation(x · weightᵀ + bias) for many rows, tile by tile. Products are those of a Part,
// four numbers of 32 or 16 bits; sums have 32 bits. Only four products at a time are added in 16
// bits, which is good for 16,376 each: weights of 16 with activations of 1,000.

/// Groups of inputs that a step takes into workgroup memory.
const DEEP = 4u;

@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>; // [rows, inputs]

var<workgroup> xs: array<Part, 256>; // [DEEP, 4 · HIGH]
var<workgroup> ws: array<Part, 256>; // [DEEP, 4 · WIDE]

/// Brings DEEP groups from `begin` on, of the tile's rows and columns, into workgroup memory.
fn fetch(begin: u32, row: u32, column: u32, index: u32) {
    for (var i = index; i < DEEP * 4u * HIGH; i += WIDE * HIGH) {
        let r = row + i / DEEP;
        let group = begin + i % DEEP;
        var value = vec4<f32>();
        if (r < params.rows && group < params.inputs) {
            value = x[r * params.inputs + group];
        }
        xs[i % DEEP * 4u * HIGH + i / DEEP] = narrow(value);
    }
    for (var i = index; i < DEEP * 4u * WIDE; i += WIDE * HIGH) {
        let c = column + i / DEEP;
        let group = begin + i % DEEP;
        var value = vec4<f32>();
        if (c < params.count && group < params.inputs) {
            value = weight(c, c * params.inputs + group);
        }
        ws[i % DEEP * 4u * WIDE + i / DEEP] = narrow(value);
    }
}

@compute @workgroup_size(WIDE, HIGH)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) at: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let column = workgroup.x * 4u * WIDE;
    let row = workgroup.y * 4u * HIGH;
    var a = vec4<f32>();
    var b = vec4<f32>();
    var c = vec4<f32>();
    var d = vec4<f32>();
    for (var begin = 0u; begin < params.inputs; begin += DEEP) {
        fetch(begin, row, column, index);
        workgroupBarrier();
        for (var g = 0u; g < DEEP; g++) {
            let i = g * 4u * WIDE + at.x;
            let w = Four(ws[i], ws[i + WIDE], ws[i + 2u * WIDE], ws[i + 3u * WIDE]);
            let r = g * 4u * HIGH + at.y;
            a += vec4<f32>(xs[r] * w);
            b += vec4<f32>(xs[r + HIGH] * w);
            c += vec4<f32>(xs[r + 2u * HIGH] * w);
            d += vec4<f32>(xs[r + 3u * HIGH] * w);
        }
        workgroupBarrier();
    }
    store(row + at.y, column + at.x, a);
    store(row + at.y + HIGH, column + at.x, b);
    store(row + at.y + 2u * HIGH, column + at.x, c);
    store(row + at.y + 3u * HIGH, column + at.x, d);
}
