// x of the linear layers, in place of x_rows.wgsl: x = LayerNorm of before + residual. Each workgroup computes the mean and
// the deviation of the rows that it reads, and some of them write x for the calls that follow. For few rows, this takes
// less time than a dispatch for LayerNorm. The width must be a multiple of 4.

@group(0) @binding(2) var<storage, read> before: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(6) var<storage, read> residual: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(7) var<storage, read> scale: array<vec4<f32>>; // [groups]
@group(0) @binding(8) var<storage, read> shift: array<vec4<f32>>; // [groups]
@group(0) @binding(9) var<storage, read_write> normed: array<vec4<f32>>; // [rows, groups]

/// The first row that this workgroup reads.
var<private> first_row: u32;
/// Mean and inverse deviation of the rows that this workgroup reads.
var<workgroup> statistics: array<vec2<f32>, 64>;
/// Sums of the invocations that share a row.
var<workgroup> shares: array<f32, 256>;

/// Returns a group of a row before the norm.
fn sum_at(row: u32, group: u32) -> vec4<f32> {
    let at = row * params.groups + group;
    return before[at] + residual[at];
}

/// Returns a group of a row of x.
fn x_at(row: u32, group: u32) -> vec4<f32> {
    let values = statistics[row - first_row];
    return (sum_at(row, group) - values.x) * values.y * scale[group] + shift[group];
}

/// Prepares up to `count` rows from `first` on. All `threads` invocations of the workgroup must call it; `index` is the
/// invocation's number. There must be as many invocations as rows. If `writes`, x is written for later calls.
fn prepare_x(first: u32, count: u32, index: u32, threads: u32, writes: bool) {
    first_row = first;
    let rows = min(count, params.rows - first);
    // Each row has `lanes` invocations; some may be left.
    let lanes = threads / rows;
    let row = index / lanes;
    let lane = index % lanes;
    let has_row = row < rows;
    let width = f32(4u * params.groups);
    var sum = vec4<f32>();
    if (has_row) {
        for (var g = lane; g < params.groups; g += lanes) {
            sum += sum_at(first + row, g);
        }
    }
    shares[index] = dot(sum, vec4<f32>(1.0));
    workgroupBarrier();
    var mean = 0.0;
    if (has_row) {
        for (var other = 0u; other < lanes; other++) {
            mean += shares[row * lanes + other];
        }
    }
    mean /= width;
    workgroupBarrier();
    // A second pass, because the difference of two large sums would lose digits.
    var squares = vec4<f32>();
    if (has_row) {
        for (var g = lane; g < params.groups; g += lanes) {
            let d = sum_at(first + row, g) - mean;
            squares += d * d;
        }
    }
    shares[index] = dot(squares, vec4<f32>(1.0));
    workgroupBarrier();
    if (has_row && lane == 0u) {
        var total = 0.0;
        for (var other = 0u; other < lanes; other++) {
            total += shares[index + other];
        }
        statistics[row] = vec2<f32>(mean, inverseSqrt(total / width + params.eps));
    }
    workgroupBarrier();
    if (writes) {
        for (var at = index; at < rows * params.groups; at += threads) {
            let to = first + at / params.groups;
            let group = at % params.groups;
            normed[to * params.groups + group] = x_at(to, group);
        }
    }
}
