//! Training on the GPU, native only: PyTorch's numbers, kernels with wrong results, lack of memory,
//! and a run that continues on another device.

use std::cell::RefCell;
use std::rc::Rc;

use pollster::block_on;
use webert::backend::Processor;
use webert::backend::cpu::Cpu;
use webert::backend::gpu::Gpu;
use webert::backend::train::Train;
use webert::batch::Batch;
use webert::engine::LoadOptions;
use webert::train::arguments::TrainingArguments;
use webert::train::run::training_loop::Event;
use webert::train::step::dropout::Rates;
use webert::train::step::loss::Labels;
use webert::train::step::trainer::{Freeze, Trainer};
use webert::{Error, Result};

use super::common::adapter::gpu;
use super::goldens::losses_gradients_and_steps;
use super::{
    PRETRAINING, SEQCLS, assert_close, difference, examples, golden_arguments, golden_batch, load,
    trainer,
};

#[test]
fn models_train_on_the_gpu_as_in_pytorch() {
    for run in [&SEQCLS, &PRETRAINING] {
        let Some(gpu) = gpu("models_train_on_the_gpu_as_in_pytorch") else { return };
        losses_gradients_and_steps(gpu, run);
    }
}

fn on_gpu(gpu: Gpu, rates: Rates) -> Trainer<Gpu> {
    trainer_of(gpu, rates)
}

fn limit_memory(trainer: &Trainer<Gpu>, bytes: u64) {
    trainer.model().engine().backend().unwrap().limit_memory(bytes);
}

#[test]
fn a_kernel_that_computes_wrongly_is_named_by_a_step_and_by_a_loss() {
    let test = "a_kernel_that_computes_wrongly_is_named_by_a_step_and_by_a_loss";
    let (_, batch, labels) = golden_batch(&SEQCLS);
    for of_step in [true, false] {
        let Some(mut gpu) = gpu(test) else { return };
        gpu.replace_in_shaders("(1.0 - params.smoothing) * four", "four");
        let mut trainer = on_gpu(gpu, Rates::default());
        let error = match of_step {
            true => block_on(trainer.step(&batch, &labels, &golden_arguments())).err(),
            false => block_on(trainer.loss(&batch, &labels)).err(),
        };
        let error = error.unwrap();
        assert_eq!(error.code(), "unsupported");
        assert!(error.to_string().contains("cross-entropy wrongly: error "), "{error}");
    }
}

#[test]
fn kernels_are_tested_by_the_first_step_alone() {
    let Some(gpu) = gpu("kernels_are_tested_by_the_first_step_alone") else { return };
    let (_, batch, labels) = golden_batch(&SEQCLS);
    let mut trainer = on_gpu(gpu, Rates::default());
    let made = |trainer: &Trainer<Gpu>| {
        let model = trainer.model().engine().backend().unwrap();
        (model.pipelines_made(), model.submissions())
    };
    block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap();
    let (pipelines, first) = made(&trainer);
    block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap();
    let (after, second) = made(&trainer);
    assert_eq!(after, pipelines, "nothing is compiled again");
    block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap();
    assert_eq!(made(&trainer).1 - second, second - first, "nor is anything tested");
    assert!(second - first <= 2, "the loss is read, then the norm: {}", second - first);
}

/// Returns the batch repeated `count` times.
fn times(batch: &Batch, labels: &Labels, count: usize) -> (Batch, Labels) {
    let Labels::Classes(classes) = labels else { panic!("{labels:?}") };
    let mut all = Batch::default();
    for _ in 0..count {
        let start = all.ids.len();
        let moved = |range: &std::ops::Range<usize>| start + range.start..start + range.end;
        all.sequences.extend(batch.sequences.iter().map(|sequence| webert::batch::Sequence {
            rows: moved(&sequence.rows),
            keys: moved(&sequence.keys),
        }));
        all.ids.extend(&batch.ids);
        all.types.extend(&batch.types);
        all.positions.extend(&batch.positions);
    }
    (all, Labels::Classes(classes.repeat(count)))
}

