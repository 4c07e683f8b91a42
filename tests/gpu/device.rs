//! Compiling once, hanging drivers and lost devices.

use webert::backend::gpu::{Gpu, GpuRows};
use webert::backend::{Activation, Backend, Embeddings, Precision};

use crate::common::adapter::gpu;
use crate::common::{Golden, suite};
use crate::{common, hardware, loaded, request};

#[test]
fn what_was_warmed_up_is_not_compiled_again() {
    let test = "what_was_warmed_up_is_not_compiled_again";
    let Some(mut defaults) = gpu(test) else { return };
    defaults.keep_defaults();
    let is_hardware = !defaults.is_software();
    let measuring = || hardware(test).unwrap();
    let layer = |gpu: &mut Gpu| {
        let weight = gpu.matrix(30, 40, Precision::I8).unwrap();
        let bias = gpu.vector(30).unwrap();
        let (mut x, mut y) = (GpuRows::default(), GpuRows::default());
        let table = gpu.matrix(1, 40, Precision::F32).unwrap();
        let norm = suite::zero_norm(gpu, 40, 1.0);
        let position = gpu.matrix(1, 40, Precision::F32).unwrap();
        let tables =
            Embeddings { position: Some(position), norm: Some(norm), ..Embeddings::new(table) };
        let batch = gpu.upload(suite::zero_batch(9)).unwrap();
        gpu.embed(&tables, &batch, &mut x);
        gpu.linear(&x, &weight, &bias, Activation::Relu, &mut y);
        y
    };
    // Hardware compiles more once the self-test is read, and a device that measures compiles the
    // kernels that it chooses.
    for (mut gpu, compiles_more) in [(defaults, is_hardware), (measuring(), true)] {
        gpu.begin_warm_up();
        layer(&mut gpu);
        let called = gpu.pipelines_made();
        gpu.end_warm_up().unwrap();
        let warmed_up = gpu.pipelines_made();
        assert!(called >= 2, "the layer's own: {called}");
        assert!(warmed_up > called, "the self-test's: {warmed_up}");
        pollster::block_on(gpu.settle()).unwrap();
        let settled = gpu.pipelines_made();
        assert_eq!(settled == warmed_up, !compiles_more, "{warmed_up}, then {settled}");
        let y = layer(&mut gpu);
        assert_eq!(pollster::block_on(gpu.read(&[&y])).unwrap()[0], [0.0; 270]);
        assert_eq!(gpu.pipelines_made(), settled);
    }
}

#[test]
fn a_lost_device_is_an_error_now_and_later() {
    let Some(gpu) = gpu("a_lost_device_is_an_error_now_and_later") else { return };
    let model = loaded(Golden::named("bert-mlm"), gpu);
    let run = || common::code(pollster::block_on(model.forward(request(&[4]))));
    assert_eq!(run(), "ok");
    model.engine().backend().unwrap().destroy();
    assert_eq!(run(), "device_lost");
    assert_eq!(run(), "device_lost");
}

#[test]
fn a_driver_that_hangs_is_not_waited_for() {
    let Some(mut gpu) = hardware("a_driver_that_hangs_is_not_waited_for") else { return };
    gpu.limit_patience(0);
    let error = pollster::block_on(gpu.settle()).unwrap_err();
    assert_eq!(error.to_string(), "the GPU device was lost: it did not answer in time");
    assert_eq!(error.code(), "device_lost");
    assert!(gpu.is_lost());
}
