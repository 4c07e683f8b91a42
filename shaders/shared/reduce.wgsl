// Maximum or sum over a workgroup of 64, one number per invocation.

const THREADS = 64u;
var<workgroup> parts: array<f32, THREADS>;

/// Returns the maximum or the sum of `part` over the workgroup, to each invocation.
fn reduce(index: u32, part: f32, take_max: bool) -> f32 {
    parts[index] = part;
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (index < half) {
            let other = parts[index + half];
            parts[index] = select(parts[index] + other, max(parts[index], other), take_max);
        }
    }
    return workgroupUniformLoad(&parts[0]);
}
