//! What tests and benchmarks set and ask, and nobody else.

use super::Gpu;

#[doc(hidden)]
impl Gpu {
    /// Whether linear layers and attention run without workgroup memory. So they do on a program,
    /// where that is faster; tests and benchmarks choose by themselves.
    pub fn set_direct(&mut self, direct: bool) {
        self.direct = direct;
    }

    /// The side of the tiles of linear layers over five rows or more, 32 or 64; `None`: by their
    /// size, as it is. For tests.
    pub fn set_side(&mut self, side: Option<usize>) {
        self.side = side;
    }

    /// Whether to compute in 8-bit integers and 16-bit floats where the device can and the weights
    /// have that precision. So it does; tests and benchmarks choose by themselves.
    pub fn set_low(&mut self, low: bool) {
        self.low.int8 = low && (self.device.dot || self.device.software);
        self.low.half = low && self.device.half;
    }

    /// Whether it may compute in 16-bit floats.
    pub fn has_half(&self) -> bool {
        self.device.half
    }

    /// Sets the most bytes of weights that a kernel is believed to reach in one buffer; no more than
    /// it does reach.
    pub fn limit_weights(&mut self, bytes: u64) {
        self.most_weights = bytes.min(self.device.most_bytes);
    }

    /// Sets the products after which what is recorded is submitted.
    pub fn limit_products(&mut self, products: u64) {
        self.recording.most_products = products;
    }

    /// How many times commands were submitted so far.
    pub fn submissions(&self) -> u64 {
        self.recording.submissions
    }

    /// Puts another text for one in all shaders compiled from now on: tests break kernels so.
    pub fn replace_in_shaders(&mut self, from: &str, to: &str) {
        self.pipelines.replaced.push((from.to_owned(), to.to_owned()));
    }

    /// How many buffers of the device were made so far.
    pub fn buffers_made(&self) -> u64 {
        self.device.made
    }

    /// How many pipelines were compiled so far.
    pub fn pipelines_made(&self) -> usize {
        self.pipelines.count()
    }
}
