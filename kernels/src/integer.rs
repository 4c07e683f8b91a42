//! Integer lanes: four of i32, and eight of i16 that are multiplied into them.

use bytemuck::cast;

use crate::simd::F32x4;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use v128 as lanes;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use portable as lanes;

#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod relaxed;

/// Four i32 lanes.
#[derive(Clone, Copy)]
pub(crate) struct I32x4(lanes::Lanes);

/// Eight i16 lanes.
#[derive(Clone, Copy)]
pub(crate) struct I16x8(lanes::Words);

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

    #[inline(always)]
    pub(crate) fn of_bits(x: F32x4) -> Self {
        Self(cast(x.to_array()))
    }

    #[inline(always)]
    pub(crate) fn to_f32(self) -> F32x4 {
        F32x4::load(&cast(lanes::to_f32(self.0)))
    }

    /// The lanes' last 16 bits: `a`'s in the first half of each lane, `b`'s in the second.
    #[inline(always)]
    pub(crate) fn low_halves(a: Self, b: Self) -> Self {
        Self(lanes::low_halves(a.0, b.0))
    }

    /// Lanes of `a` and `b` in turn.
    #[inline(always)]
    pub(crate) fn alternate(a: Self, b: Self) -> [Self; 2] {
        lanes::alternate(a.0, b.0).map(Self)
    }

    /// Each lane in all four.
    #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
    #[inline(always)]
    pub(crate) fn lanes(self) -> [[i32; 4]; 4] {
        cast(lanes::each(self.0))
    }

    /// Two lanes twice, and the other two.
    #[inline(always)]
    pub(crate) fn halves(self) -> [Self; 2] {
        lanes::halves(self.0).map(Self)
    }

    /// The sums of neighbours: two of `a`, two of `b`.
    #[inline(always)]
    pub(crate) fn pairs(a: Self, b: Self) -> Self {
        Self(lanes::pairs(a.0, b.0))
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
    /// Both halves of 16 bytes.
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

    /// Products, summed in pairs of neighbours.
    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> I32x4 {
        I32x4(lanes::dot(self.0, other.0))
    }

    /// The sums of neighbours.
    #[inline(always)]
    pub(crate) fn pairs(self) -> I32x4 {
        I32x4(lanes::pairs_of_words(self.0))
    }
}

impl std::ops::Mul for I16x8 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(lanes::mul_words(self.0, other.0))
    }
}

impl std::ops::Add for I16x8 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(lanes::add_words(self.0, other.0))
    }
}

impl std::ops::Sub for I16x8 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(lanes::sub_words(self.0, other.0))
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
        f32x4_convert_i32x4 as to_f32, i16x8_add as add_words, i16x8_mul as mul_words,
        i16x8_sub as sub_words, i32x4_add as add, i32x4_dot_i16x8 as dot,
        i32x4_extadd_pairwise_i16x8 as pairs_of_words, i32x4_shl as shl, i32x4_splat as splat,
        i32x4_sub as sub, v128_xor as xor,
    };

    pub(super) type Lanes = v128;
    pub(super) type Words = v128;
    pub(super) const ZERO: v128 = i32x4(0, 0, 0, 0);

    #[inline(always)]
    pub(super) fn low_halves(a: v128, b: v128) -> v128 {
        v128_or(u32x4_shr(shl(a, 16), 16), shl(b, 16))
    }
    #[inline(always)]
    pub(super) fn alternate(a: v128, b: v128) -> [v128; 2] {
        [i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<2, 6, 3, 7>(a, b)]
    }
    #[inline(always)]
    pub(super) fn pairs(a: v128, b: v128) -> v128 {
        add(i32x4_shuffle::<0, 2, 4, 6>(a, b), i32x4_shuffle::<1, 3, 5, 7>(a, b))
    }
    #[inline(always)]
    pub(super) fn widen(bytes: &[i8; 16]) -> [v128; 2] {
        let bytes = cast(*bytes);
        [i16x8_extend_low_i8x16(bytes), i16x8_extend_high_i8x16(bytes)]
    }
    #[cfg(target_feature = "relaxed-simd")]
    #[inline(always)]
    pub(super) fn each(a: v128) -> [v128; 4] {
        [
            i32x4_shuffle::<0, 0, 0, 0>(a, a),
            i32x4_shuffle::<1, 1, 1, 1>(a, a),
            i32x4_shuffle::<2, 2, 2, 2>(a, a),
            i32x4_shuffle::<3, 3, 3, 3>(a, a),
        ]
    }
    #[inline(always)]
    pub(super) fn halves(a: v128) -> [v128; 2] {
        [i32x4_shuffle::<0, 1, 0, 1>(a, a), i32x4_shuffle::<2, 3, 2, 3>(a, a)]
    }
}

/// The same on any machine.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod portable {
    use std::array::from_fn;

    pub(super) type Lanes = [i32; 4];
    pub(super) type Words = [i16; 8];
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
    pub(super) fn add_words(a: Words, b: Words) -> Words {
        from_fn(|i| a[i] + b[i])
    }
    #[inline(always)]
    pub(super) fn sub_words(a: Words, b: Words) -> Words {
        from_fn(|i| a[i] - b[i])
    }
    #[inline(always)]
    pub(super) fn mul_words(a: Words, b: Words) -> Words {
        from_fn(|i| a[i] * b[i])
    }
    #[inline(always)]
    pub(super) fn pairs_of_words(a: Words) -> Lanes {
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
    pub(super) fn alternate(a: Lanes, b: Lanes) -> [Lanes; 2] {
        [[a[0], b[0], a[1], b[1]], [a[2], b[2], a[3], b[3]]]
    }
    #[inline(always)]
    pub(super) fn pairs(a: Lanes, b: Lanes) -> Lanes {
        [a[0] + a[1], a[2] + a[3], b[0] + b[1], b[2] + b[3]]
    }
    #[inline(always)]
    pub(super) fn widen(bytes: &[i8; 16]) -> [Words; 2] {
        [from_fn(|i| bytes[i].into()), from_fn(|i| bytes[8 + i].into())]
    }
    #[inline(always)]
    pub(super) fn halves(a: Lanes) -> [Lanes; 2] {
        [[a[0], a[1], a[0], a[1]], [a[2], a[3], a[2], a[3]]]
    }
    #[inline(always)]
    pub(super) fn dot(a: Words, b: Words) -> Lanes {
        from_fn(|i| (2 * i..2 * i + 2).map(|i| i32::from(a[i]) * i32::from(b[i])).sum())
    }
}
