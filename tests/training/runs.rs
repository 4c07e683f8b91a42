//! Runs: their steps, their evaluations, and how they end and continue.

use pollster::block_on;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::cpu::Cpu;
use webert::tokenizer::{Encoding, Files, Tokenizer};
use webert::train::arguments::TrainingArguments;
use webert::train::data::dataset::{Dataset, TrainingTask};
use webert::train::data::masking::Masking;
use webert::train::data::rows::{Example, Target};
use webert::train::metrics::evaluate::Metrics;
use webert::train::run::training_loop::{Event, RunRecord, TrainingResult};
use webert::train::step::dropout::Rates;
use webert::train::step::trainer::{Freeze, Trainer};
use webert::{Error, Result};

use super::common::{Golden, go_on};
use super::heads::of_golden;
use super::{SEQCLS, examples, golden_batch, trainer};

/// Returns a trainer with dropout, on the CPU.
fn dropping() -> Trainer<Cpu> {
    let rates = Rates { hidden: 0.1, attention: 0.1, classifier: 0.1, ..Rates::default() };
    trainer(Cpu::default(), SEQCLS.config, SEQCLS.model, (rates, Freeze::None)).unwrap()
}

/// Returns arguments for four rows in eight steps of two rows, with a large learning rate.
fn eight_steps() -> TrainingArguments {
    TrainingArguments {
        num_train_epochs: 4.0,
        per_device_train_batch_size: 1,
        gradient_accumulation_steps: 2,
        learning_rate: 5e-2,
        ..TrainingArguments::default()
    }
}

/// Runs until this number of events. Returns the events.
fn run(
    trainer: &mut Trainer<Cpu>,
    eval: Option<&Dataset>,
    arguments: &TrainingArguments,
    most: usize,
) -> (Result<TrainingResult>, Vec<Event>) {
    let mut events = Vec::new();
    let result = block_on(trainer.train(&examples(), eval, arguments, &mut |event| {
        events.push(event.clone());
        let end = events.len() == most;
        Box::pin(async move { if end { Err(Error::Aborted("enough".into())) } else { Ok(()) } })
    }));
    (result, events)
}

fn evaluations(events: &[Event]) -> Vec<(usize, f64)> {
    let of = |event: &Event| match event {
        Event::Evaluate { step, metrics, .. } => Some((*step, loss_of(metrics))),
        Event::Step(_) => None,
    };
    events.iter().filter_map(of).collect()
}

fn loss_of(metrics: &Metrics) -> f64 {
    metrics.iter().find(|(name, _)| *name == "loss").unwrap().1
}

/// Returns the rows for evaluation: the rows of the run.
fn rows_to_evaluate() -> Dataset {
    examples()
}

