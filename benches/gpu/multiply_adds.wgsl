
// Eight independent sums. The file of the type defines `Sum` and `step`.

@group(0) @binding(0) var<storage, read_write> y: array<f32>;
override LOOPS: u32;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = Sum(vec4<f32>(f32(id.x) * 1e-6 + 0.5));
    var s0 = x;
    var s1 = x;
    var s2 = x;
    var s3 = x;
    var s4 = x;
    var s5 = x;
    var s6 = x;
    var s7 = x;
    for (var n = 0u; n < LOOPS; n++) {
        s0 = step(s0, x);
        s1 = step(s1, x);
        s2 = step(s2, x);
        s3 = step(s3, x);
        s4 = step(s4, x);
        s5 = step(s5, x);
        s6 = step(s6, x);
        s7 = step(s7, x);
    }
    let all = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;
    if (f32(all[0]) == 12345.0) { // never true, but the compiler cannot know
        y[id.x] = 1.0;
    }
}
