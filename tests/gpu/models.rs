//! Forward passes against the reference and against the CPU.

use std::path::Path;

use webert::backend::Precision;
use webert::backend::cpu::Cpu;
use webert::backend::gpu::Gpu;
use webert::batch::{Batch, Sequence};
use webert::engine::{Folder, LoadOptions, ModelLoader, Request};
#[cfg(feature = "families")]
use webert::engine::{Inputs, ScorePooling, Tensor};
use webert::tokenizer::{self, Tokenizer};

use crate::common::adapter::gpu;
use crate::common::{Golden, TOLERANCE, compare_all, inputs, outputs};
use crate::{common, opened, reused};

#[test]
fn every_output_equals_the_reference() {
    if gpu("every_output_equals_the_reference").is_some() {
        // 16-bit arithmetic has tests of its own
        let load = |golden: &Golden, before: Option<Gpu>| {
            let mut gpu = reused(before);
            gpu.set_low_precision(false);
            golden.load_on(gpu, "auto").unwrap()
        };
        let greatest = compare_all(TOLERANCE, load);
        println!("greatest difference {greatest:.1e}");
    }
}

/// Outputs for SPLADE and ColBERT, with two masked tokens.
#[cfg(feature = "families")]
#[test]
fn outputs_for_retrieval_equal_those_of_the_cpu() {
    if gpu("outputs_for_retrieval_equal_those_of_the_cpu").is_none() {
        return;
    }
    let inputs = Inputs {
        dims: vec![2, 6],
        ids: (20..32).collect(),
        mask: Some(vec![1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1]),
        ..Inputs::default()
    };
    let pooling = ScorePooling::named("sum_log").unwrap();
    let near = |a: &Tensor, b: &Tensor| {
        assert_eq!(a.dims, b.dims);
        assert!(a.data.iter().zip(&b.data).all(|(a, b)| (a - b).abs() < 1e-4));
    };
    let golden = Golden::named("bert-mlm");
    let (cpu, gpu) = (golden.load("fp32").unwrap(), golden.load_on(opened(), "fp32").unwrap());
    let pooled = pollster::block_on(cpu.pooled_scores(&inputs, pooling, &common::go_on)).unwrap();
    near(
        &pooled,
        &pollster::block_on(gpu.pooled_scores(&inputs, pooling, &common::go_on)).unwrap(),
    );
    let states = pollster::block_on(cpu.whole_states(&inputs, &common::go_on)).unwrap();
    near(&states, &pollster::block_on(gpu.whole_states(&inputs, &common::go_on)).unwrap());
}

/// Compares every output of the other families. Compiling the kernels takes most of the time, so each
/// kind of kernel has a test, and the two run on two cores.
fn compare_other_families(test: &str, barrier_free: bool) {
    if gpu(test).is_none() {
        return;
    }
    let load = |golden: &Golden, before: Option<Gpu>| {
        let mut gpu = reused(before);
        gpu.set_barrier_free(barrier_free);
        golden.load_on(gpu, "auto").unwrap()
    };
    // MobileBERT's states are not normalized: they reach 134, where a step of f32 is 1.5e-5.
    let is_mobile = |golden: &&'static Golden| golden.name.starts_with("mobilebert");
    let (mobile, others): (Vec<_>, Vec<_>) = common::families::goldens().partition(is_mobile);
    common::compare_goldens(others, TOLERANCE, 150, load);
    common::compare_goldens(mobile, 2.0 * TOLERANCE, 10, load);
}

#[test]
fn every_output_of_other_families_equals_the_reference() {
    compare_other_families("every_output_of_other_families_equals_the_reference", false);
}

#[test]
fn every_output_of_other_families_equals_the_reference_without_barriers() {
    let name = "every_output_of_other_families_equals_the_reference_without_barriers";
    compare_other_families(name, true);
}

/// 8-bit integers against transformers over the same rounded numbers, with and without rounding of
/// activations on the device.
#[cfg(feature = "families")]
#[test]
fn deberta_in_q8_equals_the_reference_over_rounded_numbers() {
    if gpu("deberta_in_q8_equals_the_reference_over_rounded_numbers").is_none() {
        return;
    }
    let goldens = ["deberta-v1-base", "deberta-v3-qa", "deberta-v3-seqcls"]
        .map(|name| common::families::with_cases(name, "q8-gpu.json"));
    for barrier_free in [true, false] {
        let load = |golden: &Golden, before: Option<Gpu>| {
            let mut gpu = reused(before);
            gpu.set_barrier_free(barrier_free);
            golden.load_on(gpu, "q8").unwrap()
        };
        let greatest = common::compare_goldens(&goldens, 2e-5, 24, load);
        println!("greatest difference {greatest:.1e}, barrier-free {barrier_free}");
    }
}

