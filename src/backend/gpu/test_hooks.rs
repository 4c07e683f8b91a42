//! Settings and counters for tests and benchmarks.

use super::Gpu;

#[doc(hidden)]
impl Gpu {
    /// Whether to run the kernels without barriers and workgroup memory, which are faster on software
    /// adapters and the default there.
    pub fn set_barrier_free(&mut self, barrier_free: bool) {
        self.barrier_free = barrier_free;
    }

    /// Rows and columns of the tiles of linear layers over five rows or more, 32 or 64; `None`, the
    /// default: chosen by the size of y.
    pub fn set_tile_size(&mut self, tile_size: Option<usize>) {
        self.tile_size = tile_size;
    }

    /// Whether to compute in 8-bit integers and 16-bit floats where the device can and the weights
    /// have that precision, which is the default.
    pub fn set_low_precision(&mut self, low: bool) {
        self.low_precision.int8 = low && (self.device.dot || self.device.software);
        self.low_precision.half = low && self.device.half;
    }

    /// Whether shaders may compute in 16-bit floats.
    pub fn has_half(&self) -> bool {
        self.device.half
    }

    /// Sets the most bytes of weights in one buffer; at most the device's limit.
    pub fn limit_weights(&mut self, bytes: u64) {
        self.max_matrix_bytes = bytes.min(self.device.max_buffer_bytes);
    }

    /// Sets the most bytes of a buffer that gets memory, from now on.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn limit_memory(&mut self, bytes: u64) {
        self.device.most_bytes = bytes;
    }

    /// Sets the multiply-adds after which recorded commands are submitted.
    pub fn limit_multiply_adds(&mut self, multiply_adds: u64) {
        self.recording.max_multiply_adds = multiply_adds;
    }

    /// How many times commands were submitted so far.
    pub fn submissions(&self) -> u64 {
        self.recording.submissions
    }

    /// Replaces a text in all shaders compiled from now on: tests break kernels with it.
    pub fn replace_in_shaders(&mut self, from: &str, to: &str) {
        self.pipelines.replaced.push((from.to_owned(), to.to_owned()));
    }

    /// How many buffers of the device were created so far.
    pub fn buffers_made(&self) -> u64 {
        self.device.buffers_made
    }

    /// How many pipelines were compiled so far.
    pub fn pipelines_made(&self) -> usize {
        self.pipelines.count()
    }
}
