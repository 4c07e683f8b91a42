//! The gradients of a linear layer.

use super::finite_differences::{dot, gradient_error, put};
use super::*;
use webert::backend::train::Train;

/// Returns the largest errors of the gradients of input, weight and bias, in units of Σ |product|.
pub(crate) fn linear_backward<B: Train>(b: &mut B) -> [f64; 3] {
    let mut random = Random(12);
    let mut worst = [0.0; 3];
    for (count, inputs, outputs) in [
        (1, 10, 28),
        (1, 1, 1),
        (2, 28, 10),
        (3, 10, 3),
        (5, 1100, 20),
        (9, 20, 1100),
        (33, 96, 130),
        (130, 52, 515),
        (600, 21, 28),
        (700, 9, 520), // several chunks of rows and several blocks of columns, in both products
    ] {
        let (weight, w) = matrix(b, &random.take(inputs * outputs), inputs, Precision::F32);
        let (x, xs) = put(b, &random.take(count * inputs), inputs);
        let (dy, dys) = put(b, &random.take(count * outputs), outputs);
        let mut dx = B::Rows::default();
        b.linear_backward_input(&dy, &weight, &mut dx);
        let column = |c: usize, cols: usize| move |n: usize| n * cols + c;
        let products = |n: usize| {
            let (row, input) = (n / inputs, n % inputs);
            let of = column(input, inputs);
            (0..outputs).map(move |o| (row * outputs + o, of(o)))
        };
        let sum = |n| products(n).map(|(at, of)| dys[at] * w[of]).sum();
        let want: Table = (0..count * inputs).map(sum).collect();
        let size = |n| products(n).map(|(at, of)| (dys[at] * w[of]).abs()).sum();
        worst[0] = f64::max(worst[0], greatest(&read(b, &dx), &want, size));

        // Gradients are added to existing values.
        let (mut dweight, before) = put(b, &random.take(inputs * outputs), inputs);
        let (mut dbias, bias_before) = put(b, &random.take(outputs), outputs);
        b.linear_backward_weight(&x, &dy, &mut dweight, &mut dbias);
        let products = |n: usize| {
            let (output, input) = (n / inputs, n % inputs);
            (0..count).map(move |row| (row * outputs + output, row * inputs + input))
        };
        let sum = |n| before[n] + products(n).map(|(y, x)| dys[y] * xs[x]).sum::<f64>();
        let want: Table = (0..inputs * outputs).map(sum).collect();
        let size = |n| products(n).map(|(y, x)| (dys[y] * xs[x]).abs()).sum();
        worst[1] = f64::max(worst[1], greatest(&read(b, &dweight), &want, size));
        let rows = |output| (0..count).map(move |row| row * outputs + output);
        let sum = |n: usize| bias_before[n] + rows(n).map(|at| dys[at]).sum::<f64>();
        let want: Table = (0..outputs).map(sum).collect();
        let size = |n| rows(n).map(|at| dys[at].abs()).sum();
        worst[2] = f64::max(worst[2], greatest(&read(b, &dbias), &want, size));
    }
    worst
}

/// Returns the largest errors of the same gradients against finite differences, each divided by the
/// largest number of its gradient.
pub(crate) fn linear_differences<B: Train>(b: &mut B) -> f64 {
    let mut random = Random(13);
    let mut worst = 0.0;
    for (count, inputs, outputs) in [(1, 3, 5), (4, 7, 2), (13, 10, 9)] {
        let (weight, w) = matrix(b, &random.take(inputs * outputs), inputs, Precision::F32);
        let (x, xs) = put(b, &random.take(count * inputs), inputs);
        let (dy, dys) = put(b, &random.take(count * outputs), outputs);
        let bias = wide(&random.take(outputs));
        let loss = |x: &[f64], w: &[f64], bias: &[f64]| {
            let y: Table = (0..count * outputs)
                .map(|n| {
                    let (row, output) = (n / outputs, n % outputs);
                    let (x, w) = (&x[row * inputs..][..inputs], &w[output * inputs..][..inputs]);
                    dot(x, w) + bias[output]
                })
                .collect();
            dot(&y, &dys)
        };
        let mut dx = B::Rows::default();
        b.linear_backward_input(&dy, &weight, &mut dx);
        let mut dweight = b.zeros(outputs, inputs).unwrap();
        let mut dbias = b.zeros(1, outputs).unwrap();
        b.linear_backward_weight(&x, &dy, &mut dweight, &mut dbias);
        for error in [
            gradient_error(&read(b, &dx), &xs, |x| loss(x, &w, &bias)),
            gradient_error(&read(b, &dweight), &w, |w| loss(&xs, w, &bias)),
            gradient_error(&read(b, &dbias), &bias, |bias| loss(&xs, &w, bias)),
        ] {
            worst = f64::max(worst, error);
        }
    }
    worst
}

/// Returns the result of reading after a gradient with weights that are not f32. It must be an
/// error.
pub(crate) fn half_weights<B: Train>(b: &mut B) -> webert::Result<Vec<Vec<f32>>> {
    let (weight, _) = matrix(b, &[1.0; 8], 4, Precision::F16);
    let (dy, _) = put(b, &[1.0; 6], 2);
    let mut dx = B::Rows::default();
    b.linear_backward_input(&dy, &weight, &mut dx);
    pollster::block_on(b.read(&[&dy]))
}
