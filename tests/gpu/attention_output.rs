//! Attention over few rows and the layer after it, in one dispatch.

use webert::backend::gpu::{Gpu, GpuRows};
use webert::backend::{Activation, Backend, Embeddings, Precision};
use webert::batch::{Batch, Sequence};

use crate::common::adapter::gpu;
use crate::common::suite::{self, attention_output};
use crate::{hardware, near, values};

/// Shapes whose attention and layer have one dispatch.
const TOGETHER: &[([usize; 3], &[usize])] = &[
    ([12, 32, 384], &[16]),
    ([1, 4, 4], &[1]),
    ([3, 12, 68], &[5, 7, 1, 16, 3]),
    ([4, 64, 132], &[32]),
    ([12, 64, 64], &[13]),
    ([2, 20, 200], &[17, 9]),
];

/// Shapes whose attention and layer have a dispatch each.
const APART: &[([usize; 3], &[usize])] = &[
    ([2, 32, 64], &[33]),
    ([2, 9, 64], &[5]),
    ([2, 32, 62], &[20, 9]),
    ([2, 68, 64], &[5]),
    // the memory of a workgroup
    ([13, 64, 64], &[5]),
    ([12, 64, 64], &[32]),
    // weights that are read again
    ([12, 32, 384], &[24]),
    ([12, 64, 768], &[5]),
];

/// Returns the kernels of attention and a layer over it, without those of their input.
fn listed(gpu: &mut Gpu, precision: Precision, shapes: &[([usize; 3], &[usize])]) -> Vec<String> {
    gpu.begin_listing();
    for ([heads, head_dim, outputs], lengths) in shapes {
        let width = heads * head_dim;
        let (weight, bias) =
            (gpu.matrix(*outputs, width, precision).unwrap(), gpu.vector(*outputs).unwrap());
        let mut sequences = Vec::new();
        let mut rows = 0;
        for length in *lengths {
            sequences.push(Sequence { rows: rows..rows + length, keys: rows..rows + length });
            rows += length;
        }
        let [ids, types, positions] = [(); 3].map(|()| vec![0; rows]);
        let batch = Batch { ids, types, positions, sequences, ..Batch::default() };
        let batch = gpu.upload(batch).unwrap();
        let table = gpu.matrix(1, 3 * width, Precision::F32).unwrap();
        let [mut qkv, mut x, mut y] = [(); 3].map(|()| GpuRows::default());
        gpu.lookup(&table, &vec![0; rows], &mut qkv);
        gpu.attention(&qkv, &batch, *heads, &mut x, None);
        gpu.linear(&x, &weight, &bias, Activation::Identity, &mut y);
    }
    let name = |kernel: &str| kernel.split('(').next().unwrap_or_default().to_owned();
    let listed = gpu.end_listing().into_iter().map(|dispatch| name(&dispatch.kernel));
    listed.filter(|kernel| kernel != "Gather").collect()
}

#[test]
fn attention_and_the_layer_after_it() {
    let Some(mut gpu) = gpu("attention_and_the_layer_after_it") else { return };
    for shapes in [TOGETHER, APART] {
        gpu.set_barrier_free(false);
        // Layers apart may multiply in 16 bits.
        let half = if shapes == TOGETHER { 2e-6 } else { 2e-3 };
        for (precision, tolerance) in
            [(Precision::F32, 2e-6), (Precision::F16, half), (Precision::Bf16, 2e-6)]
        {
            let kernels = listed(&mut gpu, precision, shapes);
            let together = kernels.iter().filter(|kernel| *kernel == "AttentionOutput").count();
            // Weights in 16 bits are half as many bytes, so more of them are read again.
            let want = match (shapes == TOGETHER, precision) {
                (true, _) => TOGETHER.len(),
                (false, Precision::F32) => 0,
                (false, _) => 1,
            };
            assert_eq!(together, want, "{precision:?}: {kernels:?}");
            for wide in [false, true] {
                gpu.set_wide_attention(wide);
                let [x, y] = attention_output(&mut gpu, precision, shapes);
                println!("{precision:?}: {x:.1e} {y:.1e}");
                assert!(x < 1e-5 && y < tolerance, "{precision:?}: {x:e} {y:e}");
            }
        }
        // Weights in 8 bits have dispatches of their own.
        let kernels = listed(&mut gpu, Precision::I8, shapes);
        assert!(!kernels.iter().any(|kernel| kernel == "AttentionOutput"), "{kernels:?}");
    }
    gpu.set_barrier_free(true);
    let kernels = listed(&mut gpu, Precision::F32, TOGETHER);
    assert!(!kernels.iter().any(|kernel| kernel == "AttentionOutput"), "{kernels:?}");
}

