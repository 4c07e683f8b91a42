//! The choice of variants by measurement.

use webert::backend::gpu::Gpu;
use webert::backend::{Backend, Precision};

use crate::common::adapter::gpu;
use crate::common::suite;
use crate::{PATIENCE, common, hardware};

#[test]
fn variants_are_measured_once_and_never_on_a_software_adapter() {
    let test = "variants_are_measured_once_and_never_on_a_software_adapter";
    let Some(mut gpu) = hardware(test) else { return };
    pollster::block_on(gpu.settle()).unwrap();
    let (chosen, micros) = (gpu.chosen(), gpu.measured_micros());
    println!("{chosen:?} in {micros} µs");
    for shape in ["few", "short", "medium", "large", "many"] {
        for op in ["linear_fp32", "linear_q8"] {
            assert_eq!(
                chosen.iter().filter(|c| (c.0, c.1) == (op, shape)).count(),
                1,
                "{chosen:?}"
            );
        }
    }
    let both = ["attention", "attention_output_fp32"];
    for op in both.into_iter().take(if cfg!(feature = "families") { 2 } else { 1 }) {
        assert!(chosen.iter().any(|(chosen, ..)| *chosen == op), "{chosen:?}");
    }
    assert_eq!(gpu.struck(), []);
    // The budget is 0.3 s. Only the first timing has no forecast.
    assert!((1..1_500_000).contains(&micros), "{micros} µs");
    pollster::block_on(gpu.settle()).unwrap();
    assert_eq!((gpu.chosen(), gpu.measured_micros()), (chosen, micros));
    let error = suite::linear(&mut gpu, Precision::F32);
    assert!(error < 1e-6, "{error:e}");

    let mut gpu = common::adapter::gpu(test).unwrap();
    gpu.matrix(1, 4, Precision::F32).unwrap();
    pollster::block_on(gpu.settle()).unwrap();
    if gpu.is_software() {
        assert_eq!((gpu.chosen(), gpu.measured_micros()), (Vec::new(), 0));
    }
}

#[test]
fn kept_kernels_are_used_again_while_they_are_right() {
    let test = "kept_kernels_are_used_again_while_they_are_right";
    let Some(mut gpu) = hardware(test) else { return };
    pollster::block_on(gpu.settle()).unwrap();
    let (text, chosen) = (gpu.kernels(), gpu.chosen());
    println!("{text}");
    assert_eq!(gpu.kernels().lines().count(), 1 + chosen.len());
    let reopened = |text: &str| {
        let mut gpu = hardware(test).unwrap();
        gpu.restore(text);
        gpu
    };

    let mut again = reopened(&text);
    let sorted = |mut chosen: Vec<(&'static str, &'static str, String)>| {
        chosen.sort_unstable();
        chosen
    };
    // Only classes that were reached within the budget are kept.
    let kept = again.chosen().len();
    assert!(kept > 0 && again.chosen().iter().all(|one| chosen.contains(one)));
    pollster::block_on(again.settle()).unwrap();
    assert_eq!(again.measured_micros() == 0, kept == chosen.len());
    if kept == chosen.len() {
        assert_eq!(sorted(again.chosen()), sorted(chosen));
        // All but the time of the measurement is said again.
        let rest = |text: &str| text.split(' ').skip(2).collect::<Vec<_>>().join(" ");
        assert_eq!(rest(&again.kernels()), rest(&text));
    }

    // Other kernels, a line of nonsense, and a variant that there is not.
    let other = format!("0{}", &text[1..]);
    assert_eq!(reopened(&other).chosen(), []);
    let (head, _) = text.split_once('\n').unwrap();
    let lines = "linear_fp32 short x f32 32x32\nlinear_fp32 many 7 f32 1x1\n\nattention";
    assert_eq!(reopened(&format!("{head}\n{lines}")).chosen(), []);

    // A kept variant that is wrong now is struck out, and the others are measured.
    let large = "f32 64x64/4x4/1/4/1";
    let lines = ["few", "short", "medium", "large", "many"]
        .map(|shape| format!("\nlinear_fp32 {shape} 7 {large}"))
        .concat();
    let mut gpu = reopened(&format!("{head}{lines}"));
    assert_eq!(gpu.chosen().len(), 2, "calls of few results have no such variant");
    let from = "column + 4u * (at.x + 0u * THREADS_X), sum0_0);";
    let to = "column + 4u * (at.x + 0u * THREADS_X), f32(THREADS_X < 16u) * sum0_0);";
    gpu.replace_in_shaders(from, to);
    pollster::block_on(gpu.settle()).unwrap();
    assert!(gpu.struck().iter().any(|(op, name, _)| *op == "linear_fp32" && name == large));
    assert!(gpu.measured_micros() > 0);
    assert!(!gpu.chosen().iter().any(|(op, _, name)| *op == "linear_fp32" && name == large));
}

