//! Devices that compute or compile a kernel wrongly.

use webert::backend::gpu::{Gpu, GpuRows};
use webert::backend::{Backend, Embeddings, Precision, Rotation};
use webert::batch::Batch;

use crate::common::adapter::gpu;
use crate::common::suite;
use crate::{PATIENCE, common, hardware};

/// Kernels that compute several calls at once are not used if the device computes or compiles them
/// wrongly.
#[test]
fn fused_kernels_that_are_wrong_are_not_used() {
    let test = "fused_kernels_that_are_wrong_are_not_used";
    if gpu(test).is_none() {
        return;
    }
    for (from, to, want) in [
        ("", "", [true, true]),
        ("sum += position_weight(", "sum -= position_weight(", [false, true]),
        ("return before[at] + residual[at];", "return before[at];", [true, false]),
        ("normed[to * params.groups + group] =", "let unused =", [true, false]),
        ("var sum = parts_of_sums[at];", "var sum = no_sums[at];", [true, false]),
    ] {
        let mut gpu = hardware(test).unwrap();
        gpu.keep_defaults();
        // Sums of short texts have parts.
        gpu.set_tiling(Some((0, 3)));
        gpu.replace_in_shaders(from, to);
        gpu.begin_warm_up();
        let [word, position] = [(); 2].map(|()| gpu.matrix(9, 8, Precision::F32).unwrap());
        let norm = suite::zero_norm(&mut gpu, 8, 1.0);
        let tables =
            Embeddings { position: Some(position), norm: Some(norm), ..Embeddings::new(word) };
        let batch = gpu.upload(suite::zero_batch(9)).unwrap();
        gpu.embed(&tables, &batch, &mut GpuRows::default());
        gpu.end_warm_up().unwrap();
        pollster::block_on(gpu.settle()).unwrap();
        assert_eq!(gpu.is_fused(), want, "{from} {to}");
        for precision in [Precision::F32, Precision::I8] {
            let [x, y, z] = suite::linear_of_normed(&mut gpu, precision, &[(28, 10)], &[3, 9]);
            assert!(x < 1e-5 && y < 2e-2 && z < 2e-2, "{from} {to}: {x:e} {y:e} {z:e}");
        }
        let error = suite::embed(&mut gpu, Precision::F32, false);
        assert!(error < 4e-6, "{from} {to}: {error:e}");
    }
}

#[test]
fn kernels_of_other_families_that_compute_wrongly_are_not_used() {
    let open = || gpu("kernels_of_other_families_that_compute_wrongly_are_not_used");
    if open().is_none() {
        return;
    }
    for (from, to) in [
        ("let sum = residual[at] + x[at];", "let sum = residual[at] - x[at];"),
        ("a * cosine - b * sine", "a * cosine + b * sine"),
        ("> params.reach", "> params.reach + 1u"),
        ("activate(a.w)) * b;", "activate(a.w));"),
        ("", ""),
    ] {
        let mut gpu = open().unwrap();
        // Loading a model compiles the kernels; here a call compiles them.
        let word = gpu.matrix(1, 12, Precision::F32).unwrap();
        let norm = suite::zero_norm(&mut gpu, 12, 1.0);
        let batch = Batch { columns: vec![0], ..suite::zero_batch(1) };
        let batch = gpu.upload(batch).unwrap();
        let mut x = GpuRows::default();
        gpu.embed(&Embeddings { norm: Some(norm), ..Embeddings::new(word) }, &batch, &mut x);
        if !from.is_empty() {
            gpu.replace_in_shaders(from, to);
        }
        let rotation = Rotation { theta: 10_000.0, interleaved: false, values: false };
        gpu.rotary(&mut x, &batch, 1, &rotation, None);
        let code = common::code(pollster::block_on(gpu.settle()));
        assert_eq!(code, if from.is_empty() { "ok" } else { "unsupported" }, "{from}");
    }
}

/// What a device does about a kernel that computes wrongly.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fallback {
    /// It refuses to run.
    Rejected,
    /// It computes in fp32, and a note says so.
    Fp32,
    /// It uses another variant and strikes out the variant of this name.
    Variant(&'static str),
}

/// A fault in the shaders, as a wrong driver would cause.
#[derive(Clone, Copy, Debug)]
struct Fault {
    /// Text in the sources of the shaders, and its replacement.
    replaced: &'static [(&'static str, &'static str)],
    barrier_free: bool,
    precision: Precision,
    fallback: Fallback,
}

