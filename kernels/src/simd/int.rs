//! Integer vectors: four i32 lanes, and eight i16 lanes whose products are summed to i32.

use bytemuck::cast;

use super::F32x4;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use v128 as lanes;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use portable as lanes;

/// Four i32 lanes.
#[derive(Clone, Copy)]
pub(crate) struct I32x4(pub(super) lanes::Lanes);

/// Eight i16 lanes.
#[derive(Clone, Copy)]
pub(crate) struct I16x8(lanes::I16Lanes);

impl I32x4 {
    pub(crate) const ZERO: Self = Self(lanes::ZERO);

    #[inline(always)]
    pub(crate) fn load(from: &[i32; 4]) -> Self {
        Self(cast(*from))
    }

    #[inline(always)]
    pub(crate) fn splat(value: i32) -> Self {
        Self(lanes::splat(value))
    }

    #[inline(always)]
    pub(crate) fn to_array(self) -> [i32; 4] {
        cast(self.0)
    }

    /// Returns the bits of four floats.
    #[inline(always)]
    pub(crate) fn from_f32_bits(x: F32x4) -> Self {
        Self(cast(x.to_array()))
    }

    #[inline(always)]
    pub(crate) fn to_f32(self) -> F32x4 {
        F32x4::load(&cast(lanes::to_f32(self.0)))
    }

    /// Returns the lowest 16 bits of each lane: of `a` in the low half of a lane, of `b` in the
    /// high half.
    #[inline(always)]
    pub(crate) fn low_halves(a: Self, b: Self) -> Self {
        Self(lanes::low_halves(a.0, b.0))
    }

    /// Returns `[a0, b0, a1, b1]` and `[a2, b2, a3, b3]`.
    #[inline(always)]
    pub(crate) fn interleave(a: Self, b: Self) -> [Self; 2] {
        lanes::interleave(a.0, b.0).map(Self)
    }

    /// Returns four vectors; vector n holds lane n in all lanes.
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    #[inline(always)]
    pub(crate) fn broadcast_lanes(self) -> [[i32; 4]; 4] {
        cast(lanes::broadcast_lanes(self.0))
    }

    /// Returns the low two lanes twice, and the high two lanes twice.
    #[inline(always)]
    pub(crate) fn repeat_halves(self) -> [Self; 2] {
        lanes::repeat_halves(self.0).map(Self)
    }

    /// Returns `[a0 + a1, a2 + a3, b0 + b1, b2 + b3]`.
    #[inline(always)]
    pub(crate) fn add_neighbours(a: Self, b: Self) -> Self {
        Self(lanes::add_neighbours(a.0, b.0))
    }
}

impl std::ops::Add for I32x4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(lanes::add(self.0, other.0))
    }
}

impl std::ops::Sub for I32x4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(lanes::sub(self.0, other.0))
    }
}

impl std::ops::BitXor for I32x4 {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(lanes::xor(self.0, other.0))
    }
}

impl std::ops::Shl<u32> for I32x4 {
    type Output = Self;
    #[inline(always)]
    fn shl(self, bits: u32) -> Self {
        Self(lanes::shl(self.0, bits))
    }
}

impl I16x8 {
    /// Returns the low and the high half of 16 × i8, widened to i16.
    #[inline(always)]
    pub(crate) fn widen(bytes: &[i8; 16]) -> [Self; 2] {
        lanes::widen(bytes).map(Self)
    }

    #[inline(always)]
    pub(crate) fn load(from: &[i16; 8]) -> Self {
        Self(cast(*from))
    }

    #[inline(always)]
    pub(crate) fn to_array(self) -> [i16; 8] {
        cast(self.0)
    }

    /// Returns the products, with neighbours added as i32.
    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> I32x4 {
        I32x4(lanes::dot(self.0, other.0))
    }

    /// Returns the sums of neighbours as i32.
    #[inline(always)]
    pub(crate) fn add_neighbours(self) -> I32x4 {
        I32x4(lanes::add_neighbours_i16(self.0))
    }
}

impl std::ops::Mul for I16x8 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(lanes::mul_i16(self.0, other.0))
    }
}

impl std::ops::Add for I16x8 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(lanes::add_i16(self.0, other.0))
    }
}

