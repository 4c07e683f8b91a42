//! An ONNX file: any bytes yield a model or an error, the same one in pieces of any size.

use super::safetensors::check_pieces;
use super::source::Source;

/// The config of the seeds.
const CONFIG: &str = r#"{"model_type": "bert", "architectures": ["BertForSequenceClassification"],
    "vocab_size": 48, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
    "intermediate_size": 8, "max_position_embeddings": 8, "type_vocab_size": 2,
    "id2label": {"0": "a", "1": "b", "2": "c"}}"#;

pub fn run(data: &[u8]) -> bool {
    let mut source = Source::new(data);
    let piece = 1 + usize::from(source.byte());
    let files = vec![("config.json".to_owned(), CONFIG.as_bytes().to_vec())];
    check_pieces(&files, "fp32", "model.onnx", source.rest(), piece) == "ok"
}
