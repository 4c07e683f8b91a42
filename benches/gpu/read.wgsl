// Reads memory. In each round a workgroup reads its own part.

@group(0) @binding(0) var<storage, read_write> y: array<vec4<f32>>;
override LOOPS: u32;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) grid: vec3<u32>) {
    var sum = vec4<f32>();
    for (var n = 0u; n < LOOPS; n++) {
        sum += y[n * grid.x * 64u + id.x];
    }
    if (sum.x == 12345.0) { // never true, but the compiler cannot know
        y[id.x] = sum;
    }
}