impl Fault {
    const fn new(
        replaced: &'static [(&'static str, &'static str)],
        precision: Precision,
        fallback: Fallback,
    ) -> Self {
        Self { replaced, barrier_free: false, precision, fallback }
    }

    /// Runs the barrier-free kernels.
    const fn barrier_free(self) -> Self {
        Self { barrier_free: true, ..self }
    }
}

/// Faults in tiles of 64 × 64. `half`: the GPU has half floats.
fn tile_faults(half: bool) -> [Fault; 3] {
    let replaced = &[(
        "column + 4u * (at.x + 0u * THREADS_X), sum0_0);",
        "column + 4u * (at.x + 0u * THREADS_X), f32(THREADS_X < 16u) * sum0_0);",
    )];
    let f16 = if half { "f16 64x64/4x4/1/4/1" } else { "f32 64x64/4x4/1/4/1" };
    [
        Fault::new(replaced, Precision::I8, Fallback::Variant("int8 64x64/4x4/1/4/1")),
        Fault::new(replaced, Precision::F16, Fallback::Variant(f16)),
        Fault::new(replaced, Precision::F32, Fallback::Variant("f32 64x64/4x4/1/4/1")),
    ]
}

/// Faults in kernels that compute in fp32.
fn f32_faults() -> [Fault; 7] {
    let fault = |replaced, fallback| Fault::new(replaced, Precision::F32, fallback);
    [
        fault(
            &[("rescale * sum + tile_sum(query)", "tile_sum(query)")],
            Fallback::Variant("f32 16 queries"),
        ),
        fault(
            &[("mean_of(reduce_sum(index, sum))", "mean_of(reduce_sum(index, -sum))")],
            Fallback::Rejected,
        ),
        fault(&[("a.value > b.value ||", "a.value < b.value ||")], Fallback::Rejected)
            .barrier_free(),
        // does not compile
        fault(&[("fn tile_sum(", "fn tile_sum")], Fallback::Variant("f32 16 queries")),
        fault(&[("fn reduce_sum(", "fn reduce_sum")], Fallback::Rejected),
        // wide results alone, and sums in parts alone
        fault(
            &[("parts[index] = sums;", "parts[index] = f32(LANES > 8u) * sums;")],
            Fallback::Variant("f32 few rows"),
        ),
        fault(
            &[("y[(part * params.rows + row)", "y[(0u * params.rows + row)")],
            Fallback::Variant("f32 16x32/2x4/4/16/1 by 4"),
        ),
    ]
}

/// Faults in kernels that compute in int8.
fn int8_faults() -> [Fault; 6] {
    let fault = |replaced, fallback| Fault::new(replaced, Precision::I8, fallback);
    [
        fault(&[("dot4I8Packed(a.x, b.x)", "dot4I8Packed(a.x, a.x)")], Fallback::Fp32),
        // does not compile
        fault(&[("dot4I8Packed(a.x, b.x)", "none(a.x, a.x)")], Fallback::Fp32),
        // like hardware whose sums saturate at 16 bits
        fault(
            &[("f32>(products)", "f32>(min(products, vec4<i32>(32767)))")],
            Fallback::Variant("int8 few rows"),
        ),
        fault(&[("scale.y * unpack4x8snorm(b)", "scale.y * unpack4x8snorm(a)")], Fallback::Fp32)
            .barrier_free(),
        fault(&[("inverse * a", "a")], Fallback::Fp32),
        fault(
            &[("= unpack4x8snorm", "= 0.5 * unpack4x8snorm"), ("dot16(sums.x, x, a)", "0")],
            Fallback::Rejected,
        ),
    ]
}

/// Faults in kernels over weights of half floats. `half`: the GPU computes in half floats, too.
fn f16_faults(half: bool) -> Vec<Fault> {
    let products = Fault::new(
        &[
            ("narrow(value)", "narrow(BROKEN * value)"),
            ("alias Operand4 = vec4<f32>;", "const BROKEN = 1.0; alias Operand4 = vec4<f32>;"),
            ("enable f16;", "enable f16; const BROKEN = 0.5;"),
        ],
        Precision::F16,
        Fallback::Fp32,
    );
    let unpacked = &[("unpack2x16float(bits.x)", "vec2<f32>()")];
    let unpacking = Fault::new(unpacked, Precision::F16, Fallback::Rejected).barrier_free();
    half.then_some(products).into_iter().chain([unpacking]).collect()
}