impl std::ops::Sub for I16x8 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(lanes::sub_i16(self.0, other.0))
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod v128 {
    use bytemuck::cast;
    use core::arch::wasm32::{
        i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i32x4, i32x4_shuffle, u32x4_shr, v128,
        v128_or,
    };

    pub(super) use core::arch::wasm32::{
        f32x4_convert_i32x4 as to_f32, i16x8_add as add_i16, i16x8_mul as mul_i16,
        i16x8_sub as sub_i16, i32x4_add as add, i32x4_dot_i16x8 as dot,
        i32x4_extadd_pairwise_i16x8 as add_neighbours_i16, i32x4_shl as shl, i32x4_splat as splat,
        i32x4_sub as sub, v128_xor as xor,
    };

    pub(super) type Lanes = v128;
    pub(super) type I16Lanes = v128;
    pub(super) const ZERO: v128 = i32x4(0, 0, 0, 0);

    #[inline(always)]
    pub(super) fn low_halves(a: v128, b: v128) -> v128 {
        v128_or(u32x4_shr(shl(a, 16), 16), shl(b, 16))
    }
    #[inline(always)]
    pub(super) fn interleave(a: v128, b: v128) -> [v128; 2] {
        [i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<2, 6, 3, 7>(a, b)]
    }
    #[inline(always)]
    pub(super) fn add_neighbours(a: v128, b: v128) -> v128 {
        add(i32x4_shuffle::<0, 2, 4, 6>(a, b), i32x4_shuffle::<1, 3, 5, 7>(a, b))
    }
    #[inline(always)]
    pub(super) fn widen(bytes: &[i8; 16]) -> [v128; 2] {
        let bytes = cast(*bytes);
        [i16x8_extend_low_i8x16(bytes), i16x8_extend_high_i8x16(bytes)]
    }
    #[cfg(target_feature = "relaxed-simd")]
    #[inline(always)]
    pub(super) fn broadcast_lanes(a: v128) -> [v128; 4] {
        [
            i32x4_shuffle::<0, 0, 0, 0>(a, a),
            i32x4_shuffle::<1, 1, 1, 1>(a, a),
            i32x4_shuffle::<2, 2, 2, 2>(a, a),
            i32x4_shuffle::<3, 3, 3, 3>(a, a),
        ]
    }
    #[inline(always)]
    pub(super) fn repeat_halves(a: v128) -> [v128; 2] {
        [i32x4_shuffle::<0, 1, 0, 1>(a, a), i32x4_shuffle::<2, 3, 2, 3>(a, a)]
    }
}

/// The same functions for any machine.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod portable {
    use std::array::from_fn;

    pub(super) type Lanes = [i32; 4];
    pub(super) type I16Lanes = [i16; 8];
    pub(super) const ZERO: Lanes = [0; 4];

    #[inline(always)]
    pub(super) fn splat(value: i32) -> Lanes {
        [value; 4]
    }
    #[inline(always)]
    pub(super) fn add(a: Lanes, b: Lanes) -> Lanes {
        from_fn(|i| a[i] + b[i])
    }
    #[inline(always)]
    pub(super) fn sub(a: Lanes, b: Lanes) -> Lanes {
        from_fn(|i| a[i] - b[i])
    }
    #[inline(always)]
    pub(super) fn add_i16(a: I16Lanes, b: I16Lanes) -> I16Lanes {
        from_fn(|i| a[i] + b[i])
    }
    #[inline(always)]
    pub(super) fn sub_i16(a: I16Lanes, b: I16Lanes) -> I16Lanes {
        from_fn(|i| a[i] - b[i])
    }
    #[inline(always)]
    pub(super) fn mul_i16(a: I16Lanes, b: I16Lanes) -> I16Lanes {
        from_fn(|i| a[i] * b[i])
    }
    #[inline(always)]
    pub(super) fn add_neighbours_i16(a: I16Lanes) -> Lanes {
        from_fn(|i| i32::from(a[2 * i]) + i32::from(a[2 * i + 1]))
    }
    #[inline(always)]
    pub(super) fn xor(a: Lanes, b: Lanes) -> Lanes {
        from_fn(|i| a[i] ^ b[i])
    }
    #[inline(always)]
    pub(super) fn shl(a: Lanes, bits: u32) -> Lanes {
        a.map(|a| a << bits)
    }
    #[inline(always)]
    pub(super) fn to_f32(a: Lanes) -> [f32; 4] {
        a.map(|a| a as f32)
    }
    #[inline(always)]
    pub(super) fn low_halves(a: Lanes, b: Lanes) -> Lanes {
        from_fn(|i| a[i] & 0xffff | b[i] << 16)
    }
    #[inline(always)]
    pub(super) fn interleave(a: Lanes, b: Lanes) -> [Lanes; 2] {
        [[a[0], b[0], a[1], b[1]], [a[2], b[2], a[3], b[3]]]
    }
    #[inline(always)]
    pub(super) fn add_neighbours(a: Lanes, b: Lanes) -> Lanes {
        [a[0] + a[1], a[2] + a[3], b[0] + b[1], b[2] + b[3]]
    }
    #[inline(always)]
    pub(super) fn widen(bytes: &[i8; 16]) -> [I16Lanes; 2] {
        [from_fn(|i| bytes[i].into()), from_fn(|i| bytes[8 + i].into())]
    }
    #[inline(always)]
    pub(super) fn repeat_halves(a: Lanes) -> [Lanes; 2] {
        [[a[0], a[1], a[0], a[1]], [a[2], a[3], a[2], a[3]]]
    }
    #[inline(always)]
    pub(super) fn dot(a: I16Lanes, b: I16Lanes) -> Lanes {
        from_fn(|i| (2 * i..2 * i + 2).map(|i| i32::from(a[i]) * i32::from(b[i])).sum())
    }
}