/// Takes a step without enough memory, as reduced by `limit`. Returns the parameters after two
/// steps with enough memory.
fn without_memory(
    test: &str,
    steps_before: usize,
    batches: usize,
    limit: impl Fn(&Trainer<Gpu>),
) -> Option<(Error, bool)> {
    let (_, batch, labels) = golden_batch(&SEQCLS);
    let step = |trainer: &mut Trainer<Gpu>, batch: &Batch, labels: &Labels| {
        block_on(trainer.step(batch, labels, &golden_arguments()))
    };
    let rates = Rates { hidden: 0.1, ..Rates::default() };
    let mut undisturbed = on_gpu(gpu(test)?, rates);
    let mut trainer = on_gpu(gpu(test)?, rates);
    for n in 0..2 {
        if n == steps_before {
            let before = block_on(trainer.parameters()).unwrap();
            limit(&trainer);
            let (large, of_large) = times(&batch, &labels, batches);
            let error = step(&mut trainer, &large, &of_large).unwrap_err();
            if batches == 1 {
                limit_memory(&trainer, u64::MAX);
            }
            assert!(before == block_on(trainer.parameters()).unwrap(), "weights stay");
            for _ in n..2 {
                step(&mut trainer, &batch, &labels).unwrap();
                step(&mut undisturbed, &batch, &labels).unwrap();
            }
            let same = block_on(trainer.parameters()).unwrap()
                == block_on(undisturbed.parameters()).unwrap();
            return Some((error, same));
        }
        step(&mut trainer, &batch, &labels).unwrap();
        step(&mut undisturbed, &batch, &labels).unwrap();
    }
    None
}

#[test]
fn a_batch_without_memory_is_named_and_a_smaller_one_is_trained_on() {
    let test = "a_batch_without_memory_is_named_and_a_smaller_one_is_trained_on";
    for steps_before in [0, 1] {
        let limit = |trainer: &Trainer<Gpu>| {
            block_on(trainer.model().engine().backend().unwrap().settle_train()).unwrap();
            limit_memory(trainer, 1 << 17);
        };
        let Some((error, same)) = without_memory(test, steps_before, 40, limit) else { return };
        let text = error.to_string();
        assert_eq!(error.code(), "out_of_memory", "{text}");
        assert!(text.contains("no memory for a step on "), "{text}");
        assert!(text.contains("Reduce per_device_train_batch_size"), "{text}");
        assert!(same, "the same numbers as if nothing had happened");
    }
}

#[test]
fn moments_without_memory_are_named_and_asked_for_again() {
    let test = "moments_without_memory_are_named_and_asked_for_again";
    let limit = |trainer: &Trainer<Gpu>| {
        block_on(trainer.model().engine().backend().unwrap().settle_train()).unwrap();
        limit_memory(trainer, 4096);
    };
    let Some((error, same)) = without_memory(test, 0, 1, limit) else { return };
    assert_eq!(error.code(), "out_of_memory");
    assert!(error.to_string().contains("no memory for AdamW's moments: "), "{error}");
    assert!(same);
}

#[test]
fn gradients_without_memory_are_named_and_asked_for_again() {
    let test = "gradients_without_memory_are_named_and_asked_for_again";
    let Some(gpu) = gpu(test) else { return };
    let (_, batch, labels) = golden_batch(&SEQCLS);
    let options = LoadOptions::with_dtype("fp32", None).unwrap();
    let model = Rc::new(load(gpu, SEQCLS.config, Some(SEQCLS.model), options).unwrap());
    model.engine().backend().unwrap().limit_memory(4096);
    let mut trainer = Trainer::new(model, Rates::default(), Freeze::None).unwrap();
    for _ in 0..2 {
        let error = block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap_err();
        assert_eq!(error.code(), "out_of_memory");
        assert!(error.to_string().contains("no memory for the gradients, "), "{error}");
    }
    limit_memory(&trainer, u64::MAX);
    let losses: Vec<f32> = (0..2)
        .map(|_| block_on(trainer.step(&batch, &labels, &golden_arguments())).unwrap().loss)
        .collect();
    let (training, ..) = golden_batch(&SEQCLS);
    for (loss, expected) in losses.iter().zip(training["loss_before_step"].as_array().unwrap()) {
        assert_close("loss", *loss, &expected["loss"], 1e-5);
    }
}

