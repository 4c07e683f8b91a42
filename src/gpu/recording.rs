//! The commands of a request, recorded as the kernels are called and submitted in the end; what
//! would keep the device from others for long goes ahead in pieces.

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, Buffer, BufferBinding,
    BufferUsages, CommandEncoder, ComputePass, ComputePipeline,
};

use super::device::Device;
use super::kernels::Kernel;
use super::pool::rounded;
use crate::{Error, Result};

/// Bytes from one dispatch's parameters to the next's: WebGPU's alignment of uniform offsets.
const SLOT: usize = 256;
/// Bytes of parameters that a shader may read; no kernel has more.
const PARAMS: usize = 32;
/// Dispatches whose parameters share a buffer.
const SLOTS: usize = 128;

/// Products of a submission, about: some hundredths of a second of a small GPU, which draws nothing
/// meanwhile.
const PRODUCTS: u64 = 5_000_000_000;

/// Bytes of the smallest buffer for results.
const LEAST_STAGING: u64 = 256;

/// Workgroups in x, y and z.
pub(super) type Grid = [u32; 3];

/// A grid of `count` workgroups, folded where WebGPU's limit of 65,535 in a row is passed.
pub(super) fn folded(count: usize) -> Grid {
    let count = count as u32;
    let rows = count.div_ceil(65_535).max(1);
    [count.div_ceil(rows), rows, 1]
}

/// What is recorded, and what the last request left to be used again.
#[derive(Default)]
pub(super) struct Recording {
    open: Option<(CommandEncoder, ComputePass<'static>)>,
    /// Dispatches so far, and those that are submitted.
    dispatches: usize,
    sent: usize,
    /// Products of those that are not.
    products: u64,
    /// Parameters of the dispatches, [`SLOT`] bytes each.
    params: Vec<u8>,
    params_buffers: Vec<Buffer>,
    /// The bind group of each dispatch of the last request and this one. A request like the last
    /// finds in its place what it needs.
    groups: Vec<Group>,
    staging: Option<Buffer>,
    /// The products after which what is recorded is submitted.
    pub(super) most_products: u64,
    /// How many times commands were submitted.
    pub(super) submissions: u64,
    /// Where dispatches are timed.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) profile: Option<super::profile::Profile>,
}

struct Group {
    pipeline: ComputePipeline,
    buffers: Vec<(u32, Buffer)>,
    group: BindGroup,
}

impl Recording {
    pub(super) fn new() -> Self {
        Self { most_products: PRODUCTS, ..Self::default() }
    }

    /// Drops what was recorded and not submitted.
    pub(super) fn clear(&mut self) {
        self.open = None;
        (self.dispatches, self.sent, self.products) = (0, 0, 0);
        self.params.clear();
    }

    /// Hears how many products the next dispatch makes. Where they would be too many with those
    /// before, these are submitted.
    pub(super) fn announce(&mut self, device: &mut Device, products: u64) {
        if self.products > 0
            && self.products.saturating_add(products) > self.most_products
            && let Some(encoder) = self.close()
        {
            self.send(device, encoder);
        }
        self.products += products;
    }

    /// Ends the pass, by dropping it: an encoder takes nothing else before that.
    fn close(&mut self) -> Option<CommandEncoder> {
        self.open.take().map(|(encoder, _)| encoder)
    }

    /// Submits what was recorded since the last time.
    fn send(&mut self, device: &mut Device, encoder: CommandEncoder) {
        let mut slot = self.sent;
        while slot < self.dispatches {
            let end = (slot / SLOTS + 1) * SLOTS;
            let bytes = &self.params[slot * SLOT..self.params.len().min(end * SLOT)];
            device.write(&self.params_buffers[slot / SLOTS], (slot % SLOTS * SLOT) as u64, bytes);
            slot = end;
        }
        self.sent = self.dispatches;
        self.products = 0;
        self.submissions += 1;
        device.queue.submit([encoder.finish()]);
    }

