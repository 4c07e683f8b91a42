//! Checkpoints of a few thousand numbers, for the targets that run models.

use std::cell::RefCell;

use serde_json::json;
use webert::backend::cpu::Cpu;
use webert::config::{Config, HeadKind};
use webert::engine::{Files, Folder, LoadOptions, Model, ModelLoader};
use webert::model::{describe_encoder, describe_new_head};
use webert::train::run::save::{Dtype, safetensors_header};

pub const VOCABULARY: [&str; 26] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "nile", "is", "a", "long", "river",
    "where", "?", ".", "in", "africa", "anna", "##s", "b", "c", "d", ",", "##b", "caf", "##e", "!",
];

pub const HEADS: [HeadKind; 9] = [
    HeadKind::Bare,
    HeadKind::MaskedLm,
    HeadKind::NextSentence,
    HeadKind::PreTraining,
    HeadKind::SequenceClassification,
    HeadKind::TokenClassification,
    HeadKind::QuestionAnswering,
    HeadKind::MultipleChoice,
    HeadKind::ReplacedToken,
];

/// Largest number of tokens of the models.
pub const POSITIONS: usize = 16;

/// A tensor of a checkpoint: name, shape and values.
pub struct Tensor {
    pub name: String,
    pub shape: Vec<usize>,
    pub data: Vec<f32>,
}

/// Returns config and vocabulary of a model with this head.
pub fn files(kind: HeadKind, layers: usize) -> Files {
    let model_type = if kind == HeadKind::ReplacedToken { "electra" } else { "bert" };
    let config = json!({
        "model_type": model_type, "vocab_size": VOCABULARY.len(), "hidden_size": 8, "embedding_size": 8,
        "num_hidden_layers": layers, "num_attention_heads": 2, "intermediate_size": 16,
        "max_position_embeddings": POSITIONS, "type_vocab_size": 2,
        "id2label": { "0": "O", "1": "B-X", "2": "entailment" },
    });
    let vocab = VOCABULARY.join("\n");
    vec![
        ("config.json".into(), config.to_string().into_bytes()),
        ("vocab.txt".into(), vocab.into_bytes()),
    ]
}

/// Returns the tensors of that model, with pseudo-random values from -0.5 to 0.5.
pub fn tensors(files: &Files, kind: HeadKind) -> Vec<Tensor> {
    let config = Config::parse(&files[0].1).expect("our own config");
    let (encoder, head) = (describe_encoder(&config), describe_new_head(&config, kind));
    let leaves = encoder.leaves().into_iter().chain(head.leaves());
    let mut random = Random(7);
    let mut tensors = Vec::new();
    for spec in leaves.map(|leaf| leaf.into_inner()) {
        for name in &spec.tensors {
            let rows = spec.tensor_rows();
            let is_vector = spec.cols == 1;
            let shape = if is_vector { vec![rows] } else { vec![rows, spec.cols] };
            let data = (0..rows * spec.cols).map(|_| random.next()).collect();
            tensors.push(Tensor { name: name.checkpoint.clone(), shape, data });
        }
    }
    tensors
}

/// Counter-based random numbers (Steele et al. 2014, `SplitMix`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((z ^ (z >> 27)) >> 40) as f32 / (1 << 24) as f32 - 0.5
    }
}

/// Calls `body` with the model with this head. It is loaded once.
pub fn with_model<T>(kind: HeadKind, body: impl FnOnce(&Model<Cpu>) -> T) -> T {
    thread_local!(static MODELS: RefCell<Vec<(HeadKind, &'static Model<Cpu>)>> = RefCell::default());
    let known = MODELS.with_borrow(|models| models.iter().find(|(of, _)| *of == kind).copied());
    let (_, model) = known.unwrap_or_else(|| {
        let made: (_, &'static _) = (kind, Box::leak(Box::new(load(kind))));
        MODELS.with_borrow_mut(|models| models.push(made));
        made
    });
    body(model)
}

fn load(kind: HeadKind) -> Model<Cpu> {
    let files = files(kind, 2);
    let tensors = tensors(&files, kind);
    let shapes: Vec<(&str, &[usize])> =
        tensors.iter().map(|t| (t.name.as_str(), t.shape.as_slice())).collect();
    let mut bytes = safetensors_header(&shapes, Dtype::F32).expect("a header of our own names");
    for tensor in &tensors {
        bytes.extend(tensor.data.iter().flat_map(|number| number.to_le_bytes()));
    }
    let options = LoadOptions::with_dtype("fp32", Some(kind)).expect("a dtype");
    let folder = Folder::read(&files).expect("our own files");
    let mut loader = ModelLoader::new(folder, Cpu::default(), options).expect("a loader");
    loader.begin_file("model.safetensors").expect("a file");
    loader.push(&bytes).expect("our own weights");
    pollster::block_on(loader.finish()).expect("a model")
}
