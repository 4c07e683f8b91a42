//! Scales, and rounding by them to 8 bits.

use std::array::from_fn;
use std::hint::black_box;

use bytemuck::cast;

use super::rotate::ROTATION_GAIN;
use crate::simd::{F32x4, I32x4, MAGIC_BIAS};

/// The greatest magnitude of a quantized number.
const Q_MAX: f32 = 127.0;

/// The scale of a rotated row: its greatest magnitude is quantized to 127.
pub(crate) struct Scale {
    /// By which quantized numbers are multiplied, for a row as long as before the rotation.
    pub(crate) scale: f32,
    /// By which numbers of the rotated row are multiplied before they are rounded.
    pub(crate) inverse: f32,
}

impl Scale {
    /// The scale of a rotated row.
    pub(crate) fn of(row: &[[[f32; 4]; 4]]) -> Self {
        // four maxima side by side: one would wait for itself
        let (mut max, mut min) = ([F32x4::ZERO; 4], [F32x4::ZERO; 4]);
        for vectors in row {
            for ((max, min), vector) in max.iter_mut().zip(&mut min).zip(vectors) {
                let vector = F32x4::load(vector);
                (*max, *min) = (max.max(vector), min.min(vector));
            }
        }
        let [a, b, c, d] = from_fn(|n| max[n].max(F32x4::ZERO - min[n]));
        let scale = a.max(b).max(c.max(d)).max_lane() / Q_MAX;
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        Self { scale: scale / ROTATION_GAIN, inverse }
    }
}

/// Rounds four vectors to integers and packs the four numbers of each lane together. (Its constants go
/// through `black_box`, so that V8 keeps them in registers: it would make constants anew at each use.)
#[derive(Clone, Copy)]
pub(crate) struct Quantizer {
    /// [`MAGIC_BIAS`], for bytes + 128.
    bias: f32,
    /// XORed with the packed bytes: clears what is left of the bias, and takes the 128 off again.
    mask: i32,
}

impl Quantizer {
    /// To i8; where `unsigned`, to u8 with 128 added.
    pub(crate) fn to_i8(unsigned: bool) -> Self {
        // what is left of four biased numbers beside their lowest bytes
        let rest = 0x0b40_0000;
        let mask = if unsigned { rest } else { rest ^ i32::from_ne_bytes([0x80; 4]) };
        black_box(Self { bias: MAGIC_BIAS + 128.0, mask })
    }

    /// To i16.
    pub(crate) fn to_i16() -> Self {
        black_box(Self { bias: MAGIC_BIAS, mask: 0 })
    }

    /// The bits of vectors · inverse + bias, whose lowest bits are the rounded numbers.
    #[inline(always)]
    fn biased(self, vectors: &[[f32; 4]; 4], inverse: F32x4) -> [I32x4; 4] {
        let bias = F32x4::splat(self.bias);
        vectors.each_ref().map(|vector| I32x4::from_f32_bits(F32x4::load(vector) * inverse + bias))
    }

    /// In each lane four bytes, one of each vector.
    #[inline(always)]
    pub(crate) fn to_bytes(self, vectors: &[[f32; 4]; 4], inverse: F32x4) -> I32x4 {
        let [a, b, c, d] = self.biased(vectors, inverse);
        let together = a ^ (b << 8) ^ (c << 16) ^ (d << 24);
        together ^ I32x4::splat(self.mask)
    }

    /// For each lane four words, one of each vector, twice.
    #[inline(always)]
    pub(crate) fn to_words(self, vectors: &[[f32; 4]; 4], inverse: F32x4) -> [[i16; 8]; 4] {
        let [a, b, c, d] = self.biased(vectors, inverse);
        let [ab, cd] = [I32x4::low_halves(a, b), I32x4::low_halves(c, d)];
        let [[a, b], [c, d]] = I32x4::interleave(ab, cd).map(I32x4::repeat_halves);
        [a, b, c, d].map(|words| cast(words.to_array()))
    }
}