#[test]
fn half_floats_match_the_cpu() {
    if gpu("half_floats_match_the_cpu").is_none() {
        return;
    }
    let golden = Golden::named("bert-base-gelu");
    let mut cpu = golden.load_on(Cpu::default(), "fp16").unwrap();
    let mut gpu = golden.load_on(opened(), "fp16").unwrap();
    assert_eq!((cpu.info().device, gpu.info().device), ("wasm", "webgpu"));
    let mut worst = 0.0_f32;
    for case in golden.cases() {
        let a = outputs(&mut cpu, &inputs(&case), true).unwrap().hidden_states;
        let b = outputs(&mut gpu, &inputs(&case), true).unwrap().hidden_states;
        for (a, b) in a.iter().zip(&b) {
            assert_eq!(a.dims, b.dims);
            let pairs = a.data.iter().zip(&b.data);
            worst = pairs.fold(worst, |max, (a, b)| max.max((a - b).abs()));
        }
    }
    println!("fp16: {worst:.1e} from the CPU's");
    // A software adapter computes in 32 bits.
    let tolerance = if gpu.engine().backend().unwrap().is_software() { 1e-4 } else { 2e-2 };
    assert!(worst < tolerance, "{worst:e}");
}

/// Returns the embedded model's states and five best words for one mask, on the GPU with this
/// precision.
fn minilm(gpu: Gpu, precision: Precision, batch: &Batch, masks: &[u32]) -> (Vec<f32>, Vec<f32>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/minilm-mlm");
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let options = LoadOptions { precision: Some(precision), ..LoadOptions::default() };
    let files = vec![("config.json".to_owned(), read("config.json"))];
    let mut loader = ModelLoader::new(Folder::read(&files).unwrap(), gpu, options).unwrap();
    loader.begin_file("model.safetensors").unwrap();
    loader.push(&read("model.safetensors")).unwrap();
    let model = pollster::block_on(loader.finish()).unwrap();
    let request = Request {
        batch: batch.clone(),
        head: true,
        tokens: Some(masks.to_vec()),
        best: Some(5),
        layers: None,
        states: vec![model.config().layers],
        attentions: false,
    };
    let mut response = pollster::block_on(model.forward(request)).unwrap();
    (response.states.remove(0), response.logits)
}

#[test]
fn eight_bits_are_near_the_same_weights_in_32() {
    if gpu("eight_bits_are_near_the_same_weights_in_32").is_none() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/minilm-mlm");
    let json = std::fs::read(folder.join("tokenizer.json")).unwrap();
    let files = tokenizer::Files { tokenizer_json: Some(&json), ..Default::default() };
    let tokenizer = Tokenizer::load(&files).unwrap();
    let mask = tokenizer.special().mask.clone().unwrap().id;
    let texts = [
        "Paris is the capital of France.",
        "The doctor told the man to rest and drink a lot of water.",
        "She plays the violin in a small orchestra near the sea.",
        "He closed the window because it was cold outside.",
        "The train leaves the station at nine in the morning.",
    ];
    let mut batch = Batch::default();
    for text in texts {
        let ids = tokenizer.encode(text, None, &Default::default()).unwrap().remove(0).ids;
        for place in (1..ids.len() - 2).step_by(2) {
            let start = batch.ids.len();
            batch.ids.extend(&ids);
            batch.ids[start + place] = mask;
            batch.positions.extend(0..ids.len() as u32);
            let rows = start..batch.ids.len();
            batch.sequences.push(Sequence { rows: rows.clone(), keys: rows });
        }
    }
    batch.types = vec![0; batch.ids.len()];
    let masks: Vec<u32> =
        (0..).zip(&batch.ids).filter(|(_, id)| **id == mask).map(|(n, _)| n).collect();
    assert_eq!(masks.len(), batch.sequences.len());
    let (exact, best) = minilm(gpu("").unwrap(), Precision::F32, &batch, &masks);
    for barrier_free in [true, false] {
        let mut gpu = gpu("").unwrap();
        gpu.set_barrier_free(barrier_free);
        let (states, got) = minilm(gpu, Precision::I8, &batch, &masks);
        let cosine = |(a, b): (&[f32], &[f32])| {
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
        };
        let width = exact.len() / batch.ids.len();
        let worst = exact.chunks(width).zip(states.chunks(width)).map(cosine).fold(1.0, f32::min);
        let ids = |row: &[f32]| row[6..].to_vec();
        let same = got.chunks(11).zip(best.chunks(11)).map(|(a, b)| {
            let b = ids(b);
            ids(a).iter().filter(|id| b.contains(id)).count()
        });
        let same: usize = same.sum();
        println!(
            "barrier-free {barrier_free}: worst cosine {worst:.5}, {same} of {} words agree",
            5 * masks.len()
        );
        assert!(worst > 0.999, "barrier-free {barrier_free}: {worst}");
        assert!(
            same * 20 >= 5 * masks.len() * 19,
            "barrier-free {barrier_free}: {same} words agree"
        );
    }
}
