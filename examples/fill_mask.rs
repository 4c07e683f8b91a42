//! Fills the `[MASK]` of a text by the masked language model of a folder, on the CPU:
//!
//! `cargo run --release --example fill_mask -- FOLDER "Paris is the [MASK] of France."`
//!
//! The folder has `config.json`, `tokenizer.json` or `vocab.txt`, and safetensors, whole or in
//! shards. Without arguments it is the repository's `models/minilm-mlm`.

use std::error::Error;
use std::fs::{File, read, read_dir};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use pollster::block_on;
use webert::backend::cpu::Cpu;
use webert::engine::{Files, Folder, LoadOptions, Model, ModelLoader};
use webert::tasks::fill_mask::{self, MaskAnswer, MaskPrediction, fill_mask};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/models/minilm-mlm");
    let folder = arguments.next().unwrap_or_else(|| own.into());
    let text = arguments.next().unwrap_or_else(|| "Paris is the [MASK] of France.".into());
    for mask in fill(&load(Path::new(&folder))?, text)? {
        for MaskPrediction { score, token_str, sequence, .. } in mask {
            println!("{score:.4}  {token_str:12}  {sequence}");
        }
    }
    Ok(())
}

/// The five best words for each mask of `text`.
pub(crate) fn fill(model: &Model<Cpu>, text: String) -> webert::Result<Vec<Vec<MaskPrediction>>> {
    // called between forward passes, where an error from it would end the call
    let tick = || Box::pin(async { Ok(()) }) as _;
    let answers =
        block_on(fill_mask(model, &[text.into()], &fill_mask::FillMaskOptions::default(), &tick))?;
    Ok(answers
        .into_iter()
        .flat_map(|answer| match answer {
            MaskAnswer::One(mask) => vec![mask],
            MaskAnswer::Many(masks) => masks,
        })
        .collect())
}

/// Loads the model of `folder`; its weights are read piece by piece.
pub(crate) fn load(folder: &Path) -> Result<Model<Cpu>, Box<dyn Error>> {
    let (weights, others) = paths(folder)?;
    let mut files = Files::new();
    for path in others {
        files.push((name(&path), read(&path).map_err(|error| at(&path, &error))?));
    }
    let mut loader =
        ModelLoader::new(Folder::read(&files)?, Cpu::default(), LoadOptions::default())?;
    let mut piece = vec![0; 1 << 20];
    for path in weights {
        let mut file = File::open(&path).map_err(|error| at(&path, &error))?;
        loader.begin_file(&name(&path))?;
        loader.expect_size(file.metadata()?.len())?;
        loop {
            match file.read(&mut piece).map_err(|error| at(&path, &error))? {
                0 => break,
                bytes => loader.push(&piece[..bytes])?,
            }
        }
        loader.end_file()?;
    }
    Ok(block_on(loader.finish())?)
}

/// The safetensors of `folder`, and its JSON and text files.
fn paths(folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), String> {
    let entries: io::Result<Vec<_>> =
        read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut paths = entries.map_err(|error| at(folder, &error))?;
    paths.sort();
    let of = |kinds: &[&str]| {
        let is = |path: &&PathBuf| kinds.iter().any(|kind| path.extension() == Some(kind.as_ref()));
        paths.iter().filter(is).cloned().collect()
    };
    Ok((of(&["safetensors"]), of(&["json", "txt"])))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn at(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}
