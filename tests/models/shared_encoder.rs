//! Models with adapters over the encoder that they change: the answers of each alone, the memory
//! of the parameters, and what is freed when.

use std::fs::read;
use std::rc::Rc;

use crate::common::file::File;
use crate::common::{Golden, Model, go_on, inputs, outputs};
use pollster::block_on;
use serde_json::Map;
use webert::Result;
use webert::backend::cpu::Cpu;
use webert::config::HeadKind;
use webert::engine::{Files, Folder, LoadOptions, ModelLoader, OutputRequest};
use webert::tokenizer::EncodeOptions;

const BASE: &str = "../minilm-mlm/model.safetensors";
/// Adapters of the package: a folder and its head.
const ADAPTERS: [(&str, HeadKind); 2] =
    [("minilm-embeddings", HeadKind::Bare), ("minilm-entities", HeadKind::TokenClassification)];
const TEXT: &str = "Marie Curie was born in Warsaw.";

fn file(path: &str) -> Vec<u8> {
    read(format!("models/{path}")).unwrap()
}

fn files(folder: &str) -> Files {
    let mut files = vec![("tokenizer.json".to_owned(), file("minilm-mlm/tokenizer.json"))];
    for name in ["config.json", "model.safetensors.index.json"] {
        if let Ok(bytes) = read(format!("models/{folder}/{name}")) {
            files.push((name.to_owned(), bytes));
        }
    }
    files
}

/// Reads the weights of a folder.
fn push(mut loader: ModelLoader<Cpu>, folder: &str) -> Model {
    let names = match folder {
        "minilm-mlm" => &["model.safetensors"][..],
        _ => &["adapter.safetensors", BASE],
    };
    for name in names.iter().filter(|name| loader.wants(name)).collect::<Vec<_>>() {
        loader.begin_file(name).unwrap();
        loader.push(&file(&format!("{folder}/{name}"))).unwrap();
        loader.end_file().unwrap();
    }
    block_on(loader.finish()).unwrap()
}

/// Options for a folder. The number of its adapter is its place in [`ADAPTERS`], from 1.
fn options(folder: &str, dtype: &str, head: HeadKind) -> LoadOptions {
    let number = ADAPTERS.iter().position(|(name, _)| *name == folder).map_or(0, |at| at + 1);
    let options = LoadOptions::with_dtype(dtype, Some(head)).unwrap();
    LoadOptions { adapter: u32::try_from(number).unwrap(), ..options }
}

fn alone(folder: &str, dtype: &str, head: HeadKind) -> Model {
    let made = Folder::read(&files(folder)).unwrap();
    push(ModelLoader::new(made, Cpu::default(), options(folder, dtype, head)).unwrap(), folder)
}

fn masked_lm(dtype: &str) -> Model {
    alone("minilm-mlm", dtype, HeadKind::MaskedLm)
}

fn attach(model: &Model, folder: &str, dtype: &str, head: HeadKind) -> Result<ModelLoader<Cpu>> {
    let made = Folder::read(&files(folder)).unwrap();
    ModelLoader::attach(model.engine(), made, options(folder, dtype, head))
}

fn states(model: &Model) -> Vec<f32> {
    let text = model.tokenizer().unwrap();
    let text = text.encode(TEXT, None, &EncodeOptions::default()).unwrap();
    let tables = block_on(model.compute(&text, OutputRequest::States(&[0, 3, 6]), None, &go_on));
    tables.unwrap().remove(0).data
}

/// Returns the greatest difference of two rows of numbers.
fn difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

#[test]
fn models_over_one_encoder_answer_like_each_alone() {
    for dtype in ["fp32", "q8"] {
        let alone = ADAPTERS.map(|(folder, head)| states(&alone(folder, dtype, head)));
        let fills = masked_lm(dtype);
        let before = states(&fills);
        let shared = ADAPTERS
            .map(|(folder, head)| push(attach(&fills, folder, dtype, head).unwrap(), folder));
        // twice, so that a model that changed another one's weights would show
        for _ in 0..2 {
            for ((folder, _), (shared, alone)) in ADAPTERS.iter().zip(shared.iter().zip(&alone)) {
                assert_eq!(states(shared), *alone, "{dtype} {folder}");
                assert!(difference(alone, &before) > 0.1, "{folder} is not the base");
                assert_eq!(states(&fills), before, "{dtype}: the base is changed");
            }
        }
    }
}

