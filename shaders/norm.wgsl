// LayerNorm, one workgroup per row.

const THREADS = 64u;
var<workgroup> parts: array<vec4<f32>, THREADS>;

/// Returns Σ `part` over the workgroup, to each invocation.
fn reduce_sum(index: u32, part: vec4<f32>) -> f32 {
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
    let row = workgroup_index(workgroup, grid);
    if (row >= params.rows) {
        return;
    }
    let groups = (params.width + 3u) / 4u;
    let first = row * groups;

    var sum = vec4<f32>();
    for (var g = index; g < groups; g += THREADS) {
        sum += add_residual(first + g);
    }
    let mean = mean_of(reduce_sum(index, sum));

    // A second pass, because the difference of two large sums would lose digits.
    var squares = vec4<f32>();
    for (var g = index; g < groups; g += THREADS) {
        squares += square(x[first + g] - mean, g);
    }
    let inverse = inverse_deviation(reduce_sum(index, squares));
    for (var g = index; g < groups; g += THREADS) {
        normalise(first, g, mean, inverse);
    }
}
