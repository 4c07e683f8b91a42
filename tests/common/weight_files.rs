//! Weight files of other formats: their bytes in one file, and a row of facts for each.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use webert::backend::cpu::Cpu;
use webert::engine::ModelLoader;
use webert::{Error, Result};

use super::Model;

/// All files, one after another, and a row for each.
pub(crate) struct WeightFiles {
    bytes: Vec<u8>,
    pub(crate) rows: BTreeMap<String, Value>,
}

impl WeightFiles {
    /// Opens `tests/goldens/NAME`, or the folder that the environment variable `other` names.
    pub(crate) fn open(name: &str, other: &str) -> Self {
        let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(name);
        let folder = std::env::var_os(other).map_or_else(own, PathBuf::from);
        let rows = fs::read(folder.join("files.json")).unwrap();
        Self {
            bytes: fs::read(folder.join("files")).unwrap(),
            rows: serde_json::from_slice(&rows).unwrap(),
        }
    }

    /// Returns the part of all files that a row's field places.
    pub(crate) fn part(&self, name: &str, field: &str) -> &[u8] {
        let [from, to] = [0, 1].map(|n| self.rows[name][field][n].as_u64().unwrap() as usize);
        &self.bytes[from..to]
    }

    /// Checks the code and the words of the error for each file that is refused. `load` returns the
    /// error of the file with this name. Returns the number of files.
    pub(crate) fn check_refused(&self, file: &str, load: impl Fn(&str) -> Vec<Error>) -> usize {
        let refused = self.rows.iter().filter(|(_, row)| row.get("code").is_some());
        refused
            .map(|(name, row)| {
                for error in load(name) {
                    let message = error.to_string();
                    assert_eq!(error.code(), row["code"], "{name}: {message}");
                    assert!(message.contains(file), "{name}: {message}");
                    for word in row["words"].as_array().unwrap() {
                        let word = word.as_str().unwrap();
                        assert!(
                            message.contains(word),
                            "{name}: \"{message}\" does not name {word}"
                        );
                    }
                }
            })
            .count()
    }
}

/// Loads `bytes` by pieces of ten. `skips`: skips bytes that are not needed. Returns the model and
/// the number of bytes that were skipped.
pub(crate) fn load_by_tens(
    mut loader: ModelLoader<Cpu>,
    file: &str,
    bytes: &[u8],
    skips: bool,
) -> Result<(Model, usize)> {
    loader.begin_file(file)?;
    let (mut at, mut skipped) = (0, 0);
    while at < bytes.len() {
        let now = loader.skippable().min(bytes.len() - at);
        if skips && now > 0 {
            loader.skip(now)?;
            (at, skipped) = (at + now, skipped + now);
            continue;
        }
        let end = (at + 10).min(bytes.len());
        loader.push(&bytes[at..end])?;
        at = end;
    }
    loader.end_file()?;
    Ok((pollster::block_on(loader.finish())?, skipped))
}

/// Checks that a cut file is refused as damaged, by its name.
pub(crate) fn check_cut(error: &Error, file: &str) {
    assert_eq!(error.code(), "bad_weights", "{error}");
    assert!(error.to_string().contains(file), "{error}");
}
