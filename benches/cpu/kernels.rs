//! Benchmarks of the kernels, at the sizes of BERT's layers.

use wasm_bindgen::prelude::wasm_bindgen;

use crate::peaks;
use webert_kernels::{
    Activation, Disentangled, Distances, Matrix, Precision, Rows, Sequence, Workspace, add_norm,
    attention, attention_disentangled, linear,
};

/// Number of samples per kernel.
const SAMPLES: usize = 25;

#[wasm_bindgen]
extern "C" {
    /// Returns the CPU time of this process in milliseconds. Other processes do not count.
    #[wasm_bindgen(js_name = cpuTime)]
    fn now() -> f64;
    #[wasm_bindgen(js_namespace = console)]
    pub(crate) fn log(line: &str);
}

/// Returns the SIMD instruction set of the build: "relaxed" or "simd128".
#[wasm_bindgen]
pub fn simd() -> String {
    webert_kernels::SIMD.to_owned()
}

/// Returns the peak rate in operations per second, of f32 or of 8-bit integers.
#[wasm_bindgen]
pub fn peak(int8: bool) -> f64 {
    let of = if int8 { peaks::int8 } else { peaks::single };
    of(1 << 18) / seconds(|| _ = of(1 << 18))
}

/// Prints the rates of the kernels for a model with states of `hidden` numbers and heads of
/// `head_dim`.
#[wasm_bindgen]
pub fn kernels(hidden: usize, head_dim: usize) {
    let mut bench = Bench { workspace: Workspace::default() };
    for precision in [Precision::F32, Precision::I8] {
        for rows in [1, 3, 16, 128, 512] {
            for (inputs, outputs, activation) in [
                (hidden, 3 * hidden, Activation::Identity),
                (hidden, hidden, Activation::Identity),
                (hidden, 4 * hidden, Activation::Gelu),
                (4 * hidden, hidden, Activation::Identity),
            ] {
                bench.linear(precision, rows, inputs, outputs, activation);
            }
        }
    }
    for rows in [16, 128, 512] {
        bench.attention(rows, hidden, head_dim);
        bench.attention_disentangled(rows, hidden, head_dim);
        bench.norm(rows, hidden);
    }
}

struct Bench {
    workspace: Workspace,
}

impl Bench {
    fn linear(
        &mut self,
        precision: Precision,
        rows: usize,
        inputs: usize,
        outputs: usize,
        activation: Activation,
    ) {
        let x = random(rows, inputs);
        let mut weight = Matrix::zeros(outputs, inputs, precision).unwrap();
        weight.write(0, &random(outputs, inputs).data);
        let bias = vec![0.0; outputs];
        let mut y = Rows::default();
        let name = format!("linear {precision:?} {rows} × {inputs} → {outputs} {activation:?}");
        let flops = (2 * rows * inputs * outputs) as f64;
        report(&name, flops, precision == Precision::I8, || {
            linear(&x, &weight, &bias, activation, &mut y, &mut self.workspace).unwrap();
        });
    }

    fn attention(&mut self, rows: usize, hidden: usize, head_dim: usize) {
        let qkv = random(rows, 3 * hidden);
        let sequences = [Sequence { rows: 0..rows, keys: 0..rows }];
        let mut y = Rows::default();
        let flops = (4 * rows * rows * hidden) as f64;
        report(&format!("attention {rows} × {hidden}, heads of {head_dim}"), flops, false, || {
            let heads = hidden / head_dim;
            attention(&qkv, &sequences, heads, &mut y, None, &mut self.workspace).unwrap();
        });
    }

    /// DeBERTa-v3's attention, with 256 buckets in each direction. The products with positions count
    /// as flops only where they are read.
    fn attention_disentangled(&mut self, rows: usize, hidden: usize, head_dim: usize) {
        let qkv = random(rows, 3 * hidden);
        let sequences = [Sequence { rows: 0..rows, keys: 0..rows }];
        let distances = Distances { span: 256, buckets: 256, furthest: 512 };
        let columns: Vec<u32> = (0..rows as u32).collect();
        let [first, last] = [1 - rows as i64, rows as i64 - 1].map(|ahead| distances.row(ahead));
        let positions = random(last + 1 - first, 3 * hidden);
        let of = Disentangled {
            columns: &columns,
            masked: &[],
            positions: &positions,
            first,
            distances,
            keys: Some(hidden),
            queries: Some(0),
            factor: 3,
        };
        let mut y = Rows::default();
        let flops = (8 * rows * rows * hidden) as f64;
        report(
            &format!("disentangled {rows} × {hidden}, heads of {head_dim}"),
            flops,
            false,
            || {
                let (heads, of, threads) = (hidden / head_dim, (&of, None), &mut self.workspace);
                attention_disentangled(&qkv, &sequences, heads, of, &mut y, None, threads).unwrap();
            },
        );
    }

    fn norm(&mut self, rows: usize, hidden: usize) {
        let (mut x, residual) = (random(rows, hidden), random(rows, hidden));
        let (weight, bias) = (vec![1.0; hidden], vec![0.0; hidden]);
        let time =
            seconds(|| add_norm(&mut x, &residual, &weight, &bias, 1e-12, &mut self.workspace));
        log(&format!(
            "{:46} {:8.3} µs a row",
            format!("add and norm {rows} × {hidden}"),
            time * 1e6 / rows as f64
        ));
    }
}

/// Prints the best rate of `body`, and the median of its shares of the peak. The peak is measured
/// before and after each sample, so other load on the machine affects both alike.
pub(crate) fn report(name: &str, flops: f64, int8: bool, mut body: impl FnMut()) {
    body();
    let mut least = f64::INFINITY;
    let mut shares: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let before = peak(int8);
            let time = sample(&mut body);
            least = least.min(time);
            2.0 * flops / time / (before + peak(int8)) * 100.0
        })
        .collect();
    shares.sort_by(f64::total_cmp);
    let (rate, share) = (flops / least / 1e9, shares[SAMPLES / 2]);
    log(&format!("{name:46} {:9.3} ms {rate:7.1} GFLOP/s {share:4.0} %", least * 1e3));
}

/// Returns the shortest of some samples, in seconds.
pub(crate) fn seconds(mut body: impl FnMut()) -> f64 {
    (0..3).map(|_| sample(&mut body)).fold(f64::INFINITY, f64::min)
}

/// Returns the seconds per call, over enough calls to fill 3 ms.
fn sample(body: &mut impl FnMut()) -> f64 {
    let mut calls = 1;
    loop {
        let start = now();
        (0..calls).for_each(|_| body());
        let time = now() - start;
        if time > 3.0 {
            return time / 1e3 / f64::from(calls);
        }
        calls *= 2;
    }
}

pub(crate) fn random(rows: usize, cols: usize) -> Rows {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    Rows { data: (0..rows * cols).map(|_| next()).collect(), rows, cols }
}
