//! Every kernel against a naive f64 oracle, for any backend, at odd sizes. One file per operation,
//! named after its kernel and shader.

mod activation;
mod activation_backward;
mod attention;
mod attention_backward;
mod attention_disentangled;
mod attention_disentangled_backward;
mod attention_output;
mod attention_relative;
mod columns;
mod depthwise;
mod dropout;
mod embed;
mod embed_backward;
mod finite_differences;
mod gate;
mod gather;
mod gather_backward;
pub(crate) mod gpu_int8;
mod linear;
mod linear_backward;
mod linear_int8;
mod linear_of_normed;
mod losses;
mod norm;
mod norm_backward;
mod optimizer;
mod residual_norm;
mod rotary;
mod rows;
mod top_k;
mod train_numbers;
mod unfold;

pub(crate) use activation::activation;
pub(crate) use activation_backward::activation_backward;
pub(crate) use attention::attention;
pub(crate) use attention_backward::attention_backward;
pub(crate) use attention_disentangled::attention_disentangled;
pub(crate) use attention_disentangled_backward::attention_disentangled_backward;
pub(crate) use attention_output::attention_output;
pub(crate) use attention_relative::attention_relative;
pub(crate) use columns::columns;
pub(crate) use depthwise::depthwise;
pub(crate) use dropout::{dropout, dropout_statistics};
pub(crate) use embed::embed;
pub(crate) use embed_backward::embed_backward;
pub(crate) use gate::gate;
pub(crate) use gather::gather;
pub(crate) use gather_backward::{gather_backward, mean_pool};
pub(crate) use linear::{linear, linear_of};
pub(crate) use linear_backward::{half_weights, linear_backward, linear_differences};
pub(crate) use linear_int8::linear_int8;
pub(crate) use linear_of_normed::linear_of_normed;
pub(crate) use losses::{
    binary_cross_entropy, cross_entropy, cross_entropy_of_groups, mean_square, nothing_counts,
};
pub(crate) use norm::norm;
pub(crate) use norm_backward::norm_backward;
pub(crate) use optimizer::{adamw, clipping, sgd, sum_of_squares};
pub(crate) use residual_norm::{mean, residual_norm, scale_rows};
pub(crate) use rotary::rotary;
pub(crate) use rows::train_rows;
pub(crate) use top_k::top_k;
pub(crate) use train_numbers::train_numbers;
use unfold::gaps;
pub(crate) use unfold::{some_rows, unfold};

use half::{bf16, f16};
use webert::backend::{Activation, Backend, Embeddings, Norm, NormKind, Precision, Rotation};
use webert::batch::{Batch, Sequence};

pub(crate) const PRECISIONS: [Precision; 4] =
    [Precision::F32, Precision::F16, Precision::Bf16, Precision::I8];

/// Pseudo-random numbers between -1 and 1 (Steele et al. 2014, `SplitMix`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn take(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.next()).collect()
    }
}

/// f64 numbers, row-major.
type Table = Vec<f64>;

fn wide(values: &[f32]) -> Table {
    values.iter().copied().map(f64::from).collect()
}

/// Returns the numbers that a matrix with this precision holds after `values` were written.
fn stored(values: &[f32], cols: usize, precision: Precision) -> Table {
    match precision {
        Precision::F32 => wide(values),
        Precision::F16 => values.iter().map(|&v| f16::from_f32(v).to_f64()).collect(),
        Precision::Bf16 => values.iter().map(|&v| bf16::from_f32(v).to_f64()).collect(),
        Precision::I8 => {
            let row = |row: &[f32]| {
                let scale = row.iter().fold(0.0_f32, |max, v| max.max(v.abs())) / 127.0;
                let inverse = 1.0 / scale;
                let of = move |v: &f32| f64::from((v * inverse).round()) * f64::from(scale);
                row.iter().map(of).collect::<Vec<_>>()
            };
            values.chunks(cols).flat_map(row).collect()
        }
    }
}

fn matrix<B: Backend>(
    b: &mut B,
    values: &[f32],
    cols: usize,
    precision: Precision,
) -> (B::Matrix, Table) {
    let rows = values.len() / cols;
    let mut matrix = b.matrix(rows, cols, precision).unwrap();
    // in two pieces, like weights that arrive
    let first = rows / 3;
    b.write(&mut matrix, 0, &values[..first * cols]);
    b.write(&mut matrix, first, &values[first * cols..]);
    (matrix, stored(values, cols, precision))
}

fn vector<B: Backend>(b: &mut B, values: &[f32]) -> B::Vector {
    let mut vector = b.vector(values.len()).unwrap();
    let (one, two) = values.split_at(values.len() / 3);
    b.write_vector(&mut vector, 0, one);
    b.write_vector(&mut vector, one.len(), two);
    vector
}

fn read<B: Backend>(b: &mut B, rows: &B::Rows) -> Vec<f32> {
    pollster::block_on(b.read(&[rows])).unwrap().remove(0)
}

/// Returns one sequence of `rows` tokens with the ids 0, 1, 2 …
fn batch(rows: usize) -> Batch {
    Batch {
        ids: (0..rows as u32).collect(),
        types: vec![0; rows],
        positions: vec![0; rows],
        sequences: vec![Sequence { rows: 0..rows, keys: 0..rows }],
        ..Batch::default()
    }
}

/// Returns one sequence of `rows` tokens, each with the id 0.
pub(crate) fn zero_batch(rows: usize) -> Batch {
    Batch { ids: vec![0; rows], ..batch(rows) }
}

fn layer_norm<B: Backend>(b: &mut B, weight: &[f32], bias: &[f32], eps: f32) -> Norm<B::Vector> {
    Norm { weight: vector(b, weight), bias: vector(b, bias), eps, kind: NormKind::Layer }
}

/// Returns a LayerNorm with a weight and a bias of zeros.
pub(crate) fn zero_norm<B: Backend>(b: &mut B, width: usize, eps: f32) -> Norm<B::Vector> {
    let [weight, bias] = [(); 2].map(|()| b.vector(width).unwrap());
    Norm { weight, bias, eps, kind: NormKind::Layer }
}

/// Returns activations whose rows have the given mean and approximately the given deviation. They
/// are created by embeddings, the only input of a backend.
fn rows<B: Backend>(
    b: &mut B,
    random: &mut Random,
    count: usize,
    cols: usize,
    (mean, deviation): (f32, f32),
) -> (B::Rows, Table) {
    let (word, _) = matrix(b, &random.take(count * cols), cols, Precision::F32);
    let (position, _) = matrix(b, &vec![0.0; cols], cols, Precision::F32);
    let norm = layer_norm(b, &vec![deviation; cols], &vec![mean; cols], 1e-5);
    let tables = Embeddings { position: Some(position), norm: Some(norm), ..Embeddings::new(word) };
    let batch = b.upload(batch(count)).unwrap();
    let mut x = B::Rows::default();
    b.embed(&tables, &batch, &mut x);
    let values = read(b, &x);
    assert_eq!(values.len(), count * cols);
    (x, wide(&values))
}

/// Returns the largest difference, divided by max(`scale`, 1).
fn greatest(got: &[f32], want: &[f64], scale: impl Fn(usize) -> f64) -> f64 {
    assert_eq!(got.len(), want.len());
    let pairs = got.iter().zip(want).enumerate();
    pairs.fold(0.0, |max, (n, (&got, want))| {
        let difference = (f64::from(got) - want).abs() / scale(n).max(1.0);
        if difference.is_nan() { f64::INFINITY } else { f64::max(max, difference) }
    })
}