    /// Records a dispatch. `buffers` are binding numbers with their buffers, `params` the uniform
    /// at binding 0.
    pub(super) fn dispatch(
        &mut self,
        device: &mut Device,
        (kernel, pipeline): (Kernel, &ComputePipeline),
        params: &[u32],
        buffers: &[(u32, &Buffer)],
        grid: Grid,
    ) {
        let at = self.dispatches;
        self.dispatches += 1;
        self.params.resize(at * SLOT, 0);
        self.params.extend_from_slice(bytemuck::cast_slice(params));
        if at / SLOTS == self.params_buffers.len() {
            let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
            self.params_buffers.push(device.buffer((SLOT * SLOTS) as u64, usage));
        }
        self.bind(&device.raw, at, pipeline, buffers);
        #[cfg(not(target_arch = "wasm32"))]
        self.begin_timed(&device.raw, kernel, params);
        #[cfg(target_arch = "wasm32")]
        let _ = kernel; // a name in timings, which browsers do not take
        let (_, pass) = self.open.get_or_insert_with(|| {
            let mut encoder = device.raw.create_command_encoder(&Default::default());
            let pass = encoder.begin_compute_pass(&Default::default()).forget_lifetime();
            (encoder, pass)
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.groups[at].group, &[]);
        pass.dispatch_workgroups(grid[0], grid[1], grid[2]);
    }

    /// Where dispatches are timed, begins a pass for the next one alone.
    #[cfg(not(target_arch = "wasm32"))]
    fn begin_timed(&mut self, device: &wgpu::Device, kernel: Kernel, params: &[u32]) {
        let Some(profile) = &mut self.profile else { return };
        let mut encoder = match self.open.take() {
            Some((encoder, _ended_by_dropping)) => encoder,
            None => device.create_command_encoder(&Default::default()),
        };
        let timestamp_writes = profile.next(format!("{kernel:?} {params:?}"));
        let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes };
        let pass = encoder.begin_compute_pass(&descriptor).forget_lifetime();
        self.open = Some((encoder, pass));
    }

    /// Sees to it that bind group `at` is the one that is needed there.
    fn bind(
        &mut self,
        device: &wgpu::Device,
        at: usize,
        pipeline: &ComputePipeline,
        buffers: &[(u32, &Buffer)],
    ) {
        if let Some(there) = self.groups.get(at)
            && there.pipeline == *pipeline
            && there.buffers.iter().map(|(n, buffer)| (*n, buffer)).eq(buffers.iter().copied())
        {
            return;
        }
        let params = BufferBinding {
            buffer: &self.params_buffers[at / SLOTS],
            offset: (at % SLOTS * SLOT) as u64,
            size: wgpu::BufferSize::new(PARAMS as u64),
        };
        let first = BindGroupEntry { binding: 0, resource: BindingResource::Buffer(params) };
        let others = buffers.iter().map(|(binding, buffer)| BindGroupEntry {
            binding: *binding,
            resource: buffer.as_entire_binding(),
        });
        let entries: Vec<_> = std::iter::once(first).chain(others).collect();
        let layout = &pipeline.get_bind_group_layout(0);
        let descriptor = BindGroupDescriptor { label: None, layout, entries: &entries };
        let group = Group {
            pipeline: pipeline.clone(),
            buffers: buffers.iter().map(|(n, buffer)| (*n, (*buffer).clone())).collect(),
            group: device.create_bind_group(&descriptor),
        };
        self.groups.truncate(at);
        self.groups.push(group);
    }

    /// Submits what is recorded, waits, and gives `then` the bytes of `wanted` (buffers and how
    /// many of their bytes), one after another.
    pub(super) async fn submit<T>(
        &mut self,
        device: &mut Device,
        wanted: &[(Buffer, u64)],
        then: impl FnOnce(&[u8]) -> T,
    ) -> Result<T> {
        let encoder = self.close();
        let mut encoder =
            encoder.unwrap_or_else(|| device.raw.create_command_encoder(&Default::default()));
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(profile) = &self.profile {
            profile.end(&mut encoder);
        }
        let total: u64 = wanted.iter().map(|(_, bytes)| bytes).sum();
        // put back only when it is unmapped again
        let staging = self.staging.take().filter(|staging| staging.size() >= total);
        let staging = staging.unwrap_or_else(|| {
            let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
            device.buffer(rounded(total, LEAST_STAGING, device.most_bytes), usage)
        });
        let mut offset = 0;
        for (buffer, bytes) in wanted {
            encoder.copy_buffer_to_buffer(buffer, 0, &staging, offset, *bytes);
            offset += bytes;
        }
        self.send(device, encoder);
        self.clear();
        let bytes = total.max(LEAST_STAGING); // at least something, to wait for
        device.map(&staging, bytes).await?;
        let unreadable = |e: wgpu::MapRangeError| Error::DeviceLost(format!("GPU memory: {e}"));
        let view = staging.slice(..bytes).get_mapped_range().map_err(unreadable)?;
        let result = then(&view);
        drop(view);
        staging.unmap();
        self.staging = Some(staging);
        Ok(result)
    }
}
