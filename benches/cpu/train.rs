//! Benchmarks of the training kernels, at the sizes of BERT's layers.

use wasm_bindgen::prelude::wasm_bindgen;

use crate::kernels::{log, random, report, seconds};
use webert_kernels::{
    Activation, AdamW, AttentionKept, Dropout, Matrix, Moments, NormForward, NormGradients,
    Parameter, Precision, Rows, Sequence, Workspace, activation, activation_backward, adamw,
    attention, attention_backward, attention_forward, cross_entropy, dropout, embed_backward,
    linear, linear_backward_input, linear_backward_weight, norm_backward, norm_forward,
    sum_of_squares,
};

/// Prints the rates of the training kernels for `sequences` sequences of `length` tokens, states of
/// `hidden` numbers and heads of `head_dim`. Products are shown with their share of the peak, other
/// kernels in bytes per second.
#[wasm_bindgen]
pub fn train(sequences: usize, length: usize, hidden: usize, head_dim: usize) {
    let mut bench = Bench { workspace: Workspace::default(), rows: sequences * length };
    for (inputs, outputs) in
        [(hidden, 3 * hidden), (hidden, hidden), (hidden, 4 * hidden), (4 * hidden, hidden)]
    {
        bench.linear(inputs, outputs);
    }
    bench.attention(length, hidden, head_dim);
    bench.rest(hidden);
}

struct Bench {
    workspace: Workspace,
    rows: usize,
}

impl Bench {
    fn linear(&mut self, inputs: usize, outputs: usize) {
        let Self { workspace, rows } = self;
        let (x, dy) = (random(*rows, inputs), random(*rows, outputs));
        let mut weight = Matrix::zeros(outputs, inputs, Precision::F32).unwrap();
        weight.write(0, &random(outputs, inputs).data);
        let bias = vec![0.0; outputs];
        let (mut y, mut dx) = (Rows::default(), Rows::default());
        let (mut dweight, mut dbias) = (random(outputs, inputs), random(1, outputs));
        let flops = (2 * *rows * inputs * outputs) as f64;
        let name = |of: &str| format!("linear{of} {rows} × {inputs} → {outputs}");
        report(&name(""), flops, false, || {
            linear(&x, &weight, &bias, Activation::Identity, &mut y, workspace).unwrap();
        });
        report(&name("_backward_input"), flops, false, || {
            linear_backward_input(&dy, &weight, &mut dx, workspace).unwrap();
        });
        report(&name("_backward_weight"), flops, false, || {
            linear_backward_weight(&x, &dy, &mut dweight, &mut dbias, workspace).unwrap();
        });
    }

    fn attention(&mut self, length: usize, hidden: usize, head_dim: usize) {
        let Self { workspace, rows } = self;
        let (qkv, dy, heads) =
            (random(*rows, 3 * hidden), random(*rows, hidden), hidden / head_dim);
        let sequences: Vec<_> = (0..*rows / length)
            .map(|n| n * length..(n + 1) * length)
            .map(|rows| Sequence { keys: rows.clone(), rows })
            .collect();
        let [mut y, mut log_sums, mut dqkv] = [(); 3].map(|()| Rows::default());
        let flops = (4 * *rows * length * hidden) as f64;
        report(&format!("attention {rows} × {hidden}"), flops, false, || {
            attention(&qkv, &sequences, heads, &mut y, None, workspace).unwrap();
        });
        for rate in [0.0, 0.1] {
            let of = Dropout { rate, seed: 1, site: 2, step: 3 };
            let dropout = (rate > 0.0).then_some(&of);
            let name = |of: &str| format!("attention_{of} {rows} × {hidden}, dropout {rate}");
            report(&name("forward"), flops, false, || {
                let (y, log_sums) = (&mut y, &mut log_sums);
                attention_forward(&qkv, &sequences, heads, dropout, y, log_sums, workspace)
                    .unwrap();
            });
            let (sequences, y, log_sums) = (&sequences, &y, &log_sums);
            let kept = AttentionKept { qkv: &qkv, sequences, heads, dropout, y, log_sums };
            report(&name("backward"), 2.5 * flops, false, || {
                attention_backward(kept, &dy, &mut dqkv, workspace).unwrap();
            });
        }
    }

