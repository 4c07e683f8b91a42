//! Several heads on one encoder: same results as separate models, what is loaded, what is shared
//! and when it is freed; parameters by name.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::cell::Cell;
use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::common::file::File;
use crate::common::{GOLDENS, Golden, Model, code, go_on, inputs, outputs};
use pollster::block_on;
use serde_json::{Map, Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::cpu::Cpu;
use webert::backend::train::Parameter;
use webert::batch::Batch;
use webert::config::HeadKind;
use webert::engine::{Files, Folder, LoadOptions, ModelLoader, OutputRequest, Request};
use webert::model::{describe_encoder, describe_new_head};
use webert::tokenizer::EncodeOptions;
use webert::{Error, Result};

const WIDTH: usize = 48;

/// Returns a pooler and a classifier with three labels for the encoder of bert-mlm.
fn classifier() -> File {
    let mut file = File { header: Map::new(), data: Vec::new() };
    let shapes: [(&str, &[usize]); 4] = [
        ("bert.pooler.dense.weight", &[WIDTH, WIDTH]),
        ("bert.pooler.dense.bias", &[WIDTH]),
        ("classifier.weight", &[3, WIDTH]),
        ("classifier.bias", &[3]),
    ];
    for (name, shape) in shapes {
        let count: usize = shape.iter().product();
        let value = |n: usize| ((n * 7919 % 101) as f32 - 50.0) / 200.0;
        let bytes: Vec<u8> = (0..count).flat_map(|n| value(n).to_le_bytes()).collect();
        file.push(name, "F32", shape, &bytes);
    }
    file
}

/// Returns the encoder and the masked language model head of bert-mlm, followed by the classifier.
fn both() -> File {
    let mut file = File::parse(Golden::named("bert-mlm").weights().next().unwrap().1);
    let head = classifier();
    for (name, info) in &head.header {
        let shape: Vec<usize> = serde_json::from_value(info["shape"].clone()).unwrap();
        file.push(name, "F32", &shape, head.tensor(name));
    }
    file
}

/// Returns the small files of bert-mlm with fields of its config replaced.
fn small_files(fields: Value) -> Files {
    let mut files = Golden::named("bert-mlm").small_files();
    let config = files.iter_mut().find(|(name, _)| name == "config.json").unwrap();
    let mut json: Value = serde_json::from_slice(&config.1).unwrap();
    for (name, value) in fields.as_object().unwrap() {
        json[name] = value.clone();
    }
    config.1 = json.to_string().into_bytes();
    files
}

/// Returns the small files of the classifier.
fn classifier_files() -> Files {
    let labels = json!({ "0": "A", "1": "B", "2": "C" });
    small_files(json!({ "id2label": labels, "architectures": ["BertForSequenceClassification"] }))
}

fn push(mut loader: ModelLoader<Cpu>, bytes: &[u8]) -> Result<Model> {
    loader.begin_file("model.safetensors")?;
    loader.push(bytes)?;
    loader.end_file()?;
    block_on(loader.finish())
}

/// Loads a model with its own engine.
fn load(files: &Files, dtype: &str) -> Model {
    let options = LoadOptions::with_dtype(dtype, None).unwrap();
    let folder = Folder::read(files).unwrap();
    push(ModelLoader::new(folder, Cpu::default(), options).unwrap(), &both().bytes()).unwrap()
}

fn masked_lm(dtype: &str) -> Model {
    load(&small_files(json!({})), dtype)
}

fn attach(model: &Model, files: &Files, dtype: &str) -> Result<ModelLoader<Cpu>> {
    let options = LoadOptions::with_dtype(dtype, None)?;
    ModelLoader::attach(model.engine(), Folder::read(files)?, options)
}

/// Returns all outputs of a model for the first case of bert-mlm.
fn results(model: &mut Model) -> webert::engine::Outputs {
    let case = &Golden::named("bert-mlm").cases()[0];
    outputs(model, &inputs(case), true).unwrap()
}

#[wasm_bindgen_test(unsupported = test)]
fn heads_on_one_engine_give_what_separate_models_give() {
    for dtype in ["fp32", "q8"] {
        let mut fills = masked_lm(dtype);
        let loader = attach(&fills, &classifier_files(), dtype).unwrap();
        let mut classifies = push(loader, &both().bytes()).unwrap();
        let mut alone = load(&classifier_files(), dtype);
        assert_eq!(classifies.info().head, HeadKind::SequenceClassification);
        assert_eq!(results(&mut classifies), results(&mut alone), "{dtype}");
        assert_eq!(results(&mut fills), results(&mut masked_lm(dtype)), "{dtype}");
        assert!(results(&mut classifies).tensors[0].1.data.iter().any(|&score| score != 0.0));

        // Each model counts the encoder, but the engine has only one.
        assert!(Rc::ptr_eq(fills.engine(), classifies.engine()));
        assert!(!Rc::ptr_eq(fills.engine(), alone.engine()));
        let (own, shared) = (alone.info(), classifies.info());
        assert_eq!((own.parameters, own.bytes), (shared.parameters, shared.bytes));
        let head = (WIDTH + 1) * (WIDTH + 3);
        assert_eq!(shared.parameters, fills.engine().size().parameters + head);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_head_comes_by_its_own_tensors_alone() {
    let fills = masked_lm("fp32");
    let loader = attach(&fills, &classifier_files(), "fp32").unwrap();
    let mut classifies = push(loader, &classifier().bytes()).unwrap();
    assert_eq!(results(&mut classifies), results(&mut load(&classifier_files(), "fp32")));

    let mut without = classifier();
    let info = without.header.remove("classifier.bias").unwrap();
    without.header.insert("other".into(), info);
    let loader = attach(&fills, &classifier_files(), "fp32").unwrap();
    let error = push(loader, &without.bytes()).err().unwrap();
    assert_eq!(error.code(), "bad_weights");
    assert!(error.to_string().contains("1 of 4 tensors are missing"), "{error}");
    assert!(error.to_string().contains("classifier.bias"), "{error}");
}

#[wasm_bindgen_test(unsupported = test)]
fn a_head_over_an_adapted_encoder_is_refused() {
    let fills = masked_lm("fp32");
    let name = "bert.encoder.layer.0.intermediate.dense.lora_A.weight";
    let mut adapted = classifier();
    adapted.push(name, "F32", &[1, WIDTH], &[0; 4 * WIDTH]);
    let told = |error: Error| {
        assert_eq!(error.code(), "bad_input");
        assert!(error.to_string().contains(name), "{error}");
    };
    let loader = attach(&fills, &classifier_files(), "fp32").unwrap();
    told(push(loader, &adapted.bytes()).err().unwrap());

    // An index reveals the tensors before any file is read.
    let mut files = classifier_files();
    let names = adapted.header.keys().map(|name| (name.clone(), json!("file")));
    let map: Map<_, _> = names.collect();
    let index = serde_json::to_vec(&json!({ "weight_map": map })).unwrap();
    files.push(("model.safetensors.index.json".to_owned(), index));
    told(attach(&fills, &files, "fp32").err().unwrap());
}

#[wasm_bindgen_test(unsupported = test)]
fn a_head_of_another_encoder_is_refused() {
    let fills = masked_lm("fp32");
    let fields = [
        ("model_type", json!("electra"), "bert"),
        ("hidden_size", json!(96), "48"),
        ("num_hidden_layers", json!(3), "2"),
        ("num_attention_heads", json!(8), "4"),
        ("intermediate_size", json!(97), "96"),
        ("vocab_size", json!(241), "240"),
        ("max_position_embeddings", json!(65), "64"),
        ("type_vocab_size", json!(3), "2"),
        ("hidden_act", json!("relu"), "Gelu"),
        ("layer_norm_eps", json!(1e-5), "0.000000000001"),
    ];
    for (name, value, own) in fields {
        match attach(&fills, &small_files(json!({ name: value })), "fp32").map(drop) {
            Err(Error::BadInput(text)) => {
                let expected = format!("{name}: expected the encoder's {own}, got ");
                assert!(text.contains(&expected), "{name}: {text}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    // Fields of the head may differ.
    let labels = small_files(json!({ "id2label": { "0": "A" }, "pad_token_id": 3 }));
    assert_eq!(code(attach(&fills, &labels, "fp32")), "ok");
}

#[wasm_bindgen_test(unsupported = test)]
fn dropping_the_last_model_ends_the_engine() {
    let fills = masked_lm("fp32");
    let loader = attach(&fills, &classifier_files(), "fp32").unwrap();
    let mut classifies = push(loader, &classifier().bytes()).unwrap();
    let before = results(&mut classifies);
    let engine = Rc::downgrade(fills.engine());
    assert_eq!(engine.strong_count(), 2);
    drop(fills);
    assert_eq!(engine.strong_count(), 1);
    assert_eq!(results(&mut classifies), before);
    drop(attach(&classifies, &classifier_files(), "fp32").unwrap());
    assert_eq!(engine.strong_count(), 1, "a load that is given up holds nothing");
    drop(classifies);
    assert!(engine.upgrade().is_none());
}

#[wasm_bindgen_test(unsupported = test)]
fn equal_tokenizers_are_one() {
    let fills = masked_lm("fp32");
    let mut files = classifier_files();
    let mut add = |field: &[u8]| {
        let (_, json) = files.iter_mut().find(|(name, _)| name == "tokenizer_config.json").unwrap();
        let end = json.iter().rposition(|&byte| byte == b'}').unwrap();
        json.splice(end..end, field.iter().copied());
        push(attach(&fills, &files, "fp32").unwrap(), &classifier().bytes()).unwrap()
    };
    // two folders that name the same file by different paths
    let same = add(br#", "tokenizer_file": "../elsewhere/tokenizer.json""#);
    assert!(Rc::ptr_eq(fills.tokenizer().unwrap(), same.tokenizer().unwrap()));
    let other = add(br#", "padding_side": "left""#);
    assert!(!Rc::ptr_eq(fills.tokenizer().unwrap(), other.tokenizer().unwrap()));
}

#[wasm_bindgen_test(unsupported = test)]
fn what_nothing_needs_can_be_skipped() {
    let (fills, file) = (masked_lm("fp32"), both().bytes());
    let needed = classifier().data.len();
    for (chunk, step) in [(1000, usize::MAX), (77, 1001)] {
        let mut loader = attach(&fills, &classifier_files(), "fp32").unwrap();
        loader.begin_file("model.safetensors").unwrap();
        assert_eq!(loader.skippable(), 0, "the header has not come");
        assert_eq!(code(loader.skip(1)), "bad_input");
        let (mut at, mut skipped) = (0, 0);
        while at < file.len() {
            let now = loader.skippable().min(step);
            if now > 0 {
                loader.skip(now).unwrap();
                skipped += now;
                at += now;
            } else {
                let end = file.len().min(at + chunk);
                loader.push(&file[at..end]).unwrap();
                at = end;
            }
        }
        loader.end_file().unwrap();
        let mut classifies = block_on(loader.finish()).unwrap();
        assert_eq!(results(&mut classifies), results(&mut load(&classifier_files(), "fp32")));
        // except bytes that arrived in one piece with needed bytes
        assert!(skipped > both().data.len() - needed - 8 * chunk, "{skipped}");
    }
    // A separate model skips only the other head.
    let files = small_files(json!({}));
    let options = LoadOptions::with_dtype("fp32", None).unwrap();
    let mut loader =
        ModelLoader::new(Folder::read(&files).unwrap(), Cpu::default(), options).unwrap();
    loader.begin_file("model.safetensors").unwrap();
    loader.push(&file[..file.len() - needed]).unwrap();
    assert_eq!(loader.skippable(), needed);
    loader.skip(needed).unwrap();
    assert_eq!(code(loader.end_file()), "ok");
}

#[wasm_bindgen_test(unsupported = test)]
fn shards_without_a_needed_tensor_need_not_come() {
    let golden = Golden::named("bert-mlm-sharded");
    let shards: Vec<_> = golden.weights().collect();
    let (files, options) = (golden.small_files(), LoadOptions::with_dtype("fp32", None).unwrap());
    let folder = || Folder::read(&files).unwrap();
    let own = ModelLoader::new(folder(), Cpu::default(), options).unwrap();
    assert!(shards.iter().all(|(name, _)| own.wants(name)) && !own.wants("another"));
    let mut whole = golden.load("fp32").unwrap();
    let mut loader = ModelLoader::attach(whole.engine(), folder(), options).unwrap();
    assert_eq!([0, 1].map(|n| loader.wants(shards[n].0)), [false, true]);
    loader.begin_file(shards[1].0).unwrap();
    loader.push(shards[1].1).unwrap();
    let mut attached = block_on(loader.finish()).unwrap();
    assert_eq!(results(&mut attached), results(&mut whole));
    // Without an index, every file may be needed.
    let loader = attach(&masked_lm("fp32"), &classifier_files(), "fp32").unwrap();
    assert!(loader.wants("model.safetensors"));
}

#[wasm_bindgen_test(unsupported = test)]
fn states_can_be_asked_of_any_model() {
    let fills = masked_lm("fp32");
    let options = LoadOptions::with_dtype("fp32", Some(HeadKind::Bare)).unwrap();
    let folder = Folder::read(&small_files(json!({}))).unwrap();
    let loader = ModelLoader::attach(fills.engine(), folder, options).unwrap();
    // A bare head without a pooler has no tensor and needs no file.
    let mut bare = block_on(loader.finish()).unwrap();
    let text = fills.tokenizer().unwrap().encode("a b a", None, &EncodeOptions::default()).unwrap();
    let states = |model: &Model| {
        block_on(model.compute(&text, OutputRequest::States(&[0, 2]), None, &go_on)).unwrap()
    };
    assert_eq!(states(&fills), states(&bare));
    assert_eq!(states(&fills)[0].cols, 2 * WIDTH);
    let last = results(&mut bare);
    assert_eq!(last.tensors.len(), 1);
    assert_eq!(last.tensors[0].0, "last_hidden_state");
    assert_eq!(last.hidden_states.last(), Some(&last.tensors[0].1));
}

#[wasm_bindgen_test(unsupported = test)]
fn what_comes_during_a_pass_waits_for_its_end() {
    let fills = masked_lm("fp32");
    let mut loader = attach(&fills, &classifier_files(), "fp32").unwrap();
    let bytes = both().bytes();
    {
        let _pass = fills.engine().backend().unwrap();
        assert_eq!(code(fills.engine().set_threads(1)), "bad_input");
        loader.begin_file("model.safetensors").unwrap();
        loader.push(&bytes[..3000]).unwrap();
        loader.push(&bytes[3000..40_000]).unwrap();
        assert_eq!(loader.skippable(), 0);
    }
    loader.push(&bytes[40_000..]).unwrap();
    let _pass = fills.engine().backend().unwrap();
    loader.end_file().unwrap();
    drop(_pass);
    let mut classifies = block_on(loader.finish()).unwrap();
    assert_eq!(results(&mut classifies), results(&mut load(&classifier_files(), "fp32")));
}

#[wasm_bindgen_test(unsupported = test)]
fn a_call_that_ends_while_it_waits_computes_nothing() {
    let model = masked_lm("fp32");
    let text = model.tokenizer().unwrap().encode("a b", None, &EncodeOptions::default()).unwrap();
    let (has_ended, ticks, results) = (Cell::new(false), Cell::new(0), Cell::new(0));
    let tick = || -> Pin<Box<dyn Future<Output = Result<()>>>> {
        ticks.set(ticks.get() + 1);
        let result = if has_ended.get() { Err(Error::Aborted("ended".into())) } else { Ok(()) };
        Box::pin(async { result })
    };
    let mut each = |_, _| results.set(results.get() + 1);
    let states = OutputRequest::States(&[0]);
    let mut call = Box::pin(model.compute_each(&text, states, None, &tick, &mut each));
    let mut context = Context::from_waker(Waker::noop());
    let pass = model.engine().backend().unwrap();
    assert!(call.as_mut().poll(&mut context).is_pending());
    has_ended.set(true);
    drop(pass);
    let Poll::Ready(result) = call.as_mut().poll(&mut context) else { panic!("it has its turn") };
    assert_eq!(code(result), "aborted");
    assert_eq!((ticks.get(), results.get()), (2, 0));
    // It has given up its place, so the next call need not wait.
    assert!(block_on(model.compute(&text, states, None, &go_on)).is_ok());
}

#[wasm_bindgen_test(unsupported = test)]
fn the_last_layer_gives_the_same_on_the_rows_that_are_read() {
    for name in
        ["bert-mlm", "bert-pretraining", "bert-seqcls-3", "bert-qa", "albert-mlm", "roberta-mlm"]
    {
        let golden = Golden::named(name);
        for dtype in ["fp32", "q8"] {
            let model = golden.load(dtype).unwrap();
            let layers = model.config().layers;
            let case = inputs(&golden.cases()[0]);
            let padded = webert::batch::Padded {
                length: case.dims[1],
                ids: &case.ids,
                mask: None,
                types: None,
                positions: None,
            };
            let run = |states: Vec<usize>, tokens: Option<Vec<u32>>| {
                let (batch, _) = Batch::pack_padded(model.config(), padded).unwrap();
                let request = Request { batch, head: true, tokens, states, ..Request::default() };
                block_on(model.forward(request)).unwrap()
            };
            for tokens in [None, Some(vec![3, 1]), Some(vec![2, 2, 0])] {
                let all = run(vec![layers], tokens.clone());
                let some = run(Vec::new(), tokens.clone());
                assert!(!some.logits.is_empty());
                assert_eq!(some.logits, all.logits, "{name} {dtype} {tokens:?}");
                assert_eq!(some.relation, all.relation, "{name} {dtype} {tokens:?}");
                assert_eq!(some.pooled, all.pooled, "{name} {dtype} {tokens:?}");
            }
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn parameters_match_the_file_each_once() {
    for golden in GOLDENS {
        let model = golden.load("fp32").unwrap();
        let mut in_file = BTreeSet::new();
        for (_, bytes) in golden.weights() {
            in_file.extend(File::parse(bytes).header.keys().cloned());
        }
        let (encoder, head) = (describe_encoder(model.config()), model.head_spec());
        let specs: Vec<_> = encoder
            .leaves()
            .into_iter()
            .chain(head.leaves())
            .map(|leaf| leaf.into_inner())
            .collect();
        let numbers: usize = specs.iter().map(|spec| spec.rows * spec.cols).sum();
        assert_eq!(numbers, model.info().parameters, "{}", golden.name);
        let names: Vec<_> = specs.iter().flat_map(|spec| &spec.tensors).collect();
        let unique: BTreeSet<_> = names.iter().map(|name| &name.canonical).collect();
        assert_eq!(unique.len(), names.len(), "{}", golden.name);
        // Files of bare models and old files use other names.
        if head.kind != HeadKind::Bare && golden.name != "bert-mlm-legacy-names" {
            for name in names {
                assert!(in_file.contains(&name.checkpoint), "{}: {name:?}", golden.name);
            }
        }
        for spec in specs {
            let is_matrix = spec.tensors[0].canonical.ends_with("weight") && spec.cols > 1;
            assert_eq!(spec.decays, is_matrix, "{spec:?}");
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn parameters_can_be_changed_by_their_names() {
    let mut model = load(&classifier_files(), "fp32");
    let before = results(&mut model).tensors[0].1.data.clone();
    let specs = describe_new_head(model.config(), HeadKind::SequenceClassification);
    let mut changed = 0;
    let mut head = model.head_mut().unwrap();
    for (spec, parameter) in specs.leaves().into_iter().zip(head.leaves_mut()) {
        match (spec.into_inner().tensors[0].checkpoint.as_str(), parameter) {
            ("classifier.bias", Parameter::Vector(bias)) => {
                bias.iter_mut().for_each(|bias| *bias += 1.0);
                changed += 1;
            }
            ("bert.pooler.dense.weight" | "classifier.weight", Parameter::Matrix(_))
            | ("bert.pooler.dense.bias", Parameter::Vector(_)) => {}
            (name, _) => panic!("{name}"),
        }
    }
    drop(head);
    assert_eq!(changed, 1);
    let after = results(&mut model).tensors[0].1.data.clone();
    assert!(before.iter().zip(&after).all(|(before, after)| (after - before - 1.0).abs() < 1e-5));
    // The encoder has as many parameters as its description.
    let specs = describe_encoder(model.config());
    let mut encoder = model.engine().encoder_mut().unwrap();
    assert_eq!(encoder.leaves_mut().len(), specs.leaves().len());
    assert_eq!(specs.leaves().len(), 5 + 2 * 12);
}
