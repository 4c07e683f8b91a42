//! Commands of a request. They are recorded when kernels are called and submitted at the end of the
//! request. A long request is submitted in pieces, so that other users of the device get their
//! turn.

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, Buffer, BufferBinding,
    BufferDescriptor, BufferUsages, CommandEncoder, ComputePass, ComputePassDescriptor,
    ComputePassTimestampWrites, ComputePipeline, QuerySet, QuerySetDescriptor, QueryType,
};

use super::buffer_pool::rounded;
use super::device::Device;
use super::kernels::Kernel;
use crate::{Error, Result};

/// Distance between the uniforms of two dispatches, in bytes: WebGPU's alignment of uniform
/// offsets.
const PARAMS_STRIDE: usize = 256;
/// Number of bytes bound per uniform. No kernel has a larger one.
pub(super) const PARAMS_BYTES: usize = 80;
/// Number of dispatches whose uniforms share a buffer.
const DISPATCHES_PER_BUFFER: usize = 128;

/// Approximate multiply-adds per submission: some hundredths of a second on a small GPU, which
/// cannot draw meanwhile.
pub(super) const MULTIPLY_ADDS: u64 = 5_000_000_000;

/// Size of the smallest buffer for results, in bytes.
const MIN_STAGING_BYTES: u64 = 256;

/// Workgroups in x, y and z.
pub(super) type Grid = [u32; 3];

/// Returns a grid of at least `count` workgroups. It has two dimensions if `count` exceeds 65,535,
/// WebGPU's limit per dimension.
pub(super) fn folded(count: usize) -> Grid {
    let count = count as u32;
    let rows = count.div_ceil(65_535).max(1);
    [count.div_ceil(rows), rows, 1]
}

/// Returns true if a submission of `recorded` multiply-adds must be sent before `more` are
/// recorded.
pub(super) fn is_full(recorded: u64, more: u64, max: u64) -> bool {
    recorded > 0 && recorded.saturating_add(more) > max
}

/// Recorded commands, and objects of the last request for reuse.
#[derive(Default)]
pub(super) struct Recording {
    open: Option<(CommandEncoder, ComputePass<'static>)>,
    /// Number of recorded dispatches of this request.
    dispatches: usize,
    /// Number of submitted dispatches of this request.
    submitted: usize,
    /// Multiply-adds of the dispatches that are not submitted yet.
    multiply_adds: u64,
    /// Uniforms of the dispatches, [`PARAMS_STRIDE`] bytes each.
    params: Vec<u8>,
    params_buffers: Vec<Buffer>,
    /// Bind group of each dispatch of this request and the last one. A request like the last one
    /// reuses them.
    bind_groups: Vec<CachedBindGroup>,
    staging: Option<Buffer>,
    /// Multiply-adds after which recorded commands are submitted.
    pub(super) max_multiply_adds: u64,
    /// Number of submissions so far.
    pub(super) submissions: u64,
    /// Times of the next submission's passes, if enabled.
    timestamps: Option<Timestamps>,
    /// Timing of the dispatches, if enabled.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) profile: Option<super::profile::Profile>,
}

/// Two timestamps on the device: the beginning and the end of the last pass.
pub(super) struct Timestamps {
    queries: QuerySet,
    resolved: Buffer,
}

impl Timestamps {
    /// Returns `None` if the device has no clock.
    pub(super) fn new(device: &wgpu::Device) -> Option<Self> {
        if !device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return None;
        }
        let descriptor = QuerySetDescriptor { label: None, ty: QueryType::Timestamp, count: 2 };
        Some(Self {
            queries: device.create_query_set(&descriptor),
            resolved: device.create_buffer(&BufferDescriptor {
                label: None,
                size: TIMESTAMPS_BYTES,
                usage: BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
        })
    }
}

/// Bytes of the two timestamps.
const TIMESTAMPS_BYTES: u64 = 16;

struct CachedBindGroup {
    pipeline: ComputePipeline,
    buffers: Vec<(u32, Buffer)>,
    group: BindGroup,
}

impl Recording {
    pub(super) fn new() -> Self {
        Self { max_multiply_adds: MULTIPLY_ADDS, ..Self::default() }
    }

