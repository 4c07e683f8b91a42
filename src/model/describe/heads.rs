//! The declaration of the parameters of heads.

use super::{Describe, IDENTITY};
use crate::backend::{Activation, Linear, Norm, NormKind};
use crate::config::{Config, Family, HeadKind, Pooling};
use crate::model::names::{
    NEWER_BIAS, NEWER_NORM, NEWER_TRANSFORM, WIDER_DECODER, has_newer_head, output_layer, pooler,
};
use crate::model::spec::{Layout, ParameterSpec};
use crate::model::spelling::spelling;
use crate::model::{Head, MaskedLm};

/// Returns the parameters of a head over the encoder that `config` describes. `has` returns true if
/// the checkpoint has a tensor with this canonical name. It decides whether a bare model has a
/// pooler, and which of two names a decoder's bias has.
pub fn describe_head(
    config: &Config,
    kind: HeadKind,
    has: &dyn Fn(&str) -> bool,
) -> Head<ParameterSpec, ParameterSpec> {
    let names = Describe { config, names: spelling(config.family), in_base: false };
    let (hidden, structure) = (config.hidden, config.structure());
    let pooler = pooler(config, kind)
        .filter(|(name, _)| kind != HeadKind::Bare || has(&format!("{name}.weight")))
        .map(|(name, activation)| {
            // DeBERTa's pooler belongs to the heads.
            let in_base = name.starts_with("pooler") && structure.disentangled.is_none();
            let names = Describe { in_base, ..names };
            names.dense(name, structure.pooler_activation.unwrap_or(activation))
        });
    let has_dense = structure.head_activation.is_some() && !kind.scores_vocabulary();
    let pools_dense = structure.pooling == Pooling::MeanOfDense;
    let dense = if kind == HeadKind::SequenceClassification && pools_dense {
        Some(names.dense("dense", Activation::Gelu))
    } else if kind == HeadKind::ReplacedToken {
        Some(names.dense("discriminator_predictions.dense", config.activation))
    } else {
        (has_dense && kind.reads_tokens()).then(|| names.dense(names.names.transform, IDENTITY))
    };
    let norm = (has_dense && kind != HeadKind::Bare)
        .then(|| names.norm(names.names.transform_norm, hidden));
    let output = kind.outputs_of_layer(config).map(|outputs| {
        let name = output_layer(config.family, kind);
        names.linear(&[name.into()], outputs, hidden, IDENTITY)
    });
    let masked_lm = kind.scores_vocabulary().then(|| names.masked_lm(has));
    Head { kind, pooler, masked_lm, dense, norm, output }
}

/// Returns the parameters of a new head, with the names of Hugging Face's classes.
pub fn describe_new_head(config: &Config, kind: HeadKind) -> Head<ParameterSpec, ParameterSpec> {
    let own_bias = format!("{}.bias", spelling(config.family).decoder);
    describe_head(config, kind, &|name| name != own_bias)
}

impl Describe<'_> {
    fn masked_lm(&self, has: &dyn Fn(&str) -> bool) -> MaskedLm<ParameterSpec, ParameterSpec> {
        let (config, names) = (self.config, self.names);
        let activation = match config.family {
            Family::ModernBert => config.structure().head_activation.unwrap_or(IDENTITY),
            // transformers uses the erf form in these heads, whatever the config says.
            Family::Electra | Family::Gte | Family::ConvBert => Activation::Gelu,
            family if family.has_heads_of_roberta() => Activation::Gelu,
            _ => config.activation,
        };
        if has_newer_head(config.family, has) {
            return self.newer_masked_lm();
        }
        let decoder = [names.decoder.to_owned()];
        let own_bias = format!("{}.bias", names.decoder);
        let bias = if has(&own_bias) { own_bias } else { names.decoder_bias.to_owned() };
        let biases = &config.structure().biases;
        let bias = if biases.decoder { vec![bias] } else { Vec::new() };
        let transform = [names.transform.to_owned()];
        let plain = config.structure().plain_decoder;
        let widens = config.structure().widens_decoder && config.hidden > config.embedding;
        let columns = config.structure().decoder_width.unwrap_or(config.embedding);
        let width = if widens { config.hidden } else { columns };
        MaskedLm {
            transform: (!plain).then(|| Linear {
                bias: self.bias(&transform, width, biases.dense),
                ..self.linear(&transform, width, config.hidden, activation)
            }),
            // MobileBERT's other norms need not be LayerNorms
            norm: (!plain)
                .then(|| Norm { kind: NormKind::Layer, ..self.norm(names.transform_norm, width) }),
            decoder: (!config.tied).then(|| self.matrix(&decoder, config.vocab, columns)),
            wider: widens.then(|| self.wider(width - columns)),
            widths: [columns, width - columns],
            bias: ParameterSpec { rows: config.vocab, ..self.vector(bias, config.vocab) },
        }
    }

    /// Returns the columns of MobileBERT's decoder that the word table does not have.
    fn wider(&self, columns: usize) -> Linear<ParameterSpec, ParameterSpec> {
        let mut weight = self.matrix(&[WIDER_DECODER.into()], self.config.vocab, columns);
        let layout = Layout::Transposed { groups: 1 };
        weight.tensors.iter_mut().for_each(|tensor| tensor.layout = layout);
        let bias = self.bias(&[WIDER_DECODER.into()], self.config.vocab, false);
        Linear { weight, bias, activation: IDENTITY }
    }

    /// Returns DeBERTa's newer masked language model head.
    fn newer_masked_lm(&self) -> MaskedLm<ParameterSpec, ParameterSpec> {
        let Config { hidden, vocab, activation, .. } = *self.config;
        MaskedLm {
            transform: Some(self.linear(&[NEWER_TRANSFORM.into()], hidden, hidden, activation)),
            norm: Some(self.norm(NEWER_NORM, hidden)),
            decoder: None,
            wider: None,
            widths: [hidden, 0],
            bias: self.vector(vec![NEWER_BIAS.into()], vocab),
        }
    }
}
