//! The sum of squares, and the steps of the optimizers by PyTorch's formulas.

use super::finite_differences::put;
use super::*;
use webert::backend::train::{AdamW, Clip, Parameter, Train};

/// `[rows, cols]` of trained parameters. A vector has one row.
const SHAPES: [(usize, usize); 6] = [(1, 1), (13, 10), (7, 1100), (130, 28), (1, 37), (1, 9001)];

/// Returns the largest relative error of sums of squares.
pub(crate) fn sum_of_squares<B: Train>(b: &mut B) -> f64 {
    let mut random = Random(25);
    let mut worst = 0.0;
    for (rows, cols) in [(1, 1), (1, 7), (3, 5), (1, 8193), (130, 384), (257, 1021)] {
        let (x, exact) = put(b, &random.take(rows * cols), cols);
        let (mut total, _) = put(b, &[3.0], 1);
        b.sum_of_squares(&x, &mut total);
        let want = 3.0 + exact.iter().map(|x| x * x).sum::<f64>();
        worst = f64::max(worst, greatest(&read(b, &total), &[want], |_| want));
    }
    worst
}

/// A parameter on its device.
enum Held<B: Train> {
    Matrix(B::Matrix),
    Vector(B::Vector),
}

impl<B: Train> Held<B> {
    /// Creates a matrix, or a vector for a single row of at least 10 numbers.
    fn new(b: &mut B, values: &[f32], cols: usize) -> Self {
        if values.len() > cols || cols < 10 {
            Self::Matrix(matrix(b, values, cols, Precision::F32).0)
        } else {
            Self::Vector(vector(b, values))
        }
    }

    fn parameter(&mut self) -> Parameter<'_, B::Matrix, B::Vector> {
        match self {
            Self::Matrix(matrix) => Parameter::Matrix(matrix),
            Self::Vector(vector) => Parameter::Vector(vector),
        }
    }

    fn read(&self, b: &mut B) -> Vec<f32> {
        match self {
            Self::Matrix(matrix) => pollster::block_on(b.read_matrix(matrix)).unwrap(),
            Self::Vector(vector) => pollster::block_on(b.read_vector(vector)).unwrap(),
        }
    }
}

/// Returns the largest errors of parameters and moments after three steps of `AdamW`. The second
/// step is clipped.
pub(crate) fn adamw<B: Train>(b: &mut B) -> [f64; 2] {
    let mut random = Random(26);
    let mut worst = [0.0; 2];
    for (rows, cols) in SHAPES {
        let values = random.take(rows * cols);
        let mut held = Held::<B>::new(b, &values, cols);
        let mut want = wide(&values);
        let (mut m, mut v) = (vec![0.0; want.len()], vec![0.0; want.len()]);
        let mut first = b.zeros(rows, cols).unwrap();
        let mut second = b.zeros(rows, cols).unwrap();
        for number in 1..4 {
            let step = AdamW {
                rate: 0.02,
                beta1: 0.9,
                beta2: 0.99,
                epsilon: 1e-3,
                weight_decay: 0.1,
                step: number,
            };
            let (gradient, exact) = put(b, &random.take(rows * cols), cols);
            let (squares, _) = put(b, &[25.0], 1);
            let clip = (number == 2).then_some(Clip { squares: &squares, max_norm: 2.0 });
            let factor = if clip.is_some() { 2.0 / (5.0 + 1e-6) } else { 1.0 };
            let (p, clip) = (held.parameter(), clip.as_ref());
            b.adamw(p, &gradient, &mut first, &mut second, &step, clip);
            let (rate, decay) = (f64::from(step.rate), f64::from(step.weight_decay));
            let (beta1, beta2) = (f64::from(step.beta1), f64::from(step.beta2));
            for n in 0..want.len() {
                let g = exact[n] * factor;
                want[n] *= 1.0 - rate * decay;
                m[n] = beta1 * m[n] + (1.0 - beta1) * g;
                v[n] = beta2 * v[n] + (1.0 - beta2) * g * g;
                let root = (v[n] / (1.0 - beta2.powi(number as i32))).sqrt();
                let size = rate / (1.0 - beta1.powi(number as i32));
                want[n] -= size * m[n] / (root + f64::from(step.epsilon));
            }
        }
        worst[0] = f64::max(worst[0], greatest(&held.read(b), &want, |_| 1.0));
        for (got, want) in [(&first, &m), (&second, &v)] {
            worst[1] = f64::max(worst[1], greatest(&read(b, got), want, |_| 1.0));
        }
    }
    worst
}

/// Returns the largest error of parameters after two steps of gradient descent. The second step is
/// clipped.
pub(crate) fn sgd<B: Train>(b: &mut B) -> f64 {
    let mut random = Random(27);
    let mut worst = 0.0;
    for (rows, cols) in SHAPES {
        let values = random.take(rows * cols);
        let mut held = Held::<B>::new(b, &values, cols);
        let mut want = wide(&values);
        for max_norm in [None, Some(0.5)] {
            let (gradient, exact) = put(b, &random.take(rows * cols), cols);
            let (squares, _) = put(b, &[16.0], 1);
            let clip = max_norm.map(|max_norm| Clip { squares: &squares, max_norm });
            b.sgd(held.parameter(), &gradient, 0.5, 0.1, clip.as_ref());
            let factor = max_norm.map_or(1.0, |max| f64::from(max) / (4.0 + 1e-6));
            for (p, g) in want.iter_mut().zip(exact) {
                *p -= 0.5 * (factor * g + f64::from(0.1_f32) * *p);
            }
        }
        worst = f64::max(worst, greatest(&held.read(b), &want, |_| 1.0));
    }
    worst
}

/// Checks that a small gradient is not clipped, and that one that is not finite changes nothing.
pub(crate) fn clipping<B: Train>(b: &mut B) {
    let mut held = Held::<B>::new(b, &[1.0; 12], 12);
    let (gradient, _) = put(b, &[0.25; 12], 12);
    let [mut first, mut second] = [(); 2].map(|()| b.zeros(1, 12).unwrap());
    let step =
        AdamW { rate: 1.0, beta1: 0.5, beta2: 0.5, epsilon: 0.0, weight_decay: 0.0, step: 1 };
    for squares in [f32::INFINITY, f32::NAN] {
        let (squares, _) = put(b, &[squares], 1);
        let clip = Clip { squares: &squares, max_norm: f32::INFINITY };
        b.sgd(held.parameter(), &gradient, 1.0, 0.0, Some(&clip));
        b.adamw(held.parameter(), &gradient, &mut first, &mut second, &step, Some(&clip));
    }
    assert_eq!(held.read(b), [1.0; 12]);
    let kept = pollster::block_on(b.read(&[&first, &second])).unwrap();
    assert_eq!(kept, [[0.0; 12]; 2]);
    let (squares, _) = put(b, &[0.75], 1);
    for max_norm in [1.0, f32::INFINITY] {
        let clip = Clip { squares: &squares, max_norm };
        b.sgd(held.parameter(), &gradient, 1.0, 0.0, Some(&clip));
    }
    assert_eq!(held.read(b), [0.5; 12]);
}
