//! The self-test of the training kernels: the same calls on the GPU and on the CPU.

use super::Gpu;
use super::choice::{Layout, Op, Variant};
use super::self_test::{TOLERANCE, check, difference, numbers};
use crate::Result;
use crate::backend::cpu::Cpu;
use crate::backend::train::{AdamW, Clip, CrossEntropy, Dropout, IGNORED, Parameter, Train};
use crate::backend::{Activation, Disentangled, Distances, Norm, NormKind, Precision};
use crate::batch::{Batch, Sequence};

/// Tokens of two sequences: whole and partial blocks of 16 queries and tiles of 32 keys.
const LENGTHS: [usize; 2] = [37, 9];
const TOKENS: usize = LENGTHS[0] + LENGTHS[1];
const HEADS: usize = 2;
/// Outputs of the tested layer and classes of the tested losses: a tile of 64 columns and a partial
/// one.
const OUTPUTS: usize = 70;
/// Sides of the tiles of linear layers.
const TILES: [usize; 2] = [32, 64];
/// Gradients that are computed in tiles, with their names.
const GRADIENTS: [(Op, &str); 2] = [
    (Op::BackwardInput, "the gradient of a layer's input"),
    (Op::BackwardWeight, "the gradient of a layer's weight"),
];
const DROPOUT: Dropout = Dropout { rate: 0.1, seed: 3, site: 1, step: 2 };
/// Its epsilon is large, so that small gradients keep their digits.
const ADAMW: AdamW =
    AdamW { rate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 0.1, weight_decay: 0.1, step: 3 };

impl Gpu {
    /// Compares each training kernel with the CPU, once per device.
    ///
    /// # Errors
    /// `Unsupported`, naming the first kernel that is wrong or does not compile; `DeviceLost`,
    /// `OutOfMemory`.
    pub(super) async fn self_test_train(&mut self) -> Result<()> {
        if self.train_tested {
            return Ok(());
        }
        for (side, name, difference) in self.training_differences().await? {
            let tested = check(name, difference, TOLERANCE);
            match GRADIENTS.iter().find(|(_, gradient)| *gradient == name) {
                Some((op, _)) => self.judge_tile(*op, side, tested)?,
                None => tested?,
            }
        }
        self.choose_among(&GRADIENTS.map(|(op, _)| op)).await?;
        self.train_tested = true;
        Ok(())
    }

    /// Returns the side of the tiles, the name of each training kernel and its largest difference
    /// from the CPU, relative to the CPU's largest number. Compiles the kernels first; a browser does so asynchronously.
    /// Errors: as [`Gpu::self_test_train`].
    pub(super) async fn training_differences(&mut self) -> Result<Vec<(usize, &'static str, f32)>> {
        self.warming_up = true;
        let begun = TILES.iter().try_for_each(|side| self.record_train(*side).map(drop));
        self.finish();
        self.warming_up = false;
        self.held_lists.clear();
        begun?;
        self.settle_pipelines().await?;
        let mut cpu = Cpu::default();
        let positions = self.has_positions();
        let want = Recorded::new(&mut cpu, self.head_dim, positions)?.read(&mut cpu).await?;
        let mut differences = Vec::new();
        for side in TILES {
            let got = self.record_train(side)?.read(self).await?;
            for ((name, got), (_, want)) in got.iter().zip(&want) {
                let largest = want.iter().fold(f32::MIN_POSITIVE, |most, x| most.max(x.abs()));
                differences.push((side, *name, difference(got, want) / largest));
            }
        }
        Ok(differences)
    }

    /// Strikes out a size of tiles if its result is wrong. Errors: those of `tested` if no other
    /// size is right.
    fn judge_tile(&mut self, op: Op, side: usize, tested: Result<()>) -> Result<()> {
        let is_tested = |variant: &Variant| variant.layout == Layout::Tiles(side as u8);
        let Some(variant) = self.variants(op).into_iter().find(is_tested) else { return tested };
        match self.judge(op, variant, tested)? {
            Some(error) if !self.is_possible(op) => Err(error),
            _ => Ok(()),
        }
    }