#[wasm_bindgen_test(unsupported = test)]
fn a_run_tells_of_each_step() {
    let arguments = eight_steps();
    let (result, events) = run(&mut dropping(), None, &arguments, usize::MAX);
    let result = result.unwrap();
    assert_eq!((result.global_step, result.metrics), (8, None));
    let mut losses = 0.0;
    for (n, event) in events.iter().enumerate() {
        let Event::Step(progress) = event else { panic!("{event:?}") };
        assert_eq!((progress.step, progress.max_steps), (n + 1, 8));
        assert_eq!(progress.epoch, (n + 1) as f64 / 2.0);
        assert!((progress.learning_rate - 5e-2 * (8 - n) as f64 / 8.0).abs() < 1e-12);
        assert!(progress.tokens > 0 && progress.grad_norm > 0.0);
        losses += f64::from(progress.loss);
    }
    assert_eq!(events.len(), 8);
    assert!((result.training_loss - losses / 8.0).abs() < 1e-9);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_run_evaluates_each_epoch_or_so_many_steps_and_at_its_end() {
    for (eval_steps, expected) in [(None, &[2, 4, 6, 8][..]), (Some(3), &[3, 6, 8])] {
        let arguments = TrainingArguments { eval_steps, ..eight_steps() };
        let (mut trainer, eval) = (dropping(), rows_to_evaluate());
        let (result, events) = run(&mut trainer, Some(&eval), &arguments, usize::MAX);
        let found = evaluations(&events);
        let steps: Vec<usize> = found.iter().map(|(step, _)| *step).collect();
        assert_eq!(steps, expected);
        let metrics = result.unwrap().metrics.unwrap();
        assert_eq!(loss_of(&metrics), found.last().unwrap().1);
        assert_eq!(metrics, block_on(trainer.evaluate(&eval, &arguments, &go_on)).unwrap());
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn the_best_weights_are_kept() {
    let arguments =
        TrainingArguments { load_best_model_at_end: true, eval_steps: Some(1), ..eight_steps() };
    let (mut trainer, eval) = (dropping(), rows_to_evaluate());
    let (result, events) = run(&mut trainer, Some(&eval), &arguments, usize::MAX);
    let found = evaluations(&events);
    let (best, least) = found.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    assert!(best < 8, "the last one is the best: {found:?}");
    assert_eq!(loss_of(&result.unwrap().metrics.unwrap()), least);
    let after = block_on(trainer.evaluate(&eval, &arguments, &go_on)).unwrap();
    assert_eq!(loss_of(&after), least);
    // They equal the parameters of a run that ended there: that number of steps, each followed by
    // an evaluation.
    let mut ended = dropping();
    run(&mut ended, Some(&eval), &arguments, 2 * best).0.unwrap_err();
    let parameters = |trainer: &Trainer<Cpu>| block_on(trainer.parameters()).unwrap();
    assert!(parameters(&trainer) == parameters(&ended));
}

#[wasm_bindgen_test(unsupported = test)]
fn a_run_that_becomes_no_better_ends() {
    let arguments = TrainingArguments {
        learning_rate: 0.0,
        early_stopping_patience: Some(2),
        metric_for_best_model: Some("eval_accuracy".into()),
        ..eight_steps()
    };
    let (result, events) = run(&mut dropping(), Some(&rows_to_evaluate()), &arguments, usize::MAX);
    assert_eq!(result.unwrap().global_step, 6);
    assert_eq!(evaluations(&events).len(), 3);
}

/// An error of the callback ends the call within the event, and the next call continues after it.
#[wasm_bindgen_test(unsupported = test)]
fn a_run_ends_by_an_evaluation_whose_event_interrupted_it() {
    let arguments = TrainingArguments {
        learning_rate: 0.0,
        early_stopping_patience: Some(2),
        metric_for_best_model: Some("eval_accuracy".into()),
        ..eight_steps()
    };
    let (mut trainer, eval) = (dropping(), rows_to_evaluate());
    // six steps and three evaluations
    let (interrupted, before) = run(&mut trainer, Some(&eval), &arguments, 9);
    assert_eq!(interrupted.unwrap_err().code(), "aborted");
    assert!(matches!(before.last(), Some(Event::Evaluate { step: 6, .. })), "{before:?}");
    let (result, after) = run(&mut trainer, Some(&eval), &arguments, usize::MAX);
    assert_eq!(result.unwrap().global_step, 6);
    assert_eq!(after, []);
}

#[wasm_bindgen_test(unsupported = test)]
fn arguments_that_do_not_fit_are_refused_before_the_first_step() {
    let eval = rows_to_evaluate();
    let new = TrainingArguments::default;
    let metric = Some("f2".to_owned());
    let expected = "metric_for_best_model: expected one of loss, accuracy, f1, got \"f2\"";
    let without = |name: &str| format!("{name}: expected an eval_dataset, got none");
    for (arguments, eval, message) in [
        (TrainingArguments { eval_steps: Some(1), ..new() }, None, without("eval_steps")),
        (
            TrainingArguments { load_best_model_at_end: true, ..new() },
            None,
            without("load_best_model_at_end"),
        ),
        (
            TrainingArguments { early_stopping_patience: Some(1), ..new() },
            None,
            without("early_stopping_patience"),
        ),
        (
            TrainingArguments { metric_for_best_model: metric.clone(), ..new() },
            Some(&eval),
            expected.to_owned(),
        ),
    ] {
        let mut trainer = dropping();
        let (result, events) = run(&mut trainer, eval, &arguments, usize::MAX);
        let error = result.unwrap_err();
        assert_eq!((error.code(), error.to_string()), ("bad_input", message));
        assert_eq!((events.len(), trainer.steps()), (0, 0));
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn an_interrupted_run_continues_where_it_stopped() {
    let arguments = TrainingArguments {
        eval_steps: Some(3),
        load_best_model_at_end: true,
        early_stopping_patience: Some(5),
        ..eight_steps()
    };
    let eval = rows_to_evaluate();
    let mut whole = dropping();
    let (result, all) = run(&mut whole, Some(&eval), &arguments, usize::MAX);
    // Eight steps and three evaluations. The run ends at a step before an evaluation, after it, and
    // at an evaluation.
    assert_eq!(all.len(), 11);
    for most in [1, 3, 4, 6, 10] {
        let (mut first, mut second) = (dropping(), dropping());
        let (ended, before) = run(&mut first, Some(&eval), &arguments, most);
        assert_eq!(ended.unwrap_err().code(), "aborted");
        second.resume(&block_on(first.state()).unwrap()).unwrap();
        let (resumed, after) = run(&mut second, Some(&eval), &arguments, usize::MAX);
        let resumed = resumed.unwrap();
        assert_eq!(resumed.metrics, result.as_ref().unwrap().metrics);
        let losses: Vec<f64> = after
            .iter()
            .filter_map(|event| match event {
                Event::Step(progress) => Some(f64::from(progress.loss)),
                Event::Evaluate { .. } => None,
            })
            .collect();
        let mean = losses.iter().sum::<f64>() / losses.len().max(1) as f64;
        assert!((resumed.training_loss - mean).abs() <= 1e-12 * mean, "of its own steps: {mean}");
        assert!([before, after].concat() == all, "ended after {most} events");
        assert!(block_on(whole.state()).unwrap() == block_on(second.state()).unwrap());
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_run_that_pauses_between_steps_equals_one_that_does_not() {
    let arguments =
        TrainingArguments { eval_steps: Some(3), load_best_model_at_end: true, ..eight_steps() };
    let (data, eval) = (examples(), rows_to_evaluate());
    let mut whole = dropping();
    let (expected, all) = run(&mut whole, Some(&eval), &arguments, usize::MAX);
    let mut trainer = dropping();
    let record = RunRecord::default();
    let begun = trainer.begin(&data, Some(&eval), arguments.clone(), record);
    let mut paused = block_on(begun).unwrap();
    let mut events = Vec::new();
    while let Some(event) = block_on(paused.next(&mut trainer)).unwrap() {
        events.push(event);
        // Other calls between two steps change nothing of the run.
        block_on(trainer.evaluate(&eval, &arguments, &go_on)).unwrap();
        block_on(trainer.state()).unwrap();
    }
    assert_eq!(events, all);
    assert_eq!(paused.result(), expected.unwrap());
    assert_eq!(block_on(paused.next(&mut trainer)).unwrap(), None);
    assert!(block_on(whole.state()).unwrap() == block_on(trainer.state()).unwrap());
}

/// A step on raw ids between two steps of a run counts as a step of the schedule.
#[wasm_bindgen_test(unsupported = test)]
fn a_run_goes_on_after_steps_taken_outside_of_it() {
    let (data, arguments) = (examples(), eight_steps());
    let (_, batch, labels) = golden_batch(&SEQCLS);
    let mut trainer = dropping();
    let begun = trainer.begin(&data, None, arguments.clone(), RunRecord::default());
    let mut run = block_on(begun).unwrap();
    block_on(run.next(&mut trainer)).unwrap();
    block_on(trainer.step(&batch, &labels, &arguments)).unwrap();
    let mut resumed = dropping();
    resumed.resume(&block_on(trainer.state()).unwrap()).unwrap();
    let event = block_on(run.next(&mut trainer)).unwrap();
    assert!(matches!(event, Some(Event::Step(progress)) if progress.step == 3), "{event:?}");
    let begun = resumed.begin(&data, None, arguments, RunRecord::default());
    let mut other = block_on(begun).unwrap();
    assert_eq!(block_on(other.next(&mut resumed)).unwrap(), event);
}

/// The steps that were lost with a device are taken again, and count once.
#[wasm_bindgen_test(unsupported = test)]
fn a_run_on_another_device_takes_over_the_results_so_far() {
    let (data, arguments) = (examples(), eight_steps());
    let mut trainer = dropping();
    let begun = trainer.begin(&data, None, arguments.clone(), RunRecord::default());
    let mut run = block_on(begun).unwrap();
    let mut state = None;
    for step in 1..=5 {
        block_on(run.next(&mut trainer)).unwrap();
        if step == 3 {
            state = Some(block_on(trainer.state()).unwrap());
        }
    }
    assert_eq!(run.record().losses.len(), 5);
    let mut other = dropping();
    other.resume(&state.unwrap()).unwrap();
    let record = run.record().clone();
    let mut again = block_on(other.begin(&data, None, arguments.clone(), record)).unwrap();
    while block_on(again.next(&mut other)).unwrap().is_some() {}
    let expected =
        block_on(dropping().train(&data, None, &arguments, &mut |_| Box::pin(async { Ok(()) })));
    assert_eq!(again.result(), expected.unwrap());
}

#[wasm_bindgen_test(unsupported = test)]
fn masked_words_are_learnt_by_heart() {
    let golden = Golden::named("bert-mlm");
    let files = Files { vocab_txt: golden.file("vocab.txt"), ..Files::default() };
    let tokenizer = Tokenizer::load(&files).unwrap();
    let arguments = TrainingArguments {
        max_steps: 120,
        learning_rate: 5e-3,
        mlm_probability: 0.3,
        ..TrainingArguments::default()
    };
    let masking = Masking::new(&tokenizer, &arguments).unwrap();
    let example = |row| {
        let ids: Vec<u32> = (0..12).map(|n| 40 + 12 * row as u32 + n).collect();
        let encoding = Encoding {
            type_ids: vec![0; ids.len()],
            word_ids: (0..12).map(Some).collect(),
            sequence_ids: vec![Some(0); ids.len()],
            attention_mask: vec![1; ids.len()],
            ids,
            ..Encoding::default()
        };
        Example { row, encodings: vec![encoding], target: Target::None }
    };
    let data = (0..4).map(example).collect();
    let data = Dataset::of_examples(TrainingTask::FillMask, data, Some(masking)).unwrap();
    let mut trainer =
        of_golden(golden, golden.file("model.safetensors").unwrap(), Rates::default());
    let mut losses = Vec::new();
    let result = block_on(trainer.train(&data, None, &arguments, &mut |event| {
        let Event::Step(progress) = event else { panic!("{event:?}") };
        losses.push(progress.loss);
        Box::pin(async { Ok(()) })
    }));
    assert_eq!(result.unwrap().global_step, 120);
    let mean = |losses: &[f32]| losses.iter().sum::<f32>() / losses.len() as f32;
    let (first, last) = (mean(&losses[..5]), mean(&losses[115..]));
    assert!(last < 0.5 * first, "{first} → {last}");
}
