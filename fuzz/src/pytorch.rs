//! A file of PyTorch: any bytes give a model or an error, the same ones in pieces of any size.

use webert::checkpoint::to_safetensors;
use webert::config::HeadKind;

use super::check::allowed;
use super::safetensors::check_pieces;
use super::source::Source;
use super::tiny;

const CODES: [&str; 2] = ["bad_weights", "unsupported"];

pub fn run(data: &[u8]) -> bool {
    let mut source = Source::new(data);
    let piece = 1 + usize::from(source.byte());
    let bytes = source.rest();
    let whole = to_safetensors("pytorch_model.bin", bytes);
    allowed(whole.map(|tensors| assert!(tensors.len() < 64 * bytes.len() + 64)), &CODES);
    let files = tiny::files(HeadKind::MaskedLm, 1);
    check_pieces(&files, "fp32", "pytorch_model.bin", bytes, piece) == "ok"
}