    /// Records every kernel. Linear layers use tiles with this side.
    fn record_train(&mut self, side: usize) -> Result<Recorded<Self>> {
        self.tile_size = Some(side);
        let recorded = Recorded::new(self, self.head_dim, self.has_positions());
        self.tile_size = None;
        recorded
    }

    /// Returns whether a model compares contents with relative positions.
    fn has_positions(&self) -> bool {
        #[cfg(feature = "families")]
        return self.tables.disentangled;
        #[cfg(not(feature = "families"))]
        false
    }
}

/// Results of the kernels.
struct Recorded<B: Train> {
    /// Results with their names.
    rows: Vec<(&'static str, B::Rows)>,
    /// Weights after a step of gradient descent from zeros, and after a further step of AdamW.
    weights: [B::Matrix; 2],
}

impl<B: Train> Recorded<B> {
    /// With `positions`, includes attention by relative positions.
    fn new(b: &mut B, head_dim: usize, positions: bool) -> Result<Self> {
        let width = HEADS * head_dim;
        let weights = [weights(b, width)?, stepped(b, width)?];
        let mut recorded = Self { rows: Vec::new(), weights };
        recorded.layer(b, width)?;
        recorded.norm(b, width)?;
        for dropout in [None, Some(&DROPOUT)] {
            recorded.attention(b, width, dropout)?;
            if positions {
                recorded.disentangled(b, width, dropout)?;
            }
        }
        recorded.segments(b, width)?;
        recorded.losses(b)?;
        Ok(recorded)
    }

    /// Copies all results to the host.
    async fn read(self, b: &mut B) -> Result<Vec<(&'static str, Vec<f32>)>> {
        let [by_descent, by_adamw] = &self.weights;
        let mut all = vec![
            ("gradient descent", b.read_matrix(by_descent).await?),
            ("AdamW", b.read_matrix(by_adamw).await?),
        ];
        let rows: Vec<_> = self.rows.iter().map(|(_, rows)| rows).collect();
        let names = self.rows.iter().map(|(name, _)| *name);
        all.extend(names.zip(b.read(&rows).await?));
        Ok(all)
    }

    /// Records a layer and its gradients, with activations and dropout.
    fn layer(&mut self, b: &mut B, width: usize) -> Result<()> {
        let (x, mut dy) = (input(b, TOKENS, width, 1)?, input(b, TOKENS, OUTPUTS, 2)?);
        let more = input(b, TOKENS, OUTPUTS, 3)?;
        b.add(&more, &mut dy);
        let (mut dweight, mut dbias) = (input(b, OUTPUTS, width, 4)?, input(b, 1, OUTPUTS, 5)?);
        for (activation, name) in
            [(Activation::Gelu, "the gradient of GELU"), (Activation::Tanh, "the gradient of tanh")]
        {
            let (z, mut y) = (input(b, TOKENS, OUTPUTS, 6)?, B::Rows::default());
            b.activation(&z, activation, &mut y);
            b.dropout(&mut y, &DROPOUT);
            b.activation_backward(&z, activation, &mut dy);
            self.rows.push(("an activation with dropout", y));
            let mut copy = B::Rows::default();
            b.activation(&dy, Activation::Identity, &mut copy);
            self.rows.push((name, copy));
        }
        let mut dx = B::Rows::default();
        b.linear_backward_input(&dy, &self.weights[0], &mut dx);
        b.linear_backward_weight(&x, &dy, &mut dweight, &mut dbias);
        let [(_, of_input), (_, of_weight)] = GRADIENTS;
        self.rows.push((of_input, dx));
        self.rows.push((of_weight, dweight));
        self.rows.push(("the gradient of a layer's bias", dbias));
        Ok(())
    }

