//! The header of a safetensors file. Any text yields a model or an error, and the same one in
//! pieces of any size.

use webert::Result;
use webert::backend::cpu::Cpu;
use webert::config::HeadKind;
use webert::engine::{Files, Folder, Inputs, LoadOptions, Model, ModelLoader};

use super::check::allowed;
use super::source::Source;
use super::tiny;

const CODES: [&str; 2] = ["bad_weights", "unsupported"];

/// Largest number of data bytes after a header.
const MOST_DATA: u64 = 1 << 14;

pub fn run(data: &[u8]) -> bool {
    let mut source = Source::new(data);
    let (is_raw, piece) = (source.flag(), 1 + usize::from(source.byte()));
    let rest = source.rest();
    let bytes = if is_raw { rest.to_vec() } else { framed(rest) };
    let files = tiny::files(HeadKind::MaskedLm, 1);
    check_pieces(&files, "fp32", "model.safetensors", &bytes, piece) == "ok"
}

/// Returns a file with this header: its length in front, and zeros for the data that it declares.
fn framed(header: &[u8]) -> Vec<u8> {
    let json: serde_json::Value = serde_json::from_slice(header).unwrap_or_default();
    let ends =
        json.as_object().into_iter().flatten().filter_map(|(_, of)| of["data_offsets"][1].as_u64());
    let size = ends.max().unwrap_or(0).min(MOST_DATA);
    [&(header.len() as u64).to_le_bytes()[..], header, &vec![0; size as usize]].concat()
}

/// Loads the file whole and in pieces. Both must yield the same model or error. Returns the error's
/// code, or "ok".
pub fn check_pieces(
    files: &Files,
    dtype: &str,
    name: &str,
    bytes: &[u8],
    piece: usize,
) -> &'static str {
    let whole = load(files, dtype, name, &[bytes]);
    let pieces: Vec<&[u8]> = bytes.chunks(piece).collect();
    let pieced = load(files, dtype, name, &pieces);
    match (whole, pieced) {
        (Ok(whole), Ok(pieced)) => {
            assert_eq!(scores(&whole), scores(&pieced), "by pieces of {piece}");
            "ok"
        }
        (Err(whole), Err(pieced)) => {
            assert_eq!(whole.code(), pieced.code(), "{whole}; by pieces of {piece}: {pieced}");
            let code = whole.code();
            allowed::<()>(Err(whole), &CODES);
            code
        }
        (whole, pieced) => {
            panic!("{:?}, by pieces of {piece}: {:?}", whole.err(), pieced.err());
        }
    }
}

fn load(files: &Files, dtype: &str, name: &str, pieces: &[&[u8]]) -> Result<Model<Cpu>> {
    let options = LoadOptions::with_dtype(dtype, None)?;
    let mut loader = ModelLoader::new(Folder::read(files)?, Cpu::default(), options)?;
    loader.begin_file(name)?;
    pieces.iter().try_for_each(|piece| loader.push(piece))?;
    loader.end_file()?;
    pollster::block_on(loader.finish())
}

/// Returns the bits of the model's scores for a few ids.
fn scores(model: &Model<Cpu>) -> Vec<u32> {
    let inputs = Inputs { dims: vec![1, 4], ids: vec![2, 5, 25, 3], ..Inputs::default() };
    let tick = || Box::pin(async { Ok(()) }) as _;
    let outputs =
        pollster::block_on(model.outputs(&inputs, false, false, &tick)).expect("ids of the model");
    outputs
        .tensors
        .iter()
        .flat_map(|(_, tensor)| tensor.data.iter().map(|number| number.to_bits()))
        .collect()
}