#[test]
fn a_model_over_an_encoder_has_only_its_changes_in_memory() {
    let fills = masked_lm("q8");
    let base = fills.info();
    assert_eq!(base.shared_bytes, 0);
    let word_table = 29_528 * 384;
    // The adapter for embeddings changes all matrices but the table of positions.
    for ((folder, head), least) in ADAPTERS.into_iter().zip([512 * 384, word_table]) {
        let alone = alone(folder, "q8", head).info();
        let shared = push(attach(&fills, folder, "q8", head).unwrap(), folder).info();
        println!("{folder}: {} bytes alone, {} shared", alone.bytes, shared.shared_bytes);
        assert_eq!((alone.parameters, alone.bytes), (shared.parameters, shared.bytes));
        assert_eq!(alone.shared_bytes, 0);
        assert!(shared.shared_bytes >= least, "{folder}: {} bytes", shared.shared_bytes);
        assert!(shared.shared_bytes < base.bytes);
    }
}

#[test]
fn the_order_of_loads_decides_nothing() {
    let (folder, head) = ADAPTERS[1];
    let labels = alone(folder, "q8", head);
    let before = states(&labels);
    let loader = attach(&labels, "minilm-mlm", "q8", HeadKind::MaskedLm).unwrap();
    let fills = push(loader, "minilm-mlm");
    let info = fills.info();
    assert!(info.shared_bytes > 29_528 * 384, "{} bytes", info.shared_bytes);
    assert_eq!(states(&fills), states(&masked_lm("q8")));
    let loader = attach(&fills, ADAPTERS[0].0, "q8", ADAPTERS[0].1).unwrap();
    let embeds = push(loader, ADAPTERS[0].0);
    assert_eq!(states(&embeds), states(&alone(ADAPTERS[0].0, "q8", ADAPTERS[0].1)));
    assert_eq!(states(&labels), before);
}

#[test]
fn a_table_of_token_types_with_other_rows_is_not_shared() {
    let fills = masked_lm("q8");
    let (folder, head) = ADAPTERS[0];
    let mut files = files(folder);
    let (_, config) = files.iter_mut().find(|(name, _)| name == "config.json").unwrap();
    let text = String::from_utf8(config.clone()).unwrap();
    assert!(text.contains("\"type_vocab_size\": 2"));
    *config = text.replace("\"type_vocab_size\": 2", "\"type_vocab_size\": 9").into_bytes();
    let made = Folder::read(&files).unwrap();
    let mut loader =
        ModelLoader::attach(fills.engine(), made, options(folder, "q8", head)).unwrap();
    loader.begin_file("adapter.safetensors").unwrap();
    loader.push(&file(&format!("{folder}/adapter.safetensors"))).unwrap();
    loader.end_file().unwrap();
    // The file of the other folder has a table of two rows.
    loader.begin_file(BASE).unwrap();
    let error = loader.push(&file(&format!("{folder}/{BASE}"))).unwrap_err();
    assert_eq!(error.code(), "bad_weights");
    assert!(error.to_string().contains("token_type_embeddings.weight"), "{error}");
}

#[test]
fn models_of_one_adapter_share_it_and_it_is_freed_with_the_last() {
    let (folder, head) = ADAPTERS[1];
    let fills = masked_lm("q8");
    let first = push(attach(&fills, folder, "q8", head).unwrap(), folder);
    let second = push(attach(&fills, folder, "q8", HeadKind::Bare).unwrap(), folder);
    assert!(Rc::ptr_eq(first.engine(), second.engine()));
    assert!(!Rc::ptr_eq(first.engine(), fills.engine()));
    assert!(Rc::ptr_eq(first.tokenizer().unwrap(), fills.tokenizer().unwrap()));
    // A model of the base attaches to the base, also by a model with an adapter.
    let bare = push(attach(&first, "minilm-mlm", "q8", HeadKind::Bare).unwrap(), "minilm-mlm");
    assert!(Rc::ptr_eq(bare.engine(), fills.engine()));
    drop(bare);

    let (adapted, base) = (Rc::downgrade(first.engine()), Rc::downgrade(fills.engine()));
    let before = (states(&fills), states(&first));
    drop(second);
    drop(fills);
    assert!(base.upgrade().is_none(), "the adapter keeps matrices that it does not use");
    assert_eq!(states(&first), before.1, "the base's matrices stay for the adapter");
    let again = attach(&first, "minilm-mlm", "q8", HeadKind::MaskedLm).unwrap();
    let again = push(again, "minilm-mlm");
    assert_eq!(states(&again), before.0);
    drop(first);
    assert!(adapted.upgrade().is_none());
    assert_eq!(states(&again), before.0);
}