    /// Records LayerNorm for training, and its gradient.
    fn norm(&mut self, b: &mut B, width: usize) -> Result<()> {
        let (x, residual) = (input(b, TOKENS, width, 1)?, input(b, TOKENS, width, 7)?);
        let norm = Norm {
            weight: vector(b, width, 8)?,
            bias: vector(b, width, 9)?,
            eps: 1e-5,
            kind: NormKind::Layer,
        };
        let [mut y, mut normalized, mut inverse, mut dx] = [(); 4].map(|()| B::Rows::default());
        b.norm_forward(&x, Some(&residual), &norm, &mut y, &mut normalized, &mut inverse);
        let (mut dweight, mut dbias) = (b.zeros(1, width)?, b.zeros(1, width)?);
        b.norm_backward(&x, &normalized, &inverse, &norm, &mut dx, &mut dweight, &mut dbias);
        self.rows.push(("LayerNorm in training", y));
        self.rows.extend([dx, dweight, dbias].map(|rows| ("the gradient of LayerNorm", rows)));
        Ok(())
    }

    /// Records attention for training, and its gradient.
    fn attention(&mut self, b: &mut B, width: usize, dropout: Option<&Dropout>) -> Result<()> {
        let (qkv, dy) = (input(b, TOKENS, 3 * width, 10)?, input(b, TOKENS, width, 11)?);
        let batch = b.upload(batch())?;
        let [mut y, mut log_sums, mut dqkv] = [(); 3].map(|()| B::Rows::default());
        b.attention_forward(&qkv, &batch, HEADS, dropout, &mut y, &mut log_sums);
        b.attention_backward(&qkv, &batch, HEADS, dropout, &y, &log_sums, &dy, &mut dqkv);
        self.rows.extend([y, log_sums].map(|rows| ("attention in training", rows)));
        self.rows.push(("the gradient of attention", dqkv));
        Ok(())
    }

    /// Records attention by contents and relative positions for training, and its gradient.
    fn disentangled(&mut self, b: &mut B, width: usize, dropout: Option<&Dropout>) -> Result<()> {
        let (qkv, dy) = (input(b, TOKENS, 3 * width, 10)?, input(b, TOKENS, width, 11)?);
        let columns = LENGTHS.iter().flat_map(|&length| 0..length as u32).collect();
        let batch = b.upload(Batch { columns, masked: vec![1, 0], ..batch() })?;
        let distances = Distances { span: 8, buckets: 8, furthest: 64 };
        let furthest = LENGTHS[0] as i64 - 1;
        let first = distances.row(-furthest);
        let count = distances.row(furthest) + 1 - first;
        let positions = input(b, count, 2 * width, 18)?;
        let of = Disentangled {
            positions: Some(&positions),
            first,
            distances,
            keys: Some(width),
            queries: Some(0),
            factor: 3,
        };
        let [mut y, mut dqkv, mut dpositions] = [(); 3].map(|()| B::Rows::default());
        b.attention_disentangled_forward(&qkv, &batch, HEADS, &of, dropout, &mut y);
        let (to, more) = (&mut dqkv, &mut dpositions);
        b.attention_disentangled_backward(&qkv, &batch, HEADS, &of, dropout, &dy, to, more);
        self.rows.push(("attention by positions in training", y));
        let name = "the gradient of attention by positions";
        self.rows.extend([dqkv, dpositions].map(|rows| (name, rows)));
        Ok(())
    }

    /// Records gradients that are sums of rows, and means of sequences.
    fn segments(&mut self, b: &mut B, width: usize) -> Result<()> {
        let (dy, batch) = (input(b, TOKENS, width, 12)?, b.upload(batch())?);
        let [mut words, mut positions] = [b.zeros(TOKENS, width)?, b.zeros(TOKENS, width)?];
        b.embed_backward(&dy, &batch, None, &mut words, Some(&mut positions), None);
        let mut means = B::Rows::default();
        b.mean_pool(&dy, &[0..LENGTHS[0], LENGTHS[0]..TOKENS], &mut means);
        self.rows.extend([words, positions].map(|rows| ("the gradient of embeddings", rows)));
        self.rows.push(("means of sequences", means));
        Ok(())
    }

