//! Four f32 lanes: `v128` of WebAssembly in builds with `simd128`, otherwise an array. The choice
//! is made at compile time, because a module with an unknown instruction does not load.

use bytemuck::cast;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use v128 as lanes;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use portable as lanes;

/// Name of the instructions that this build uses.
pub const NAME: &str = lanes::NAME;

/// Four f32 lanes.
#[derive(Clone, Copy)]
pub(crate) struct F32x4(lanes::Lanes);

impl F32x4 {
    pub(crate) const ZERO: Self = Self(lanes::ZERO);

    #[inline(always)]
    pub(crate) fn load(from: &[f32; 4]) -> Self {
        Self(cast(*from))
    }

    #[inline(always)]
    pub(crate) fn store(self, to: &mut [f32; 4]) {
        *to = cast(self.0);
    }

    #[inline(always)]
    pub(crate) fn to_array(self) -> [f32; 4] {
        cast(self.0)
    }

    #[inline(always)]
    pub(crate) fn splat(value: f32) -> Self {
        Self(lanes::splat(value))
    }

    /// Returns self · by + plus, fused if the processor supports it.
    #[inline(always)]
    pub(crate) fn mul_add(self, by: Self, plus: Self) -> Self {
        Self(lanes::mul_add(self.0, by.0, plus.0))
    }

    #[inline(always)]
    pub(crate) fn max(self, other: Self) -> Self {
        Self(lanes::max(self.0, other.0))
    }

    #[inline(always)]
    pub(crate) fn min(self, other: Self) -> Self {
        Self(lanes::min(self.0, other.0))
    }

    /// The square root of each lane.
    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        Self(lanes::sqrt(self.0))
    }

    /// Returns its lanes where the lanes of `of` are greater than 0, else 0.
    #[inline(always)]
    pub(crate) fn where_positive(self, of: Self) -> Self {
        Self(lanes::where_positive(self.0, of.0))
    }

    /// Uses the lowest 8 bits of each lane as the exponent of a float: returns 2^(bits - 127).
    #[inline(always)]
    pub(crate) fn low_bits_as_exponent(self) -> Self {
        Self(lanes::low_bits_as_exponent(self.0))
    }

    /// Returns the sum of the lanes, (0 + 2) + (1 + 3).
    #[inline(always)]
    pub(crate) fn sum(self) -> f32 {
        let [a, b, c, d]: [f32; 4] = cast(self.0);
        (a + c) + (b + d)
    }

    /// Returns `[a0 + a2, b0 + b2, a1 + a3, b1 + b3]`: the lanes of each vector added in pairs.
    #[inline(always)]
    pub(crate) fn add_pairs(a: Self, b: Self) -> Self {
        let [low, high] = lanes::interleave(a.0, b.0);
        Self(lanes::add(low, high))
    }

    /// Returns the lane sums of four vectors, which [`Self::add_pairs`] reduced to `a` and `b`.
    #[inline(always)]
    pub(crate) fn add_halves(a: Self, b: Self) -> Self {
        let [low, high] = lanes::concat_halves(a.0, b.0);
        Self(lanes::add(low, high))
    }

    /// Transposes four vectors, taken as the rows of a matrix.
    #[inline(always)]
    pub(crate) fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let [even, odd] = [lanes::interleave(a.0, c.0), lanes::interleave(b.0, d.0)];
        let [first, second] = lanes::interleave(even[0], odd[0]);
        let [third, fourth] = lanes::interleave(even[1], odd[1]);
        [Self(first), Self(second), Self(third), Self(fourth)]
    }

    /// Returns the greatest lane.
    #[inline(always)]
    pub(crate) fn max_lane(self) -> f32 {
        let [low, high] = lanes::interleave(self.0, self.0);
        let two = lanes::max(low, high);
        let [low, high] = lanes::concat_halves(two, two);
        Self(lanes::max(low, high)).to_array()[0]
    }
}

impl std::ops::Add for F32x4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(lanes::add(self.0, other.0))
    }
}

impl std::ops::Sub for F32x4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(lanes::sub(self.0, other.0))
    }
}

impl std::ops::Mul for F32x4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(lanes::mul(self.0, other.0))
    }
}

impl std::ops::Div for F32x4 {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(lanes::div(self.0, other.0))
    }
}

