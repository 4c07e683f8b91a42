//! Losses, gradients and ten steps against PyTorch.

use pollster::block_on;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::Processor;
use webert::backend::cpu::Cpu;
use webert::backend::train::Train;
use webert::train::step::dropout::Rates;
use webert::train::step::trainer::Freeze;

use super::{
    PRETRAINING, Run, SEQCLS, assert_close, compare, difference, golden_arguments, golden_batch,
    greatest, trainer,
};

pub(super) fn losses_gradients_and_steps<B: Train + Processor>(backend: B, run: &Run) {
    let (training, batch, labels) = golden_batch(run);
    let all = (Rates::default(), Freeze::None);
    let mut trainer = trainer(backend, run.config, run.model, all).unwrap();
    let arguments = golden_arguments();
    let before = training["loss_before_step"].as_array().unwrap();
    for (step, expected) in before.iter().enumerate() {
        let losses = block_on(trainer.loss(&batch, &labels)).unwrap();
        assert_close("loss", losses.loss, &expected["loss"], 1e-5);
        if let Some([mlm, nsp]) = losses.parts {
            assert_close("mlm_loss", mlm, &expected["mlm_loss"], 1e-5);
            assert_close("nsp_loss", nsp, &expected["nsp_loss"], 1e-5);
        }
        if step == 10 {
            break;
        }
        let taken = block_on(trainer.step(&batch, &labels, &arguments)).unwrap();
        assert_close("loss of the step", taken.loss, &expected["loss"], 1e-5);
        if step == 0 {
            assert_close("norm", taken.grad_norm, &training["gradient_global_l2"], 1e-5);
            let gradients = block_on(trainer.gradients()).unwrap();
            compare(&gradients, run.gradients, |name, found, expected| {
                // Adding a number to all scores of a softmax changes nothing, so this gradient is
                // only rounding.
                let limit =
                    if name.ends_with("key.bias") { 1e-6 } else { 1e-4 * greatest(expected) };
                assert!(difference(found, expected) <= limit, "gradient of {name}");
            });
        }
    }
    assert_eq!(trainer.steps(), 10);
    let parameters = block_on(trainer.parameters()).unwrap();
    compare(&parameters, run.step10, |name, found, expected| {
        // AdamW's steps have full length even if a gradient is only rounding: ten such steps on
        // both sides.
        let limit = if name.ends_with("key.bias") { 2e-2 } else { 1e-5 };
        let difference = difference(found, expected);
        assert!(difference <= limit, "{name} after ten steps: {difference}");
    });
}

#[wasm_bindgen_test(unsupported = test)]
fn sequence_classification_trains_as_in_pytorch() {
    losses_gradients_and_steps(Cpu::default(), &SEQCLS);
}

#[wasm_bindgen_test(unsupported = test)]
fn pretraining_trains_as_in_pytorch() {
    losses_gradients_and_steps(Cpu::default(), &PRETRAINING);
}
