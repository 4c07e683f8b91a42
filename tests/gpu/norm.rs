//! Norms, alone and computed by the layer that follows.

use webert::backend::gpu::{Gpu, GpuRows};
use webert::backend::{Activation, Backend, Norm, Precision};

use crate::common::adapter::gpu;
use crate::common::suite;
use crate::{near, values};

/// Every variant that may normalize its input, and sums in parts before a norm.
#[test]
fn layers_that_normalize_their_input() {
    let Some(mut gpu) = gpu("layers_that_normalize_their_input") else { return };
    gpu.set_barrier_free(false);
    let shapes = [(28, 10), (300, 141), (384, 64)];
    // one to four rows, up to 32, which layers normalize, and more
    let counts = [1, 3, 5, 16, 19, 32, 33];
    let variants = gpu.tilings(false).into_iter().flat_map(|tile| [(tile, 1), (tile, 3)]);
    let tilings = variants.filter(|(tile, _)| [0, 1, 9, 10, 11].contains(tile)).map(Some);
    for tiling in tilings.chain([None]) {
        gpu.set_tiling(tiling);
        for (precision, low) in [
            (Precision::F32, false),
            (Precision::F16, true),
            (Precision::Bf16, false),
            (Precision::I8, false),
            (Precision::I8, true),
        ] {
            gpu.set_low_precision(low);
            if let (Precision::I8, true, Some((tile, parts))) = (precision, low, tiling) {
                gpu.set_rounding_tiling(tile, parts);
            }
            let [x, y, z] = suite::linear_of_normed(&mut gpu, precision, &shapes, &counts);
            let of = format!("{tiling:?}, {precision:?}, low {low}");
            println!("{of}: {x:.1e} {y:.1e} {z:.1e}");
            let tolerance = match precision {
                Precision::I8 => 2e-2,
                Precision::F16 if gpu.has_half() => 2e-3,
                _ => 2e-6,
            };
            // The second layer may round x otherwise than the first.
            let of_norm = if low { 2e-2 } else { 2e-5 };
            assert!(x < 1e-5 && y < tolerance && z < of_norm, "{of}: {x:e} {y:e} {z:e}");
        }
    }
}

/// x = norm(first + second) with its residual, and a layer of x.
struct NormThenLayer {
    first: <Gpu as Backend>::Matrix,
    second: <Gpu as Backend>::Matrix,
    norm: Norm<<Gpu as Backend>::Vector>,
    weight: <Gpu as Backend>::Matrix,
    bias: <Gpu as Backend>::Vector,
}

impl NormThenLayer {
    const ROWS: usize = 9;
    const COLS: usize = 28;

    fn new(gpu: &mut Gpu) -> Self {
        let (count, cols) = (Self::ROWS, Self::COLS);
        let number =
            |n: usize, seed: usize| ((n + 1) * (seed + 7) * 7919 % 2003) as f32 / 1001.0 - 1.0;
        let numbers = |count: usize, seed| (0..count).map(|n| number(n, seed)).collect::<Vec<_>>();
        let [mut first, mut second, mut weight] =
            [count, count, cols].map(|rows| gpu.matrix(rows, cols, Precision::F32).unwrap());
        gpu.write(&mut first, 0, &numbers(count * cols, 1));
        gpu.write(&mut second, 0, &numbers(count * cols, 2));
        gpu.write(&mut weight, 0, &numbers(cols * cols, 3));
        let mut norm = suite::zero_norm(gpu, cols, 1e-3);
        gpu.write_vector(&mut norm.weight, 0, &numbers(cols, 4));
        let bias = gpu.vector(cols).unwrap();
        Self { first, second, norm, weight, bias }
    }

    /// Returns x and its residual.
    fn normed(&self, gpu: &mut Gpu) -> (GpuRows, GpuRows) {
        let all: Vec<u32> = (0..Self::ROWS as u32).collect();
        let [mut x, mut residual] = [(); 2].map(|()| GpuRows::default());
        gpu.lookup(&self.first, &all, &mut x);
        gpu.lookup(&self.second, &all, &mut residual);
        gpu.add_norm(&mut x, &residual, &self.norm);
        (x, residual)
    }

    fn layer(&self, gpu: &mut Gpu, x: &GpuRows, y: &mut GpuRows) {
        gpu.linear(x, &self.weight, &self.bias, Activation::Identity, y);
    }

    /// Returns the values of x and of its layer.
    fn expected(&self, gpu: &mut Gpu) -> (Vec<f32>, Vec<f32>) {
        let (x, _) = self.normed(gpu);
        let want = values(gpu, &[&x]).remove(0);
        let mut y = GpuRows::default();
        self.layer(gpu, &x, &mut y);
        assert!(want.iter().any(|x| x.abs() > 0.5));
        (want, values(gpu, &[&y]).remove(0))
    }
}

