//! A student with a teacher, against DistilBERT's training script in PyTorch.

use std::rc::Rc;

use pollster::block_on;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::cpu::Cpu;
use webert::backend::train::Train;
use webert::config::Config;
use webert::engine::LoadOptions;
use webert::train::arguments::TrainingArguments;
use webert::train::step::dropout::Rates;
use webert::train::step::trainer::{Freeze, Trainer};
use webert::{Result, backend::Processor};

use super::{assert_close, batch, load};

/// A folder of tests/goldens/training/distillation.
struct Case {
    student: [&'static [u8]; 2],
    teacher: [&'static [u8]; 2],
    training: &'static str,
}

macro_rules! case {
    ($name:literal) => {
        Case {
            student: [
                include_bytes!(concat!(
                    "../goldens/training/distillation/",
                    $name,
                    "/student/config.json"
                )),
                include_bytes!(concat!(
                    "../goldens/training/distillation/",
                    $name,
                    "/student/model.safetensors"
                )),
            ],
            teacher: [
                include_bytes!(concat!(
                    "../goldens/training/distillation/",
                    $name,
                    "/teacher/config.json"
                )),
                include_bytes!(concat!(
                    "../goldens/training/distillation/",
                    $name,
                    "/teacher/model.safetensors"
                )),
            ],
            training: include_str!(concat!(
                "../goldens/training/distillation/",
                $name,
                "/training.json"
            )),
        }
    };
}

const FILL_MASK: Case = case!("fill-mask");
const SINGLE_LABEL: Case = case!("single-label");
const TOKENS: Case = case!("token-classification");

fn model<B: Processor>(backend: B, [config, weights]: [&[u8]; 2]) -> Rc<webert::engine::Model<B>> {
    let options = LoadOptions::with_dtype("fp32", None).unwrap();
    Rc::new(load(backend, config, Some(weights), options).unwrap())
}

/// Creates a trainer of a student with its teacher.
fn student<B: Train + Processor>(backend: &impl Fn() -> B, case: &Case) -> Trainer<B> {
    let student = model(backend(), case.student);
    let mut trainer = Trainer::new(student, Rates::default(), Freeze::None).unwrap();
    trainer.set_teacher(model(backend(), case.teacher)).unwrap();
    trainer
}

/// Returns the arguments of a golden's run.
fn arguments(training: &Value, run: &Value, rate: &Value) -> TrainingArguments {
    let mut options = run["options"].clone();
    let optimizer = training["optimizer"].as_object().unwrap();
    for (name, value) in optimizer {
        options[name] = value.clone();
    }
    options["learning_rate"] = rate.clone();
    serde_json::from_value(options).unwrap()
}

/// Takes the steps of each run of a golden, and compares losses and norms.
fn steps_of<B: Train + Processor>(backend: impl Fn() -> B, case: &Case) {
    let training: Value = serde_json::from_str(case.training).unwrap();
    let config = Config::parse(case.student[0]).unwrap();
    let (batch, labels) = batch(&config, &training["inputs"], &training["labels"]);
    for run in training["runs"].as_array().unwrap() {
        let mut trainer = student(&backend, case);
        for (step, rate) in training["learning_rate"].as_array().unwrap().iter().enumerate() {
            let arguments = arguments(&training, run, rate);
            let taken = block_on(trainer.step(&batch, &labels, &arguments)).unwrap();
            let name = format!("step {step} of {}", run["options"]);
            assert_close(&name, taken.loss, &run["loss_before_step"][step], 1e-5);
            assert_close(&name, taken.grad_norm, &run["grad_norm"][step], 1e-5);
        }
    }
}

const CASES: [&Case; 3] = [&FILL_MASK, &SINGLE_LABEL, &TOKENS];

#[wasm_bindgen_test(unsupported = test)]
fn students_train_as_in_pytorch() {
    for case in CASES {
        steps_of(Cpu::default, case);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn micro_batches_add_up_to_the_mean_of_their_losses() {
    let training: Value = serde_json::from_str(SINGLE_LABEL.training).unwrap();
    let config = Config::parse(SINGLE_LABEL.student[0]).unwrap();
    let (batch, labels) = batch(&config, &training["inputs"], &training["labels"]);
    let run = json!({"options": {"alpha_cos": 0.5}});
    let arguments = arguments(&training, &run, &json!(1e-3));
    let step = |count| {
        let mut trainer = student(&Cpu::default, &SINGLE_LABEL);
        let batches = vec![(&batch, &labels); count];
        block_on(trainer.step_of(&batches, &arguments, 1e-3)).unwrap()
    };
    let (one, two) = (step(1), step(2));
    assert!((one.loss - two.loss).abs() < 1e-5 * one.loss, "{one:?}, {two:?}");
    assert!((one.grad_norm - two.grad_norm).abs() < 1e-5 * one.grad_norm, "{one:?}, {two:?}");
}

fn refused<T>(result: Result<T>, code: &str, pattern: &str) {
    let Err(error) = result else { panic!("expected an error: {pattern}") };
    assert_eq!(error.code(), code, "{error}");
    assert!(error.to_string().contains(pattern), "{error}");
}

#[wasm_bindgen_test(unsupported = test)]
fn teachers_that_do_not_fit_are_refused() {
    let of = |case: &Case, freeze| {
        let student = model(Cpu::default(), case.student);
        Trainer::new(student, Rates::default(), freeze).unwrap()
    };
    let mut trainer = of(&SINGLE_LABEL, Freeze::None);
    let teacher = model(Cpu::default(), FILL_MASK.teacher);
    refused(trainer.set_teacher(teacher), "unsupported", "a teacher");
    let own = Rc::clone(trainer.model());
    refused(trainer.set_teacher(own), "bad_input", "expected another model");
    let [config, weights] = SINGLE_LABEL.teacher;
    let mut fields: Value = serde_json::from_slice(config).unwrap();
    fields["id2label"]["0"] = json!("other");
    let config = serde_json::to_vec(&fields).unwrap();
    let other = model(Cpu::default(), [&config, weights]);
    refused(trainer.set_teacher(other), "bad_input", "like the teacher's");
    let teacher = || model(Cpu::default(), SINGLE_LABEL.teacher);
    let mut frozen = of(&SINGLE_LABEL, Freeze::Encoder);
    refused(frozen.set_teacher(teacher()), "unsupported", "freeze");

    let training: Value = serde_json::from_str(SINGLE_LABEL.training).unwrap();
    let config = Config::parse(SINGLE_LABEL.student[0]).unwrap();
    let (batch, labels) = batch(&config, &training["inputs"], &training["labels"]);
    let options = |json| serde_json::from_value::<TrainingArguments>(json).unwrap();
    let alone = block_on(trainer.step(&batch, &labels, &options(json!({"temperature": 2}))));
    refused(alone, "bad_input", "temperature: expected a teacher");
    trainer.set_teacher(teacher()).unwrap();
    let zero = options(json!({"alpha_ce": 0, "alpha_labels": 0}));
    let none = block_on(trainer.step(&batch, &labels, &zero));
    refused(none, "bad_input", "expected one above 0");
    let masked = options(json!({"alpha_mlm": 1}));
    let masked = block_on(trainer.step(&batch, &labels, &masked));
    refused(masked, "bad_input", "alpha_mlm: expected alpha_labels");
}
