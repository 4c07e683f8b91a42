//! The self-test of the kernels that compute several calls in one dispatch. If one of them is
//! wrong, each call has its own dispatch.

use super::choice::{Op, Shape};
use super::self_test::{
    HEADS, INPUTS, LENGTH, TESTED, TOLERANCE, check, difference, linear_difference, normed,
    numbers, sums,
};
use super::{Gpu, GpuRows};
use crate::backend::{Activation, Backend, Embeddings, Norm, NormKind, Precision};
use crate::batch::{Batch, Sequence};
use crate::{Error, Result};

/// Outputs of the tested layer, a multiple of 4.
const OUTPUTS: usize = 72;
/// Rows of each tested shape.
const ROWS: [(Shape, usize); 2] = [(Shape::Few, 3), (Shape::Short, LENGTH)];
/// Rows of a norm that are read: the last of a few rows, and the first twice.
const READ_ROWS: [u32; 3] = [2, 0, 0];
/// Largest error of normalized embeddings from tables with fewer than 32 bits.
const ROUNDED: f32 = 0.1;

/// A test of a kernel.
pub(super) enum FusedTest {
    /// Embeddings from tables in this precision.
    Embeddings(Precision),
    /// A layer over normalized rows, and a norm after it: precision, its name and tolerance, and
    /// the rows of a shape.
    Normed((Precision, &'static str, f32), (Shape, usize)),
}

impl Gpu {
    /// Compares the kernels with f32 results of the CPU, as far as the model uses them. Errors:
    /// those that concern the whole device.
    pub(super) async fn test_fused(&mut self) -> Result<()> {
        self.begin_fused_warm_up()?;
        self.settle_pipelines().await?;
        for test in self.fused_tests() {
            self.test_fused_by(test).await?;
        }
        Ok(())
    }

    /// Returns the tests of the kernels that the model uses.
    pub(super) fn fused_tests(&self) -> Vec<FusedTest> {
        if self.barrier_free {
            return Vec::new();
        }
        let used = TESTED.into_iter().filter(|(of, ..)| self.low_precision.used.contains(of));
        let normed = used.flat_map(|of| ROWS.map(|rows| FusedTest::Normed(of, rows)));
        self.embedded.iter().map(|of| FusedTest::Embeddings(*of)).chain(normed).collect()
    }

    /// Compares the kernels by one test. Errors: as [`Gpu::test_fused`].
    pub(super) async fn test_fused_by(&mut self, test: FusedTest) -> Result<()> {
        match test {
            FusedTest::Embeddings(precision) => {
                self.embeds_in_steps |= self.are_embeddings_wrong(precision).await?;
            }
            FusedTest::Normed((precision, name, tolerance), of) => {
                let wrong = self.is_normed_wrong(precision, of, (name, tolerance)).await?;
                self.norms_apart |= wrong;
            }
        }
        Ok(())
    }

    async fn are_embeddings_wrong(&mut self, precision: Precision) -> Result<bool> {
        let tolerance = if precision == Precision::F32 { TOLERANCE } else { ROUNDED };
        let y = self.record_embeddings(precision)?;
        let got = self.read(&[&y]).await;
        let cols = 3 * HEADS * self.head_dim;
        let right = |got: Vec<Vec<f32>>| {
            let want = normed(&sums([3, 4], cols), cols);
            check("embeddings", difference(&got[0], &want), tolerance)
        };
        is_wrong(got.and_then(right))
    }

    /// Starts to compile the kernels.
    pub(super) fn begin_fused_warm_up(&mut self) -> Result<()> {
        let tests = self.fused_tests();
        self.warm_up(|gpu| {
            for test in tests {
                match test {
                    FusedTest::Embeddings(precision) => gpu.record_embeddings(precision).map(drop),
                    FusedTest::Normed((precision, ..), of) => {
                        gpu.record_normed(precision, of).map(drop)
                    }
                }?;
            }
            Ok(())
        })
    }

    /// Records the embeddings of tokens from tables of words and of positions.
    fn record_embeddings(&mut self, precision: Precision) -> Result<GpuRows> {
        let cols = 3 * HEADS * self.head_dim;
        let [mut word, mut position] =
            [self.matrix(LENGTH, cols, precision)?, self.matrix(LENGTH, cols, precision)?];
        let norm = self.unit_norm(cols)?;
        if !self.warming_up {
            self.write(&mut word, 0, &numbers(LENGTH * cols, 3));
            self.write(&mut position, 0, &numbers(LENGTH * cols, 4));
        }
        let rows: Vec<u32> = (0..LENGTH as u32).collect();
        let sequences = vec![Sequence { rows: 0..LENGTH, keys: 0..LENGTH }];
        let batch = Batch {
            ids: rows.clone(),
            positions: rows,
            types: vec![0; LENGTH],
            sequences,
            ..Batch::default()
        };
        let batch = self.upload(batch)?;
        let tables =
            Embeddings { position: Some(position), norm: Some(norm), ..Embeddings::new(word) };
        let mut y = GpuRows::default();
        self.embed(&tables, &batch, &mut y);
        Ok(y)
    }

    /// Returns true if a layer over normalized rows, or a norm after it, is wrong. The layer has
    /// the variant of its shape.
    async fn is_normed_wrong(
        &mut self,
        precision: Precision,
        of: (Shape, usize),
        (name, tolerance): (&str, f32),
    ) -> Result<bool> {
        let [x, y, z, some] = self.record_normed(precision, of)?;
        let got = self.read(&[&x, &y, &z, &some]).await;
        let compare = |got: Vec<Vec<f32>>| {
            let [x, residual] = [2, 5].map(|seed| numbers(of.1 * INPUTS, seed));
            let sum = added(&x, &residual);
            check("LayerNorm", difference(&got[0], &normed(&sum, INPUTS)), TOLERANCE)?;
            let weights = numbers(OUTPUTS * INPUTS, 1);
            check(name, linear_difference(&got[1], &got[0], &weights), tolerance)?;
            let sum = added(&got[1], &numbers(of.1 * OUTPUTS, 6));
            // The second layer may have rounded x otherwise.
            let tolerance = tolerance.max(TOLERANCE);
            check("LayerNorm", difference(&got[2], &normed(&sum, OUTPUTS)), tolerance)?;
            let rows = READ_ROWS.map(|row| &got[2][OUTPUTS * row as usize..][..OUTPUTS]);
            check("LayerNorm", difference(&got[3], &rows.concat()), tolerance)
        };
        is_wrong(got.and_then(compare))
    }

    /// Records x = norm of two inputs, y = a layer over x, z = norm(another y + an input), and some
    /// rows of the same norm.
    fn record_normed(
        &mut self,
        precision: Precision,
        (shape, rows): (Shape, usize),
    ) -> Result<[GpuRows; 4]> {
        let mut weight = self.matrix(OUTPUTS, INPUTS, precision)?;
        let bias = self.vector(OUTPUTS)?;
        let [norm, last] = [self.unit_norm(INPUTS)?, self.unit_norm(OUTPUTS)?];
        let inputs = [(INPUTS, 2), (INPUTS, 5), (OUTPUTS, 6)];
        let [mut x, residual, last_residual] =
            inputs.map(|(cols, seed)| self.input(rows, cols, seed));
        if !self.warming_up {
            self.write(&mut weight, 0, &numbers(OUTPUTS * INPUTS, 1));
        }
        let [mut y, mut z, mut again, mut some] = [(); 4].map(|()| GpuRows::default());
        self.choice.forced = Some(self.variant((Op::Linear(precision), shape)));
        self.choice.in_all_parts = true;
        self.add_norm(&mut x, &residual, &norm);
        self.linear(&x, &weight, &bias, Activation::Identity, &mut y);
        self.linear(&x, &weight, &bias, Activation::Identity, &mut z);
        self.add_norm(&mut z, &last_residual, &last);
        self.linear(&x, &weight, &bias, Activation::Identity, &mut again);
        self.add_norm(&mut again, &last_residual, &last);
        self.gather(&again, &READ_ROWS, &mut some);
        self.choice.in_all_parts = false;
        self.choice.forced = None;
        Ok([x, y, z, some])
    }

    /// Returns LayerNorm with scale 1 and shift 0.
    fn unit_norm(&mut self, cols: usize) -> Result<Norm<super::GpuVector>> {
        let mut weight = self.vector(cols)?;
        if !self.warming_up {
            self.write_vector(&mut weight, 0, &vec![1.0; cols]);
        }
        Ok(Norm { weight, bias: self.vector(cols)?, eps: 0.0, kind: NormKind::Layer })
    }
}

fn added(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// Returns true if a result is wrong. Errors: those that concern the whole device.
fn is_wrong(tested: Result<()>) -> Result<bool> {
    match tested {
        Ok(()) => Ok(false),
        Err(Error::Unsupported(_)) => Ok(true),
        Err(error) => Err(error),
    }
}
