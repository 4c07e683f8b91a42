//! Philox 4x32-10, counter-based random numbers (Salmon et al., "Parallel random numbers: as easy
//! as 1, 2, 3", 2011). Each number is a function of a key and a counter, so that any device can
//! compute any of them at any time.

use crate::simd::U32x4;

/// Multipliers of the two multiplied words, from the reference implementation Random123.
const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];

/// Added to the key after each round: the fractional parts of the golden ratio and of √3.
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

const ROUNDS: usize = 10;

/// Returns four random words.
///
/// ```
/// use webert_kernels::philox4x32;
///
/// assert_eq!(philox4x32([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
/// ```
pub fn philox4x32(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    philox_lanes(counter.map(U32x4::splat), key).map(|word| word.to_array()[0])
}

/// Computes four counters side by side. Returns each of the four words with one counter per lane.
#[inline(always)]
pub(crate) fn philox_lanes(
    [mut a, mut b, mut c, mut d]: [U32x4; 4],
    [mut first, mut second]: [u32; 2],
) -> [U32x4; 4] {
    for _ in 0..ROUNDS {
        let [high, low] = a.wide_mul(MULTIPLIERS[0]);
        let [next_high, next_low] = c.wide_mul(MULTIPLIERS[1]);
        a = next_high ^ b ^ U32x4::splat(first);
        c = high ^ d ^ U32x4::splat(second);
        (b, d) = (next_low, low);
        first = first.wrapping_add(WEYL[0]);
        second = second.wrapping_add(WEYL[1]);
    }
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    /// Known answers of Random123 1.14, tests/kat_vectors.
    const ANSWERS: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
        ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
        ([!0; 4], [!0; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
        (
            [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
            [0xa409_3822, 0x299f_31d0],
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
        ),
    ];

    #[wasm_bindgen_test(unsupported = test)]
    fn matches_the_known_answers_of_random123() {
        for (counter, key, words) in ANSWERS {
            assert_eq!(philox4x32(counter, key), words);
        }
    }

    #[wasm_bindgen_test(unsupported = test)]
    fn computes_the_same_words_in_lanes_as_alone() {
        let counters = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]];
        let lanes = philox_lanes(counters.map(U32x4::load), [17, 18]).map(U32x4::to_array);
        for lane in 0..4 {
            let alone = philox4x32(counters.map(|word| word[lane]), [17, 18]);
            assert_eq!(lanes.map(|word| word[lane]), alone);
        }
    }
}
