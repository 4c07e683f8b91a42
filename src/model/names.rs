//! How each family spells the names of its tensors. Canonical names are without the family's prefix ("bert."), with
//! LayerNorm's "weight" and "bias" for "gamma" and "beta".

use crate::backend::Activation;
use crate::config::{Family, HeadKind};

/// One family's spelling.
pub(super) struct Spelling {
    /// Before the names of what the bare model has.
    pub(super) prefix: &'static str,
    /// Before each of a layer's names; `#` stands for the layer's number.
    pub(super) layer: &'static str,
    pub(super) query: &'static str,
    pub(super) key: &'static str,
    pub(super) value: &'static str,
    pub(super) attention_output: &'static str,
    pub(super) attention_norm: &'static str,
    pub(super) intermediate: &'static str,
    pub(super) output: &'static str,
    pub(super) output_norm: &'static str,
    /// Table width to encoder width.
    pub(super) projection: &'static str,
    /// The masked-LM head: dense, norm, decoder, and a bias that stands outside the decoder.
    pub(super) transform: &'static str,
    pub(super) transform_norm: &'static str,
    pub(super) decoder: &'static str,
    pub(super) decoder_bias: &'static str,
}

const BERT: Spelling = Spelling {
    prefix: "bert.",
    layer: "encoder.layer.#.",
    query: "attention.self.query",
    key: "attention.self.key",
    value: "attention.self.value",
    attention_output: "attention.output.dense",
    attention_norm: "attention.output.LayerNorm",
    intermediate: "intermediate.dense",
    output: "output.dense",
    output_norm: "output.LayerNorm",
    projection: "embeddings_project",
    transform: "cls.predictions.transform.dense",
    transform_norm: "cls.predictions.transform.LayerNorm",
    decoder: "cls.predictions.decoder",
    decoder_bias: "cls.predictions.bias",
};

const DISTILBERT: Spelling = Spelling {
    prefix: "distilbert.",
    layer: "transformer.layer.#.",
    query: "attention.q_lin",
    key: "attention.k_lin",
    value: "attention.v_lin",
    attention_output: "attention.out_lin",
    attention_norm: "sa_layer_norm",
    intermediate: "ffn.lin1",
    output: "ffn.lin2",
    output_norm: "output_layer_norm",
    transform: "vocab_transform",
    transform_norm: "vocab_layer_norm",
    decoder: "vocab_projector",
    decoder_bias: "vocab_projector.bias",
    ..BERT
};

const ELECTRA: Spelling = Spelling {
    prefix: "electra.",
    transform: "generator_predictions.dense",
    transform_norm: "generator_predictions.LayerNorm",
    decoder: "generator_lm_head",
    decoder_bias: "generator_lm_head.bias",
    ..BERT
};

const ROBERTA: Spelling = Spelling {
    prefix: "roberta.",
    transform: "lm_head.dense",
    transform_norm: "lm_head.layer_norm",
    decoder: "lm_head.decoder",
    decoder_bias: "lm_head.bias",
    ..BERT
};

const ALBERT: Spelling = Spelling {
    prefix: "albert.",
    layer: "encoder.albert_layer_groups.0.albert_layers.0.",
    query: "attention.query",
    key: "attention.key",
    value: "attention.value",
    attention_output: "attention.dense",
    attention_norm: "attention.LayerNorm",
    intermediate: "ffn",
    output: "ffn_output",
    output_norm: "full_layer_layer_norm",
    projection: "encoder.embedding_hidden_mapping_in",
    transform: "predictions.dense",
    transform_norm: "predictions.LayerNorm",
    decoder: "predictions.decoder",
    decoder_bias: "predictions.bias",
};

pub(super) fn spelling(family: Family) -> &'static Spelling {
    match family {
        Family::Bert => &BERT,
        Family::DistilBert => &DISTILBERT,
        Family::Electra => &ELECTRA,
        Family::Roberta => &ROBERTA,
        Family::Albert => &ALBERT,
    }
}

/// A tensor's canonical name.
pub(crate) fn canonical(family: Family, name: &str) -> String {
    let name = name.strip_prefix(spelling(family).prefix).unwrap_or(name);
    if let Some(norm) = name.strip_suffix(".gamma") {
        format!("{norm}.weight")
    } else if let Some(norm) = name.strip_suffix(".beta") {
        format!("{norm}.bias")
    } else {
        name.to_owned()
    }
}

/// The dense layer a head runs on a sequence's first token: its name and activation.
pub(super) fn pooler(family: Family, head: HeadKind) -> Option<(&'static str, Activation)> {
    use HeadKind::{Bare, MultipleChoice, NextSentence, PreTraining, SequenceClassification};
    match (family, head) {
        (Family::Bert, Bare | NextSentence | PreTraining)
        | (Family::Bert, SequenceClassification | MultipleChoice)
        | (Family::Roberta, Bare | MultipleChoice) => Some(("pooler.dense", Activation::Tanh)),
        (Family::Albert, Bare | PreTraining | SequenceClassification | MultipleChoice) => {
            Some(("pooler", Activation::Tanh))
        }
        (Family::DistilBert, SequenceClassification | MultipleChoice) => {
            Some(("pre_classifier", Activation::Relu))
        }
        (Family::Roberta, SequenceClassification) => Some(("classifier.dense", Activation::Tanh)),
        (Family::Electra, SequenceClassification) => Some(("classifier.dense", Activation::Gelu)),
        (Family::Electra, MultipleChoice) => Some(("sequence_summary.summary", Activation::Gelu)),
        _ => None,
    }
}

/// Whether a head of the family has a dense layer over a sequence's first token.
#[cfg(feature = "train")]
pub(crate) fn has_pooler(family: Family, head: HeadKind) -> bool {
    pooler(family, head).is_some()
}

/// The last linear layer of a head that has just one.
pub(crate) fn output_layer(family: Family, head: HeadKind) -> &'static str {
    match (family, head) {
        (Family::Albert, HeadKind::PreTraining) => "sop_classifier.classifier",
        (Family::Roberta | Family::Electra, HeadKind::SequenceClassification) => {
            "classifier.out_proj"
        }
        _ => head.layer(),
    }
}

/// The heads whose tensors are among `names` (canonical). A `classifier` may serve several.
pub(crate) fn available_heads(family: Family, names: &dyn Fn(&str) -> bool) -> Vec<HeadKind> {
    let has = |layer: &str| names(&format!("{layer}.weight"));
    let masked_lm = has(spelling(family).transform);
    let pooled = |head| match pooler(family, head) {
        Some((name, _)) => has(name),
        None => !head.reads_first(),
    };
    let classifier = |head| has(output_layer(family, head)) && pooled(head);
    let checks = [
        (HeadKind::MaskedLm, masked_lm),
        (HeadKind::NextSentence, classifier(HeadKind::NextSentence)),
        (HeadKind::PreTraining, masked_lm && classifier(HeadKind::PreTraining)),
        (HeadKind::QuestionAnswering, classifier(HeadKind::QuestionAnswering)),
        (HeadKind::ReplacedToken, classifier(HeadKind::ReplacedToken)),
        (HeadKind::SequenceClassification, classifier(HeadKind::SequenceClassification)),
        (HeadKind::MultipleChoice, classifier(HeadKind::MultipleChoice)),
        (HeadKind::TokenClassification, classifier(HeadKind::TokenClassification)),
    ];
    checks.into_iter().filter_map(|(head, there)| there.then_some(head)).collect()
}