/// A norm that the next layer may compute gives the same results in any order of calls.
#[test]
fn what_follows_a_norm_does_not_change_it() {
    let Some(mut gpu) = gpu("what_follows_a_norm_does_not_change_it") else { return };
    gpu.set_barrier_free(false);
    let calls = NormThenLayer::new(&mut gpu);
    let (want, want_y) = calls.expected(&mut gpu);
    let cols = NormThenLayer::COLS;

    // The layer writes over the residual.
    let (x, mut residual) = calls.normed(&mut gpu);
    calls.layer(&mut gpu, &x, &mut residual);
    let got = values(&mut gpu, &[&x, &residual]);
    assert!(near(&got[0], &want) && near(&got[1], &want_y));
    // Another call comes first, and the layer's result may take the place of dropped rows.
    let (x, residual) = calls.normed(&mut gpu);
    let [mut some, mut y] = [(); 2].map(|()| GpuRows::default());
    drop(residual);
    gpu.gather(&x, &[2, 0], &mut some);
    calls.layer(&mut gpu, &x, &mut y);
    let got = values(&mut gpu, &[&some, &y, &x]);
    assert!(near(&got[0][..cols], &want[2 * cols..3 * cols]));
    assert!(near(&got[0][cols..], &want[..cols]));
    assert!(near(&got[1], &want_y) && near(&got[2], &want));
    // The layer's result takes the place of the residual, which was dropped.
    let (x, residual) = calls.normed(&mut gpu);
    let mut y = GpuRows::default();
    drop(residual);
    calls.layer(&mut gpu, &x, &mut y);
    let got = values(&mut gpu, &[&y, &x]);
    assert!(near(&got[0], &want_y) && near(&got[1], &want));
    norms_that_follow_norms(&mut gpu, &calls, &want, &want_y);
}

fn norms_that_follow_norms(gpu: &mut Gpu, calls: &NormThenLayer, want: &[f32], want_y: &[f32]) {
    // Normalized rows are dropped before anything reads them.
    let (x, residual) = calls.normed(gpu);
    drop(x);
    let (x, _) = calls.normed(gpu);
    let mut y = GpuRows::default();
    calls.layer(gpu, &x, &mut y);
    let got = values(gpu, &[&y, &x, &residual]);
    assert!(near(&got[0], want_y) && near(&got[1], want));
    // The residual of a norm is itself not computed yet.
    let (mut other, _) = calls.normed(gpu);
    let (x, _) = calls.normed(gpu);
    gpu.add_norm(&mut other, &x, &calls.norm);
    let twice = values(gpu, &[&other]).remove(0);
    let (mut other, _) = calls.normed(gpu);
    let (x, _) = calls.normed(gpu);
    assert!(values(gpu, &[&x, &other]).iter().all(|x| near(x, want)));
    gpu.add_norm(&mut other, &x, &calls.norm);
    assert!(near(&values(gpu, &[&other])[0], &twice));
}

#[test]
fn norm() {
    let Some(mut gpu) = gpu("norm") else { return };
    for barrier_free in [false, true] {
        gpu.set_barrier_free(barrier_free);
        let error = suite::norm(&mut gpu);
        println!("norm: {error:.1e}, barrier-free {barrier_free}");
        assert!(error < 1e-5, "barrier-free {barrier_free}: {error:e}");
    }
}

/// A layer normalizes its input only if its workgroups load less than a dispatch costs.
#[test]
fn a_norm_that_many_workgroups_would_compute_has_a_dispatch_of_its_own() {
    let test = "a_norm_that_many_workgroups_would_compute_has_a_dispatch_of_its_own";
    let Some(mut gpu) = gpu(test) else { return };
    gpu.claim_hardware();
    for (count, cols, outputs, want) in [
        (16, 384, 1536, vec!["Normed"]),
        (32, 384, 768, vec!["Normed"]),
        (1, 768, 2304, vec!["Normed"]),
        (16, 768, 3072, vec!["SumNorm", "Linear"]),
        (4, 1024, 4096, vec!["SumNorm", "LinearFewRows"]),
        (33, 384, 384, vec!["Norm", "Linear"]),
        (16, 30, 64, vec!["Norm", "Linear"]),
    ] {
        let weight = gpu.matrix(outputs, cols, Precision::F32).unwrap();
        let table = gpu.matrix(1, cols, Precision::F32).unwrap();
        let norm = suite::zero_norm(&mut gpu, cols, 1.0);
        let bias = gpu.vector(outputs).unwrap();
        let [mut x, mut residual, mut y] = [(); 3].map(|()| GpuRows::default());
        gpu.begin_listing();
        gpu.lookup(&table, &vec![0; count], &mut x);
        gpu.lookup(&table, &vec![0; count], &mut residual);
        gpu.add_norm(&mut x, &residual, &norm);
        gpu.linear(&x, &weight, &bias, Activation::Gelu, &mut y);
        let listed = gpu.end_listing();
        let names: Vec<_> =
            listed[2..].iter().map(|d| d.kernel.split('(').next().unwrap()).collect();
        assert_eq!(names, want, "{count} × {cols} → {outputs}");
    }
}