/// Attention over a text, and a layer over its result.
struct AttentionThenLayer {
    table: <Gpu as Backend>::Matrix,
    weight: <Gpu as Backend>::Matrix,
    bias: <Gpu as Backend>::Vector,
}

impl AttentionThenLayer {
    const HEADS: usize = 3;
    const WIDTH: usize = 12;
    const ROWS: usize = 9;

    fn new(gpu: &mut Gpu) -> Self {
        let (rows, width) = (Self::ROWS, Self::WIDTH);
        let number = |n: usize| ((n + 5) * 7919 % 2003) as f32 / 1001.0 - 1.0;
        let numbers = |count: usize| (0..count).map(number).collect::<Vec<_>>();
        let mut table = gpu.matrix(rows, 3 * width, Precision::F32).unwrap();
        gpu.write(&mut table, 0, &numbers(3 * rows * width));
        let mut weight = gpu.matrix(3 * width, width, Precision::F32).unwrap();
        gpu.write(&mut weight, 0, &numbers(3 * width * width));
        Self { table, weight, bias: gpu.vector(3 * width).unwrap() }
    }

    /// Returns queries, keys and values, and the result of attention.
    fn attend(&self, gpu: &mut Gpu) -> [GpuRows; 2] {
        let rows = Self::ROWS;
        let sequences = vec![Sequence { rows: 0..rows, keys: 0..rows }];
        let [ids, types, positions] = [(); 3].map(|()| vec![0; rows]);
        let batch = Batch { ids, types, positions, sequences, ..Batch::default() };
        let batch = gpu.upload(batch).unwrap();
        let all: Vec<u32> = (0..rows as u32).collect();
        let [mut qkv, mut x] = [(); 2].map(|()| GpuRows::default());
        gpu.lookup(&self.table, &all, &mut qkv);
        gpu.attention(&qkv, &batch, Self::HEADS, &mut x, None);
        [qkv, x]
    }

    fn layer(&self, gpu: &mut Gpu, x: &GpuRows, y: &mut GpuRows) {
        gpu.linear(x, &self.weight, &self.bias, Activation::Identity, y);
    }
}

/// The same results follow from any order of calls.
#[test]
fn what_follows_attention_does_not_change_it() {
    let Some(mut gpu) = gpu("what_follows_attention_does_not_change_it") else { return };
    gpu.set_barrier_free(false);
    let calls = AttentionThenLayer::new(&mut gpu);
    let [_, x] = calls.attend(&mut gpu);
    let want = values(&mut gpu, &[&x]).remove(0);
    let mut y = GpuRows::default();
    calls.layer(&mut gpu, &x, &mut y);
    let want_y = values(&mut gpu, &[&y]).remove(0);
    assert!(want_y.iter().any(|y| y.abs() > 0.5));

    // The layer writes over the queries, keys and values.
    let [mut qkv, x] = calls.attend(&mut gpu);
    calls.layer(&mut gpu, &x, &mut qkv);
    let got = values(&mut gpu, &[&x, &qkv]);
    assert!(near(&got[0], &want) && near(&got[1], &want_y));
    // They are dropped, so that the layer's result may take their place.
    let [qkv, x] = calls.attend(&mut gpu);
    drop(qkv);
    let mut y = GpuRows::default();
    calls.layer(&mut gpu, &x, &mut y);
    let got = values(&mut gpu, &[&y, &x]);
    assert!(near(&got[0], &want_y) && near(&got[1], &want));
    // Two attentions, and a layer of the first; the batches are dropped.
    let [[_, first], [_, second]] = [(); 2].map(|()| calls.attend(&mut gpu));
    calls.layer(&mut gpu, &first, &mut y);
    let got = values(&mut gpu, &[&y, &second]);
    assert!(near(&got[0], &want_y) && near(&got[1], &want));
    calls_that_follow_attention(&mut gpu, &calls, &want, &want_y);
}

fn calls_that_follow_attention(
    gpu: &mut Gpu,
    calls: &AttentionThenLayer,
    want: &[f32],
    want_y: &[f32],
) {
    let width = AttentionThenLayer::WIDTH;
    // Another call comes first.
    let [_, x] = calls.attend(gpu);
    let [mut some, mut y] = [(); 2].map(|()| GpuRows::default());
    gpu.gather(&x, &[2, 0], &mut some);
    calls.layer(gpu, &x, &mut y);
    let got = values(gpu, &[&some, &y]);
    assert!(near(&got[0][..width], &want[2 * width..3 * width]) && near(&got[1], want_y));
    // An activation, and a layer twice.
    let [_, x] = calls.attend(gpu);
    let [mut active, mut again] = [(); 2].map(|()| GpuRows::default());
    gpu.linear(&x, &calls.weight, &calls.bias, Activation::Relu, &mut active);
    let [_, x] = calls.attend(gpu);
    calls.layer(gpu, &x, &mut y);
    calls.layer(gpu, &x, &mut again);
    let got = values(gpu, &[&active, &y, &again]);
    let relu: Vec<f32> = want_y.iter().map(|y| y.max(0.0)).collect();
    assert!(near(&got[0], &relu) && near(&got[1], want_y) && near(&got[2], want_y));
}

