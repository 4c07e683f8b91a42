//! The GPU: its shaders, its forward pass against the reference, its memory and its loss. Natively
//! only, on any Vulkan adapter.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use std::io::Write;

use common::{Golden, TOLERANCE, compare_all, inputs, outputs, suite};
use webert::backend::{Activation, Backend, Embeddings, Norm, Precision};
use webert::batch::{Batch, Sequence};
use webert::config::Config;
use webert::gpu::{self, Gpu};
use webert::model::ModelLoader;
use webert::network::{Network, Request};
use webert::weights::{Loader, Options};

/// The GPU, real or software. A test without one is skipped, and fails in CI.
fn gpu(test: &str) -> Option<Gpu> {
    match pollster::block_on(Gpu::open()) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            // past the test runner, which keeps what a passing test prints
            let line = format!("SKIPPED {test}: {error}\n");
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            None
        }
    }
}

#[test]
fn every_shader_is_valid() {
    // half floats are unpacked by a function that WebGPU always has and naga counts as a capability
    let capabilities = naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    let flags = naga::valid::ValidationFlags::all();
    let sources = gpu::sources();
    assert!(sources.len() >= 15);
    for (name, source) in sources {
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&source)));
        naga::valid::Validator::new(flags, capabilities)
            .validate(&module)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&source)));
    }
}

#[test]
fn every_output_equals_the_reference() {
    if gpu("every_output_equals_the_reference").is_some() {
        let load = |golden: &Golden| golden.load_on("webgpu", "auto").unwrap();
        let greatest = compare_all(TOLERANCE, load);
        println!("greatest difference {greatest:.1e}");
    }
}

#[test]
fn activations() {
    let Some(mut gpu) = gpu("activations") else { return };
    for (name, error) in suite::activations(&mut gpu) {
        println!("{name}: {error:.1e}");
        assert!(error < 2e-6, "{name}: {error:e}");
    }
}

#[test]
fn linear() {
    let Some(mut gpu) = gpu("linear") else { return };
    for direct in [false, true] {
        gpu.set_direct(direct);
        for precision in suite::PRECISIONS {
            let error = suite::linear(&mut gpu, precision);
            println!("linear {precision:?}, direct {direct}: {error:.1e}");
            assert!(error < 1e-6, "{precision:?}, direct {direct}: {error:e}");
        }
    }
}

#[test]
fn norm() {
    let Some(mut gpu) = gpu("norm") else { return };
    let error = suite::norm(&mut gpu);
    println!("norm: {error:.1e}");
    assert!(error < 1e-5, "{error:e}");
}

#[test]
fn embed() {
    let Some(mut gpu) = gpu("embed") else { return };
    for precision in suite::PRECISIONS {
        let error = suite::embed(&mut gpu, precision);
        println!("embed {precision:?}: {error:.1e}");
        assert!(error < 4e-6, "{precision:?}: {error:e}");
    }
}

#[test]
fn attention() {
    let Some(mut gpu) = gpu("attention") else { return };
    for direct in [false, true] {
        gpu.set_direct(direct);
        let [results, probabilities] = suite::attention(&mut gpu);
        println!("attention {results:.1e}, probabilities {probabilities:.1e}, direct {direct}");
        assert!(results < 1e-5, "direct {direct}: {results:e}");
        assert!(probabilities < 2e-6, "{probabilities:e}");
    }
}

#[test]
fn gather() {
    let Some(mut gpu) = gpu("gather") else { return };
    suite::gather(&mut gpu);
}

#[test]
fn low_precision_is_that_of_the_cpu() {
    if gpu("low_precision_is_that_of_the_cpu").is_none() {
        return;
    }
    let golden = Golden::named("bert-base-gelu");
    for dtype in ["fp16", "q8"] {
        let mut on =
            ["wasm", "webgpu"].map(|device| golden.load_on(device, dtype).unwrap()).into_iter();
        let [mut cpu, mut gpu] = [on.next().unwrap(), on.next().unwrap()];
        assert_eq!((cpu.info().device, gpu.info().device), ("wasm", "webgpu"));
        let mut worst = 0.0_f32;
        for case in golden.cases() {
            let [a, b] = [&mut cpu, &mut gpu]
                .map(|model| outputs(model, &inputs(&case), true).unwrap().hidden_states);
            for (a, b) in a.iter().zip(&b) {
                assert_eq!(a.dims, b.dims);
                let pairs = a.data.iter().zip(&b.data);
                worst = pairs.fold(worst, |max, (a, b)| max.max((a - b).abs()));
            }
        }
        println!("{dtype}: {worst:.1e} from the CPU's");
        assert!(worst < 1e-4, "{dtype}: {worst:e}");
    }
}