#[test]
fn a_device_that_is_lost_during_the_measurement_is_an_error() {
    let test = "a_device_that_is_lost_during_the_measurement_is_an_error";
    let Some(mut gpu) = hardware(test) else { return };
    let before = gpu.submissions();
    gpu.postpone(false);
    pollster::block_on(gpu.settle()).unwrap();
    let tested = gpu.submissions() - before;
    for later in [0, tested + 1] {
        let mut gpu = hardware(test).unwrap();
        gpu.lose_after(later);
        assert_eq!(common::code(pollster::block_on(gpu.settle())), "device_lost", "{later}");
        assert!(gpu.is_lost());
    }
    // A choice that was postponed fails as well, and leaves the defaults.
    gpu.lose_after(1);
    let improved = pollster::block_on(async {
        while gpu.improve().await? {}
        Ok(())
    });
    assert_eq!(common::code(improved), "device_lost");
    assert!(gpu.is_lost() && gpu.chosen().is_empty());
}

#[test]
fn a_postponed_choice_is_made_in_parts_between_requests() {
    let test = "a_postponed_choice_is_made_in_parts_between_requests";
    let Some(mut gpu) = hardware(test) else { return };
    gpu.postpone(false);
    pollster::block_on(gpu.settle()).unwrap();
    assert_eq!((gpu.chosen(), gpu.measured_micros()), (Vec::new(), 0));
    let defaults = gpu.kernels();
    let settled = gpu.pipelines_made();
    let layer = |gpu: &mut Gpu| suite::linear_of(gpu, Precision::F32, &[(40, 30)], &[3, 9, 70]);
    let mut parts = 0;
    loop {
        let (submissions, waiting) = (gpu.submissions(), gpu.chosen().is_empty());
        let more = pollster::block_on(gpu.improve()).unwrap();
        assert!(gpu.submissions() - submissions <= 1, "part {parts}");
        if !more {
            break;
        }
        assert!(waiting, "part {parts}");
        if parts % 20 == 0 {
            // A request between two parts is right, and the next part does not notice it.
            let error = layer(&mut gpu);
            assert!(error < 1e-6, "part {parts}: {error:e}");
        }
        parts += 1;
    }
    println!("{parts} parts, {} µs", gpu.measured_micros());
    assert!(parts > 60 && gpu.pipelines_made() > settled + 10);
    assert!(gpu.chosen().len() >= 11 && gpu.measured_micros() > 0);
    assert_eq!(gpu.struck(), []);
    assert_ne!(gpu.kernels(), defaults);
    assert!(layer(&mut gpu) < 1e-6);
    let chosen = gpu.chosen();
    assert!(!pollster::block_on(gpu.improve()).unwrap());
    assert_eq!(gpu.chosen(), chosen);
}

#[test]
fn a_postponed_choice_strikes_out_a_variant_that_is_wrong() {
    let test = "a_postponed_choice_strikes_out_a_variant_that_is_wrong";
    let Some(mut gpu) = gpu(test) else { return };
    gpu.claim_hardware();
    gpu.limit_patience(PATIENCE);
    gpu.matrix(1, 4, Precision::F32).unwrap();
    gpu.replace_in_shaders("y[(part * params.rows + row)", "y[(0u * params.rows + row)");
    gpu.postpone(false);
    pollster::block_on(gpu.settle()).unwrap();
    assert_eq!(gpu.struck(), [], "the defaults are right");
    while pollster::block_on(gpu.improve()).unwrap() {}
    let wrong = |name: &str| name.contains(" by ");
    assert!(gpu.struck().iter().all(|(_, name, _)| wrong(name)) && !gpu.struck().is_empty());
    assert!(!gpu.chosen().is_empty() && !gpu.chosen().iter().any(|(.., name)| wrong(name)));
}

#[test]
fn defaults_are_measured_for_a_comparison_with_the_cpu() {
    let test = "defaults_are_measured_for_a_comparison_with_the_cpu";
    let Some(mut gpu) = hardware(test) else { return };
    gpu.postpone(true);
    pollster::block_on(gpu.settle()).unwrap();
    assert_eq!(gpu.chosen(), []);
    let text = gpu.kernels();
    let default_times: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("~ ")).collect();
    let calls: Vec<_> =
        default_times.iter().map(|line| line.split(' ').collect::<Vec<_>>()).collect();
    assert_eq!(calls.len(), 2, "{text}");
    for call in &calls {
        assert!(call[0].starts_with("linear_") && call[1] == "short", "{text}");
    }
    // On a slow adapter the first one takes the whole budget, and the other has no time.
    assert!(calls[0][2].parse::<u32>().unwrap() > 0, "{text}");
    // A later load chooses for these calls, too.
    let mut again = hardware(test).unwrap();
    again.restore(&text);
    assert_eq!(again.chosen(), []);
    while pollster::block_on(gpu.improve()).unwrap() {}
    assert!(!gpu.kernels().contains('~') && !gpu.chosen().is_empty());
}