    /// Discards the commands that are recorded but not submitted.
    pub(super) fn clear(&mut self) {
        self.open = None;
        (self.dispatches, self.submitted, self.multiply_adds) = (0, 0, 0);
        self.params.clear();
    }

    /// Counts the multiply-adds of the next dispatch. Submits the earlier commands first if the sum
    /// would exceed the limit.
    pub(super) fn add_cost(&mut self, device: &mut Device, multiply_adds: u64) {
        if is_full(self.multiply_adds, multiply_adds, self.max_multiply_adds)
            && let Some(encoder) = self.end_pass()
        {
            self.flush(device, encoder);
        }
        self.multiply_adds += multiply_adds;
    }

    /// Ends the pass by dropping it. The encoder accepts no other command before that.
    fn end_pass(&mut self) -> Option<CommandEncoder> {
        self.open.take().map(|(encoder, _)| encoder)
    }

    /// Submits the commands recorded since the last submission.
    fn flush(&mut self, device: &mut Device, encoder: CommandEncoder) {
        let mut next = self.submitted;
        while next < self.dispatches {
            let end = (next / DISPATCHES_PER_BUFFER + 1) * DISPATCHES_PER_BUFFER;
            let bytes =
                &self.params[next * PARAMS_STRIDE..self.params.len().min(end * PARAMS_STRIDE)];
            device.write(
                &self.params_buffers[next / DISPATCHES_PER_BUFFER],
                (next % DISPATCHES_PER_BUFFER * PARAMS_STRIDE) as u64,
                bytes,
            );
            next = end;
        }
        self.submitted = self.dispatches;
        self.multiply_adds = 0;
        self.submissions += 1;
        device.queue.submit([encoder.finish()]);
    }

    /// Records a dispatch. `buffers` pairs binding numbers with buffers; `params` is the bytes of
    /// the uniform at binding 0.
    pub(super) fn dispatch(
        &mut self,
        device: &mut Device,
        (kernel, pipeline): (Kernel, &ComputePipeline),
        params: &[u8],
        buffers: &[(u32, &Buffer)],
        grid: Grid,
    ) {
        let at = self.dispatches;
        self.dispatches += 1;
        self.params.resize(at * PARAMS_STRIDE, 0);
        self.params.extend_from_slice(params);
        if at / DISPATCHES_PER_BUFFER == self.params_buffers.len() {
            let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
            self.params_buffers
                .push(device.buffer((PARAMS_STRIDE * DISPATCHES_PER_BUFFER) as u64, usage));
        }
        self.bind(&device.raw, at, pipeline, buffers);
        #[cfg(not(target_arch = "wasm32"))]
        self.begin_timed(&device.raw, kernel, params);
        #[cfg(target_arch = "wasm32")]
        let _ = kernel; // only timings use the name, and browsers take none
        let (_, pass) = self.open.get_or_insert_with(|| {
            let mut encoder = device.raw.create_command_encoder(&Default::default());
            let timestamp_writes =
                self.timestamps.as_ref().map(|times| ComputePassTimestampWrites {
                    query_set: &times.queries,
                    beginning_of_pass_write_index: Some(0),
                    end_of_pass_write_index: Some(1),
                });
            let descriptor = ComputePassDescriptor { label: None, timestamp_writes };
            let pass = encoder.begin_compute_pass(&descriptor).forget_lifetime();
            (encoder, pass)
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.bind_groups[at].group, &[]);
        pass.dispatch_workgroups(grid[0], grid[1], grid[2]);
    }

    /// If dispatches are timed, starts a pass for the next one alone.
    #[cfg(not(target_arch = "wasm32"))]
    fn begin_timed(&mut self, device: &wgpu::Device, kernel: Kernel, params: &[u8]) {
        let Some(profile) = &mut self.profile else { return };
        let mut encoder = match self.open.take() {
            Some((encoder, _ended_by_dropping)) => encoder,
            None => device.create_command_encoder(&Default::default()),
        };
        let params: Vec<u32> = bytemuck::pod_collect_to_vec(params);
        let timestamp_writes = profile.next(format!("{kernel:?} {params:?}"));
        let descriptor = ComputePassDescriptor { label: None, timestamp_writes };
        let pass = encoder.begin_compute_pass(&descriptor).forget_lifetime();
        self.open = Some((encoder, pass));
    }

    /// Times the passes of the next submissions with these timestamps, or no longer.
    pub(super) fn swap_timestamps(&mut self, timestamps: &mut Option<Timestamps>) {
        std::mem::swap(&mut self.timestamps, timestamps);
    }

    /// Returns the buffer of the timestamps and its size, if passes are timed.
    pub(super) fn timestamps(&self) -> Option<(Buffer, u64)> {
        self.timestamps.as_ref().map(|times| (times.resolved.clone(), TIMESTAMPS_BYTES))
    }

    /// Returns true if every recorded command has been submitted.
    #[cfg(feature = "train")]
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_none()
    }