/// A golden on the GPU, one level below Model.
fn network(golden: &Golden, gpu: Gpu) -> (Config, Network<Gpu>) {
    let config = Config::parse(golden.file("config.json").unwrap()).unwrap();
    let mut loader = Loader::new(config.clone(), gpu, Options::default(), None).unwrap();
    for (name, bytes) in golden.weights() {
        loader.begin_file(name).unwrap();
        loader.push(bytes).unwrap();
    }
    (config, Network::new(loader.finish().unwrap()))
}

/// Sequences of `lengths`, with all there is to ask for.
fn request(lengths: &[usize]) -> Request {
    let mut batch = Batch::default();
    for &length in lengths {
        let start = batch.ids.len();
        batch.ids.extend((0..length as u32).map(|n| 5 + n % 50));
        batch.types.resize(start + length, 0);
        batch.positions.extend(0..length as u32);
        let rows = start..start + length;
        batch.sequences.push(Sequence { rows: rows.clone(), keys: rows });
    }
    Request { batch, head: true, tokens: Some(vec![0, 2]), states: vec![0, 1], attentions: true }
}

#[test]
fn a_repeated_request_makes_no_buffer() {
    let Some(gpu) = gpu("a_repeated_request_makes_no_buffer") else { return };
    let (config, mut network) = network(Golden::named("bert-pretraining"), gpu);
    let mut run = |lengths: &[usize]| {
        let response = pollster::block_on(network.forward(&config, request(lengths))).unwrap();
        (network.backend().buffers_made(), response)
    };
    let (loaded, first) = run(&[7, 9]);
    let (again, second) = run(&[7, 9]);
    assert_eq!(again, loaded);
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
    let (_, _) = run(&[30, 30, 30]);
    let (larger, _) = run(&[30, 30, 30]);
    let (smaller, third) = run(&[7, 9]);
    assert_eq!(smaller, larger);
    assert_eq!(format!("{first:?}"), format!("{third:?}"), "whatever was there before");
}

#[test]
fn a_lost_device_is_an_error_now_and_later() {
    let Some(gpu) = gpu("a_lost_device_is_an_error_now_and_later") else { return };
    let (config, mut network) = network(Golden::named("bert-mlm"), gpu);
    let run = |network: &mut Network<Gpu>| {
        common::code(pollster::block_on(network.forward(&config, request(&[4]))))
    };
    assert_eq!(run(&mut network), "ok");
    network.backend().destroy();
    assert_eq!(run(&mut network), "device_lost");
    assert_eq!(run(&mut network), "device_lost");
}

#[test]
fn what_does_not_fit_is_named() {
    let Some(mut gpu) = gpu("what_does_not_fit_is_named") else { return };
    let error = gpu.matrix(4_000_000, 768, Precision::F32).err().unwrap();
    assert_eq!(error.code(), "unsupported");
    assert!(error.to_string().contains("4000000 × 768 takes 11718 MB"), "{error}");

    // results that do not fit fail the request, and only that
    let weight = gpu.matrix(1_000_000, 4, Precision::I8).unwrap();
    let bias = gpu.vector(1_000_000).unwrap();
    let rows = |gpu: &mut Gpu, count| {
        let list = vec![0; count];
        let word = gpu.matrix(1, 4, Precision::F32).unwrap();
        let (weight, bias) = (gpu.vector(4).unwrap(), gpu.vector(4).unwrap());
        let norm = Norm { weight, bias, eps: 1.0 };
        let position = gpu.matrix(1, 4, Precision::F32).unwrap();
        let tables = Embeddings { word, position, token_type: None, norm };
        let sequences = vec![Sequence { rows: 0..count, keys: 0..count }];
        let (types, positions) = (list.clone(), list.clone());
        let batch = gpu.upload(Batch { ids: list, types, positions, sequences }).unwrap();
        let mut x = gpu::Rows::default();
        gpu.embed(&tables, &batch, &mut x);
        x
    };
    for (count, code) in [(1200, "unsupported"), (1, "ok")] {
        let x = rows(&mut gpu, count);
        let mut y = gpu::Rows::default();
        gpu.linear(&x, &weight, &bias, Activation::Identity, &mut y);
        assert_eq!(common::code(pollster::block_on(gpu.read(&[&y]))), code);
    }
}

#[test]
fn the_device_is_the_one_asked_for() {
    let Some(gpu) = gpu("the_device_is_the_one_asked_for") else { return };
    let golden = Golden::named("bert-mlm");
    let auto = golden.load_on("auto", "auto").unwrap();
    let expected = if gpu.is_software() { "wasm" } else { "webgpu" };
    assert_eq!(auto.info().device, expected);
    let reason = &auto.info().device_reason;
    assert!(reason.contains("auto chose the") && reason.contains(gpu.name()), "{reason}");
    let files = golden.small_files();
    let open = ModelLoader::open(&files, "npu", "auto", None);
    assert_eq!(common::code(pollster::block_on(open)), "bad_input");
}
