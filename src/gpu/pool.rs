//! Buffers for activations and lists, which go from hand to hand: what a request gives back the
//! next one takes, in the same order, so that a repeated request allocates nothing.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use wgpu::{Buffer, BufferUsages};

use super::device::Device;

/// Bytes of the smallest buffer.
const LEAST: u64 = 4096;

/// Buffers that nobody holds, by size and then by age.
#[derive(Clone, Default)]
pub(super) struct Pool(Rc<RefCell<BTreeMap<Key, Buffer>>>);

/// Bytes, and how many buffers there were when it was made.
type Key = (u64, u64);

/// A buffer on loan; dropped, it goes back. Commands recorded before that still find in it what
/// they need, as the device runs them in order.
pub(super) struct Loan {
    buffer: Buffer,
    key: Key,
    pool: Pool,
}

impl Pool {
    /// A buffer of at least `bytes`: the smallest that fits, among these the oldest.
    pub(super) fn take(&self, device: &mut Device, bytes: u64) -> Loan {
        let free = &mut *self.0.borrow_mut();
        let found = free.range((bytes, 0)..).next().map(|(&key, _)| key);
        let found = found.and_then(|key| Some((key, free.remove(&key)?)));
        let (key, buffer) = found.unwrap_or_else(|| {
            let size = rounded(bytes, LEAST, device.most_bytes);
            let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
            let buffer = device.buffer(size, usage);
            ((size, device.made), buffer)
        });
        Loan { buffer, key, pool: self.clone() }
    }
}

/// The size of a buffer for `bytes` that is to serve again: a power of two, so that lengths that
/// grow bit by bit leave few buffers behind, but no more than the device has at `most`.
pub(super) fn rounded(bytes: u64, least: u64, most: u64) -> u64 {
    let rounded = bytes.next_power_of_two().max(least);
    if rounded > most { bytes } else { rounded }
}

impl Loan {
    pub(super) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Bytes.
    pub(super) fn size(&self) -> u64 {
        self.key.0
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        self.pool.0.borrow_mut().insert(self.key, self.buffer.clone());
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
