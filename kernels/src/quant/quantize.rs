//! Scales, and rounding to 8 bits.

use std::array::from_fn;
use std::hint::black_box;

use bytemuck::cast;

use super::rotate::ROTATION_GAIN;
use crate::simd::{F32x4, I32x4, MAGIC_BIAS};

/// Greatest magnitude of a quantized number.
const Q_MAX: f32 = 127.0;

/// Scale of a rotated row: its greatest magnitude becomes 127.
pub(crate) struct Scale {
    /// Factor of quantized numbers. It includes the division by the rotation's gain.
    pub(crate) scale: f32,
    /// Factor of the rotated row's numbers before they are rounded.
    pub(crate) inverse: f32,
}

impl Scale {
    /// Returns the scale of a rotated row.
    pub(crate) fn of(row: &[[[f32; 4]; 4]]) -> Self {
        // Four maxima run side by side: a single one would wait for each of its own comparisons.
        let (mut max, mut min) = ([F32x4::ZERO; 4], [F32x4::ZERO; 4]);
        for vectors in row {
            for ((max, min), vector) in max.iter_mut().zip(&mut min).zip(vectors) {
                let vector = F32x4::load(vector);
                (*max, *min) = (max.max(vector), min.min(vector));
            }
        }
        let [a, b, c, d] = from_fn(|n| max[n].max(F32x4::ZERO - min[n]));
        let scale = a.max(b).max(c.max(d)).max_lane() / Q_MAX;
        // A row of zeros has no scale; 1 / 0 would make NaN of it.
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        Self { scale: scale / ROTATION_GAIN, inverse }
    }
}

/// Rounds four vectors to integers and packs the four numbers of each lane together.
///
/// Its constants go through `black_box`, so that V8 keeps them in registers instead of building
/// them at each use.
#[derive(Clone, Copy)]
pub(crate) struct Quantizer {
    /// [`MAGIC_BIAS`]; 128 is added for bytes.
    bias: f32,
    /// XORed with the packed bytes. Clears the rest of the bias, and subtracts the 128 again.
    mask: i32,
}

impl Quantizer {
    /// Returns a quantizer to i8, or to u8 with 128 added if `unsigned`.
    pub(crate) fn to_i8(unsigned: bool) -> Self {
        // Bits of four biased numbers that are left beside their lowest bytes.
        let rest = 0x0b40_0000;
        let mask = if unsigned { rest } else { rest ^ i32::from_ne_bytes([0x80; 4]) };
        black_box(Self { bias: MAGIC_BIAS + 128.0, mask })
    }

    /// Returns a quantizer to i16.
    pub(crate) fn to_i16() -> Self {
        black_box(Self { bias: MAGIC_BIAS, mask: 0 })
    }

    /// Returns the bits of vectors · inverse + bias. Their lowest bits are the rounded numbers.
    #[inline(always)]
    fn biased(self, vectors: &[[f32; 4]; 4], inverse: F32x4) -> [I32x4; 4] {
        let bias = F32x4::splat(self.bias);
        vectors.each_ref().map(|vector| I32x4::from_f32_bits(F32x4::load(vector) * inverse + bias))
    }

    /// Returns four bytes in each lane, one of each vector.
    #[inline(always)]
    pub(crate) fn to_bytes(self, vectors: &[[f32; 4]; 4], inverse: F32x4) -> I32x4 {
        let [a, b, c, d] = self.biased(vectors, inverse);
        let together = a ^ (b << 8) ^ (c << 16) ^ (d << 24);
        together ^ I32x4::splat(self.mask)
    }

    /// Returns for each lane four words, one of each vector, stored twice.
    #[inline(always)]
    pub(crate) fn to_words(self, vectors: &[[f32; 4]; 4], inverse: F32x4) -> [[i16; 8]; 4] {
        let [a, b, c, d] = self.biased(vectors, inverse);
        let [ab, cd] = [I32x4::low_halves(a, b), I32x4::low_halves(c, d)];
        let [[a, b], [c, d]] = I32x4::interleave(ab, cd).map(I32x4::repeat_halves);
        [a, b, c, d].map(|words| cast(words.to_array()))
    }
}
