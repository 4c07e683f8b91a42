//! Counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
//! numbers: as easy as 1, 2, 3", 2011). A number depends only on the seed and on where it is used.
//! A resumed run therefore needs no state but its place in the data, and a seed yields the same run
//! on every machine.

use webert_kernels::philox4x32;

/// What random numbers are used for. Each use has its own stream under one seed. The value is the
/// last word of the counter. Dropout stores the step there, and no run reaches steps this large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Stream {
    /// Order of the rows. The place is the epoch.
    Shuffle = 0xffff_ff00,
    /// Masked tokens. The place is epoch and row.
    Mask,
    /// Pairs of pre-training. The place is the document.
    Pairs,
    /// Initial values of a matrix. The place is a hash of its name.
    Initialize,
    /// Replaced tokens. The place is epoch and row.
    Replace,
}

/// The random numbers of one place of a stream, in order.
///
/// ```
/// use webert::random::{Random, Stream};
///
/// let mut order: Vec<u32> = (0..5).collect();
/// Random::new(42, Stream::Shuffle, [0, 0]).shuffle(&mut order);
/// let mut again: Vec<u32> = (0..5).collect();
/// Random::new(42, Stream::Shuffle, [0, 0]).shuffle(&mut again);
/// assert_eq!(order, again);
/// ```
#[derive(Debug, Clone)]
pub struct Random {
    key: [u32; 2],
    /// Counter of the next block.
    counter: [u32; 4],
    block: [u32; 4],
    /// Number of words of `block` that were returned.
    used: usize,
}

impl Random {
    /// Creates the numbers of a place, e.g. of an epoch and a row.
    pub fn new(seed: u64, stream: Stream, place: [u32; 2]) -> Self {
        let key = [seed as u32, (seed >> 32) as u32];
        Self { key, counter: [0, place[0], place[1], stream as u32], block: [0; 4], used: 4 }
    }

    /// Returns 32 random bits.
    pub fn bits(&mut self) -> u32 {
        if self.used == 4 {
            self.block = philox4x32(self.counter, self.key);
            // A place has 2^34 numbers, more than any use draws.
            self.counter[0] = self.counter[0].wrapping_add(1);
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
    }

    /// Returns a uniform number in 0 ≤ x < 1, a multiple of 2⁻³².
    pub fn uniform(&mut self) -> f64 {
        f64::from(self.bits()) / 4_294_967_296.0
    }

    /// Returns true with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// Returns a uniform integer in 0 ≤ n < `limit`, without bias (Lemire 2019). Returns 0 for a
    /// limit of 0.
    pub fn below(&mut self, limit: usize) -> usize {
        let Ok(limit) = u32::try_from(limit) else { return self.below_wide(limit as u64) as usize };
        loop {
            let product = u64::from(self.bits()) * u64::from(limit);
            // Rejects the few draws that would make some results more likely than others.
            if product as u32 >= limit.wrapping_neg() % limit.max(1) {
                return (product >> 32) as usize;
            }
        }
    }

    /// [`Random::below`] for limits beyond 32 bits. The bias is less than limit / 2⁶⁴.
    fn below_wide(&mut self, limit: u64) -> u64 {
        let bits = u64::from(self.bits()) << 32 | u64::from(self.bits());
        ((u128::from(bits) * u128::from(limit)) >> 64) as u64
    }

    /// Returns a number from the standard normal distribution (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        // 1 - u is never 0, so the logarithm is finite.
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Shuffles items. Every order is equally likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Returns the initial weights of a matrix, in order: N(0, `deviation`²). BERT's
/// `initializer_range` is 0.02. They depend on the matrix's name and not on the other matrices.
pub fn normals(seed: u64, name: &str, deviation: f64) -> impl Iterator<Item = f32> {
    let mut random = of_matrix(seed, name);
    std::iter::repeat_with(move || (deviation * random.normal()) as f32)
}

/// Like [`normals`], uniform within ±`bound`.
pub fn uniforms(seed: u64, name: &str, bound: f64) -> impl Iterator<Item = f32> {
    let mut random = of_matrix(seed, name);
    std::iter::repeat_with(move || (bound * (2.0 * random.uniform() - 1.0)) as f32)
}

/// Returns the random numbers of a matrix.
fn of_matrix(seed: u64, name: &str) -> Random {
    let hash = fnv1a(name.as_bytes());
    Random::new(seed, Stream::Initialize, [hash as u32, (hash >> 32) as u32])
}

/// Returns the 64-bit FNV-1a hash (Fowler, Noll and Vo).
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::{Random, Stream, fnv1a, normals};

    #[test]
    fn places_and_streams_have_numbers_of_their_own() {
        let first = |seed, stream, place| Random::new(seed, stream, place).bits();
        let mut numbers = vec![
            first(1, Stream::Mask, [0, 0]),
            first(2, Stream::Mask, [0, 0]),
            first(1 << 32, Stream::Mask, [0, 0]),
            first(1, Stream::Shuffle, [0, 0]),
            first(1, Stream::Mask, [1, 0]),
            first(1, Stream::Mask, [0, 1]),
        ];
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 6);
    }

    #[test]
    fn numbers_below_a_limit_are_equally_frequent() {
        let mut random = Random::new(7, Stream::Shuffle, [0, 0]);
        let mut counts = [0_i32; 6];
        for _ in 0..60_000 {
            counts[random.below(6)] += 1;
        }
        // 4 standard deviations of a binomial: 4 · √(60000 · 1/6 · 5/6) = 365
        assert!(counts.iter().all(|count| (count - 10_000).abs() < 366), "{counts:?}");
        assert_eq!(random.below(1), 0);
        assert_eq!(random.below(0), 0);
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn numbers_below_a_limit_beyond_32_bits_are_equally_frequent() {
        let (limit, draws) = (3 << 40, 10_000_usize);
        let mut random = Random::new(7, Stream::Shuffle, [0, 0]);
        let mut counts = [0_usize; 6];
        for _ in 0..draws {
            let number = random.below(limit);
            assert!(number < limit);
            counts[number / (limit / 6)] += 1;
        }
        // 4 standard deviations of a binomial: 4 · √(10000 · 1/6 · 5/6) = 149
        assert!(counts.iter().all(|count| count.abs_diff(draws / 6) < 150), "{counts:?}");
    }

    #[test]
    fn initial_weights_are_normal() {
        let n = 40_000;
        let weights: Vec<f32> = normals(42, "classifier.weight", 0.02).take(n).collect();
        let mean = weights.iter().map(|&w| f64::from(w)).sum::<f64>() / n as f64;
        let moment = |power| {
            weights.iter().map(|&w| (f64::from(w) / 0.02).powi(power)).sum::<f64>() / n as f64
        };
        let bound = 4.0 / (n as f64).sqrt();
        assert!(mean.abs() < 0.02 * bound, "{mean}");
        // The second moment of a normal distribution is 1 with variance 2, the fourth 3 with
        // variance 96.
        assert!((moment(2) - 1.0).abs() < bound * 2_f64.sqrt(), "{}", moment(2));
        assert!((moment(4) - 3.0).abs() < bound * 96_f64.sqrt(), "{}", moment(4));
        assert!(!normals(42, "pooler.weight", 0.02).take(8).eq(weights[..8].iter().copied()));
        // a test vector of the hash's authors
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_shuffle_is_a_permutation_fixed_by_the_seed() {
        let shuffled = |seed| {
            let mut items: Vec<usize> = (0..100).collect();
            Random::new(seed, Stream::Shuffle, [0, 0]).shuffle(&mut items);
            items
        };
        let mut items = shuffled(1);
        assert_ne!(items, shuffled(2));
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
