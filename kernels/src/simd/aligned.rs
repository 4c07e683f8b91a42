//! Buffers aligned to 16 bytes. A vector then never spans two cache lines, which would both be
//! loaded. The allocator of WebAssembly aligns to 8 bytes only.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, cast_slice, cast_slice_mut};

use crate::OutOfMemory;

/// Has the size and the alignment of a vector.
type Vector = u128;
const _: () = assert!(align_of::<Vector>() == 16);

/// A buffer of `len` numbers of type `T`.
#[derive(Debug)]
pub(crate) struct Aligned<T> {
    vectors: Vec<Vector>,
    len: usize,
    of: PhantomData<T>,
}

impl<T: Pod> Aligned<T> {
    /// Returns `len` zeros. The error names a matrix of `rows` and `cols`.
    pub(crate) fn zeros(len: usize, rows: usize, cols: usize) -> Result<Self, OutOfMemory> {
        let out_of_memory = OutOfMemory { rows, cols };
        let bytes = len.checked_mul(size_of::<T>()).ok_or(out_of_memory)?;
        let mut zeros = Self::default();
        zeros.vectors.try_reserve_exact(vectors(bytes)).map_err(|_| out_of_memory)?;
        zeros.resize(len);
        Ok(zeros)
    }

    /// Reserves room for `len` numbers. Returns `None` if memory is short.
    pub(crate) fn reserve(&mut self, len: usize) -> Option<()> {
        let more = vectors(len.checked_mul(size_of::<T>())?).saturating_sub(self.vectors.len());
        self.vectors.try_reserve(more).ok()
    }

    /// Does the same as [`Self::resize`]. If memory is short, returns an error that names a matrix
    /// `[rows, len / rows]`.
    pub(crate) fn try_resize(&mut self, len: usize, rows: usize) -> Result<(), OutOfMemory> {
        self.reserve(len).ok_or(OutOfMemory { rows, cols: len / rows.max(1) })?;
        self.resize(len);
        Ok(())
    }

    /// Sets the length. Added numbers are zero.
    pub(crate) fn resize(&mut self, len: usize) {
        self.vectors.resize(vectors(len * size_of::<T>()), 0);
        self.len = len;
    }
}

/// Returns the number of vectors that hold `bytes` bytes.
fn vectors(bytes: usize) -> usize {
    bytes.div_ceil(size_of::<Vector>())
}

impl<T> Default for Aligned<T> {
    fn default() -> Self {
        Self { vectors: Vec::new(), len: 0, of: PhantomData }
    }
}

impl<T: Pod> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &cast_slice(&self.vectors)[..self.len]
    }
}

impl<T: Pod> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut cast_slice_mut(&mut self.vectors)[..self.len]
    }
}
