//! Benchmark of the forward pass on this machine's GPU, with random weights: milliseconds, the
//! share of the peak, and the time per kernel.
//!
//! `cargo bench --profile test --bench gpu [SECONDS]` skips a case that would take longer than
//! SECONDS (default 10). With `case=NAME`, only cases whose name contains NAME run, and short texts
//! three times: as chosen, and with attention and the layer after it together and apart. The test
//! profile avoids compiling wgpu again; the measured work happens in the driver.
//! `VK_ICD_FILENAMES` selects another driver.
//!
//! `cargo bench --profile test --bench gpu -- variants [PRECISION [ROWS]]` times every variant of the
//! linear layers by shape, with weights in F32, F16 and I8, or in one of them, over this number of rows.
//!
//! `cargo bench --profile test --bench gpu -- roofline [DEVICE] [FIGURE=VALUE…] [case=NAME] [tiles[=PARTS]]
//! [apart]`
//! measures nothing. It lists the dispatches and computes lower bounds for a device with these
//! figures, see docs/notes/webgpu.md.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark ends by panicking"
)]

#[path = "../common/mod.rs"]
mod common;
mod kernels;
mod peaks;
mod roofline;
mod variants;

use std::time::Instant;

use common::batch;
use peaks::Peaks;
use webert::backend::gpu::{Gpu, GpuMatrix, GpuRows};
use webert::backend::{Activation, Backend, Embeddings, Norm, NormKind, Precision};
use webert::config::Config;
use webert::model::encoder::{Scratch, Span, encode};
use webert::model::{EncoderOn, Layer};

/// Seconds of work before each case on a GPU.
const BUSY: f64 = 0.5;
/// Timed runs of a case.
const RUNS: usize = 15;
/// Rows of the word table. Their number does not affect a lookup.
const VOCABULARY: usize = 1000;

/// The shape of a model. The feed-forward is four times as wide as the states.
struct Model {
    name: &'static str,
    layers: usize,
    hidden: usize,
    heads: usize,
}

const MODELS: [Model; 3] = [
    // shows the cost of a request besides its arithmetic
    Model { name: "2 × 128", layers: 2, hidden: 128, heads: 2 },
    Model { name: "MiniLM", layers: 6, hidden: 384, heads: 12 },
    Model { name: "BERT-base", layers: 12, hidden: 768, heads: 12 },
];

/// Number of sequences, and tokens per sequence.
const WORKLOADS: [(usize, usize); 5] = [(1, 1), (1, 16), (1, 128), (1, 512), (32, 128)];

impl Model {
    /// Returns the operations of the encoder, two per multiply-add. Counts matrix products and
    /// attention only.
    fn flops(&self, count: usize, length: usize) -> f64 {
        let products = 24 * self.hidden * self.hidden + 4 * length * self.hidden;
        (self.layers * count * length * products) as f64
    }

    fn config(&self) -> Config {
        let Self { layers, hidden, heads, .. } = self;
        let wide = 4 * hidden;
        let json = format!(
            r#"{{"model_type": "bert", "vocab_size": {VOCABULARY}, "hidden_size": {hidden},
            "num_hidden_layers": {layers}, "num_attention_heads": {heads},
            "intermediate_size": {wide}, "max_position_embeddings": 512}}"#
        );
        Config::parse(json.as_bytes()).unwrap()
    }
}

