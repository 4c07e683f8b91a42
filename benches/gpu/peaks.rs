//! What the device can do at most: multiply-adds in a loop, and bytes from its memory.

use std::time::Instant;

/// Operations and bytes a second.
pub(crate) struct Peaks {
    pub(crate) single: f64,
    /// 0 where there are no 16-bit floats.
    pub(crate) half: f64,
    /// 8-bit integers, four at once.
    pub(crate) int8: f64,
    pub(crate) bytes: f64,
}

/// A loop whose eight sums keep pipelines full. `T` is the type, `STEP(i)` what a step does.
fn arithmetic(head: &str, sum: &str, step: impl Fn(usize) -> String) -> String {
    let each = |of: &dyn Fn(usize) -> String| (0..8).map(of).collect::<String>();
    format!(
        "{head}
        @group(0) @binding(0) var<storage, read_write> y: array<f32>;
        override LOOPS: u32;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
            let x = {sum}(vec4<f32>(f32(id.x) * 1e-6 + 0.5));
            {}
            for (var n = 0u; n < LOOPS; n++) {{ {} }}
            let all = {};
            if (f32(all[0]) == 12345.0) {{ y[id.x] = 1.0; }}
        }}",
        each(&|i| format!("var s{i} = x;")),
        each(&step),
        (0..8).map(|i| format!("s{i}")).collect::<Vec<_>>().join(" + "),
    )
}

const READ: &str = "
    @group(0) @binding(0) var<storage, read_write> y: array<vec4<f32>>;
    override LOOPS: u32;
    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) grid: vec3<u32>) {
        var sum = vec4<f32>();
        for (var n = 0u; n < LOOPS; n++) { sum += y[n * grid.x * 64u + id.x]; }
        if (sum.x == 12345.0) { y[id.x] = sum; }
    }";

/// Measures them all.
pub(crate) fn peaks(software: bool) -> Peaks {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = pollster::block_on(instance.request_adapter(&Default::default())).unwrap();
    let half = adapter.features() & wgpu::Features::SHADER_F16;
    let descriptor = wgpu::DeviceDescriptor { required_features: half, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let measure = Measure { device, queue, groups: if software { 64 } else { 4096 } };
    let loops = if software { 2000 } else { 20_000 };
    // eight steps of four multiply-adds
    let flops = 8.0 * 4.0 * 2.0 * f64::from(loops);
    let floats = |head, sum| {
        flops * measure.rate(&arithmetic(head, sum, |i| format!("s{i} = fma(s{i}, x, x);")), loops)
    };
    let dots = |i| format!("s{i} += vec4<i32>(dot4I8Packed(bitcast<u32>(s{i}.x), 0x01020304u));");
    let single = floats("", "vec4<f32>");
    let half = if half.is_empty() { 0.0 } else { floats("enable f16;", "vec4<f16>") };
    // one product of four a step here
    let int8 = flops * measure.rate(&arithmetic("", "vec4<i32>", dots), loops);
    let reads = (1 << 26) / 16 / (measure.groups * 64);
    let bytes = 16.0 * f64::from(reads) * measure.rate(READ, reads);
    Peaks { single, half, int8, bytes }
}

struct Measure {
    device: wgpu::Device,
    queue: wgpu::Queue,
    groups: u32,
}

impl Measure {
    /// Invocations a second.
    fn rate(&self, source: &str, loops: u32) -> f64 {
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let constants = [("LOOPS", f64::from(loops))];
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                ..Default::default()
            },
            cache: None,
        });
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 1 << 26,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }],
        });
        let seconds = (0..5).map(|_| {
            let start = Instant::now();
            let mut encoder = self.device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(self.groups, 1, 1);
            drop(pass);
            self.queue.submit([encoder.finish()]);
            self.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
            start.elapsed().as_secs_f64()
        });
        f64::from(self.groups) * 64.0 / seconds.fold(f64::INFINITY, f64::min)
    }
}
