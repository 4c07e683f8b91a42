//! The sources of the shaders.

use webert::backend::gpu;

#[test]
fn every_shader_is_valid() {
    // Half floats are unpacked by a function that WebGPU always has; naga counts it as a
    // capability.
    let capabilities = naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32
        | naga::valid::Capabilities::SHADER_FLOAT16;
    let flags = naga::valid::ValidationFlags::all();
    let sources = gpu::sources();
    assert!(sources.len() >= if cfg!(feature = "train") { 57 } else { 31 });
    for (name, source) in sources {
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&source)));
        assert_eq!(module.entry_points.len(), 1, "{name}");
        naga::valid::Validator::new(flags, capabilities)
            .validate(&module)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&source)));
    }
}
