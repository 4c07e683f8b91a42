//! Linear layers in every precision and variant, and activations.

use webert::backend::gpu::GpuRows;
use webert::backend::{Activation, Backend, Embeddings, Precision};

use crate::FLOATS;
use crate::common::adapter::gpu;
use crate::common::suite;

#[test]
fn activation() {
    let Some(mut gpu) = gpu("activation") else { return };
    for (name, error) in suite::activation(&mut gpu) {
        println!("{name}: {error:.1e}");
        assert!(error < 2e-6, "{name}: {error:e}");
    }
}

#[test]
fn linear() {
    let Some(mut gpu) = gpu("linear") else { return };
    gpu.set_low_precision(false);
    for (barrier_free, side) in [(false, 32), (false, 64), (true, 32)] {
        gpu.set_barrier_free(barrier_free);
        gpu.set_tile_size(Some(side));
        for precision in FLOATS {
            let error = suite::linear(&mut gpu, precision);
            println!(
                "linear {precision:?}, barrier-free {barrier_free}, tiles of {side}: {error:.1e}"
            );
            assert!(
                error < 1e-6,
                "{precision:?}, barrier-free {barrier_free}, tiles of {side}: {error:e}"
            );
        }
    }
}

/// Every variant of linear.wgsl, with the sums of a row computed at once and in parts.
#[test]
fn variants_of_linear_layers() {
    let Some(mut gpu) = gpu("variants_of_linear_layers") else { return };
    gpu.set_barrier_free(false);
    // Sums in parts are the same lines in every variant.
    let in_parts = |tile: usize| if tile.is_multiple_of(4) { vec![1, 3] } else { vec![1] };
    let all = gpu.tilings(false).into_iter();
    for (tile, parts) in
        all.flat_map(|tile| in_parts(tile).into_iter().map(move |parts| (tile, parts)))
    {
        gpu.set_tiling(Some((tile, parts)));
        for (precision, half) in [(Precision::F32, false), (Precision::F16, true)] {
            gpu.set_low_precision(half);
            // beyond a tile in rows, columns and inputs, with parts of unequal size
            let shapes = [(28, 10), (300, 141)];
            let error = suite::linear_of(&mut gpu, precision, &shapes, &[5, 133]);
            println!("variant {tile}, {parts} parts, {precision:?}, half {half}: {error:.1e}");
            let tolerance = if half && gpu.has_half() { 2e-3 } else { 1e-6 };
            assert!(error < tolerance, "variant {tile}, {parts} parts, {precision:?}: {error:e}");
        }
    }
}

/// Every variant of linear.wgsl in 8-bit integers, over rows that are quantized once.
#[test]
fn variants_of_linear_layers_in_integers() {
    let Some(mut gpu) = gpu("variants_of_linear_layers_in_integers") else { return };
    gpu.claim_hardware();
    let (weight, bias) = (gpu.matrix(10, 300, Precision::I8).unwrap(), gpu.vector(10).unwrap());
    gpu.set_tiling(Some((0, 3)));
    gpu.begin_listing();
    let [mut x, mut y] = [(); 2].map(|()| GpuRows::default());
    gpu.lookup(&weight, &[0; 5], &mut x);
    gpu.linear(&x, &weight, &bias, Activation::Identity, &mut y);
    let kernels: Vec<_> = gpu.end_listing().into_iter().map(|d| d.kernel).collect();
    assert_eq!(
        kernels[1..],
        ["QuantizeRows", "LinearQuantized(32x32/4x4/1/4/1)", "LinearSumParts"],
        "{kernels:?}"
    );
    // beyond a tile in rows, columns and inputs, with parts of unequal size and a partial block
    let shapes = [(28, 10), (300, 141)];
    for tile in gpu.tilings(true) {
        // The sums of parts are the same lines in every variant.
        let in_parts: &[u32] = if tile.is_multiple_of(4) { &[1, 3] } else { &[1] };
        for &parts in in_parts {
            for rounds in [false, true] {
                gpu.set_tiling(Some((tile, parts)));
                if rounds {
                    gpu.set_rounding_tiling(tile, parts);
                }
                let [worst, many] = suite::gpu_int8::linear_of(&mut gpu, true, &shapes, &[5, 133]);
                let of = format!("variant {tile}, {parts} parts, rounds {rounds}");
                println!("{of}: {worst:.1e}, {many:.1e} differ");
                // at most one step of one block
                assert!(worst < 2e-2, "{of}: {worst:e}");
                assert!(many < 1e-2, "{of}: {many:e} differ");
            }
        }
    }
}

