//! The peak rates of the device: multiply-adds in a loop, and bytes from memory.

use std::time::Instant;

/// Operations and bytes per second.
pub(crate) struct Peaks {
    pub(crate) single: f64,
    /// 0 if the device has no 16-bit floats.
    pub(crate) half: f64,
    /// Rate for 8-bit integers, four at once.
    pub(crate) int8: f64,
    pub(crate) bytes: f64,
}

/// Returns the WGSL of a loop of multiply-adds over numbers of a type.
macro_rules! multiply_adds {
    ($type:literal) => {
        concat!(include_str!(concat!($type, ".wgsl")), include_str!("multiply_adds.wgsl"))
    };
}

/// Measures all rates.
pub(crate) fn peaks(software: bool) -> Peaks {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = pollster::block_on(instance.request_adapter(&Default::default())).unwrap();
    let half = adapter.features() & wgpu::Features::SHADER_F16;
    let descriptor = wgpu::DeviceDescriptor { required_features: half, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let measure = Measure { device, queue, groups: if software { 64 } else { 4096 } };
    let loops = if software { 2000 } else { 20_000 };
    // eight steps with four multiply-adds each
    let flops = 8.0 * 4.0 * 2.0 * f64::from(loops);
    let rate = |source| flops * measure.rate(source, loops);
    let single = rate(multiply_adds!("f32"));
    let half = if half.is_empty() { 0.0 } else { rate(multiply_adds!("f16")) };
    let int8 = rate(multiply_adds!("int8"));
    let reads = (1 << 26) / 16 / (measure.groups * 64);
    let bytes = 16.0 * f64::from(reads) * measure.rate(include_str!("read.wgsl"), reads);
    Peaks { single, half, int8, bytes }
}

struct Measure {
    device: wgpu::Device,
    queue: wgpu::Queue,
    groups: u32,
}

impl Measure {
    /// Returns the invocations per second.
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
