//! The dot product of relaxed SIMD: four products of bytes an instruction and lane.

use core::arch::wasm32::i32x4_relaxed_dot_i8x16_i7x16_add;

use bytemuck::cast;

use super::I32x4;

impl I32x4 {
    /// self + the products of four bytes of `signed` with four of `bytes`, in each lane. Whether
    /// `bytes` of 128 and more are signed is up to the processor.
    #[inline(always)]
    pub(crate) fn dot_accumulate(self, signed: &[i8; 16], bytes: &[i8; 16]) -> Self {
        Self(i32x4_relaxed_dot_i8x16_i7x16_add(cast(*signed), cast(*bytes), self.0))
    }
}
