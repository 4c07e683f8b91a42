// LayerNorm: one workgroup a row.

const THREADS = 64u;
var<workgroup> parts: array<vec4<f32>, THREADS>;

/// The sum of every invocation's `part`, to all of them.
fn total(index: u32, part: vec4<f32>) -> f32 {
    parts[index] = part;
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (index < half) {
            parts[index] += parts[index + half];
        }
    }
    let sum = dot(workgroupUniformLoad(&parts[0]), vec4<f32>(1.0));
    return sum;
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let row = flat(workgroup, grid);
    if (row >= params.rows) {
        return;
    }
    let groups = (params.width + 3u) / 4u;
    let first = row * groups;

    var sum = vec4<f32>();
    for (var g = index; g < groups; g += THREADS) {
        sum += added(first + g);
    }
    let mean = total(index, sum) / f32(params.width);

    // a pass of its own: the difference of two large sums would lose digits
    var squares = vec4<f32>();
    for (var g = index; g < groups; g += THREADS) {
        squares += square(x[first + g] - mean, g);
    }
    let inverse = inverse_deviation(total(index, squares));
    for (var g = index; g < groups; g += THREADS) {
        finish(first, g, mean, inverse);
    }
}