#[test]
fn linear_in_half_floats() {
    let Some(mut gpu) = gpu("linear_in_half_floats") else { return };
    assert!(gpu.has_half() || !gpu.name().contains("llvmpipe"));
    gpu.set_barrier_free(false);
    for side in [32, 64] {
        gpu.set_tile_size(Some(side));
        let error = suite::linear(&mut gpu, Precision::F16);
        println!("linear in half floats, tiles of {side}: {error:.1e}");
        // x and sums of four products are rounded to 11 bits.
        let tolerance = if gpu.has_half() { 2e-3 } else { 1e-6 };
        assert!(error < tolerance, "tiles of {side}: {error:e}");
        assert!(!gpu.has_half() || error > 1e-6, "{error:e}: not in half floats at all");
    }
}

#[test]
fn half_floats_end_at_their_greatest() {
    let Some(mut gpu) = gpu("half_floats_end_at_their_greatest") else { return };
    gpu.set_barrier_free(false);
    let (inputs, weights) = (40, vec![1.0 / 1024.0; 40]);
    let mut weight = gpu.matrix(1, inputs, Precision::F16).unwrap();
    gpu.write(&mut weight, 0, &weights);
    let bias = gpu.vector(1).unwrap();
    for large in [1e5, -1e5] {
        let word = gpu.matrix(1, inputs, Precision::F32).unwrap();
        let position = gpu.matrix(1, inputs, Precision::F32).unwrap();
        let mut norm = suite::zero_norm(&mut gpu, inputs, 1.0);
        gpu.write_vector(&mut norm.bias, 0, &vec![large; inputs]);
        let tables =
            Embeddings { position: Some(position), norm: Some(norm), ..Embeddings::new(word) };
        let batch = gpu.upload(suite::zero_batch(9)).unwrap();
        let (mut x, mut y) = (GpuRows::default(), GpuRows::default());
        gpu.embed(&tables, &batch, &mut x);
        gpu.linear(&x, &weight, &bias, Activation::Identity, &mut y);
        let greatest = if gpu.has_half() { 65504_f32.copysign(large) } else { large };
        for got in &pollster::block_on(gpu.read(&[&y])).unwrap()[0] {
            assert!((got / (40.0 / 1024.0 * greatest) - 1.0).abs() < 1e-3, "{large}: {got}");
        }
    }
}

#[test]
fn linear_int8() {
    let Some(mut gpu) = gpu("linear_int8") else { return };
    for (barrier_free, integers, side) in [
        (false, true, 32),
        (false, true, 64),
        (true, true, 32),
        (false, false, 32),
        (false, false, 64),
        (true, false, 32),
    ] {
        gpu.set_barrier_free(barrier_free);
        gpu.set_tile_size(Some(side));
        gpu.set_low_precision(integers);
        let [worst, many] = suite::gpu_int8::linear(&mut gpu, integers);
        println!(
            "linear I8, barrier-free {barrier_free}, integers {integers}: {worst:.1e}, {many:.1e} differ"
        );
        // at most one step of one block
        assert!(worst < 2e-2, "barrier-free {barrier_free}, integers {integers}: {worst:e}");
        assert!(many < 1e-2, "barrier-free {barrier_free}, integers {integers}: {many:e} differ");
    }
}
