//! Trained models as files for Hugging Face's libraries: `config.json` and safetensors.

use crate::error::fault;
use half::f16;
use serde_json::{Map, Value, json};

use crate::checkpoint::header;
use crate::config::{Config, Family, HeadKind, Problem};
use crate::{Error, Result};

/// Format of numbers in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dtype {
    /// 32-bit floats.
    F32,
    /// 16-bit floats.
    F16,
}

impl Dtype {
    /// Returns the name in a header.
    fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::F16 => "F16",
        }
    }

    /// Returns the number of bytes per number.
    pub fn size(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 => 2,
        }
    }

    /// Converts numbers to little-endian bytes.
    pub fn bytes(self, numbers: &[f32]) -> Vec<u8> {
        match self {
            Self::F32 => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
            Self::F16 => {
                numbers.iter().flat_map(|&number| f16::from_f32(number).to_le_bytes()).collect()
            }
        }
    }
}

/// Returns the header of a safetensors file with tensors of these names and shapes. The numbers
/// follow each other in the given order; the header itself is sorted by name.
///
/// # Errors
/// `BadWeights` if a name occurs twice or is reserved.
///
/// ```
/// use webert::train::run::save::{Dtype, safetensors_header};
///
/// let header = safetensors_header(&[("b", &[2, 3]), ("a", &[4])], Dtype::F32)?;
/// assert_eq!(header.len() % 8, 0);
/// assert_eq!(u64::from_le_bytes(header[..8].try_into().unwrap()) as usize, header.len() - 8);
/// assert!(header[8..].starts_with(br#"{"__metadata__":{"format":"pt"},"a":{"#));
/// # Ok::<(), webert::Error>(())
/// ```
pub fn safetensors_header(tensors: &[(&str, &[usize])], dtype: Dtype) -> Result<Vec<u8>> {
    let bytes = |shape: &[usize]| shape.iter().product::<usize>() * dtype.size();
    let tensors = tensors.iter().map(|&(name, shape)| (name, dtype.name(), shape, bytes(shape)));
    header::write(tensors).map_err(|what| Error::BadWeights(format!("safetensors file: {what}")))
}

/// A new head.
#[derive(Debug, Clone, Copy)]
pub struct HeadConfig<'a> {
    /// Kind of head.
    pub kind: HeadKind,
    /// Names of its labels, in order. Empty if the head has no labels.
    pub labels: &'a [String],
    /// Meaning of a sequence classifier's scores.
    pub problem: Option<Problem>,
}

/// Returns the `config.json` of a checkpoint with another head. All fields are kept, except the
/// fields for the head, its labels and the problem type.
///
/// # Errors
/// `BadConfig` if `json` is not a config. `Unsupported` for a head that the family does not have.
/// `BadInput` if the labels are empty or not distinct.
pub fn config_with_head(json: &[u8], head: &HeadConfig<'_>) -> Result<String> {
    let config = Config::parse(json)?;
    let bad =
        |error: serde_json::Error| fault!(BadConfig, "config.json: {error}", file = "config.json");
    let mut fields: Map<String, Value> = serde_json::from_slice(json).map_err(bad)?;
    fields.insert("architectures".into(), json!([architecture(config.family, head.kind)?]));
    fields.insert("model_type".into(), json!(config.family.model_type()));
    // These fields belong to the old head.
    for name in ["id2label", "label2id", "num_labels", "problem_type"] {
        fields.remove(name);
    }
    if !head.labels.is_empty() {
        let by_id =
            head.labels.iter().enumerate().map(|(id, label)| (id.to_string(), json!(label)));
        let by_label: Map<String, Value> =
            head.labels.iter().enumerate().map(|(id, label)| (label.clone(), json!(id))).collect();
        if by_label.len() < head.labels.len() || by_label.contains_key("") {
            return Err(fault!(
                BadInput,
                "labels: expected different, non-empty names",
                item = "labels",
                expected = "different, non-empty names",
            ));
        }
        fields.insert("id2label".into(), by_id.collect::<Map<_, _>>().into());
        fields.insert("label2id".into(), by_label.into());
    }
    if let Some(problem) = head.problem {
        fields.insert("problem_type".into(), json!(problem_type(problem)));
    }
    serde_json::to_string_pretty(&fields).map_err(bad)
}

/// Returns a problem's name in `config.json`.
fn problem_type(problem: Problem) -> &'static str {
    match problem {
        Problem::SingleLabel => "single_label_classification",
        Problem::MultiLabel => "multi_label_classification",
        Problem::Regression => "regression",
    }
}

