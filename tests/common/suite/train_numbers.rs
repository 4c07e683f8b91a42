//! The results of the training kernels, at sizes large enough to share among threads.

use super::finite_differences::{batch_of, put};
use super::*;
use webert::backend::train::{AdamW, Clip, CrossEntropy, Dropout, Parameter, Train};

/// Returns the results of every kernel in turn. On one device they are equal in every run.
pub(crate) fn train_numbers<B: Train>(b: &mut B) -> Vec<Vec<f32>> {
    let mut random = Random(30);
    let (heads, width, wide) = (4, 36, 700);
    let batch = batch_of(&[70, 33, 130, 9, 60]);
    let count = batch.ids.len();
    let on_device = b.upload(batch).unwrap();
    let mut numbers =
        |b: &mut B, rows: usize, cols: usize| put(b, &random.take(rows * cols), cols).0;
    let dropout = Dropout { rate: 0.1, seed: 4, site: 1, step: 2 };

    let (x, dy) = (numbers(b, count, width), numbers(b, count, wide));
    let (weights, shift) = (Random(31).take(wide * width), Random(32).take(wide));
    let (mut weight, _) = matrix(b, &weights, width, Precision::F32);
    let bias = vector(b, &shift);
    let [mut z, mut y, mut dx] = [(); 3].map(|()| B::Rows::default());
    b.linear(&x, &weight, &bias, Activation::Identity, &mut z);
    b.activation(&z, Activation::Gelu, &mut y);
    b.dropout(&mut y, &dropout);
    let mut dz = numbers(b, count, wide);
    b.add(&dy, &mut dz);
    b.activation_backward(&z, Activation::Gelu, &mut dz);
    b.linear_backward_input(&dz, &weight, &mut dx);
    let (mut dweight, mut dbias) = (numbers(b, wide, width), numbers(b, 1, wide));
    b.linear_backward_weight(&x, &dz, &mut dweight, &mut dbias);

    let norm = layer_norm(b, &shift[..width], &vec![0.0; width], 1e-5);
    let [mut normed, mut normalized, mut inverse, mut dnorm] = [(); 4].map(|()| B::Rows::default());
    b.norm_forward(&x, Some(&dx), &norm, &mut normed, &mut normalized, &mut inverse);
    let (mut scales, mut shifts) = (numbers(b, 1, width), numbers(b, 1, width));
    b.norm_backward(&dx, &normalized, &inverse, &norm, &mut dnorm, &mut scales, &mut shifts);

    let qkv = numbers(b, count, 3 * width);
    let [mut context, mut log_sums, mut dqkv] = [(); 3].map(|()| B::Rows::default());
    let of = Some(&dropout);
    b.attention_forward(&qkv, &on_device, heads, of, &mut context, &mut log_sums);
    b.attention_backward(&qkv, &on_device, heads, of, &context, &log_sums, &dnorm, &mut dqkv);

    let (mut word, mut position) = (numbers(b, 5, width), numbers(b, 5, width));
    b.embed_backward(&dx, &on_device, None, &mut word, Some(&mut position), None);
    let mut pooled = B::Rows::default();
    b.mean_pool(&x, &[0..70, 70..count], &mut pooled);
    b.mean_pool_backward(&pooled, &[0..70, 70..count], &mut dx);

    let mut loss = b.zeros(1, 1).unwrap();
    let targets: Vec<_> = (0..count).map(|n| (n % wide) as i32).collect();
    let how = CrossEntropy { class_weights: None, label_smoothing: 0.1, scale: 1.0 };
    b.cross_entropy(&mut z, &targets, how, &mut loss);
    let [squares, first, second] = optimized(b, &mut weight, &dweight, (wide, width));

    let mut all = pollster::block_on(b.read(&[
        &y, &dx, &dweight, &dbias, &normed, &dnorm, &scales, &shifts, &context, &log_sums, &dqkv,
        &word, &position, &pooled, &z, &loss, &squares, &first, &second,
    ]))
    .unwrap();
    all.push(pollster::block_on(b.read_matrix(&weight)).unwrap());
    all
}

/// Updates a weight. Returns the gradient's sum of squares and the moments.
fn optimized<B: Train>(
    b: &mut B,
    weight: &mut B::Matrix,
    gradient: &B::Rows,
    (rows, cols): (usize, usize),
) -> [B::Rows; 3] {
    let mut squares = b.zeros(1, 1).unwrap();
    b.sum_of_squares(gradient, &mut squares);
    let [mut first, mut second] = [(); 2].map(|()| b.zeros(rows, cols).unwrap());
    let step =
        AdamW { rate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weight_decay: 0.1, step: 3 };
    let clip = Clip { squares: &squares, max_norm: 1.0 };
    let parameter = Parameter::Matrix(weight);
    b.adamw(parameter, gradient, &mut first, &mut second, &step, Some(&clip));
    b.sgd(Parameter::Matrix(weight), gradient, 0.1, 0.1, Some(&clip));
    [squares, first, second]
}