    /// Frees the buffer of the last results.
    #[cfg(feature = "train")]
    pub(super) fn drop_staging(&mut self) {
        self.staging = None;
    }

    /// Creates bind group number `at`, unless the one of the last request fits.
    fn bind(
        &mut self,
        device: &wgpu::Device,
        at: usize,
        pipeline: &ComputePipeline,
        buffers: &[(u32, &Buffer)],
    ) {
        if let Some(there) = self.bind_groups.get(at)
            && there.pipeline == *pipeline
            && there.buffers.iter().map(|(n, buffer)| (*n, buffer)).eq(buffers.iter().copied())
        {
            return;
        }
        let params = BufferBinding {
            buffer: &self.params_buffers[at / DISPATCHES_PER_BUFFER],
            offset: (at % DISPATCHES_PER_BUFFER * PARAMS_STRIDE) as u64,
            size: wgpu::BufferSize::new(PARAMS_BYTES as u64),
        };
        let first = BindGroupEntry { binding: 0, resource: BindingResource::Buffer(params) };
        let others = buffers.iter().map(|(binding, buffer)| BindGroupEntry {
            binding: *binding,
            resource: buffer.as_entire_binding(),
        });
        let entries: Vec<_> = std::iter::once(first).chain(others).collect();
        let layout = &pipeline.get_bind_group_layout(0);
        let descriptor = BindGroupDescriptor { label: None, layout, entries: &entries };
        let group = CachedBindGroup {
            pipeline: pipeline.clone(),
            buffers: buffers.iter().map(|(n, buffer)| (*n, (*buffer).clone())).collect(),
            group: device.create_bind_group(&descriptor),
        };
        // The new group must have number `at`, so the later ones of the last request are dropped.
        self.bind_groups.truncate(at);
        self.bind_groups.push(group);
    }

    /// Submits the recorded commands, waits, and calls `then` with the bytes of `wanted`,
    /// concatenated. `wanted` pairs buffers with the number of bytes to read.
    pub(super) async fn submit<T>(
        &mut self,
        device: &mut Device,
        wanted: &[(Buffer, u64)],
        then: impl FnOnce(&[u8]) -> T,
    ) -> Result<T> {
        let encoder = self.end_pass();
        let mut encoder =
            encoder.unwrap_or_else(|| device.raw.create_command_encoder(&Default::default()));
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(profile) = &self.profile {
            profile.end(&mut encoder);
        }
        if let Some(times) = self.timestamps.as_ref().filter(|_| self.dispatches > 0) {
            encoder.resolve_query_set(&times.queries, 0..2, &times.resolved, 0);
        }
        let total: u64 = wanted.iter().map(|(_, bytes)| bytes).sum();
        // Stored again only after it is unmapped: an error in between drops it.
        let staging = self.staging.take().filter(|staging| staging.size() >= total);
        let staging = staging.unwrap_or_else(|| {
            let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
            device.buffer(rounded(total, MIN_STAGING_BYTES, device.max_buffer_bytes), usage)
        });
        let mut offset = 0;
        for (buffer, bytes) in wanted {
            encoder.copy_buffer_to_buffer(buffer, 0, &staging, offset, *bytes);
            offset += bytes;
        }
        let bytes = total.max(MIN_STAGING_BYTES);
        if wanted.is_empty() {
            // A browser maps a buffer as soon as its own commands have ended.
            encoder.clear_buffer(&staging, 0, Some(bytes));
        }
        self.flush(device, encoder);
        self.clear();
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