/// Returns the name of transformers' class.
fn architecture(family: Family, head: HeadKind) -> Result<String> {
    let class = match family {
        Family::Bert => "Bert",
        Family::DistilBert => "DistilBert",
        Family::Electra => "Electra",
        Family::Roberta => "Roberta",
        Family::XlmRoberta => "XLMRoberta",
        Family::Albert => "Albert",
        Family::MpNet => "MPNet",
        Family::ModernBert => "ModernBert",
        Family::Deberta => "Deberta",
        Family::DebertaV2 => "DebertaV2",
        Family::Camembert => "Camembert",
        Family::Data2VecText => "Data2VecText",
        Family::XlmRobertaXl => "XLMRobertaXL",
        Family::RobertaPreLayerNorm => "RobertaPreLayerNorm",
        Family::Ernie => "Ernie",
        Family::RemBert => "RemBert",
        Family::MegatronBert => "MegatronBert",
        Family::NomicBert => "NomicBert",
        Family::Gte => "Gte",
        Family::JinaEmbeddingsV3 => "JinaEmbeddingsV3",
        Family::EuroBert => "EuroBert",
        Family::Esm => "Esm",
        Family::RoFormer => "RoFormer",
        Family::SqueezeBert => "SqueezeBert",
        Family::MobileBert => "MobileBert",
        Family::ConvBert => "ConvBert",
    };
    let is_bert = matches!(family, Family::Bert | Family::Ernie | Family::MegatronBert);
    let has_pretraining = is_bert || family == Family::Albert;
    let suffix = match head {
        HeadKind::Bare => "Model",
        HeadKind::MaskedLm => "ForMaskedLM",
        HeadKind::NextSentence if is_bert => "ForNextSentencePrediction",
        HeadKind::PreTraining if has_pretraining => "ForPreTraining",
        HeadKind::ReplacedToken if family == Family::Electra => "ForPreTraining",
        HeadKind::SequenceClassification => "ForSequenceClassification",
        HeadKind::TokenClassification => "ForTokenClassification",
        HeadKind::QuestionAnswering => "ForQuestionAnswering",
        HeadKind::MultipleChoice => "ForMultipleChoice",
        HeadKind::NextSentence | HeadKind::PreTraining | HeadKind::ReplacedToken => {
            let (family, head) = (family.model_type(), head.name());
            return Err(fault!(
                Unsupported,
                "head {head}: {family} does not have it",
                item = "head {head}",
                found = "model_type \"{family}\"",
            ));
        }
    };
    Ok(format!("{class}{suffix}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use super::{Dtype, HeadConfig, architecture, config_with_head, safetensors_header};
    use crate::config::{Config, Family, HeadKind, Problem};

    const CONFIG: &[u8] =
        br#"{"model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": 8,
        "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16, "vocab_size": 9,
        "max_position_embeddings": 9, "num_labels": 5, "hidden_dropout_prob": 0.25}"#;

    #[test]
    fn a_new_head_changes_what_names_it_and_nothing_else() {
        let labels = ["refund", "login", "bug"].map(str::to_owned);
        let kind = HeadKind::SequenceClassification;
        let head = HeadConfig { kind, labels: &labels, problem: Some(Problem::MultiLabel) };
        let json = config_with_head(CONFIG, &head).unwrap();
        let config = Config::parse(json.as_bytes()).unwrap();
        let expected = Config {
            head: Some(kind),
            labels: labels.to_vec(),
            problem: Some(Problem::MultiLabel),
            ..Config::parse(CONFIG).unwrap()
        };
        assert_eq!(config, expected);
        let fields: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(fields["label2id"]["login"], 1);
        assert_eq!(fields["hidden_dropout_prob"], 0.25);
        assert_eq!(fields["architectures"][0], "BertForSequenceClassification");
        assert!(fields.get("num_labels").is_none());
    }

    #[test]
    fn what_transformers_does_not_have_is_refused() {
        let twice = ["a".to_owned(), "a".to_owned()];
        let head =
            HeadConfig { kind: HeadKind::TokenClassification, labels: &twice, problem: None };
        assert_eq!(config_with_head(CONFIG, &head).unwrap_err().code(), "bad_input");
        let head = HeadConfig { kind: HeadKind::ReplacedToken, labels: &[], problem: None };
        assert_eq!(config_with_head(CONFIG, &head).unwrap_err().code(), "unsupported");
        assert_eq!(config_with_head(b"{", &head).unwrap_err().code(), "bad_config");
    }

    /// The classes of transformers 4.57, besides the ones that every family has.
    #[test]
    fn classes_are_those_of_transformers() {
        use Family::{Albert, Bert, DistilBert, Electra, ModernBert, MpNet, Roberta, XlmRoberta};
        use HeadKind::{Bare, MaskedLm, MultipleChoice, NextSentence, PreTraining};
        use HeadKind::{
            QuestionAnswering, ReplacedToken, SequenceClassification, TokenClassification,
        };
        let names = [
            (Bert, "Bert"),
            (DistilBert, "DistilBert"),
            (Electra, "Electra"),
            (Roberta, "Roberta"),
            (XlmRoberta, "XLMRoberta"),
            (Albert, "Albert"),
            (MpNet, "MPNet"),
            (ModernBert, "ModernBert"),
        ];
        let heads = [
            (Bare, "Model"),
            (MaskedLm, "ForMaskedLM"),
            (SequenceClassification, "ForSequenceClassification"),
            (TokenClassification, "ForTokenClassification"),
            (QuestionAnswering, "ForQuestionAnswering"),
            (MultipleChoice, "ForMultipleChoice"),
        ];
        let few = [
            (Bert, NextSentence, "BertForNextSentencePrediction"),
            (Bert, PreTraining, "BertForPreTraining"),
            (Albert, PreTraining, "AlbertForPreTraining"),
            (Electra, ReplacedToken, "ElectraForPreTraining"),
        ];
        for (family, name) in names {
            for (head, suffix) in heads {
                assert_eq!(architecture(family, head).unwrap(), format!("{name}{suffix}"));
            }
            for head in [NextSentence, PreTraining, ReplacedToken] {
                let expected = few.iter().find(|(of, kind, _)| (*of, *kind) == (family, head));
                let found = architecture(family, head).ok();
                assert_eq!(found.as_deref(), expected.map(|(.., class)| *class));
            }
        }
    }

    #[test]
    fn a_name_given_twice_is_refused() {
        let error = safetensors_header(&[("a", &[1]), ("a", &[1])], Dtype::F32).unwrap_err();
        assert_eq!(error.code(), "bad_weights");
        assert_eq!(Dtype::F16.bytes(&[1.0, -2.0]), [0x00, 0x3c, 0x00, 0xc0]);
    }
}
