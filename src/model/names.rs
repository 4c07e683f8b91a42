//! The names of tensors in each family. Canonical names omit the family's prefix ("bert.") and use
//! LayerNorm's "weight" and "bias" instead of "gamma" and "beta".

use crate::backend::Activation;
use crate::config::{Config, Family, HeadKind};

/// The names of one family.
pub(super) struct Spelling {
    /// Prefix of the names in the bare model.
    pub(super) prefix: &'static str,
    /// The table of words, and the norm over the embeddings.
    pub(super) words: &'static str,
    pub(super) embeddings_norm: &'static str,
    /// Prefix of a layer's names; `#` stands for the number of the layer.
    pub(super) layer: &'static str,
    /// Queries. If the names of keys and values are empty, one tensor has all three.
    pub(super) query: &'static str,
    pub(super) key: &'static str,
    pub(super) value: &'static str,
    pub(super) attention_output: &'static str,
    pub(super) attention_norm: &'static str,
    pub(super) intermediate: &'static str,
    pub(super) output: &'static str,
    pub(super) output_norm: &'static str,
    /// Projection from the width of the tables to the width of the encoder.
    pub(super) projection: &'static str,
    /// Masked language model head: dense layer, norm, decoder, and a bias outside the decoder.
    pub(super) transform: &'static str,
    pub(super) transform_norm: &'static str,
    pub(super) decoder: &'static str,
    pub(super) decoder_bias: &'static str,
}

const BERT: Spelling = Spelling {
    prefix: "bert.",
    words: "embeddings.word_embeddings",
    embeddings_norm: "embeddings.LayerNorm",
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
    words: "embeddings.word_embeddings",
    embeddings_norm: "embeddings.LayerNorm",
    layer: "encoder.albert_layer_groups.#.albert_layers.0.",
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

const MPNET: Spelling = Spelling {
    prefix: "mpnet.",
    query: "attention.attn.q",
    key: "attention.attn.k",
    value: "attention.attn.v",
    attention_output: "attention.attn.o",
    attention_norm: "attention.LayerNorm",
    ..ROBERTA
};

const MODERNBERT: Spelling = Spelling {
    prefix: "model.",
    words: "embeddings.tok_embeddings",
    embeddings_norm: "embeddings.norm",
    layer: "layers.#.",
    query: "attn.Wqkv",
    key: "",
    value: "",
    attention_output: "attn.Wo",
    // The norm in front of the feed-forward. It follows attention's residual, like BERT's attention
    // norm.
    attention_norm: "mlp_norm",
    intermediate: "mlp.Wi",
    output: "mlp.Wo",
    // The norm in front of the next layer's attention.
    output_norm: "attn_norm",
    transform: "head.dense",
    transform_norm: "head.norm",
    decoder: "decoder",
    decoder_bias: "decoder.bias",
    ..BERT
};

const DEBERTA_V2: Spelling = Spelling {
    prefix: "deberta.",
    query: "attention.self.query_proj",
    key: "attention.self.key_proj",
    value: "attention.self.value_proj",
    projection: "embeddings.embed_proj",
    ..BERT
};

const DEBERTA: Spelling =
    Spelling { query: "attention.self.in_proj", key: "", value: "", ..DEBERTA_V2 };

/// DeBERTa's table of relative positions, `[2 · span, hidden]`, and its norm.
pub(super) const RELATIVE_TABLE: &str = "encoder.rel_embeddings";
pub(super) const RELATIVE_NORM: &str = "encoder.LayerNorm";

/// The convolution of DeBERTa-v2 and its norm.
pub(super) const CONVOLUTION: &str = "encoder.conv.conv";
pub(super) const CONVOLUTION_NORM: &str = "encoder.conv.LayerNorm";

/// The projections of relative positions as queries and as keys, within a layer of DeBERTa.
pub(super) fn position_projections(family: Family) -> [&'static str; 2] {
    match family {
        Family::Deberta => ["attention.self.pos_q_proj", "attention.self.pos_proj"],
        _ => ["attention.self.pos_query_proj", "attention.self.pos_key_proj"],
    }
}

/// The newer masked language model head of DeBERTa, which always uses the word table.
pub(super) const NEWER_TRANSFORM: &str = "lm_predictions.lm_head.dense";
pub(super) const NEWER_NORM: &str = "lm_predictions.lm_head.LayerNorm";
pub(super) const NEWER_BIAS: &str = "lm_predictions.lm_head.bias";

/// Returns true if a checkpoint has DeBERTa's newer masked language model head and no other.
pub(super) fn has_newer_head(family: Family, has: &dyn Fn(&str) -> bool) -> bool {
    let weight = |name: &str| has(&format!("{name}.weight"));
    matches!(family, Family::Deberta | Family::DebertaV2)
        && weight(NEWER_TRANSFORM)
        && !weight(BERT.transform)
}

/// MPNet's bias of attention scores, `[buckets, heads]`.
pub(super) const RELATIVE_BIAS: &str = "encoder.relative_attention_bias.weight";

/// ModernBERT's norm after the last layer.
pub(super) const FINAL_NORM: &str = "final_norm";

pub(super) fn spelling(family: Family) -> &'static Spelling {
    match family {
        Family::Bert => &BERT,
        Family::DistilBert => &DISTILBERT,
        Family::Electra => &ELECTRA,
        Family::Roberta | Family::XlmRoberta => &ROBERTA,
        Family::Albert => &ALBERT,
        Family::MpNet => &MPNET,
        Family::ModernBert => &MODERNBERT,
        Family::Deberta => &DEBERTA,
        Family::DebertaV2 => &DEBERTA_V2,
    }
}

