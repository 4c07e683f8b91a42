//! Operations on rows: embeddings, gathering, the best of a row, rotation, gates and means.

use crate::FLOATS;
use crate::common::adapter::gpu;
use crate::common::suite;

#[test]
fn embed() {
    let Some(mut gpu) = gpu("embed") else { return };
    for barrier_free in [false, true] {
        gpu.set_barrier_free(barrier_free);
        for precision in FLOATS {
            let error = suite::embed(&mut gpu, precision, false);
            println!("embed {precision:?}, barrier-free {barrier_free}: {error:.1e}");
            assert!(error < 4e-6, "{precision:?}, barrier-free {barrier_free}: {error:e}");
        }
        let error = suite::gpu_int8::embed(&mut gpu);
        println!("embed I8, barrier-free {barrier_free}: {error:.1e}");
        assert!(error < 4e-6, "I8, barrier-free {barrier_free}: {error:e}");
    }
}

#[test]
fn kernels_of_other_families() {
    let Some(mut gpu) = gpu("kernels_of_other_families") else { return };
    for barrier_free in [false, true] {
        gpu.set_barrier_free(barrier_free);
        let errors = [
            // The angle is f32: for 400 turns of up to 1 rad, its last digit is 3e-5.
            ("rotary", suite::rotary(&mut gpu), 1e-4),
            ("gate", suite::gate(&mut gpu), 2e-6),
            ("residual_norm", suite::residual_norm(&mut gpu), 1e-5),
            ("scale_rows", suite::scale_rows(&mut gpu), 1e-6),
            ("mean", suite::mean(&mut gpu), 1e-6),
        ];
        for (name, error, tolerance) in errors {
            println!("{name} {error:.1e}, barrier-free {barrier_free}");
            assert!(error < tolerance, "{name}, barrier-free {barrier_free}: {error:e}");
        }
    }
}

#[test]
fn gather() {
    let Some(mut gpu) = gpu("gather") else { return };
    suite::gather(&mut gpu);
}

#[test]
fn top_k() {
    let Some(mut gpu) = gpu("top_k") else { return };
    let error = suite::top_k(&mut gpu);
    println!("top_k: {error:.1e}");
    assert!(error < 1e-6, "{error:e}");
}
