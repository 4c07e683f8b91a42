//! Attention in its kinds.

use crate::common::adapter::gpu;
use crate::common::suite;

#[test]
fn attention() {
    let Some(mut gpu) = gpu("attention") else { return };
    for (barrier_free, wide) in [(false, false), (false, true), (true, false)] {
        gpu.set_barrier_free(barrier_free);
        gpu.set_wide_attention(wide);
        let [results, probabilities] = suite::attention(&mut gpu);
        println!(
            "attention {results:.1e}, probabilities {probabilities:.1e}, barrier-free {barrier_free}, wide {wide}"
        );
        assert!(results < 1e-5, "barrier-free {barrier_free}: {results:e}");
        assert!(probabilities < 2e-6, "{probabilities:e}");
    }
}

#[test]
fn attention_relative() {
    let Some(mut gpu) = gpu("attention_relative") else { return };
    for barrier_free in [false, true] {
        gpu.set_barrier_free(barrier_free);
        let [results, probabilities] = suite::attention_relative(&mut gpu);
        println!("{results:.1e}, probabilities {probabilities:.1e}, barrier-free {barrier_free}");
        assert!(results < 1.5e-5, "barrier-free {barrier_free}: {results:e}");
        assert!(probabilities < 2e-6, "{probabilities:e}");
    }
}

#[test]
fn attention_disentangled() {
    let Some(mut gpu) = gpu("attention_disentangled") else { return };
    for barrier_free in [false, true] {
        gpu.set_barrier_free(barrier_free);
        let [results, probabilities] = suite::attention_disentangled(&mut gpu);
        println!("{results:.1e}, probabilities {probabilities:.1e}, barrier-free {barrier_free}");
        assert!(results < 1.5e-5, "barrier-free {barrier_free}: {results:e}");
        assert!(probabilities < 4e-6, "{probabilities:e}");
    }
    assert_eq!(suite::unfold(&mut gpu), 0.0);
    let [depthwise, span] = suite::depthwise(&mut gpu);
    assert!(depthwise < 4e-6 && span < 4e-6, "{depthwise:e} {span:e}");
    let [columns, sum] = suite::columns(&mut gpu);
    assert!(columns == 0.0 && sum < 1e-6, "{columns:e} {sum:e}");
    assert_eq!(suite::some_rows(&mut gpu), [0.0, 0.0]);
}
