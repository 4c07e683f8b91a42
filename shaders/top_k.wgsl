// The k largest scores of each row and the row's softmax sum, so that the scores themselves stay on the device. One
// workgroup per row. Of equal scores the lower column comes first.

struct Params {
    /// rows of x
    rows: u32,
    /// groups of a row of x
    groups: u32,
    /// columns of x
    width: u32,
    /// number of scores to return, at most width
    k: u32,
}

/// A score and its column.
struct Score {
    value: f32,
    column: u32,
}

const THREADS = 64u;
/// Worse than any score.
const NONE = Score(-3.4e38, 0xffffffffu);

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<f32>; // [rows, 1 + 2 · k in whole groups]
@group(0) @binding(2) var<storage, read> x: array<f32>; // [rows, groups · 4]

var<workgroup> scores: array<Score, THREADS>;
var<workgroup> parts: array<f32, THREADS>;

fn better(a: Score, b: Score) -> bool {
    return a.value > b.value || (a.value == b.value && a.column < b.column);
}

/// Returns an invocation's best score among the scores worse than `last`.
fn next_best(row: u32, index: u32, last: Score, first_time: bool) -> Score {
    var found = NONE;
    for (var column = index; column < params.width; column += THREADS) {
        let score = Score(x[row * params.groups * 4u + column], column);
        if (better(score, found) && (first_time || better(last, score))) {
            found = score;
        }
    }
    return found;
}

/// Returns the best of all invocations' scores, to all of them.
fn reduce_best(index: u32, score: Score) -> Score {
    scores[index] = score;
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (index < half && better(scores[index + half], scores[index])) {
            scores[index] = scores[index + half];
        }
    }
    return workgroupUniformLoad(&scores[0]);
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
    let stride = (1u + 2u * params.k + 3u) / 4u * 4u;
    var mine = next_best(row, index, NONE, true);
    var maximum = 0.0;
    for (var n = 0u; n < params.k; n++) {
        let best = reduce_best(index, mine);
        if (n == 0u) {
            maximum = best.value;
        }
        if (index == 0u) {
            y[row * stride + 1u + n] = best.value;
            y[row * stride + 1u + params.k + n] = f32(best.column);
        }
        // Only the invocation that owned the best score needs to search again.
        if (mine.column == best.column) {
            mine = next_best(row, index, best, false);
        }
    }

    var sum = 0.0;
    for (var column = index; column < params.width; column += THREADS) {
        sum += exp(x[row * params.groups * 4u + column] - maximum);
    }
    parts[index] = sum;
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (index < half) {
            parts[index] += parts[index + half];
        }
    }
    if (index == 0u) {
        y[row * stride] = parts[0];
    }
    for (var at = 1u + 2u * params.k + index; at < stride; at += THREADS) {
        y[row * stride + at] = 0.0;
    }
}
