//! Low-rank adapters of matrices (LoRA, Hu and others 2021), with the names of Hugging Face's PEFT.
//! The factors `x.lora_A.weight` `[rank, columns]` and `x.lora_B.weight` `[rows, rank]` must
//! precede `x.weight` in the file. Their product is added to each row of the matrix while the row
//! is read. A factor that scales the product must already be multiplied into one of the two.
//! DoRA (Liu and others 2024) adds `x.lora_magnitude_vector` `[rows]`. Each row of the sum is then
//! scaled to that length.

use webert_kernels::add_product;

/// The factors of each adapter read so far, with the canonical name of the matrix.
#[derive(Default)]
pub(super) struct Adapters(Vec<(String, [Option<Factor>; 3])>);

/// A factor's side of the product.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// `lora_B`, `[rows, rank]`.
    Left = 0,
    /// `lora_A`, `[rank, columns]`.
    Right = 1,
    /// `lora_magnitude_vector`, `[rows]`: the lengths of the rows. Its rank is 1.
    Magnitude = 2,
}

struct Factor {
    rank: usize,
    values: Vec<f32>,
}

/// An adapter with both factors, and the lengths of its rows with DoRA.
pub(super) struct Adapter<'a> {
    rank: usize,
    left: &'a [f32],
    right: &'a [f32],
    magnitudes: Option<&'a [f32]>,
}

/// Returns the name of the matrix that a tensor adapts and the factor's side; `None` if the tensor
/// does not belong to an adapter.
pub(super) fn adapted(name: &str) -> Option<(String, Side)> {
    let side = |suffix, side| Some((format!("{}.weight", name.strip_suffix(suffix)?), side));
    side(".lora_B.weight", Side::Left)
        .or_else(|| side(".lora_A.weight", Side::Right))
        .or_else(|| side(".lora_magnitude_vector", Side::Magnitude))
}

impl Side {
    /// Returns the rank that a shape implies; `None` if the shape does not fit a factor of a matrix
    /// `[rows, cols]`.
    pub(super) fn rank(self, shape: &[usize], rows: usize, cols: usize) -> Option<usize> {
        match (self, shape) {
            (Self::Left, &[length, rank]) if length == rows => Some(rank),
            (Self::Right, &[rank, length]) if length == cols => Some(rank),
            (Self::Magnitude, &[length]) if length == rows => Some(1),
            _ => None,
        }
    }
}

impl Adapters {
    pub(super) fn add(&mut self, of: String, side: Side, rank: usize, values: Vec<f32>) {
        let factor = Some(Factor { rank, values });
        if let Some((_, factors)) = self.0.iter_mut().find(|(name, _)| *name == of) {
            factors[side as usize] = factor;
        } else {
            let mut factors = [None, None, None];
            factors[side as usize] = factor;
            self.0.push((of, factors));
        }
    }

    fn factors(&self, of: &str) -> Option<&[Option<Factor>; 3]> {
        self.0.iter().find(|(name, _)| name == of).map(|(_, factors)| factors)
    }

    /// Returns the adapter of a matrix if both factors were read.
    pub(super) fn get(&self, of: &str) -> Option<Adapter<'_>> {
        match self.factors(of)? {
            [Some(left), Some(right), magnitudes] => Some(Adapter {
                rank: left.rank,
                left: &left.values,
                right: &right.values,
                magnitudes: magnitudes.as_ref().map(|factor| factor.values.as_slice()),
            }),
            _ => None,
        }
    }

    /// Returns whether a factor of a matrix was read.
    pub(super) fn has(&self, of: &str) -> bool {
        self.factors(of).is_some()
    }

    pub(super) fn remove(&mut self, of: &str) {
        self.0.retain(|(name, _)| name != of);
    }

    /// Rejects a matrix whose adapter is incomplete.
    ///
    /// # Errors
    /// A description of the fault, for a message about the matrix.
    pub(super) fn check(&self, of: &str) -> Result<(), String> {
        match self.factors(of) {
            Some([Some(left), Some(right), _]) if left.rank != right.rank => Err(format!(
                "has an adapter with lora_A of rank {} and lora_B of rank {}",
                right.rank, left.rank
            )),
            Some([None, ..]) => Err("has an adapter of which lora_B has not come before it".into()),
            Some([_, None, _]) => {
                Err("has an adapter of which lora_A has not come before it".into())
            }
            _ => Ok(()),
        }
    }
}

impl Adapter<'_> {
    /// Adds the product's rows, starting at row `first`, to the rows of the matrix. With DoRA, also
    /// scales each row to its length.
    pub(super) fn add_to(&self, first: usize, values: &mut [f32]) {
        let left = self.left.get(first * self.rank..).unwrap_or_default();
        add_product(values, left, self.right, self.rank);
        let Some(magnitudes) = self.magnitudes else { return };
        let cols = self.right.len() / self.rank.max(1);
        let rows = values.chunks_mut(cols.max(1));
        for (row, magnitude) in rows.zip(magnitudes.get(first..).unwrap_or_default()) {
            let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
            row.iter_mut().for_each(|value| *value *= magnitude / length);
        }
    }
}