/// Returns a tensor's canonical name.
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

/// Returns the other names of tied weights, as pairs of alias and canonical name.
pub(crate) fn tied_names(config: &Config) -> Vec<(String, String)> {
    let names = spelling(config.family);
    let weight = |name: &str| format!("{name}.weight");
    match config.tied {
        true => vec![(weight(names.decoder), weight(names.words))],
        false => Vec::new(),
    }
}

/// Returns the canonical name of the matrix of a masked language model head.
#[cfg(feature = "families")]
pub(crate) fn decoder_weight(family: Family) -> String {
    format!("{}.weight", spelling(family).decoder)
}

/// Returns the name of the matrix whose product a bias is added to, for the bias outside a masked
/// language model's decoder; `None` for other biases.
#[cfg(feature = "families")]
pub(crate) fn weight_of_bias(family: Family, bias: &str) -> Option<String> {
    let names = spelling(family);
    (canonical(family, bias) == names.decoder_bias).then(|| format!("{}.weight", names.decoder))
}

/// Returns name and activation of the dense layer that a head runs on a sequence's first token.
pub(super) fn pooler(family: Family, head: HeadKind) -> Option<(&'static str, Activation)> {
    use Family::{
        Albert, Bert, Deberta, DebertaV2, DistilBert, Electra, ModernBert, MpNet, Roberta,
        XlmRoberta,
    };
    use HeadKind::{Bare, MultipleChoice, NextSentence, PreTraining, SequenceClassification};
    match (family, head) {
        (Bert, Bare | NextSentence | PreTraining | SequenceClassification | MultipleChoice)
        | (Roberta | XlmRoberta | MpNet, Bare | MultipleChoice) => {
            Some(("pooler.dense", Activation::Tanh))
        }
        (Deberta | DebertaV2, SequenceClassification) | (DebertaV2, MultipleChoice) => {
            Some(("pooler.dense", Activation::Gelu))
        }
        (Albert, Bare | PreTraining | SequenceClassification | MultipleChoice) => {
            Some(("pooler", Activation::Tanh))
        }
        (DistilBert, SequenceClassification | MultipleChoice) => {
            Some(("pre_classifier", Activation::Relu))
        }
        (Roberta | XlmRoberta | MpNet, SequenceClassification) => {
            Some(("classifier.dense", Activation::Tanh))
        }
        (ModernBert, SequenceClassification | MultipleChoice) => {
            Some((MODERNBERT.transform, Activation::Gelu))
        }
        (Electra, SequenceClassification) => Some(("classifier.dense", Activation::Gelu)),
        (Electra, MultipleChoice) => Some(("sequence_summary.summary", Activation::Gelu)),
        _ => None,
    }
}

/// Returns true if a head of the family has a dense layer over first tokens.
#[cfg(feature = "train")]
pub(crate) fn has_pooler(family: Family, head: HeadKind) -> bool {
    pooler(family, head).is_some()
}

/// Returns the name of a head's last linear layer.
pub(crate) fn output_layer(family: Family, head: HeadKind) -> &'static str {
    match (family, head) {
        (Family::Albert, HeadKind::PreTraining) => "sop_classifier.classifier",
        (
            Family::Roberta | Family::XlmRoberta | Family::MpNet | Family::Electra,
            HeadKind::SequenceClassification,
        ) => "classifier.out_proj",
        (Family::ModernBert, HeadKind::QuestionAnswering) => "classifier",
        _ => head.layer(),
    }
}

/// Returns the heads whose tensors are among the canonical `names`. A `classifier` may belong to
/// several heads.
pub(crate) fn available_heads(family: Family, names: &dyn Fn(&str) -> bool) -> Vec<HeadKind> {
    let has = |layer: &str| names(&format!("{layer}.weight"));
    // ModernBERT's classifiers have the same dense layer as its masked language model.
    let is_classifier = family == Family::ModernBert && has("classifier");
    let masked_lm =
        has(spelling(family).transform) && !is_classifier || has_newer_head(family, names);
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
