//! Low-rank adapters of matrices (LoRA, Hu and others 2021), as Hugging Face's PEFT names them: `x.lora_A.weight`
//! `[rank, columns]` and `x.lora_B.weight` `[rows, rank]` come before `x.weight`, to each row of which their product is
//! added as it passes. A factor that scales the product has to be in one of the two.

use webert_kernels::add_product;

/// The two factors of each adapter, as far as they have come, by the canonical name of the matrix.
#[derive(Default)]
pub(super) struct Adapters(Vec<(String, [Option<Factor>; 2])>);

/// Which factor of the product.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// `lora_B`, `[rows, rank]`.
    Left = 0,
    /// `lora_A`, `[rank, columns]`.
    Right = 1,
}

struct Factor {
    rank: usize,
    values: Vec<f32>,
}

/// An adapter that is whole.
pub(super) struct Adapter<'a> {
    rank: usize,
    left: &'a [f32],
    right: &'a [f32],
}

/// The matrix that a tensor adapts and which factor it is; `None`: it is no adapter's.
pub(super) fn adapted(name: &str) -> Option<(String, Side)> {
    let side = |suffix, side| Some((format!("{}.weight", name.strip_suffix(suffix)?), side));
    side(".lora_B.weight", Side::Left).or_else(|| side(".lora_A.weight", Side::Right))
}

impl Side {
    /// The rank that a shape tells; `None` where it is no factor of a matrix `[rows, cols]`.
    pub(super) fn rank(self, shape: &[usize], rows: usize, cols: usize) -> Option<usize> {
        match (self, shape) {
            (Self::Left, &[length, rank]) if length == rows => Some(rank),
            (Self::Right, &[rank, length]) if length == cols => Some(rank),
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
            let mut factors = [None, None];
            factors[side as usize] = factor;
            self.0.push((of, factors));
        }
    }

    fn factors(&self, of: &str) -> Option<&[Option<Factor>; 2]> {
        self.0.iter().find(|(name, _)| name == of).map(|(_, factors)| factors)
    }

    /// That of a matrix, once both factors are there.
    pub(super) fn get(&self, of: &str) -> Option<Adapter<'_>> {
        match self.factors(of)? {
            [Some(left), Some(right)] => {
                Some(Adapter { rank: left.rank, left: &left.values, right: &right.values })
            }
            _ => None,
        }
    }

    pub(super) fn remove(&mut self, of: &str) {
        self.0.retain(|(name, _)| name != of);
    }

    /// Refuses the matrix of an adapter that is not whole.
    ///
    /// # Errors
    /// What is wrong with it, to be told of the matrix.
    pub(super) fn check(&self, of: &str) -> Result<(), String> {
        match self.factors(of) {
            Some([Some(left), Some(right)]) if left.rank != right.rank => Err(format!(
                "has an adapter with lora_A of rank {} and lora_B of rank {}",
                right.rank, left.rank
            )),
            Some([None, _]) => Err("has an adapter of which lora_B has not come before it".into()),
            Some([_, None]) => Err("has an adapter of which lora_A has not come before it".into()),
            _ => Ok(()),
        }
    }
}

impl Adapter<'_> {
    /// Adds the product's rows from `first` on to those of the matrix.
    pub(super) fn add_to(&self, first: usize, values: &mut [f32]) {
        let left = self.left.get(first * self.rank..).unwrap_or_default();
        add_product(values, left, self.right, self.rank);
    }
}
