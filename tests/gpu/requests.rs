//! Buffers, submissions and dispatches of a request.

use webert::backend::gpu::{Gpu, GpuRows};
use webert::backend::{Activation, Backend, Embeddings, Precision};

use crate::common::adapter::gpu;
use crate::common::{Golden, TOLERANCE, suite};
use crate::{loaded, request};

#[test]
fn a_repeated_request_makes_no_buffer() {
    let Some(gpu) = gpu("a_repeated_request_makes_no_buffer") else { return };
    let model = loaded(Golden::named("bert-pretraining"), gpu);
    let run = |lengths: &[usize]| {
        let response = pollster::block_on(model.forward(request(lengths))).unwrap();
        (model.engine().backend().unwrap().buffers_made(), response)
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
fn a_long_request_is_submitted_in_pieces() {
    let Some(gpu) = gpu("a_long_request_is_submitted_in_pieces") else { return };
    let model = loaded(Golden::named("bert-pretraining"), gpu);
    let run = |multiply_adds: u64| {
        model.engine().backend().unwrap().limit_multiply_adds(multiply_adds);
        let before = model.engine().backend().unwrap().submissions();
        let response = pollster::block_on(model.forward(request(&[30, 30, 9])));
        (
            model.engine().backend().unwrap().submissions() - before,
            format!("{:?}", response.unwrap()),
        )
    };
    let (one, whole) = run(u64::MAX);
    assert_eq!(one, 1);
    let (many, pieces) = run(1);
    // four layers and attention in each layer of the model
    assert!(many > 5 * model.config().layers as u64, "{many}");
    assert!(whole == pieces);
    let work: u64 = 69 * 12 * model.config().hidden.pow(2) as u64;
    assert!((2..many).contains(&run(work).0));
    assert_eq!(run(u64::MAX), (1, whole), "as before");
}

#[test]
fn texts_of_a_full_pass_match_separate_passes() {
    for barrier_free in [false, true] {
        let test = "texts_of_a_full_pass_match_separate_passes";
        let Some(mut gpu) = gpu(test) else { return };
        gpu.set_barrier_free(barrier_free);
        let model = loaded(Golden::named("bert-pretraining"), gpu);
        let last_state = |lengths: &[usize]| {
            let response = pollster::block_on(model.forward(request(lengths))).unwrap();
            response.states[1].clone()
        };
        let lengths: Vec<usize> = (0..256).map(|n| n % 31 + 1).collect();
        let together = last_state(&lengths);
        assert_eq!(together.len(), 4_004 * model.config().hidden);
        let mut start = 0;
        for (n, &length) in lengths.iter().enumerate() {
            let end = start + length * model.config().hidden;
            // the first, the ones on both sides of each 1,024 rows, and the last
            if length > 2 && [5, 64, 65, 128, 130, 192, 194, 255].contains(&n) {
                let alone = last_state(&[length]);
                let apart = alone.iter().zip(&together[start..end]).map(|(a, b)| (a - b).abs());
                let worst = apart.fold(0.0, f32::max);
                assert!(
                    f64::from(worst) < TOLERANCE,
                    "text {n}, barrier-free {barrier_free}: {worst:e}"
                );
            }
            start = end;
        }
    }
}

#[test]
fn what_is_listed_is_what_is_run() {
    let Some(mut gpu) = gpu("what_is_listed_is_what_is_run") else { return };
    gpu.claim_hardware();
    let cols = 8;
    let word = gpu.matrix(4, cols, Precision::F32).unwrap();
    let norm = suite::zero_norm(&mut gpu, cols, 1.0);
    let tables = Embeddings { norm: Some(norm), ..Embeddings::new(word) };
    let weight = gpu.matrix(3 * cols, cols, Precision::F32).unwrap();
    let bias = gpu.vector(3 * cols).unwrap();
    let call = |gpu: &mut Gpu| {
        let batch = gpu.upload(suite::zero_batch(9)).unwrap();
        let [mut x, mut qkv, mut y] = [(); 3].map(|()| GpuRows::default());
        gpu.embed(&tables, &batch, &mut x);
        gpu.linear(&x, &weight, &bias, Activation::Gelu, &mut qkv);
        gpu.attention(&qkv, &batch, 2, &mut y, None);
        gpu.add_norm(&mut y, &x, tables.norm.as_ref().unwrap());
        let mut z = GpuRows::default();
        gpu.linear(&y, &weight, &bias, Activation::Gelu, &mut z);
        y
    };
    let (pipelines, submissions) = (gpu.pipelines_made(), gpu.submissions());
    gpu.begin_listing();
    call(&mut gpu);
    let listed = gpu.end_listing();
    assert_eq!((gpu.pipelines_made(), gpu.submissions()), (pipelines, submissions));
    let names: Vec<_> = listed.iter().map(|d| format!("{} {:?}", d.kernel, d.params)).collect();
    // The embeddings' norm and the norm before the second layer have no dispatch of their own.
    assert_eq!(names.len(), 4, "{names:?}");
    assert_eq!(listed[1].workgroups, [1, 1, 1]);
    let timed = gpu.time();
    let y = call(&mut gpu);
    let values = pollster::block_on(gpu.read(&[&y])).unwrap();
    assert_eq!(values[0].len(), 9 * cols);
    assert_eq!(gpu.submissions() - submissions, listed[3].submission as u64 + 1);
    assert!(timed || !gpu.name().contains("llvmpipe"));
    if timed {
        let run: Vec<_> = gpu.times().into_iter().map(|(name, _)| name).collect();
        assert_eq!(run, names);
    }
}
