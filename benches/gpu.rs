//! Milliseconds of a forward pass on the GPU, at the size of MiniLM-L6 (random weights), and the
//! speed of the linear kernel: `cargo bench --profile test --bench gpu`. (That profile spares
//! compiling wgpu once more; what is measured happens in the driver.)

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark ends by panicking")]

use std::time::Instant;

use webert::backend::{Activation, Backend, Embeddings, Norm, Precision};
use webert::batch::{Batch, Sequence};
use webert::config::Config;
use webert::encoder::{Scratch, Trace, encode};
use webert::gpu::{Gpu, Rows};
use webert::weights::{Head, Layer, WeightsOn};

const HIDDEN: usize = 384;
const INTERMEDIATE: usize = 4 * HIDDEN;
const LAYERS: usize = 6;
const VOCABULARY: usize = 30_522;

fn main() {
    let mut gpu = pollster::block_on(Gpu::open()).expect("a GPU");
    println!("{}", gpu.name());
    for precision in [Precision::F32, Precision::F16, Precision::I8] {
        for (rows, outputs, inputs) in
            [(1, 1536, 384), (16, 1536, 384), (128, 1536, 384), (128, 384, 1536), (512, 768, 768)]
        {
            let seconds = linear(&mut gpu, precision, rows, outputs, inputs);
            let flops = 2.0 * (rows * outputs * inputs) as f64;
            println!(
                "linear {precision:?} {rows} × {inputs} → {outputs}: {:.3} ms, {:.1} GFLOP/s",
                seconds * 1e3,
                flops / seconds / 1e9
            );
        }
        let weights = weights(&mut gpu, precision);
        let many = if gpu.is_software() { 4 } else { 32 };
        for (count, length) in [(1, 16), (1, 128), (1, 512), (many, 128)] {
            let milliseconds = forward(&mut gpu, &weights, count, length) * 1e3;
            println!("forward {precision:?} {count} × {length}: {milliseconds:.2} ms");
        }
    }
}

/// The median of some runs of `body`, in seconds, after one that compiles pipelines.
fn median(mut body: impl FnMut()) -> f64 {
    body();
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            let start = Instant::now();
            body();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Seconds of one linear layer: ten in one submission, less the time of an empty one.
fn linear(gpu: &mut Gpu, precision: Precision, rows: usize, outputs: usize, inputs: usize) -> f64 {
    const TIMES: usize = 10;
    let weight = random(gpu, outputs, inputs, precision);
    let bias = gpu.vector(outputs).unwrap();
    let tables = tables(gpu, 1, inputs, precision);
    let batch = gpu.upload(batch(1, rows, 1)).unwrap();
    let (mut x, mut y, mut small) = (Rows::default(), Rows::default(), Rows::default());
    gpu.embed(&tables, &batch, &mut x);
    gpu.gather(&x, &[0], &mut small);
    let empty = median(|| drop(pollster::block_on(gpu.read(&[&small])).unwrap()));
    let all = median(|| {
        for _ in 0..TIMES {
            gpu.linear(&x, &weight, &bias, Activation::Gelu, &mut y);
        }
        pollster::block_on(gpu.read(&[&small])).unwrap();
    });
    (all - empty) / TIMES as f64
}

/// Seconds of the encoder over `count` sequences of `length` tokens, the last states not read but
/// for one row.
fn forward(gpu: &mut Gpu, weights: &WeightsOn<Gpu>, count: usize, length: usize) -> f64 {
    let config = Config::parse(
        format!(
            r#"{{"model_type": "bert", "vocab_size": {VOCABULARY}, "hidden_size": {HIDDEN},
            "num_hidden_layers": {LAYERS}, "num_attention_heads": 12,
            "intermediate_size": {INTERMEDIATE}, "max_position_embeddings": 512}}"#
        )
        .as_bytes(),
    )
    .unwrap();
    let mut scratch = Scratch::default();
    median(|| {
        let mut trace = Trace {
            states: Vec::new(),
            attentions: false,
            kept_states: Vec::new(),
            kept_attentions: Vec::new(),
        };
        let batch = batch(count, length, VOCABULARY);
        encode(gpu, &config, weights, batch, &mut scratch, &mut trace).unwrap();
        let mut first = Rows::default();
        gpu.gather(&scratch.state, &[0], &mut first);
        pollster::block_on(gpu.read(&[&first])).unwrap();
    })
}

fn batch(count: usize, length: usize, vocabulary: usize) -> Batch {
    let rows = count * length;
    let of = |n: usize| n * length..(n + 1) * length;
    Batch {
        ids: (0..rows).map(|n| (n * 7919 % vocabulary) as u32).collect(),
        types: vec![0; rows],
        positions: (0..rows).map(|n| (n % length.min(vocabulary)) as u32).collect(),
        sequences: (0..count).map(|n| Sequence { rows: of(n), keys: of(n) }).collect(),
    }
}

type Linear = webert::backend::Linear<webert::gpu::Matrix, <Gpu as Backend>::Vector>;

fn weights(gpu: &mut Gpu, precision: Precision) -> WeightsOn<Gpu> {
    let layers = (0..LAYERS).map(|_| Layer {
        qkv: dense(gpu, 3 * HIDDEN, HIDDEN, precision, Activation::Identity),
        attention_output: dense(gpu, HIDDEN, HIDDEN, precision, Activation::Identity),
        attention_norm: norm(gpu, HIDDEN),
        intermediate: dense(gpu, INTERMEDIATE, HIDDEN, precision, Activation::Gelu),
        output: dense(gpu, HIDDEN, INTERMEDIATE, precision, Activation::Identity),
        output_norm: norm(gpu, HIDDEN),
    });
    let layers = layers.collect();
    let embeddings = tables(gpu, VOCABULARY, HIDDEN, precision);
    WeightsOn::<Gpu> { embeddings, projection: None, layers, pooler: None, head: Head::Bare }
}

fn tables(
    gpu: &mut Gpu,
    vocabulary: usize,
    width: usize,
    precision: Precision,
) -> Embeddings<webert::gpu::Matrix, <Gpu as Backend>::Vector> {
    Embeddings {
        word: random(gpu, vocabulary, width, precision),
        position: random(gpu, 512, width, precision),
        token_type: Some(random(gpu, 2, width, precision)),
        norm: norm(gpu, width),
    }
}

fn dense(
    gpu: &mut Gpu,
    outputs: usize,
    inputs: usize,
    precision: Precision,
    activation: Activation,
) -> Linear {
    let weight = random(gpu, outputs, inputs, precision);
    Linear { weight, bias: gpu.vector(outputs).unwrap(), activation }
}

fn norm(gpu: &mut Gpu, width: usize) -> Norm<<Gpu as Backend>::Vector> {
    let mut weight = gpu.vector(width).unwrap();
    gpu.write_vector(&mut weight, 0, &vec![1.0; width]);
    Norm { weight, bias: gpu.vector(width).unwrap(), eps: 1e-12 }
}

fn random(gpu: &mut Gpu, rows: usize, cols: usize, precision: Precision) -> webert::gpu::Matrix {
    let mut matrix = gpu.matrix(rows, cols, precision).unwrap();
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 26) as f32 - 0.125
    };
    let values: Vec<f32> = (0..rows * cols).map(|_| next()).collect();
    gpu.write(&mut matrix, 0, &values);
    matrix
}