/// MiniLM's dispatches for a text of 16 tokens: four for each layer, the embeddings, and the last
/// norm with the row that is read.
#[test]
fn a_layer_over_a_short_text_has_four_dispatches() {
    let Some(mut gpu) = gpu("a_layer_over_a_short_text_has_four_dispatches") else { return };
    gpu.claim_hardware();
    let cols = 384;
    let layers = [[3 * cols, cols], [cols, cols], [4 * cols, cols], [cols, 4 * cols]];
    let [qkv, output, intermediate, last] = layers.map(|[rows, cols]| {
        (gpu.matrix(rows, cols, Precision::F32).unwrap(), gpu.vector(rows).unwrap())
    });
    let [first_norm, norm] = [(); 2].map(|()| suite::zero_norm(&mut gpu, cols, 1.0));
    let word = gpu.matrix(4, cols, Precision::F32).unwrap();
    let tables = Embeddings { norm: Some(first_norm), ..Embeddings::new(word) };
    for (rows, apart, want) in [(16, false, 26), (16, true, 47), (128, false, 44)] {
        gpu.set_fused(!apart);
        let sequences = vec![Sequence { rows: 0..rows, keys: 0..rows }];
        let [ids, types, positions] = [(); 3].map(|()| vec![0; rows]);
        gpu.begin_listing();
        let batch =
            gpu.upload(Batch { ids, types, positions, sequences, ..Batch::default() }).unwrap();
        let [mut x, mut wide, mut context, mut next, mut row] =
            [(); 5].map(|()| GpuRows::default());
        gpu.embed(&tables, &batch, &mut x);
        for _ in 0..6 {
            gpu.linear(&x, &qkv.0, &qkv.1, Activation::Identity, &mut wide);
            gpu.attention(&wide, &batch, 12, &mut context, None);
            gpu.linear(&context, &output.0, &output.1, Activation::Identity, &mut next);
            gpu.add_norm(&mut next, &x, &norm);
            gpu.linear(&next, &intermediate.0, &intermediate.1, Activation::Gelu, &mut wide);
            gpu.linear(&wide, &last.0, &last.1, Activation::Identity, &mut x);
            gpu.add_norm(&mut x, &next, &norm);
        }
        gpu.gather(&x, &[0], &mut row);
        let kernels: Vec<_> = gpu.end_listing().into_iter().map(|of| of.kernel).collect();
        // Without a table of positions and types, the embeddings have fewer dispatches apart.
        let want = if apart { want - 2 } else { want };
        assert_eq!(kernels.len(), want, "{rows}: {kernels:?}");
    }
}

/// A device that computes or compiles the kernel wrongly has a dispatch for each of the two calls.
#[test]
fn attention_with_its_layer_that_is_wrong_is_not_used() {
    let test = "attention_with_its_layer_that_is_wrong_is_not_used";
    if gpu(test).is_none() {
        return;
    }
    for (from, to, right) in [
        ("", "", true),
        ("sums[1] / total.y", "sums[1] / total.x", false),
        ("four + bias[column / 4u]", "2.0 * four", false),
        ("context[row * groups + i] =", "let unused =", false),
        ("fn attend(here", "fn attend here", false),
    ] {
        let mut gpu = hardware(test).unwrap();
        gpu.keep_defaults();
        gpu.replace_in_shaders(from, to);
        gpu.begin_warm_up();
        gpu.end_warm_up().unwrap();
        pollster::block_on(gpu.settle()).unwrap();
        let struck = gpu.struck();
        if right {
            assert_eq!(struck, []);
        } else {
            let is_it = |(op, variant, why): &(&str, String, String)| {
                *op == "attention_output_fp32"
                    && variant.starts_with("f32 together")
                    && why.contains("GPU")
            };
            assert!(struck.len() == 2 && struck.iter().all(is_it), "{from}: {struck:?}");
            assert!(gpu.kernels().contains("\nattention_output_fp32 short 0 f32 apart"));
        }
        let kernels = listed(&mut gpu, Precision::F32, &TOGETHER[..1]);
        assert_eq!(kernels == ["AttentionOutput"], right, "{from}: {kernels:?}");
        let [x, y] = attention_output(&mut gpu, Precision::F32, TOGETHER);
        assert!(x < 1e-5 && y < 2e-6, "{from}: {x:e} {y:e}");
    }
}
