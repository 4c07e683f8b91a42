//! Every parameter of a model with its names, shape and order: the one declaration of them.

use super::names::{Spelling, output_layer, pooler, spelling};
use super::{Encoder, Head, Layer, MaskedLm};
use crate::backend::{Activation, Embeddings, Linear, Norm};
use crate::config::{Config, Family, HeadKind};

const IDENTITY: Activation = Activation::Identity;

/// What is said of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterSpec {
    /// The tensors that it is stacked from by rows, all of the same shape: mostly one.
    pub tensors: Vec<TensorName>,
    /// Rows of all of it; of a vector its length.
    pub rows: usize,
    /// Columns; of a vector 1.
    pub cols: usize,
    /// Whether weight decay applies: not to biases and LayerNorms.
    pub decays: bool,
}

/// A tensor's names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorName {
    /// Without the family's prefix: how a tensor is looked up whoever wrote the file.
    pub canonical: String,
    /// As Hugging Face's classes with a head write it.
    pub checkpoint: String,
}

impl ParameterSpec {
    /// How many numbers it is.
    pub fn len(&self) -> usize {
        self.rows * self.cols
    }

    /// Whether it is nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows of each of its tensors.
    pub fn tensor_rows(&self) -> usize {
        self.rows / self.tensors.len().max(1)
    }
}

/// The parameters of the encoder that `config` tells of.
///
/// ```
/// use webert::config::Config;
/// use webert::model::describe_encoder;
///
/// # fn main() -> webert::Result<()> {
/// let config = Config::parse(br#"{"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 1,
///     "num_attention_heads": 2, "intermediate_size": 16, "vocab_size": 9, "max_position_embeddings": 9}"#)?;
/// let encoder = describe_encoder(&config);
/// let qkv = &encoder.layers[0].qkv.weight;
/// assert_eq!((qkv.rows, qkv.cols, qkv.decays), (24, 8, true));
/// assert_eq!(qkv.tensors[0].checkpoint, "bert.encoder.layer.0.attention.self.query.weight");
/// let numbers: usize = encoder.leaves().into_iter().map(|leaf| leaf.into_inner().len()).sum();
/// assert_eq!(numbers, (9 + 9 + 2 + 2) * 8 + 4 * (8 + 1) * 8 + (8 + 1) * 16 + (16 + 1) * 8 + 4 * 8);
/// # Ok(())
/// # }
/// ```
pub fn describe_encoder(config: &Config) -> Encoder<ParameterSpec, ParameterSpec> {
    let names = Describe { config, names: spelling(config.family), in_base: true };
    let width = config.embedding;
    let table =
        |name: &str, rows| names.matrix(&[format!("embeddings.{name}_embeddings")], rows, width);
    let embeddings = Embeddings {
        word: table("word", config.vocab),
        position: table("position", config.positions),
        token_type: (config.types > 0).then(|| table("token_type", config.types)),
        norm: names.norm("embeddings.LayerNorm", width),
    };
    let is_projected = config.family == Family::Albert || width != config.hidden;
    let projection = is_projected
        .then(|| names.linear(&[names.names.projection.into()], config.hidden, width, IDENTITY));
    let own_layers = if config.family == Family::Albert { 1 } else { config.layers };
    let layers = (0..own_layers).map(|number| names.layer(number)).collect();
    Encoder { embeddings, projection, layers }
}

/// The parameters of a head over the encoder that `config` tells of. `has` says whether the checkpoint has the
/// tensor of a canonical name: a bare model may be without a pooler, and a decoder's bias may have two names.
pub fn describe_head(
    config: &Config,
    kind: HeadKind,
    has: &dyn Fn(&str) -> bool,
) -> Head<ParameterSpec, ParameterSpec> {
    let names = Describe { config, names: spelling(config.family), in_base: false };
    let hidden = config.hidden;
    let pooler = pooler(config.family, kind)
        .filter(|(name, _)| kind != HeadKind::Bare || has(&format!("{name}.weight")))
        .map(|(name, activation)| {
            let names = Describe { in_base: name.starts_with("pooler"), ..names };
            names.linear(&[name.into()], hidden, hidden, activation)
        });
    let dense = (kind == HeadKind::ReplacedToken).then(|| {
        let name = "discriminator_predictions.dense";
        names.linear(&[name.into()], hidden, hidden, config.activation)
    });
    let output = kind.outputs_of_layer(config).map(|outputs| {
        let name = output_layer(config.family, kind);
        names.linear(&[name.into()], outputs, hidden, IDENTITY)
    });
    let masked_lm = kind.scores_vocabulary().then(|| names.masked_lm(has));
    Head { kind, pooler, masked_lm, dense, output }
}

