//! The measurement of each kernel, whose results are compared with the CPU's.

use webert::backend::gpu;

use crate::common::adapter::gpu;

/// Measurements report kernels one by one.
#[test]
fn every_measured_kernel_equals_the_cpu_and_runs_again() {
    let name = "every_measured_kernel_equals_the_cpu_and_runs_again";
    let Some(gpu) = gpu(name) else { return };
    let mut bench = gpu::KernelBench::new(gpu, true).unwrap();
    let cases = bench.cases().to_vec();
    let mut inexact = 0;
    for (number, case) in cases.iter().enumerate() {
        let difference = pollster::block_on(bench.compare(number)).unwrap();
        assert!(difference <= case.tolerance, "{case:?}: {difference}");
        inexact += usize::from(difference > 0.0);
        pollster::block_on(bench.run(number, 1)).unwrap();
    }
    assert!(inexact > 15, "a comparison of nothing is exact: {inexact}");
    for (kernel, difference) in pollster::block_on(bench.compare_training()).unwrap() {
        assert!(difference <= 1e-3, "{kernel}: {difference}");
    }
    bench.gpu().destroy();
    assert!(pollster::block_on(bench.run(0, 1)).is_err());
}

/// Kernels with workgroup memory, in tiles of both sizes, are those of real GPUs.
#[test]
fn measured_kernels_of_real_devices_equal_the_cpu() {
    let Some(mut gpu) = gpu("measured_kernels_of_real_devices_equal_the_cpu") else { return };
    gpu.set_barrier_free(false);
    let mut bench = gpu::KernelBench::new(gpu, false).unwrap();
    let cases = bench.cases().to_vec();
    assert!(cases.iter().any(|case| case.variant == gpu::Variant::Tile(1, 1)));
    for (number, case) in cases.iter().enumerate() {
        if case.kernel == "linear" && case.rows() > 128 {
            continue; // compared over as many rows as 128
        }
        let difference = pollster::block_on(bench.compare(number)).unwrap();
        assert!(difference <= case.tolerance, "{case:?}: {difference}");
    }
}
