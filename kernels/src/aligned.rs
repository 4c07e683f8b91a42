//! Buffers without a vector that lies in two lines of the cache, which would be loaded twice: they
//! begin at a multiple of 16 bytes. WebAssembly's allocator leaves half of all others 8 bytes off.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, cast_slice, cast_slice_mut};

use crate::matrix::OutOfMemory;

/// What is as long as a vector, and aligned as one.
type Vector = u128;
const _: () = assert!(align_of::<Vector>() == 16);

/// As many `T` as it was last resized to.
#[derive(Debug)]
pub(crate) struct Aligned<T> {
    vectors: Vec<Vector>,
    len: usize,
    of: PhantomData<T>,
}

impl<T: Pod> Aligned<T> {
    /// Zeros, of a matrix `[rows, cols]`; or an error in place of an abort.
    pub(crate) fn zeros(len: usize, rows: usize, cols: usize) -> Result<Self, OutOfMemory> {
        let lack = OutOfMemory { rows, cols };
        let bytes = len.checked_mul(size_of::<T>()).ok_or(lack)?;
        let mut zeros = Self::default();
        zeros.vectors.try_reserve_exact(vectors(bytes)).map_err(|_| lack)?;
        zeros.resize(len);
        Ok(zeros)
    }

    /// Makes it `len` long. It holds what it held, or zeros.
    pub(crate) fn resize(&mut self, len: usize) {
        self.vectors.resize(vectors(len * size_of::<T>()), 0);
        self.len = len;
    }
}

/// Vectors that so many bytes fill.
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