#[test]
fn arithmetic_that_is_wrong_is_not_used() {
    rejects_wrong_arithmetic("arithmetic_that_is_wrong_is_not_used", false);
}

#[test]
fn arithmetic_that_is_wrong_is_not_used_after_a_warm_up() {
    rejects_wrong_arithmetic("arithmetic_that_is_wrong_is_not_used_after_a_warm_up", true);
}

fn rejects_wrong_arithmetic(test: &str, warms_up: bool) {
    let Some(mut right) = gpu(test) else { return };
    accepts_right_arithmetic(&mut right);
    let half = right.has_half();
    let (tiles, f16) = (tile_faults(half), f16_faults(half));
    for fault in tiles.into_iter().chain(f32_faults()).chain(int8_faults()).chain(f16) {
        let mut gpu = gpu(test).unwrap();
        if settles(&mut gpu, &fault, warms_up) {
            assert_struck(&gpu, &fault);
            assert_correct(&mut gpu, &fault);
        }
    }
}

fn accepts_right_arithmetic(gpu: &mut Gpu) {
    for precision in [Precision::I8, Precision::F16] {
        gpu.matrix(1, 4, precision).unwrap();
    }
    for barrier_free in [false, true] {
        gpu.set_barrier_free(barrier_free);
        assert_eq!(common::code(pollster::block_on(gpu.self_test())), "ok");
        assert_eq!(gpu.note(), None);
        assert_eq!(gpu.struck(), []);
    }
}

/// Returns true if the device can be used in spite of the fault.
fn settles(gpu: &mut Gpu, fault: &Fault, warms_up: bool) -> bool {
    gpu.set_barrier_free(fault.barrier_free);
    if matches!(fault.fallback, Fallback::Variant(name) if name.ends_with(" by 4")) {
        // Only a device that measures tests variants other than the defaults.
        gpu.claim_hardware();
        gpu.limit_patience(PATIENCE);
    }
    fault.replaced.iter().for_each(|(from, to)| gpu.replace_in_shaders(from, to));
    gpu.matrix(1, 4, fault.precision).unwrap();
    if warms_up {
        gpu.begin_warm_up();
        gpu.end_warm_up().unwrap();
    }
    let code = common::code(pollster::block_on(gpu.settle()));
    let rejected = fault.fallback == Fallback::Rejected;
    assert_eq!(code, if rejected { "unsupported" } else { "ok" }, "{fault:?}");
    !rejected
}

/// Asserts that the note and the variants struck out name what the fault broke.
fn assert_struck(gpu: &Gpu, fault: &Fault) {
    let note = gpu.note().unwrap_or_default();
    let is_fp32 = fault.fallback == Fallback::Fp32;
    assert_eq!(note.contains(": computing in fp32"), is_fp32, "{fault:?}: {note}");
    let struck = gpu.struck();
    if let Fallback::Variant(name) = fault.fallback {
        assert!(struck.iter().any(|(_, variant, _)| *variant == name), "{fault:?}: {struck:?}");
    } else {
        assert!(struck.iter().all(|(_, v, _)| !v.starts_with("f32")), "{fault:?}: {struck:?}");
    }
    assert!(struck.iter().all(|(.., why)| why.contains("GPU")), "{fault:?}: {struck:?}");
}

/// Asserts that the kernels in place of the broken ones compute correctly.
fn assert_correct(gpu: &mut Gpu, fault: &Fault) {
    let is_fp32 = fault.fallback == Fallback::Fp32;
    let (error, tolerance) = match fault.precision {
        Precision::I8 => {
            let error = suite::gpu_int8::linear(gpu, !is_fp32)[0];
            (error, if is_fp32 { 1e-6 } else { 2e-2 })
        }
        Precision::F16 if gpu.has_half() && !is_fp32 => (suite::linear(gpu, fault.precision), 2e-3),
        _ => (suite::linear(gpu, fault.precision), 1e-6),
    };
    assert!(error < tolerance, "{fault:?}: {error:e}");
    let [results, _] = suite::attention(gpu);
    assert!(results < 1e-5, "{fault:?}: {results:e}");
}
