//! Buffers aligned to 16 bytes, so that no vector lies in two cache lines, which would both be loaded.
//! WebAssembly's allocator aligns to 8 bytes only.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, cast_slice, cast_slice_mut};

use crate::OutOfMemory;

/// As long as a vector, and aligned as one.
type Vector = u128;
const _: () = assert!(align_of::<Vector>() == 16);

/// `len` numbers of type `T`.
#[derive(Debug)]
pub(crate) struct Aligned<T> {
    vectors: Vec<Vector>,
    len: usize,
    of: PhantomData<T>,
}

impl<T: Pod> Aligned<T> {
    /// `len` zeros. `rows` and `cols` are those of the matrix that the error names.
    pub(crate) fn zeros(len: usize, rows: usize, cols: usize) -> Result<Self, OutOfMemory> {
        let out_of_memory = OutOfMemory { rows, cols };
        let bytes = len.checked_mul(size_of::<T>()).ok_or(out_of_memory)?;
        let mut zeros = Self::default();
        zeros.vectors.try_reserve_exact(vectors(bytes)).map_err(|_| out_of_memory)?;
        zeros.resize(len);
        Ok(zeros)
    }

    /// Makes room for `len` numbers; `None` where there is none.
    pub(crate) fn reserve(&mut self, len: usize) -> Option<()> {
        let more = vectors(len.checked_mul(size_of::<T>())?).saturating_sub(self.vectors.len());
        self.vectors.try_reserve(more).ok()
    }

    /// As [`Self::resize`]; where there is no memory for it, an error that names a matrix `[rows, len / rows]`.
    pub(crate) fn try_resize(&mut self, len: usize, rows: usize) -> Result<(), OutOfMemory> {
        self.reserve(len).ok_or(OutOfMemory { rows, cols: len / rows.max(1) })?;
        self.resize(len);
        Ok(())
    }

    /// Sets the length; what is added is zeros.
    pub(crate) fn resize(&mut self, len: usize) {
        self.vectors.resize(vectors(len * size_of::<T>()), 0);
        self.len = len;
    }
}

/// Vectors that hold so many bytes.
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