    /// Records every loss with its gradient.
    fn losses(&mut self, b: &mut B) -> Result<()> {
        let class = |n: usize| if n == 1 { IGNORED } else { (n * 5 % OUTPUTS) as i32 };
        let classes: Vec<i32> = (0..TOKENS).map(class).collect();
        let weights: Vec<f32> = (0..OUTPUTS).map(|n| (1 + n % 3) as f32).collect();
        let groups = [0..LENGTHS[0], LENGTHS[0]..TOKENS];
        let rows: Vec<i32> = (0..2 * OUTPUTS).map(|n| (n % LENGTHS[1]) as i32).collect();
        let targets = numbers(TOKENS * OUTPUTS, 13);
        let how = CrossEntropy { class_weights: None, label_smoothing: 0.1, scale: 1.0 };
        let weighted = CrossEntropy { class_weights: Some(&weights), ..how };
        for (number, name) in [
            "cross-entropy",
            "weighted cross-entropy",
            "cross-entropy of groups",
            "binary cross-entropy",
            "mean square",
        ]
        .into_iter()
        .enumerate()
        {
            let (mut x, mut loss) = (input(b, TOKENS, OUTPUTS, 14)?, b.zeros(1, 1)?);
            match number {
                0 => b.cross_entropy(&mut x, &classes, how, &mut loss),
                1 => b.cross_entropy(&mut x, &classes, weighted, &mut loss),
                2 => b.cross_entropy_of_groups(&mut x, &groups, &rows, 1.0, &mut loss),
                3 => b.binary_cross_entropy(&mut x, &targets, 1.0, &mut loss),
                _ => b.mean_square(&mut x, &targets, 1.0, &mut loss),
            }
            self.rows.extend([x, loss].map(|rows| (name, rows)));
        }
        Ok(())
    }
}

/// Returns pseudo-random numbers on the device.
fn input<B: Train>(b: &mut B, rows: usize, cols: usize, seed: usize) -> Result<B::Rows> {
    let mut x = B::Rows::default();
    b.put(&numbers(rows * cols, seed), rows, &mut x)?;
    Ok(x)
}

/// Returns a batch of the two sequences. Words occur several times, and the first token of the
/// first sequence is not a key.
fn batch() -> Batch {
    let numbers = |step: usize| (0..TOKENS).map(|n| (n * step % 23) as u32).collect();
    let sequences = vec![
        Sequence { rows: 0..LENGTHS[0], keys: 1..LENGTHS[0] },
        Sequence { rows: LENGTHS[0]..TOKENS, keys: LENGTHS[0]..TOKENS },
    ];
    let (ids, positions, types) = (numbers(7), numbers(5), vec![0; TOKENS]);
    Batch { ids, types, positions, sequences, ..Batch::default() }
}

/// Returns weights computed by gradient descent from zeros.
fn weights<B: Train>(b: &mut B, width: usize) -> Result<B::Matrix> {
    let mut weight = b.matrix(OUTPUTS, width, Precision::F32)?;
    let values = input(b, OUTPUTS, width, 15)?;
    b.sgd(Parameter::Matrix(&mut weight), &values, -1.0, 0.0, None);
    Ok(weight)
}

/// Returns a vector computed by gradient descent from zeros.
fn vector<B: Train>(b: &mut B, len: usize, seed: usize) -> Result<B::Vector> {
    let mut vector = b.vector(len)?;
    let values = input(b, 1, len, seed)?;
    b.sgd(Parameter::Vector(&mut vector), &values, -1.0, 0.0, None);
    Ok(vector)
}

/// Returns weights after a step of AdamW with clipping.
fn stepped<B: Train>(b: &mut B, width: usize) -> Result<B::Matrix> {
    let mut weight = weights(b, width)?;
    let gradient = input(b, OUTPUTS, width, 16)?;
    let (mut first, mut second) = (input(b, OUTPUTS, width, 17)?, b.zeros(OUTPUTS, width)?);
    let mut squares = b.zeros(1, 1)?;
    b.sum_of_squares(&gradient, &mut squares);
    let clip = Clip { squares: &squares, max_norm: 1.0 };
    let parameter = Parameter::Matrix(&mut weight);
    b.adamw(parameter, &gradient, &mut first, &mut second, &ADAMW, Some(&clip));
    Ok(weight)
}
