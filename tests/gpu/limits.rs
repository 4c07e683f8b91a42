//! What a device may hold and bind at once.

use webert::backend::gpu::{self, Gpu, GpuRows};
use webert::backend::{Activation, Backend, Embeddings, Precision};
use webert::batch::Batch;

use crate::common::adapter::gpu;
use crate::common::{Golden, TOLERANCE, compare_all, suite};
use crate::{common, request};

#[test]
fn what_does_not_fit_is_named() {
    let Some(mut gpu) = gpu("what_does_not_fit_is_named") else { return };
    gpu.limit_weights(100 << 10);
    let error = gpu.matrix(4000, 768, Precision::F32).err().unwrap();
    assert_eq!(error.code(), "unsupported");
    let want =
        "weight matrix of 4000 × 768: expected at most 100 kB per 64 rows on this GPU, got 192 kB";
    assert_eq!(error.to_string(), want);
    gpu.limit_weights(u64::MAX);

    // Results that do not fit fail the request, but not later ones.
    let weight = gpu.matrix(1_000_000, 4, Precision::I8).unwrap();
    let bias = gpu.vector(1_000_000).unwrap();
    let rows = |gpu: &mut Gpu, count| {
        let word = gpu.matrix(1, 4, Precision::F32).unwrap();
        let norm = suite::zero_norm(gpu, 4, 1.0);
        let position = gpu.matrix(1, 4, Precision::F32).unwrap();
        let tables =
            Embeddings { position: Some(position), norm: Some(norm), ..Embeddings::new(word) };
        let batch = gpu.upload(suite::zero_batch(count)).unwrap();
        let mut x = GpuRows::default();
        gpu.embed(&tables, &batch, &mut x);
        x
    };
    for (count, code) in [(1200, "unsupported"), (1, "ok")] {
        let x = rows(&mut gpu, count);
        let mut y = GpuRows::default();
        gpu.linear(&x, &weight, &bias, Activation::Identity, &mut y);
        assert_eq!(common::code(pollster::block_on(gpu.read(&[&y]))), code);
    }
}

#[test]
fn matrices_in_several_buffers_match_one_buffer() {
    let Some(mut gpu) = gpu("matrices_in_several_buffers_match_one_buffer") else { return };
    let (rows, cols) = (1000, 100);
    let values: Vec<f32> =
        (0..rows * cols).map(|n| (n * 7919 % 2003) as f32 / 1001.0 - 1.0).collect();
    for (precision, limit) in [
        (Precision::F32, 64 * 400 + 8),
        (Precision::F16, 300 * 200),
        (Precision::Bf16, 64 * 200),
        (Precision::I8, 130 * 128),
    ] {
        // Split tables are added one by one, which rounds otherwise than all at once.
        gpu.set_fused(false);
        gpu.limit_weights(u64::MAX);
        let mut results = Vec::new();
        for split in [false, true] {
            if split {
                gpu.limit_weights(limit);
            }
            let before = gpu.buffers_made();
            let mut matrix = || {
                let mut matrix = gpu.matrix(rows, cols, precision).unwrap();
                gpu.write(&mut matrix, 0, &values[..333 * cols]);
                gpu.write(&mut matrix, 333, &values[333 * cols..]);
                matrix
            };
            let (word, position, weight) = (matrix(), matrix(), matrix());
            assert!(gpu.buffers_made() - before >= if split { 9 } else { 3 });
            let mut norm = suite::zero_norm(&mut gpu, cols, 1e-5);
            gpu.write_vector(&mut norm.weight, 0, &vec![1.0; cols]);
            let mut bias = gpu.vector(rows).unwrap();
            gpu.write_vector(&mut bias, 0, &values[..rows]);
            let tables =
                Embeddings { position: Some(position), norm: Some(norm), ..Embeddings::new(word) };
            for barrier_free in [false, true] {
                gpu.set_barrier_free(barrier_free);
                for count in [1, 3, 70] {
                    let numbers = |step: usize| {
                        (0..count).map(|n| (n * step % rows) as u32).collect::<Vec<_>>()
                    };
                    let (ids, positions) = (numbers(997), numbers(331));
                    let batch = Batch { ids, positions, ..suite::zero_batch(count) };
                    let batch = gpu.upload(batch).unwrap();
                    let (mut x, mut y) = (GpuRows::default(), GpuRows::default());
                    gpu.embed(&tables, &batch, &mut x);
                    gpu.linear(&x, &weight, &bias, Activation::Relu, &mut y);
                    results.push(pollster::block_on(gpu.read(&[&x, &y])).unwrap());
                }
            }
        }
        let (whole, split) = results.split_at(results.len() / 2);
        assert!(whole == split, "{precision:?}");
        assert!(whole[0][1].iter().any(|y| *y > 0.0));
    }
}

