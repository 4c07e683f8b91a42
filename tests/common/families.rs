//! Goldens of MPNet, ModernBERT and other families, with their tokenizers, from
//! `tests/goldens/families`. `FAMILY_MODELS=DIR` names a folder with more of them.

use std::path::{Path, PathBuf};

use super::Golden;

/// Returns the folder, which has `models/NAME` and `pipelines/TASK.json`.
pub(crate) fn folder() -> PathBuf {
    std::env::var_os("FAMILY_MODELS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/families"),
        PathBuf::from,
    )
}

/// Returns a golden by name. It is kept until the test ends.
pub(crate) fn golden(name: &str) -> &'static Golden {
    let entries = std::fs::read_dir(folder().join("models").join(name)).unwrap();
    let files = entries.map(|entry| {
        let entry = entry.unwrap();
        let name: &'static str = entry.file_name().into_string().unwrap().leak();
        let bytes: &'static [u8] = std::fs::read(entry.path()).unwrap().leak();
        (name, bytes)
    });
    let (name, files) = (name.to_owned().leak(), files.collect::<Vec<_>>().leak());
    Box::leak(Box::new(Golden { name, files }))
}

/// Returns a golden with the cases of another file of its folder.
#[allow(dead_code, reason = "not every test has such goldens")]
pub(crate) fn with_cases(name: &str, file: &str) -> Golden {
    let Golden { name, files } = *golden(name);
    let cases = files.iter().find(|(name, _)| *name == file).expect("a file of that name").1;
    let kept = files.iter().copied().filter(|(name, _)| *name != "cases.json");
    let files: Vec<_> = kept.chain([("cases.json", cases)]).collect();
    Golden { name, files: files.leak() }
}

/// Returns all goldens, sorted by name.
pub(crate) fn goldens() -> impl Iterator<Item = &'static Golden> {
    let entries = std::fs::read_dir(folder().join("models")).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names.into_iter().map(|name| golden(&name))
}