fn main() {
    let budget: f64 = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(10.0);
    let wanted = std::env::args().find_map(|a| Some(a.strip_prefix("case=")?.to_owned()));
    let mut gpu = pollster::block_on(Gpu::open()).expect("a GPU");
    let mut arguments = std::env::args().filter(|argument| argument != "--bench").skip(1);
    let first = arguments.next();
    if first.as_deref() == Some("variants") {
        let only: Vec<String> = arguments.collect();
        return variants::print(&mut gpu, &only).expect("a device that computes");
    }
    if first.as_deref() == Some("roofline") {
        if let Err(message) = roofline::print(&mut gpu, &arguments.collect::<Vec<_>>()) {
            eprintln!("{message}");
            std::process::exit(2);
        }
        return;
    }
    let peaks = peaks::peaks(gpu.is_software());
    println!(
        "{}: fma {:.1} GFLOP/s, in 16 bits {:.1}; 8-bit products {:.1} GOP/s; reads {:.1} GB/s",
        gpu.name(),
        peaks.single / 1e9,
        peaks.half / 1e9,
        peaks.int8 / 1e9,
        peaks.bytes / 1e9
    );
    println!("share: of the fma peak in f32, or of the time that memory needs, whichever bounds");
    for model in MODELS {
        for precision in [Precision::F32, Precision::F16, Precision::I8] {
            let title = |(count, length)| format!("{} {precision:?} {count}×{length}", model.name);
            let is_wanted = |of| wanted.as_ref().is_none_or(|wanted| title(of).contains(wanted));
            if !WORKLOADS.into_iter().any(is_wanted) {
                continue;
            }
            let weights = Weights { gpu: &mut gpu, precision, filled: true }.encoder(&model);
            choose(&mut gpu, &model, &weights);
            // seconds per operation in the previous case
            let mut rate = 0.0;
            for (count, length) in WORKLOADS.into_iter().filter(|of| is_wanted(*of)) {
                let name = title((count, length));
                let flops = model.flops(count, length);
                let expected = rate * flops;
                if expected > budget {
                    println!("{name:26} skipped: about {expected:.0} s");
                    continue;
                }
                raise_clock(&mut gpu, &model, &weights, budget);
                let seconds = forward(&mut gpu, &model, &weights, count, length);
                // With a single token, arithmetic does not dominate the time.
                rate = if count * length > 1 { seconds / flops } else { 0.0 };
                println!(
                    "{name:26} {:9.2} ms {:8.1} GFLOP/s, {:.0} %",
                    seconds * 1e3,
                    flops / seconds / 1e9,
                    100.0 * bound(&model, precision, &peaks, flops) / seconds
                );
                if wanted.is_some() && count * length <= 32 {
                    compare_attention(&mut gpu, &model, &weights, count, length);
                }
                if gpu.time() {
                    once(&mut gpu, &model, &weights, count, length, &mut Scratch::default());
                    kernels::print(gpu.times(), &peaks, length);
                }
            }
        }
    }
}

/// Tests the device's kernels and chooses the fastest variants, as loading a model does.
fn choose(gpu: &mut Gpu, model: &Model, weights: &EncoderOn<Gpu>) {
    gpu.begin_warm_up();
    let span = Span { layers: model.layers, ..Span::default() };
    let batch = batch(1, 16, VOCABULARY);
    encode(gpu, &model.config(), weights, batch, &mut Scratch::default(), &span).unwrap();
    gpu.end_warm_up().unwrap();
    let start = Instant::now();
    pollster::block_on(gpu.settle()).unwrap();
    let (all, measured) = (start.elapsed().as_secs_f64(), gpu.measured_micros());
    println!(
        "tested and chosen in {all:.3} s, {measured} µs of them measuring: {:?}",
        gpu.chosen()
    );
    for (kernel, variant, why) in gpu.struck() {
        println!("    not used: {kernel}, {variant}: {why}");
    }
}

/// Times attention with the layer after it in one dispatch, and in two, by turns.
fn compare_attention(
    gpu: &mut Gpu,
    model: &Model,
    weights: &EncoderOn<Gpu>,
    count: usize,
    length: usize,
) {
    for (loads, how) in [(1, "together"), (2, "together by 2"), (0, "apart")].repeat(2) {
        gpu.set_attention_output(Some(loads));
        let seconds = forward(gpu, model, weights, count, length);
        println!("    attention and the layer after it {how:13} {:9.3} ms", seconds * 1e3);
    }
    gpu.set_attention_output(None);
}

/// Returns the lower bound in seconds, by the arithmetic or by reading the weights from memory.
fn bound(model: &Model, precision: Precision, peaks: &Peaks, flops: f64) -> f64 {
    let bytes = precision.bytes(12 * model.hidden * model.layers, model.hidden) as f64;
    f64::max(flops / peaks.single, bytes / peaks.bytes)
}

