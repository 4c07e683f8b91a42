//! ONNX files as weights: outputs equal PyTorch's over the same weights, dequantised, and hostile files are refused.
//! tests/goldens/make/make_onnx.py makes the files; `WEBERT_ONNX_FILES` names a folder with others.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use crate::common::weight_files::{WeightFiles, check_cut, load_by_tens};
use crate::common::{Model, inputs, outputs};
use webert::Result;
use webert::backend::cpu::Cpu;
use webert::config::HeadKind;
use webert::engine::{Folder, LoadOptions, ModelLoader};

/// The files, and a model's loader for each.
struct Files(WeightFiles);

impl std::ops::Deref for Files {
    type Target = WeightFiles;

    fn deref(&self) -> &WeightFiles {
        &self.0
    }
}

impl Files {
    fn open() -> Self {
        Self(WeightFiles::open("onnx", "WEBERT_ONNX_FILES"))
    }

    /// A file that is refused. It has the first and last bytes of `fp32`.
    fn refused(&self, name: &str) -> Vec<u8> {
        let whole = self.part("fp32", "bytes");
        let count = |field: &str| self.rows[name][field].as_u64().unwrap() as usize;
        let last = &whole[whole.len() - count("last")..];
        [&whole[..count("first")], self.part(name, "bytes"), last].concat()
    }

    fn loader(&self, name: &str, head: Option<HeadKind>) -> ModelLoader<Cpu> {
        let config = match name.split('-').next() {
            Some("lm") => "lm-config",
            Some("tiny") => "tiny-config",
            _ => "config",
        };
        let config = serde_json::to_vec(&self.rows[config]).unwrap();
        let folder = Folder::read(&vec![("config.json".to_owned(), config)]).unwrap();
        let options = LoadOptions::with_dtype("fp32", head).unwrap();
        ModelLoader::new(folder, Cpu::default(), options).unwrap()
    }

    fn load(&self, name: &str, bytes: &[u8], chunk: usize) -> Result<Model> {
        let mut loader = self.loader(name, None);
        loader.begin_file("onnx/model.onnx")?;
        loader.expect_size(bytes.len() as u64)?;
        bytes.chunks(chunk).try_for_each(|piece| loader.push(piece))?;
        loader.end_file()?;
        for file in loader.external_files()? {
            assert_eq!(file, "model.onnx_data");
            let data = self.part(name, "data");
            loader.begin_file("onnx/model.onnx_data")?;
            loader.expect_size(data.len() as u64)?;
            data.chunks(chunk).try_for_each(|piece| loader.push(piece))?;
        }
        pollster::block_on(loader.finish())
    }

    /// The names of the files that load.
    fn good(&self) -> impl Iterator<Item = &String> {
        self.rows.iter().filter(|(_, row)| row.get("logits").is_some()).map(|(name, _)| name)
    }

    /// Logits of the goldens' inputs.
    fn logits(&self, model: &mut Model) -> Vec<f32> {
        let case = serde_json::json!({ "inputs": self.rows["inputs"] });
        outputs(model, &inputs(&case), false).unwrap().tensors[0].1.data.to_vec()
    }
}

#[test]
fn outputs_are_those_of_the_dequantised_weights() {
    let files = Files::open();
    let mut count = 0;
    for name in files.good() {
        let bytes = files.part(name, "bytes");
        let mut model =
            files.load(name, bytes, usize::MAX).unwrap_or_else(|e| panic!("{name}: {e}"));
        let expected = files.rows[name]["logits"].as_array().unwrap();
        let found = files.logits(&mut model);
        assert_eq!(found.len(), expected.len(), "{name}");
        let per_token = expected.len() / 12;
        for (n, (found, expected)) in found.iter().zip(expected).enumerate() {
            // the last three tokens of the second text are masked
            if name.starts_with("lm") && n / per_token > 8 {
                continue;
            }
            let expected = expected.as_f64().unwrap() as f32;
            assert!(
                (found - expected).abs() < 2e-5 * expected.abs().max(1.0),
                "{name}: {found}, {expected}"
            );
        }
        count += 1;
    }
    assert!(count >= 10, "{count} files");
}

#[test]
fn a_model_is_the_same_by_pieces_of_any_size() {
    let files = Files::open();
    for name in files.good() {
        let bytes = files.part(name, "bytes");
        let expected = files.logits(&mut files.load(name, bytes, usize::MAX).unwrap());
        for chunk in [1, 7, 1000] {
            let mut model = files.load(name, bytes, chunk).unwrap();
            assert_eq!(files.logits(&mut model), expected, "{name} by {chunk}");
        }
    }
}

#[test]
fn hostile_and_damaged_files_are_refused_by_name() {
    let files = Files::open();
    let count = files.check_refused("model.onnx", |name| {
        let bytes = files.refused(name);
        let load = |chunk| files.load(name, &bytes, chunk).map(|_| ()).expect_err(name);
        vec![load(1), load(usize::MAX)]
    });
    assert!(count >= 12, "{count} files");
}

#[test]
fn every_part_of_a_file_is_refused_as_cut_short() {
    let files = Files::open();
    for name in ["fp32", "int8-channels", "q4"] {
        let bytes = files.part(name, "bytes");
        for length in (0..bytes.len()).step_by(bytes.len() / 61) {
            let mut loader = files.loader(name, None);
            loader.begin_file("model.onnx").unwrap();
            let error = loader.push(&bytes[..length]).and_then(|()| loader.end_file());
            check_cut(&error.expect_err(name), "model.onnx");
        }
    }
}

#[test]
fn external_data_is_required_and_cut_files_of_it_are_refused() {
    let files = Files::open();
    let (bytes, data) = (files.part("external", "bytes"), files.part("external", "data"));
    let load = |data: Option<&[u8]>, size: bool| {
        let mut loader = files.loader("external", None);
        loader.begin_file("model.onnx")?;
        loader.push(bytes)?;
        loader.end_file()?;
        if let Some(data) = data {
            loader.begin_file("model.onnx_data")?;
            if size {
                loader.expect_size(data.len() as u64)?;
            }
            loader.push(data)?;
        }
        pollster::block_on(loader.finish())
    };
    let missing = load(None, false).map(|_| ()).expect_err("no data");
    assert!(missing.to_string().contains("model.onnx_data"), "{missing}");
    for size in [false, true] {
        let cut = load(Some(&data[..data.len() - 8]), size).map(|_| ()).expect_err("cut");
        check_cut(&cut, "model.onnx_data");
    }
}

#[test]
fn bytes_that_no_head_needs_are_skipped() {
    let files = Files::open();
    let bytes = files.part("lm-fp32", "bytes");
    let load = |skips| {
        let loader = files.loader("lm-fp32", Some(HeadKind::Bare));
        load_by_tens(loader, "model.onnx", bytes, skips).unwrap()
    };
    let (mut all, _) = load(false);
    let (mut less, skipped) = load(true);
    assert!(skipped > 1000, "{skipped} bytes");
    assert_eq!(files.logits(&mut all), files.logits(&mut less));
}
