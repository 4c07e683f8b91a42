// Cross-entropy along columns: for each group of rows and each column, the softmax runs over the group's rows. The
// logits are replaced by their gradient. One workgroup per group of rows and column.

struct Params {
    /// number of groups of rows
    count: u32,
    /// columns of logits
    cols: u32,
    /// factor of the gradient
    scale: f32,
}

/// Target of a group and column that is ignored.
const IGNORED = 0xffffffffu;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> logits: array<f32>; // [rows, columns in whole groups of four]
@group(0) @binding(2) var<storage, read_write> losses: array<f32>; // [count, cols]
/// For each group its first row and its last row + 1. Then the targets, [count, cols], counted from the group's first
/// row. Then for each column the bits of 1 / (columns · number of its targets that are not ignored).
@group(0) @binding(3) var<storage, read> list: array<u32>;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let at = workgroup_index(workgroup, grid);
    if (at >= params.count * params.cols) {
        return;
    }
    let column = at % params.cols;
    let first = list[at / params.cols * 2u];
    let end = list[at / params.cols * 2u + 1u];
    let row_target = list[2u * params.count + at];
    let inverse = bitcast<f32>(list[(2u + params.cols) * params.count + column]);
    let stride = (params.cols + 3u) / 4u * 4u;
    if (row_target == IGNORED) {
        for (var row = first + index; row < end; row += THREADS) {
            logits[row * stride + column] = 0.0;
        }
        if (index == 0u) {
            losses[at] = 0.0;
        }
        return;
    }

    var part = -1e30;
    for (var row = first + index; row < end; row += THREADS) {
        part = max(part, logits[row * stride + column]);
    }
    let maximum = reduce(index, part, true);
    part = 0.0;
    var chosen = 0.0;
    for (var row = first + index; row < end; row += THREADS) {
        let logit = logits[row * stride + column] - maximum;
        part += exp(logit);
        chosen += select(0.0, logit, row == first + row_target);
    }
    let sum = reduce(index, part, false);
    let chosen_logit = reduce(index, chosen, false);
    for (var row = first + index; row < end; row += THREADS) {
        let i = row * stride + column;
        let p = exp(logits[i] - maximum) / sum;
        logits[i] = params.scale * inverse * (p - select(0.0, 1.0, row == first + row_target));
    }
    if (index == 0u) {
        losses[at] = inverse * (log(sum) - chosen_logit);
    }
}
