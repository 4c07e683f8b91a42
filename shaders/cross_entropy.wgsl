// Cross-entropy of each row of logits with its target. The logits are replaced by their gradient. With class weights w
// and label smoothing ε, target t has the shares a[c] = (1 - ε) · w[t] · (c = t) + ε / classes · w[c]. A row's loss is
// -Σ a[c] · log p[c], divided by the sum of the weights of all targets. One workgroup per row.

struct Params {
    /// rows of logits
    rows: u32,
    /// columns of logits
    classes: u32,
    /// ε
    smoothing: f32,
    /// 1 / Σ w over the targets that are not ignored
    inverse: f32,
    /// factor of the gradient
    scale: f32,
}

/// If true, classes have weights. If false, all weights are 1 and any buffer may be bound in their place.
override WEIGHTED: bool = false;
/// Target of a row that is ignored.
const IGNORED = 0xffffffffu;
/// Logit of a column beyond the last: exp maps it to 0.
const MASKED = -1e30;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> logits: array<vec4<f32>>; // [rows, groups]
@group(0) @binding(2) var<storage, read_write> losses: array<f32>; // [rows]
@group(0) @binding(3) var<storage, read> targets: array<u32>; // [rows]
@group(0) @binding(4) var<storage, read> weights: array<f32>; // [classes]

fn columns(group: u32) -> vec4<u32> {
    return vec4<u32>(4u * group) + vec4<u32>(0u, 1u, 2u, 3u);
}

/// Returns the weights of four classes; zeros beyond the last.
fn four_weights(group: u32) -> vec4<f32> {
    let there = columns(group) < vec4<u32>(params.classes);
    if (!WEIGHTED) {
        return select(vec4<f32>(), vec4<f32>(1.0), there);
    }
    let i = min(columns(group), vec4<u32>(params.classes - 1u));
    return select(vec4<f32>(), vec4<f32>(weights[i.x], weights[i.y], weights[i.z], weights[i.w]), there);
}

/// Returns four logits of the row that starts at `first`.
fn load(first: u32, group: u32) -> vec4<f32> {
    return select(vec4<f32>(MASKED), logits[first + group], columns(group) < vec4<u32>(params.classes));
}

/// Returns the shares of four classes with the weights `four`.
fn shares(group: u32, class_target: u32, four: vec4<f32>) -> vec4<f32> {
    let chosen = select(vec4<f32>(), (1.0 - params.smoothing) * four, columns(group) == vec4<u32>(class_target));
    return chosen + params.smoothing / f32(params.classes) * four;
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
    let groups = (params.classes + 3u) / 4u;
    let first = row * groups;
    let class_target = targets[row];
    if (class_target == IGNORED) {
        // The logits buffer becomes the gradient, so an ignored row must be set to 0.
        for (var g = index; g < groups; g += THREADS) {
            logits[first + g] = vec4<f32>();
        }
        if (index == 0u) {
            losses[row] = 0.0;
        }
        return;
    }

    var four = vec4<f32>(MASKED);
    for (var g = index; g < groups; g += THREADS) {
        four = max(four, load(first, g));
    }
    let maximum = reduce(index, max(max(four.x, four.y), max(four.z, four.w)), true);

    var part = 0.0;
    var part_shares = 0.0;
    var part_product = 0.0;
    for (var g = index; g < groups; g += THREADS) {
        let logit = load(first, g) - maximum;
        let share = shares(g, class_target, four_weights(g));
        part += dot(exp(logit), vec4<f32>(1.0));
        part_shares += dot(share, vec4<f32>(1.0));
        // Beyond the last column the share is 0, so the masked logit does not matter.
        part_product += dot(share, logit);
    }
    let sum = reduce(index, part, false);
    let all_shares = reduce(index, part_shares, false);
    let product = reduce(index, part_product, false);
    for (var g = index; g < groups; g += THREADS) {
        let p = exp(load(first, g) - maximum) / sum;
        let share = shares(g, class_target, four_weights(g));
        logits[first + g] = params.scale * params.inverse * (all_shares * p - share);
    }
    if (index == 0u) {
        losses[row] = params.inverse * (all_shares * log(sum) - product);
    }
}
