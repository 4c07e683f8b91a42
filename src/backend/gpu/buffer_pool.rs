//! A pool of buffers for activations and lists. A request takes the buffers that the previous one
//! returned, in the same order, so a repeated request allocates nothing.

use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::rc::Rc;

use wgpu::{Buffer, BufferUsages};

use super::device::Device;

/// Size of the smallest buffer, in bytes.
const MIN_BYTES: u64 = 4096;

/// Free buffers, sorted by key: by size, then by age.
#[derive(Clone, Default)]
pub(super) struct BufferPool(Rc<RefCell<Vec<(Key, Buffer)>>>);

/// Size in bytes, and the number of buffers created before this one.
type Key = (u64, u64);

/// A buffer of the pool, returned on drop. Commands recorded before are not affected, because the
/// device runs commands in order.
pub(super) struct PooledBuffer {
    buffer: Buffer,
    key: Key,
    pool: BufferPool,
}

impl BufferPool {
    /// Returns a buffer of at least `bytes`: the smallest that fits and, among equals, the oldest.
    pub(super) fn take(&self, device: &mut Device, bytes: u64) -> PooledBuffer {
        let size = rounded(bytes, MIN_BYTES, device.max_buffer_bytes);
        self.take_sized(device, bytes..=u64::MAX, size)
    }

    /// Returns a buffer of exactly `bytes`, for large data that stays.
    #[cfg(feature = "train")]
    pub(super) fn take_exact(&self, device: &mut Device, bytes: u64) -> PooledBuffer {
        let bytes = bytes.max(MIN_BYTES);
        self.take_sized(device, bytes..=bytes, bytes)
    }

    /// Frees the memory of the free buffers. No recorded command may use them.
    #[cfg(feature = "train")]
    pub(super) fn destroy_free(&self) {
        self.0.borrow_mut().drain(..).for_each(|(_, buffer)| buffer.destroy());
    }

    /// Returns the smallest free buffer within `sizes`, or a new one of `size` bytes.
    fn take_sized(
        &self,
        device: &mut Device,
        sizes: RangeInclusive<u64>,
        size: u64,
    ) -> PooledBuffer {
        let free = &mut *self.0.borrow_mut();
        let first = free.partition_point(|((bytes, _), _)| bytes < sizes.start());
        let mut fitting = free[first..].iter().take_while(|((bytes, _), _)| bytes <= sizes.end());
        // Buffers whose allocation failed are skipped.
        let found = fitting.position(|((_, number), _)| device.is_valid(*number));
        let found = found.map(|at| free.remove(first + at));
        let (key, buffer) = found.unwrap_or_else(|| {
            let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
            let buffer = device.buffer(size, usage);
            ((size, device.buffers_made), buffer)
        });
        PooledBuffer { buffer, key, pool: self.clone() }
    }
}

/// Returns the size of a reusable buffer for `bytes`: a power of two, so slowly growing lengths
/// leave few buffers behind, but at most `max`.
pub(super) fn rounded(bytes: u64, min: u64, max: u64) -> u64 {
    let rounded = bytes.next_power_of_two().max(min);
    if rounded > max { bytes } else { rounded }
}

impl PooledBuffer {
    pub(super) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Returns true if the pool takes this buffer before another one.
    pub(super) fn is_before(&self, other: &Self) -> bool {
        self.key < other.key
    }

    /// Returns true if the buffer has at least `bytes` bytes and its allocation is not known to
    /// have failed.
    pub(super) fn holds(&self, bytes: u64, device: &Device) -> bool {
        self.key.0 >= bytes && device.is_valid(self.key.1)
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        let free = &mut *self.pool.0.borrow_mut();
        let at = free.partition_point(|(key, _)| *key < self.key);
        free.insert(at, (self.key, self.buffer.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn sizes_are_powers_of_two_that_the_device_has() {
        let sizes = [0, 256, 257, 512, 513, 1000].map(|bytes| rounded(bytes, 256, 1000));
        assert_eq!(sizes, [256, 256, 512, 512, 513, 1000]);
    }
}