/// WebAssembly SIMD. With relaxed SIMD, product and sum are fused if the processor has FMA.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod v128 {
    #[cfg(target_feature = "relaxed-simd")]
    use core::arch::wasm32::f32x4_relaxed_madd;
    use core::arch::wasm32::{f32x4, f32x4_gt, i32x4_shl, i32x4_shuffle, v128, v128_and};
    #[cfg(not(target_feature = "relaxed-simd"))]
    use core::arch::wasm32::{f32x4_add, f32x4_mul};

    pub(super) use core::arch::wasm32::f32x4_sqrt as sqrt;

    // pmin and pmax are one instruction on x86. They differ from min and max only for NaN and -0.
    pub(super) use core::arch::wasm32::{
        f32x4_add as add, f32x4_div as div, f32x4_mul as mul, f32x4_pmax as max, f32x4_pmin as min,
        f32x4_splat as splat, f32x4_sub as sub,
    };

    #[cfg(target_feature = "relaxed-simd")]
    pub(super) const NAME: &str = "relaxed";
    #[cfg(not(target_feature = "relaxed-simd"))]
    pub(super) const NAME: &str = "simd128";

    pub(super) type Lanes = v128;
    pub(super) const ZERO: v128 = f32x4(0.0, 0.0, 0.0, 0.0);

    #[inline(always)]
    pub(super) fn mul_add(a: v128, by: v128, plus: v128) -> v128 {
        #[cfg(target_feature = "relaxed-simd")]
        return f32x4_relaxed_madd(a, by, plus);
        #[cfg(not(target_feature = "relaxed-simd"))]
        return f32x4_add(f32x4_mul(a, by), plus);
    }

    #[inline(always)]
    pub(super) fn where_positive(a: v128, of: v128) -> v128 {
        v128_and(a, f32x4_gt(of, ZERO))
    }
    #[inline(always)]
    pub(super) fn interleave(a: v128, b: v128) -> [v128; 2] {
        [i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<2, 6, 3, 7>(a, b)]
    }
    #[inline(always)]
    pub(super) fn concat_halves(a: v128, b: v128) -> [v128; 2] {
        [i32x4_shuffle::<0, 1, 4, 5>(a, b), i32x4_shuffle::<2, 3, 6, 7>(a, b)]
    }
    #[inline(always)]
    pub(super) fn low_bits_as_exponent(a: v128) -> v128 {
        i32x4_shl(a, 23)
    }
}

/// The same functions for any machine. Native builds and the oracle of the tests use them.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod portable {
    use std::array::from_fn;

    pub(super) const NAME: &str = "portable";

    pub(super) type Lanes = [f32; 4];
    pub(super) const ZERO: Lanes = [0.0; 4];

    #[inline(always)]
    pub(super) fn splat(value: f32) -> Lanes {
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
    pub(super) fn mul(a: Lanes, b: Lanes) -> Lanes {
        from_fn(|i| a[i] * b[i])
    }
    #[inline(always)]
    pub(super) fn div(a: Lanes, b: Lanes) -> Lanes {
        from_fn(|i| a[i] / b[i])
    }
    #[inline(always)]
    pub(super) fn mul_add(a: Lanes, by: Lanes, plus: Lanes) -> Lanes {
        from_fn(|i| a[i] * by[i] + plus[i])
    }
    #[inline(always)]
    pub(super) fn max(a: Lanes, b: Lanes) -> Lanes {
        from_fn(|i| if a[i] < b[i] { b[i] } else { a[i] })
    }
    #[inline(always)]
    pub(super) fn min(a: Lanes, b: Lanes) -> Lanes {
        from_fn(|i| if b[i] < a[i] { b[i] } else { a[i] })
    }
    #[inline(always)]
    pub(super) fn sqrt(a: Lanes) -> Lanes {
        a.map(f32::sqrt)
    }
    #[inline(always)]
    pub(super) fn where_positive(a: Lanes, of: Lanes) -> Lanes {
        from_fn(|i| if of[i] > 0.0 { a[i] } else { 0.0 })
    }
    #[inline(always)]
    pub(super) fn interleave(a: Lanes, b: Lanes) -> [Lanes; 2] {
        [[a[0], b[0], a[1], b[1]], [a[2], b[2], a[3], b[3]]]
    }
    #[inline(always)]
    pub(super) fn concat_halves(a: Lanes, b: Lanes) -> [Lanes; 2] {
        [[a[0], a[1], b[0], b[1]], [a[2], a[3], b[2], b[3]]]
    }
    #[inline(always)]
    pub(super) fn low_bits_as_exponent(a: Lanes) -> Lanes {
        a.map(|a| f32::from_bits(a.to_bits() << 23))
    }
}