/// Returns the median time of some runs of `body` in seconds, after a first run that compiles
/// pipelines. Takes a single run if it is long.
fn median(mut body: impl FnMut()) -> f64 {
    body();
    let mut run = || {
        let start = Instant::now();
        body();
        start.elapsed().as_secs_f64()
    };
    let first = run();
    if first > 2.0 {
        return first;
    }
    let mut times: Vec<f64> = (0..RUNS).map(|_| run()).collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Keeps a GPU busy for a while, as its clock falls when it has nothing to do.
fn raise_clock(gpu: &mut Gpu, model: &Model, weights: &EncoderOn<Gpu>, budget: f64) {
    if gpu.is_software() {
        return;
    }
    let mut scratch = Scratch::default();
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < BUSY.min(budget) {
        once(gpu, model, weights, 32, 128, &mut scratch);
    }
}

/// Returns the seconds of the encoder over `count` sequences of `length` tokens.
fn forward(
    gpu: &mut Gpu,
    model: &Model,
    weights: &EncoderOn<Gpu>,
    count: usize,
    length: usize,
) -> f64 {
    let mut scratch = Scratch::default();
    median(|| once(gpu, model, weights, count, length, &mut scratch))
}

/// Runs the encoder once and reads one row of the last states.
fn once(
    gpu: &mut Gpu,
    model: &Model,
    weights: &EncoderOn<Gpu>,
    count: usize,
    length: usize,
    scratch: &mut Scratch<Gpu>,
) {
    let batch = batch(count, length, VOCABULARY);
    let span = Span { layers: model.layers, ..Span::default() };
    encode(gpu, &model.config(), weights, batch, scratch, &span).unwrap();
    let mut first = GpuRows::default();
    gpu.gather(&scratch.state, &[0], &mut first);
    pollster::block_on(gpu.read(&[&first])).unwrap();
}

type Linear = webert::backend::Linear<GpuMatrix, <Gpu as Backend>::Vector>;

/// Creates weights with a precision: filled with numbers, or with a shape only.
struct Weights<'a> {
    gpu: &'a mut Gpu,
    precision: Precision,
    filled: bool,
}

impl Weights<'_> {
    fn encoder(mut self, model: &Model) -> EncoderOn<Gpu> {
        let (hidden, wide) = (model.hidden, 4 * model.hidden);
        let layers = (0..model.layers).map(|_| Layer {
            qkv: self.dense(3 * hidden, hidden, Activation::Identity),
            positions: None,
            distances: None,
            attention_output: self.dense(hidden, hidden, Activation::Identity),
            attention_norm: self.norm(hidden),
            intermediate: self.dense(wide, hidden, Activation::Gelu),
            output: self.dense(hidden, wide, Activation::Identity),
            output_norm: self.norm(hidden),
            bottleneck: None,
            feed_forwards: Vec::new(),
            span: None,
        });
        let layers = layers.collect();
        let embeddings = Embeddings {
            word: self.random(VOCABULARY, hidden),
            position: Some(self.random(512, hidden)),
            token_type: Some(self.random(2, hidden)),
            task_type: None,
            norm: Some(self.norm(hidden)),
        };
        let depth = model.layers;
        EncoderOn::<Gpu> {
            embeddings,
            projection: None,
            relative_bias: None,
            relative: None,
            convolution: None,
            rotary_table: None,
            first_norm: None,
            layers,
            depth,
        }
    }

    fn dense(&mut self, outputs: usize, inputs: usize, activation: Activation) -> Linear {
        let weight = self.random(outputs, inputs);
        Linear { weight, bias: self.gpu.vector(outputs).unwrap(), activation }
    }

    fn norm(&mut self, width: usize) -> Norm<<Gpu as Backend>::Vector> {
        let mut weight = self.gpu.vector(width).unwrap();
        if self.filled {
            self.gpu.write_vector(&mut weight, 0, &vec![1.0; width]);
        }
        Norm { weight, bias: self.gpu.vector(width).unwrap(), eps: 1e-12, kind: NormKind::Layer }
    }

    fn random(&mut self, rows: usize, cols: usize) -> GpuMatrix {
        let mut matrix = self.gpu.matrix(rows, cols, self.precision).unwrap();
        if !self.filled {
            return matrix;
        }
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 26) as f32 - 0.125
        };
        let values: Vec<f32> = (0..rows * cols).map(|_| next()).collect();
        self.gpu.write(&mut matrix, 0, &values);
        matrix
    }
}
