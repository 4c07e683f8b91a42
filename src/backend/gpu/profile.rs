//! Time per kernel, measured by the device's own clock. For benchmarks.

use wgpu::{
    BufferDescriptor, BufferUsages, CommandEncoder, ComputePassTimestampWrites, MapMode, QuerySet,
    QuerySetDescriptor, QueryType,
};

use super::Gpu;

/// Largest number of timed dispatches. Later ones are not timed.
const MOST: u32 = 2048;

/// Times of the dispatches of one request.
pub(super) struct Profile {
    queries: QuerySet,
    names: Vec<String>,
    resolved: wgpu::Buffer,
    mapped: wgpu::Buffer,
}

impl Profile {
    fn new(device: &wgpu::Device) -> Self {
        let bytes = u64::from(2 * MOST) * 8;
        let buffer = |usage| {
            device.create_buffer(&BufferDescriptor {
                label: None,
                size: bytes,
                usage,
                mapped_at_creation: false,
            })
        };
        let descriptor =
            QuerySetDescriptor { label: None, ty: QueryType::Timestamp, count: 2 * MOST };
        Self {
            queries: device.create_query_set(&descriptor),
            names: Vec::new(),
            resolved: buffer(BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC),
            mapped: buffer(BufferUsages::MAP_READ | BufferUsages::COPY_DST),
        }
    }

    /// Returns where to write the times of the next dispatch, or `None` if all places are used.
    pub(super) fn next(&mut self, name: String) -> Option<ComputePassTimestampWrites<'_>> {
        let at = 2 * self.names.len() as u32;
        (at < 2 * MOST).then(|| {
            self.names.push(name);
            ComputePassTimestampWrites {
                query_set: &self.queries,
                beginning_of_pass_write_index: Some(at),
                end_of_pass_write_index: Some(at + 1),
            }
        })
    }

    /// Records the copy of the times to the host.
    pub(super) fn end(&self, encoder: &mut CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..2 * self.names.len() as u32, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.mapped, 0, self.mapped.size());
    }
}

impl Gpu {
    /// Times the kernels of the next request. Returns false if the device has no clock.
    pub fn time(&mut self) -> bool {
        let there = self.device.raw.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        self.recording.profile = there.then(|| Profile::new(&self.device.raw));
        there
    }

    /// Ends the timing. Returns the name and the seconds of each dispatch since [`Gpu::time`].
    pub fn times(&mut self) -> Vec<(String, f64)> {
        let Some(profile) = self.recording.profile.take() else { return Vec::new() };
        profile.mapped.slice(..).map_async(MapMode::Read, |_| ());
        let _ = self.device.raw.poll(wgpu::PollType::wait_indefinitely());
        let Ok(view) = profile.mapped.slice(..).get_mapped_range() else { return Vec::new() };
        let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(&view);
        let tick = f64::from(self.device.queue.get_timestamp_period()) * 1e-9;
        let seconds = |pair: &[u64]| pair[1].saturating_sub(pair[0]) as f64 * tick;
        profile.names.into_iter().zip(ticks.chunks_exact(2).map(seconds)).collect()
    }
}
