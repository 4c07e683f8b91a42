//! Four u32 lanes: `v128` or an array, like [`super::F32x4`].

use bytemuck::cast;

use super::F32x4;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use v128 as lanes;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use portable as lanes;

/// Four u32 lanes.
#[derive(Clone, Copy)]
pub(crate) struct U32x4(lanes::Lanes);

impl U32x4 {
    #[inline(always)]
    pub(crate) fn load(from: [u32; 4]) -> Self {
        Self(cast(from))
    }

    #[inline(always)]
    pub(crate) fn splat(value: u32) -> Self {
        Self::load([value; 4])
    }

    #[inline(always)]
    pub(crate) fn to_array(self) -> [u32; 4] {
        cast(self.0)
    }

    /// Returns the high and the low half of each lane's product.
    #[inline(always)]
    pub(crate) fn wide_mul(self, by: u32) -> [Self; 2] {
        lanes::wide_mul(self.0, Self::splat(by).0).map(Self)
    }

    /// Returns `value` in each lane that is at least `threshold`, else 0.
    #[inline(always)]
    pub(crate) fn where_at_least(self, threshold: u32, value: f32) -> F32x4 {
        let kept = lanes::where_at_least(self.0, Self::splat(threshold).0, cast([value; 4]));
        F32x4::load(&cast(kept))
    }
}

impl std::ops::BitXor for U32x4 {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(lanes::xor(self.0, other.0))
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod v128 {
    use core::arch::wasm32::{
        i32x4_shuffle, u32x4_ge, u64x2_extmul_high_u32x4, u64x2_extmul_low_u32x4, v128, v128_and,
    };

    pub(super) use core::arch::wasm32::v128_xor as xor;

    pub(super) type Lanes = v128;

    #[inline(always)]
    pub(super) fn wide_mul(a: v128, b: v128) -> [v128; 2] {
        let (first, last) = (u64x2_extmul_low_u32x4(a, b), u64x2_extmul_high_u32x4(a, b));
        [i32x4_shuffle::<1, 3, 5, 7>(first, last), i32x4_shuffle::<0, 2, 4, 6>(first, last)]
    }
    #[inline(always)]
    pub(super) fn where_at_least(a: v128, threshold: v128, value: v128) -> v128 {
        v128_and(u32x4_ge(a, threshold), value)
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod portable {
    use std::array::from_fn;

    pub(super) type Lanes = [u32; 4];

    #[inline(always)]
    pub(super) fn xor(a: Lanes, b: Lanes) -> Lanes {
        from_fn(|i| a[i] ^ b[i])
    }
    #[inline(always)]
    pub(super) fn wide_mul(a: Lanes, b: Lanes) -> [Lanes; 2] {
        let product = |i: usize| u64::from(a[i]) * u64::from(b[i]);
        [from_fn(|i| (product(i) >> 32) as u32), from_fn(|i| product(i) as u32)]
    }
    #[inline(always)]
    pub(super) fn where_at_least(a: Lanes, threshold: Lanes, value: Lanes) -> Lanes {
        from_fn(|i| if a[i] < threshold[i] { 0 } else { value[i] })
    }
}
