// LayerNorm in place, of x or of x + residual: one workgroup a row.

struct Params {
    /// rows of x
    rows: u32,
    /// columns of x
    width: u32,
    /// added to the variance, inside the root
    eps: f32,
}

/// Whether a residual is added first; without, any buffer may be bound in its place.
override RESIDUAL: bool = false;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> x: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(2) var<storage, read> residual: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(3) var<storage, read> scale: array<vec4<f32>>; // [groups]
@group(0) @binding(4) var<storage, read> shift: array<vec4<f32>>; // [groups]

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
    let width = f32(params.width);
    let groups = (params.width + 3u) / 4u;
    let first = row * groups;

    var sum = vec4<f32>();
    for (var g = index; g < groups; g += THREADS) {
        if (RESIDUAL) {
            x[first + g] += residual[first + g];
        }
        sum += x[first + g];
    }
    let mean = total(index, sum) / width;

    // a pass of its own: the difference of two large sums would lose digits
    var squares = vec4<f32>();
    for (var g = index; g < groups; g += THREADS) {
        let there = vec4<u32>(4u * g) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(params.width);
        let d = select(vec4<f32>(), x[first + g] - mean, there);
        squares += d * d;
    }
    let inverse = inverseSqrt(total(index, squares) / width + params.eps);

    // columns that only fill up the last group have scale and shift 0
    for (var g = index; g < groups; g += THREADS) {
        x[first + g] = (x[first + g] - mean) * inverse * scale[g] + shift[g];
    }
}
