//! Measures the time saved by computing the last layer only for the rows that a head reads. Runs
//! the forward pass of a text classifier and of fill-mask alternately with all rows and with these
//! rows.
//!
//! `cargo bench --no-default-features --features cpu --bench last_layer`

mod common;

use std::fs::read;
use std::path::Path;
use std::time::Instant;

use common::batch;
use pollster::block_on;
use webert::backend::Backend;
use webert::backend::cpu::Cpu;
use webert::engine::{Folder, LoadOptions, Model, ModelLoader};
use webert::model::encoder::{Scratch, Span, encode};
use webert::model::heads::{self, HeadRows};

const LENGTH: usize = 128;
const ROUNDS: usize = 9;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("milliseconds (median of {ROUNDS}): all rows, rows that are read, ratio");
    let tasks = [("text-classification", "minilm-sentiment"), ("fill-mask", "minilm-mlm")];
    for (task, name) in tasks {
        for dtype in ["fp32", "q8"] {
            let model = load(name, dtype)?;
            for count in [1, 8] {
                let [all, some] = times(&model, count)?;
                let ratio = all / some;
                println!(
                    "{task:20} {dtype:5} {count} × {LENGTH}  {all:7.2} {some:7.2}  {ratio:.3}"
                );
            }
        }
    }
    Ok(())
}

/// Loads a model of the package. The classifier's encoder is in the file of the masked language
/// model.
fn load(name: &str, dtype: &str) -> Result<Model<Cpu>, Box<dyn std::error::Error>> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let file = |path: &str| read(models.join(path));
    let config = ("config.json".to_owned(), file(&format!("{name}/config.json"))?);
    let index = "model.safetensors.index.json";
    let mut files = vec![config];
    if let Ok(bytes) = file(&format!("{name}/{index}")) {
        files.push((index.to_owned(), bytes));
    }
    let options = LoadOptions::with_dtype(dtype, None)?;
    let mut loader = ModelLoader::new(Folder::read(&files)?, Cpu::default(), options)?;
    for weights in ["minilm-mlm/model.safetensors", &format!("{name}/classifier.safetensors")] {
        if let Ok(bytes) = file(weights) {
            loader.begin_file(weights)?;
            loader.push(&bytes)?;
        }
    }
    Ok(block_on(loader.finish())?)
}

/// Returns the median milliseconds with all rows of the last layer, and with the first row of each
/// text.
fn times(model: &Model<Cpu>, count: usize) -> webert::Result<[f64; 2]> {
    let mut times = [Vec::new(), Vec::new()];
    let mut scratch = Scratch::default();
    for _ in 0..=ROUNDS {
        for (some, times) in [false, true].into_iter().zip(&mut times) {
            let start = Instant::now();
            pass(model, count, some, &mut scratch)?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    Ok(times.map(|mut times| {
        times.remove(0); // the first turn allocates memory
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    }))
}

/// Runs encoder and head. For fill-mask, the first token takes the place of the mask.
fn pass(
    model: &Model<Cpu>,
    count: usize,
    some: bool,
    scratch: &mut Scratch<Cpu>,
) -> webert::Result<()> {
    let Some(mut backend) = model.engine().backend() else { return Ok(()) };
    let (config, encoder, head) = (model.config(), model.engine().encoder(), model.head());
    let batch = batch(count, LENGTH, config.vocab);
    let read = batch.first_rows();
    let rows = some.then(|| read.clone());
    let span = Span { layers: config.layers, rows, ..Span::default() };
    encode(&mut *backend, config, &encoder, batch, scratch, &span)?;
    let read = (!some).then_some(&read[..]);
    let rows = HeadRows { first: read, tokens: read };
    let outputs = heads::run(&mut *backend, &encoder, &head, &scratch.state, &rows);
    let wanted: Vec<_> = outputs.logits.iter().collect();
    block_on(backend.read(&wanted)).map(drop)
}
