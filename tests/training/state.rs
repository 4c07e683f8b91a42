//! A run's state: continued, and refused for another model.

use pollster::block_on;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::cpu::Cpu;
use webert::train::step::dropout::Rates;
use webert::train::step::trainer::{Freeze, Trainer};

use super::{PRETRAINING, SEQCLS, golden_arguments, golden_batch, plain, trainer};

#[wasm_bindgen_test(unsupported = test)]
fn a_resumed_run_continues_bit_for_bit() {
    let (_, batch, labels) = golden_batch(&PRETRAINING);
    let rates = Rates { hidden: 0.1, attention: 0.1, classifier: 0.1, ..Rates::default() };
    let new = || {
        let (config, model) = (PRETRAINING.config, PRETRAINING.model);
        trainer(Cpu::default(), config, model, (rates, Freeze::None)).unwrap()
    };
    let train = |trainer: &mut Trainer<Cpu>, steps: usize| {
        for _ in 0..steps {
            block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap();
        }
    };
    let (mut whole, mut first, mut second) = (new(), new(), new());
    train(&mut whole, 10);
    train(&mut first, 5);
    let state = block_on(first.state()).unwrap();
    second.resume(&state).unwrap();
    train(&mut second, 5);
    assert_eq!(second.steps(), 10);
    assert!(block_on(whole.state()).unwrap() == block_on(second.state()).unwrap());
}

#[wasm_bindgen_test(unsupported = test)]
fn a_state_of_another_model_is_refused() {
    let state = block_on(plain(&SEQCLS).state()).unwrap();
    let mut trainer = plain(&PRETRAINING);
    let before = block_on(trainer.parameters()).unwrap();
    let error = trainer.resume(&state).unwrap_err();
    assert_eq!(error.code(), "bad_input");
    let message = "saved state: bert.embeddings.word_embeddings.weight: expected shape [113, 28], got [80, 20]";
    assert_eq!(error.to_string(), message);
    assert!(block_on(trainer.parameters()).unwrap() == before);
}