#[test]
fn a_run_without_memory_ends_before_its_first_step() {
    let Some(gpu) = gpu("a_run_without_memory_ends_before_its_first_step") else { return };
    let mut trainer = on_gpu(gpu, Rates::default());
    block_on(trainer.settle()).unwrap();
    let arguments =
        TrainingArguments { per_device_train_batch_size: 4, ..TrainingArguments::default() };
    let told = RefCell::new(0);
    let train = |trainer: &mut Trainer<Gpu>| {
        block_on(trainer.train(&examples(), None, &arguments, &mut |event| {
            *told.borrow_mut() += usize::from(matches!(event, Event::Step(_)));
            Box::pin(async { Ok(()) })
        }))
    };
    limit_memory(&trainer, 4096);
    let error = train(&mut trainer).unwrap_err();
    assert_eq!((error.code(), *told.borrow()), ("out_of_memory", 0), "{error}");
    limit_memory(&trainer, u64::MAX);
    train(&mut trainer).unwrap();
    assert_eq!(*told.borrow(), 3);
}

/// Takes the steps of a run with dropout, to the end or until the device is lost in the given step.
fn run_until<B: Train + Processor>(
    trainer: &mut Trainer<B>,
    arguments: &TrainingArguments,
    mut after: impl FnMut(usize),
) -> Result<()> {
    let run = block_on(trainer.train(&examples(), None, arguments, &mut |event| {
        if let Event::Step(progress) = event {
            after(progress.step);
        }
        Box::pin(async { Ok(()) })
    }));
    run.map(drop)
}

#[test]
fn a_run_that_loses_its_device_continues_from_a_read_state() {
    let test = "a_run_that_loses_its_device_continues_from_a_read_state";
    let rates = Rates { hidden: 0.1, attention: 0.1, classifier: 0.1, ..Rates::default() };
    let arguments = TrainingArguments {
        num_train_epochs: 4.0,
        per_device_train_batch_size: 2,
        learning_rate: 1e-3,
        ..TrainingArguments::default()
    };
    let Some(first) = gpu(test) else { return };
    let mut undisturbed = on_gpu(first, rates);
    run_until(&mut undisturbed, &arguments, |_| {}).unwrap();
    let expected = block_on(undisturbed.parameters()).unwrap();

    // Up to step 3, whose state is read, then up to step 5, in which the device is lost.
    let mut trainer = on_gpu(gpu(test).unwrap(), rates);
    let until = |trainer: &mut Trainer<Gpu>, last: usize| {
        block_on(trainer.train(&examples(), None, &arguments, &mut |event| {
            let ends = matches!(event, Event::Step(progress) if progress.step == last);
            Box::pin(
                async move { if ends { Err(Error::Aborted("a pause".into())) } else { Ok(()) } },
            )
        }))
    };
    assert_eq!(until(&mut trainer, 3).unwrap_err().code(), "aborted");
    let state = block_on(trainer.state()).unwrap();
    assert_eq!(until(&mut trainer, 5).unwrap_err().code(), "aborted");
    trainer.model().engine().backend().unwrap().destroy();
    assert_eq!(until(&mut trainer, 8).unwrap_err().code(), "device_lost");

    let mut other = on_gpu(gpu(test).unwrap(), rates);
    other.resume(&state).unwrap();
    let mut steps = Vec::new();
    run_until(&mut other, &arguments, |step| steps.push(step)).unwrap();
    assert_eq!(steps, [4, 5, 6, 7, 8]);
    assert!(block_on(other.parameters()).unwrap() == expected, "bit for bit on such a device");

    let mut cpu = trainer_of(Cpu::default(), rates);
    cpu.resume(&state).unwrap();
    run_until(&mut cpu, &arguments, |_| {}).unwrap();
    for (found, expected) in block_on(cpu.parameters()).unwrap().iter().zip(&expected) {
        // like in the comparisons with PyTorch
        let limit = if found.name.ends_with("key.bias") { 2e-2 } else { 2e-5 };
        let apart = difference(&found.values, &expected.values);
        assert!(apart <= limit, "{}: {apart} on the CPU", found.name);
    }
}

fn trainer_of<B: Train + Processor>(backend: B, rates: Rates) -> Trainer<B> {
    trainer(backend, SEQCLS.config, SEQCLS.model, (rates, Freeze::None)).unwrap()
}