#[test]
fn a_device_with_the_least_limits_computes_everything() {
    if gpu("a_device_with_the_least_limits_computes_everything").is_none() {
        return;
    }
    let least = || {
        let mut gpu = pollster::block_on(Gpu::open_least()).unwrap();
        gpu.claim_hardware();
        assert!(!gpu.has_half());
        gpu
    };
    let reused = |before: Option<Gpu>| {
        let mut gpu = before.map_or_else(least, Gpu::restarted);
        gpu.claim_hardware();
        gpu
    };
    // 128 MiB may be bound at once, so a larger table is split.
    let mut gpu = least();
    let before = gpu.buffers_made();
    let (rows, cols) = (350_000, 100);
    let mut table = gpu.matrix(rows, cols, Precision::F32).unwrap();
    assert_eq!(gpu.buffers_made() - before, 2);
    let values: Vec<f32> = (0..cols).map(|n| n as f32).collect();
    for row in [0, rows - 1] {
        gpu.write(&mut table, row, &values);
    }
    let mut y = GpuRows::default();
    gpu.lookup(&table, &[rows as u32 - 1, 1, 0], &mut y);
    let got = pollster::block_on(gpu.read(&[&y])).unwrap().remove(0);
    assert_eq!(got, [&values[..], &vec![0.0; cols], &values].concat());
    drop((gpu, table, y));
    for precision in ["fp32", "fp16", "q8"] {
        let model = Golden::named("bert-base-gelu").load_on(least(), precision).unwrap();
        let response = pollster::block_on(model.forward(request(&[7, 9]))).unwrap();
        assert!(response.states[1].iter().all(|x| x.is_finite()));
    }
    let greatest =
        compare_all(TOLERANCE, |golden, before| golden.load_on(reused(before), "auto").unwrap());
    println!("greatest difference {greatest:.1e}");
}

#[test]
fn no_kernel_needs_more_than_every_device_has() {
    let capabilities = naga::valid::Capabilities::all();
    let flags = naga::valid::ValidationFlags::all();
    for (name, source) in gpu::sources() {
        let module = naga::front::wgsl::parse_str(&source).unwrap();
        let info = naga::valid::Validator::new(flags, capabilities).validate(&module).unwrap();
        let used = module.global_variables.iter().filter(|(handle, variable)| {
            matches!(variable.space, naga::AddressSpace::Storage { .. })
                && !info.get_entry_point(0)[*handle].is_empty()
        });
        let storage = used.count();
        // maxStorageBuffersPerShaderStage
        // Kernels for weights in 8 bits have more, and are used where the device allows it.
        let of_8_bits = ["I8", "Int8", "LinearRounded"].iter().any(|of| name.contains(of));
        let most = match name.split_once('(').map_or("", |(kernel, _)| kernel) {
            "Embed" if of_8_bits => 10,
            "Normed" if of_8_bits => 9,
            _ => 8,
        };
        assert!((1..=most).contains(&storage), "{name}: {storage} storage buffers");
    }
}
