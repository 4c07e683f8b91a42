//! Dot product of relaxed SIMD: four products of bytes per lane and instruction.

use core::arch::wasm32::i32x4_relaxed_dot_i8x16_i7x16_add;

use bytemuck::cast;

use super::I32x4;

impl I32x4 {
    /// Returns self + the products of four bytes of `signed` and four of `bytes`, in each lane. The
    /// processor decides if `bytes` from 128 on are signed.
    #[inline(always)]
    pub(crate) fn dot_accumulate(self, signed: &[i8; 16], bytes: &[i8; 16]) -> Self {
        Self(i32x4_relaxed_dot_i8x16_i7x16_add(cast(*signed), cast(*bytes), self.0))
    }
}