    /// Runs the kernels that memory bounds, with the bytes that they must read and write.
    fn rest(&mut self, hidden: usize) {
        self.norm(hidden);
        self.elements(hidden);
        self.optimizer(hidden);
        self.embed(hidden);
    }

    fn norm(&mut self, hidden: usize) {
        let Self { workspace, rows } = self;
        let (x, dy) = (random(*rows, hidden), random(*rows, hidden));
        let (weight, bias) = (vec![1.0; hidden], vec![0.0; hidden]);
        let [mut y, mut normalized, mut inverse, mut dx] = [(); 4].map(|()| Rows::default());
        let (mut dweight, mut dbias) = (random(1, hidden), random(1, hidden));
        time("norm_forward", 3 * *rows * hidden, || {
            let to = NormForward { y: &mut y, normalized: &mut normalized, inverse: &mut inverse };
            norm_forward(&x, None, &weight, &bias, 1e-12, to, workspace).unwrap();
        });
        time("norm_backward", 3 * *rows * hidden, || {
            let gradients = NormGradients { weight: &mut dweight, bias: &mut dbias };
            norm_backward(&dy, &normalized, &inverse, &weight, &mut dx, gradients, workspace)
                .unwrap();
        });
    }

    fn elements(&mut self, hidden: usize) {
        let Self { workspace, rows } = self;
        let (mut dy, mut y) = (random(*rows, hidden), Rows::default());
        let of = Dropout { rate: 0.1, seed: 1, site: 2, step: 3 };
        time("dropout", 2 * *rows * hidden, || dropout(&mut dy, &of, workspace));
        let (z, mut dz) = (random(*rows, 4 * hidden), random(*rows, 4 * hidden));
        time("activation Gelu, 4 × as wide", 8 * *rows * hidden, || {
            activation(&z, Activation::Gelu, &mut y, workspace).unwrap();
        });
        time("activation_backward Gelu, 4 × as wide", 12 * *rows * hidden, || {
            activation_backward(&z, Activation::Gelu, &mut dz, workspace);
        });
        let (mut logits, targets, mut loss) =
            (random(150, 30522), vec![7; 150], Rows { data: vec![0.0], rows: 1, cols: 1 });
        time("cross_entropy 150 × 30522", 2 * 150 * 30522, || {
            cross_entropy(&mut logits, &targets, Default::default(), &mut loss, workspace);
        });
    }

    fn optimizer(&mut self, hidden: usize) {
        let Self { workspace, .. } = self;
        let shape = (4 * hidden, hidden);
        let [gradient, mut first, mut second] = [(); 3].map(|()| random(shape.0, shape.1));
        second.data.iter_mut().for_each(|v| *v = v.abs());
        let mut matrix = Matrix::zeros(shape.0, shape.1, Precision::F32).unwrap();
        let (numbers, mut squares) = (shape.0 * shape.1, random(1, 1));
        time("sum_of_squares of a matrix 4 × as wide", numbers, || {
            sum_of_squares(&gradient, &mut squares, workspace);
        });
        let (rate, beta1, beta2, epsilon) = (1e-5, 0.9, 0.999, 1e-8);
        let step = AdamW { rate, beta1, beta2, epsilon, weight_decay: 0.01, step: 5 };
        time("adamw of a matrix 4 × as wide", 7 * numbers, || {
            let moments = Moments { first: &mut first, second: &mut second };
            adamw(Parameter::Matrix(&mut matrix), &gradient, moments, &step, 1.0, workspace);
        });
    }

    fn embed(&mut self, hidden: usize) {
        let Self { workspace, rows } = self;
        let (dy, mut table) = (random(*rows, hidden), random(30522, hidden));
        let ids: Vec<_> = (0..*rows as u32).map(|n| n * 7919 % 30522).collect();
        time("embed_backward of 30522 words", 3 * *rows * hidden, || {
            embed_backward(&dy, &ids, None, &mut table, workspace);
        });
    }
}

/// Prints the time of `body`, which reads and writes `numbers` numbers of 4 bytes.
fn time(name: &str, numbers: usize, body: impl FnMut()) {
    let mut body = body;
    let seconds = seconds(&mut body);
    let rate = (4 * numbers) as f64 / seconds / 1e9;
    log(&format!("{name:46} {:9.3} ms {rate:7.1} GB/s", seconds * 1e3));
}