/// The parameters of a head that no checkpoint has yet, named as Hugging Face's classes name them.
pub fn describe_new_head(config: &Config, kind: HeadKind) -> Head<ParameterSpec, ParameterSpec> {
    let own_bias = format!("{}.bias", spelling(config.family).decoder);
    describe_head(config, kind, &|name| name != own_bias)
}

#[derive(Clone, Copy)]
struct Describe<'a> {
    config: &'a Config,
    names: &'static Spelling,
    /// Whether tensors belong to the bare model, so that the family's prefix stands before their names.
    in_base: bool,
}

impl Describe<'_> {
    fn layer(&self, number: usize) -> Layer<ParameterSpec, ParameterSpec> {
        let (hidden, intermediate) = (self.config.hidden, self.config.intermediate);
        let names = self.names;
        let layer = names.layer.replace('#', &number.to_string());
        let of = |part: &str| format!("{layer}{part}");
        let qkv = [names.query, names.key, names.value].map(of);
        let inner = self.config.activation;
        Layer {
            qkv: self.linear(&qkv, hidden, hidden, IDENTITY),
            attention_output: self.linear(&[of(names.attention_output)], hidden, hidden, IDENTITY),
            attention_norm: self.norm(&of(names.attention_norm), hidden),
            intermediate: self.linear(&[of(names.intermediate)], intermediate, hidden, inner),
            output: self.linear(&[of(names.output)], hidden, intermediate, IDENTITY),
            output_norm: self.norm(&of(names.output_norm), hidden),
        }
    }

    fn masked_lm(&self, has: &dyn Fn(&str) -> bool) -> MaskedLm<ParameterSpec, ParameterSpec> {
        let (config, names) = (self.config, self.names);
        let activation = match config.family {
            // transformers writes the erf form in the code of these two heads
            Family::Electra | Family::Roberta => Activation::Gelu,
            _ => config.activation,
        };
        let decoder = [names.decoder.to_owned()];
        let own_bias = format!("{}.bias", names.decoder);
        let bias = if has(&own_bias) { own_bias } else { names.decoder_bias.to_owned() };
        MaskedLm {
            transform: self.linear(
                &[names.transform.into()],
                config.embedding,
                config.hidden,
                activation,
            ),
            norm: self.norm(names.transform_norm, config.embedding),
            decoder: (!config.tied).then(|| self.matrix(&decoder, config.vocab, config.embedding)),
            bias: self.vector(vec![bias], config.vocab),
        }
    }

    /// Linear layers of `[outputs, inputs]` each, stacked into one.
    fn linear(
        &self,
        names: &[String],
        outputs: usize,
        inputs: usize,
        activation: Activation,
    ) -> Linear<ParameterSpec, ParameterSpec> {
        let biases = names.iter().map(|name| format!("{name}.bias")).collect();
        Linear {
            weight: self.matrix(names, outputs, inputs),
            bias: self.vector(biases, outputs),
            activation,
        }
    }

    fn norm(&self, name: &str, width: usize) -> Norm<ParameterSpec> {
        let part = |part: &str| self.vector(vec![format!("{name}.{part}")], width);
        Norm { weight: part("weight"), bias: part("bias"), eps: self.config.norm_eps }
    }

    /// Weights of `[rows, cols]` each.
    fn matrix(&self, names: &[String], rows: usize, cols: usize) -> ParameterSpec {
        let tensors = names.iter().map(|name| self.tensor(format!("{name}.weight"))).collect();
        ParameterSpec { tensors, rows: rows * names.len(), cols, decays: true }
    }

    /// Vectors of `[len]` each, by their tensors' names.
    fn vector(&self, names: Vec<String>, len: usize) -> ParameterSpec {
        let rows = len * names.len();
        let tensors = names.into_iter().map(|name| self.tensor(name)).collect();
        ParameterSpec { tensors, rows, cols: 1, decays: false }
    }

    fn tensor(&self, canonical: String) -> TensorName {
        let prefix = if self.in_base { self.names.prefix } else { "" };
        TensorName { checkpoint: format!("{prefix}{canonical}"), canonical }
    }
}
