//! The names of tensors: the canonical ones, and those of the heads. Canonical names omit the
//! family's prefix ("bert.") and use LayerNorm's "weight" and "bias" instead of "gamma" and "beta".

use super::spelling::{BERT, MODERNBERT, spelling};
use crate::backend::Activation;
use crate::config::{Config, Family, HeadKind, Pooling};

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
    cfg!(feature = "families")
        && matches!(family, Family::Deberta | Family::DebertaV2)
        && weight(NEWER_TRANSFORM)
        && !weight(BERT.transform)
}

/// The columns of MobileBERT's decoder that the word table does not have, transposed.
pub(super) const WIDER_DECODER: &str = "cls.predictions.dense";

/// RoFormer's sines and cosines, `[positions, head_dim]`.
pub(super) const ROTARY_TABLE: &str = "encoder.embed_positions.weight";

/// MPNet's bias of attention scores, `[buckets, heads]`.
pub(super) const RELATIVE_BIAS: &str = "encoder.relative_attention_bias.weight";

/// Returns the prefixes of a family's tensors in files of other origins.
fn other_prefixes(family: Family) -> &'static [&'static str] {
    match family {
        _ if cfg!(not(feature = "families")) => &[],
        // the files of NomicBERT's authors, and transformers 5's own name of GTE
        Family::NomicBert => &["bert."],
        Family::Gte => &["gte."],
        _ => &[],
    }
}

/// Prefix of the encoder's tensors in GLiNER's files.
const GLINER_ENCODER: &str =
    if cfg!(feature = "families") { "token_rep_layer.bert_layer.model." } else { "" };

/// Returns a tensor's canonical name.
pub(crate) fn canonical(family: Family, name: &str) -> String {
    let prefixes =
        [spelling(family).prefix].into_iter().chain(other_prefixes(family).iter().copied());
    let name = name.strip_prefix(GLINER_ENCODER).unwrap_or(name);
    let name = prefixes.into_iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
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

/// Returns name and activation of the dense layer that a head runs on a sequence's first token, or on
/// the mean of its tokens.
pub(super) fn pooler(config: &Config, head: HeadKind) -> Option<(&'static str, Activation)> {
    use Family::{
        Albert, Bert, ConvBert, Deberta, DebertaV2, DistilBert, Electra, Ernie, EuroBert, Gte,
        JinaEmbeddingsV3, MegatronBert, MobileBert, ModernBert, NomicBert, RemBert, RoFormer,
        SqueezeBert,
    };
    use HeadKind::{Bare, MultipleChoice, NextSentence, PreTraining, SequenceClassification};
    match (config.family, head) {
        (MobileBert, _) if !config.structure().pools => None,
        (
            Bert | MobileBert,
            Bare | NextSentence | PreTraining | SequenceClassification | MultipleChoice,
        )
        | (Ernie | MegatronBert, Bare | NextSentence | PreTraining)
        | (Ernie | MegatronBert | RemBert | SqueezeBert, SequenceClassification | MultipleChoice)
        | (RemBert | SqueezeBert, Bare)
        | (NomicBert | Gte, SequenceClassification) => Some(("pooler.dense", Activation::Tanh)),
        (JinaEmbeddingsV3 | Family::Esm, MultipleChoice) => None,
        (family, Bare | MultipleChoice) if family.has_heads_of_roberta() => {
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
        (family, SequenceClassification) if family.has_heads_of_roberta() => {
            Some(("classifier.dense", Activation::Tanh))
        }
        (ModernBert, SequenceClassification | MultipleChoice) => {
            Some((MODERNBERT.transform, Activation::Gelu))
        }
        (Electra, SequenceClassification) => Some(("classifier.dense", Activation::Gelu)),
        (RoFormer | ConvBert, SequenceClassification) => {
            Some(("classifier.dense", config.activation))
        }
        (EuroBert, SequenceClassification)
            if config.structure().pooling != Pooling::MeanOfDense =>
        {
            Some(("dense", Activation::Gelu))
        }
        (Electra, MultipleChoice) => Some(("sequence_summary.summary", Activation::Gelu)),
        _ => None,
    }
}

/// Returns true if a head of the family has a dense layer over first tokens.
#[cfg(feature = "train")]
pub(crate) fn has_pooler(config: &Config, head: HeadKind) -> bool {
    pooler(config, head).is_some()
}

/// Returns the name of a head's last linear layer.
pub(crate) fn output_layer(family: Family, head: HeadKind) -> &'static str {
    match (family, head) {
        (Family::Albert, HeadKind::PreTraining) => "sop_classifier.classifier",
        (
            Family::Electra | Family::RoFormer | Family::ConvBert,
            HeadKind::SequenceClassification,
        ) => "classifier.out_proj",
        (family, HeadKind::SequenceClassification) if family.has_heads_of_roberta() => {
            "classifier.out_proj"
        }
        (Family::ModernBert, HeadKind::QuestionAnswering) => "classifier",
        _ => head.layer(),
    }
}

/// Returns the heads whose tensors are among the canonical `names`. A `classifier` may belong to
/// several heads.
pub(crate) fn available_heads(config: &Config, names: &dyn Fn(&str) -> bool) -> Vec<HeadKind> {
    let family = config.family;
    let has = |layer: &str| names(&format!("{layer}.weight"));
    // ModernBERT's classifiers have the same dense layer as its masked language model.
    let is_classifier = family == Family::ModernBert && has("classifier");
    // EuroBERT's decoder may be the word table, so that the file has no tensor of the head.
    let is_tied = config.structure().plain_decoder && config.tied;
    let masked_lm = (has(spelling(family).transform) && !is_classifier)
        || is_tied
        || has_newer_head(family, names);
    let pooled = |head| match pooler(config, head) {
        Some((name, _)) => has(name),
        None if head == HeadKind::SequenceClassification
            && config.structure().pooling == Pooling::MeanOfDense =>
        {
            has("dense")
        }
        None => !head.reads_first() || !config.structure().pools,
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