#[test]
fn an_encoder_that_is_shared_is_not_borrowed_for_changes() {
    let (folder, head) = ADAPTERS[1];
    let fills = masked_lm("q8");
    assert!(fills.engine().encoder_mut().is_ok());
    let after = push(attach(&fills, folder, "q8", head).unwrap(), folder);
    assert_eq!(after.info().shared_bytes, 0, "an encoder that may have changed is not shared");
    for model in [&fills, &after] {
        let error = model.engine().encoder_mut().err().unwrap();
        assert!(error.to_string().contains("is shared with models that have an adapter"));
    }
    drop(after);
    assert!(fills.engine().encoder_mut().is_ok());
}

#[test]
fn a_load_that_ends_early_leaves_the_other_models() {
    let (folder, head) = ADAPTERS[1];
    let fills = masked_lm("q8");
    let before = states(&fills);
    let mut loader = attach(&fills, folder, "q8", head).unwrap();
    loader.begin_file("adapter.safetensors").unwrap();
    loader.push(&file(&format!("{folder}/adapter.safetensors"))[..200_000]).unwrap();
    drop(loader);
    let mut loader = attach(&fills, folder, "q8", head).unwrap();
    for name in ["adapter.safetensors", BASE] {
        loader.begin_file(name).unwrap();
        let bytes = file(&format!("{folder}/{name}"));
        loader.push(&bytes[..bytes.len() / if name == BASE { 2 } else { 1 }]).unwrap();
        if name != BASE {
            loader.end_file().unwrap();
        }
    }
    drop(loader);
    assert_eq!(states(&fills), before);
    assert!(fills.engine().encoder_mut().is_ok(), "nothing is shared any more");
}

/// Returns the tensors of a PEFT adapter of bert-mlm, of rank 2: queries and values of the first
/// layer, and with `dora` the lengths of the queries' rows.
#[cfg(feature = "families")]
fn peft(dora: bool) -> Vec<u8> {
    const WIDTH: usize = 48;
    let mut file = File { header: Map::new(), data: Vec::new() };
    let mut push = |name: &str, shape: &[usize]| {
        let count: usize = shape.iter().product();
        let value = |n: usize| ((n * 7919 % 101) as f32 - 50.0) / 200.0 + 0.3;
        let bytes: Vec<u8> = (0..count).flat_map(|n| value(n).to_le_bytes()).collect();
        let name = format!("bert.encoder.layer.0.attention.self.{name}");
        file.push(&name, "F32", shape, &bytes);
    };
    for matrix in ["query", "value"] {
        push(&format!("{matrix}.lora_A.weight"), &[2, WIDTH]);
        push(&format!("{matrix}.lora_B.weight"), &[WIDTH, 2]);
    }
    if dora {
        push("query.lora_magnitude_vector", &[WIDTH]);
    }
    file.bytes()
}

#[cfg(feature = "families")]
#[test]
fn peft_adapters_share_what_neither_changes_with_and_without_their_base() {
    let golden = Golden::named("bert-mlm");
    let bytes = golden.weights().next().unwrap().1.to_vec();
    let push = |mut loader: ModelLoader<Cpu>| {
        loader.begin_file("model.safetensors").unwrap();
        loader.push(&bytes).unwrap();
        loader.end_file().unwrap();
        block_on(loader.finish()).unwrap()
    };
    let files = |dora| {
        let mut files = golden.small_files();
        files.push(("adapter_model.safetensors".to_owned(), peft(dora)));
        Folder::read(&files).unwrap()
    };
    let plain = || Folder::read(&golden.small_files()).unwrap();
    let plain_options = options("", "fp32", HeadKind::MaskedLm);
    let given = inputs(&golden.cases()[0]);
    let answer = |model: &mut Model| outputs(model, &given, true).unwrap();
    let alone = |folder| push(ModelLoader::new(folder, Cpu::default(), plain_options).unwrap());
    let expected = [files(false), files(true), plain()].map(|folder| answer(&mut alone(folder)));
    assert!(expected[0] != expected[1] && expected[0] != expected[2]);

    let named = |adapter| LoadOptions { adapter, ..plain_options };
    let mut lora = push(ModelLoader::new(files(false), Cpu::default(), named(1)).unwrap());
    let over = |model: &Model, folder, adapter| {
        push(ModelLoader::attach(model.engine(), folder, named(adapter)).unwrap())
    };
    let mut dora = over(&lora, files(true), 2);
    let mut base = over(&dora, plain(), 0);
    for _ in 0..2 {
        let found = [&mut lora, &mut dora, &mut base].map(answer);
        assert_eq!(found, expected);
    }
    let qkv = 4 * 3 * 48 * 48;
    let own = [&lora, &dora, &base].map(|model| {
        let info = model.info();
        (info.shared_bytes > 0, info.bytes - info.shared_bytes > qkv)
    });
    assert_eq!(own, [(false, true), (true, true), (true, true)]);
    assert!(base.info().bytes - base.info().shared_bytes < base.info().bytes / 2);
}
