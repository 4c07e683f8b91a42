// y = activation(x · weightᵀ + bias) for many rows, tile by tile, in 8-bit integers. Rows of x are
// rounded when they come into workgroup memory, so that this takes no dispatch of its own.

/// Blocks that a step takes into workgroup memory.
const DEEP = 2u;

var<workgroup> xs: array<vec4<u32>, 256>; // [DEEP, 2, 4 · HIGH]
var<workgroup> ws: array<vec4<u32>, 256>; // [DEEP, 2, 4 · WIDE]
var<workgroup> x_scales: array<f32, 128>; // [DEEP, 4 · HIGH]
var<workgroup> w_scales: array<f32, 128>; // [DEEP, 4 · WIDE]

/// Brings DEEP blocks from `begin` on, of the tile's rows and columns, into workgroup memory. Rows
/// and columns that are not there repeat the last; blocks that are not there have x's scale 0.
fn fetch(begin: u32, row: u32, column: u32, index: u32) {
    let high = 4u * HIGH;
    let wide = 4u * WIDE;
    for (var i = index; i < DEEP * high; i += WIDE * HIGH) {
        let to = i / high * 2u * high + i % high;
        let block = block_of(min(row + i % high, params.rows - 1u), begin + i / high);
        xs[to] = block.groups[0];
        xs[to + high] = block.groups[1];
        x_scales[i] = block.scale / 16129.0; // both sides count in 127ths
    }
    let blocks = (params.inputs + 7u) / 8u;
    for (var i = index; i < DEEP * wide; i += WIDE * HIGH) {
        let to = i / wide * 2u * wide + i % wide;
        let c = min(column + i % wide, params.count - 1u);
        let block = weight_block(c * blocks + min(begin + i / wide, blocks - 1u));
        ws[to] = block.groups[0];
        ws[to + wide] = block.groups[1];
        w_scales[i] = block.scale;
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
    var sums = mat4x4<f32>();
    for (var begin = 0u; begin < params.inputs; begin += 8u * DEEP) {
        fetch(begin / 8u, row, column, index);
        workgroupBarrier();
        for (var block = 0u; block < DEEP; block++) {
            var a = vec4<i32>();
            var b = vec4<i32>();
            var c = vec4<i32>();
            var d = vec4<i32>();
            for (var part = 2u * block; part < 2u * block + 2u; part++) {
                let i = part * 4u * WIDE + at.x;
                let w = array(ws[i], ws[i + WIDE], ws[i + 2u * WIDE], ws[i + 3u * WIDE]);
                let r = part * 4u * HIGH + at.y;
                a += dots(xs[r], w[0], w[1], w[2], w[3]);
                b += dots(xs[r + HIGH], w[0], w[1], w[2], w[3]);
                c += dots(xs[r + 2u * HIGH], w[0], w[1], w[2], w[3]);
                d += dots(xs[r + 3u * HIGH], w[0], w[1], w[2], w[3]);
            }
            let i = block * 4u * WIDE + at.x;
            let scales = vec4<f32>(w_scales[i], w_scales[i + WIDE], w_scales[i + 2u * WIDE], w_scales[i + 3u * WIDE]);
            let r = block * 4u * HIGH + at.y;
            sums += mat4x4<f32>(
                x_scales[r] * scales * vec4<f32>(a),
                x_scales[r + HIGH] * scales * vec4<f32>(b),
                x_scales[r + 2u * HIGH] * scales * vec4<f32>(c),
                x_scales[r + 3u * HIGH] * scales * vec4<f32>(d),
            );
        }
        workgroupBarrier();
    }
    store(row + at.y, column + at.x, sums[0]);
    store(row + at.y + HIGH, column + at.x, sums[1]);
    store(row + at.y + 2u * HIGH, column + at.x, sums[2]);
    store(row + at.y + 3u * HIGH, column + at.x, sums[3]);
}
