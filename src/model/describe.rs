//! The declaration of every parameter of a model: names, shape and order.

use super::names::{FINAL_NORM, RELATIVE_BIAS, Spelling, output_layer, pooler, spelling};
use super::{Encoder, Head, Layer, MaskedLm};
use crate::backend::{Activation, Embeddings, Linear, Norm};
use crate::config::{Config, Family, HeadKind};

const IDENTITY: Activation = Activation::Identity;

/// Description of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterSpec {
    /// Tensors that are stacked by rows into the parameter, all with the same shape. Usually one. A
    /// bias that the family does not have has no tensor and is zeros.
    pub tensors: Vec<TensorName>,
    /// Rows of the whole parameter. For a vector, its length.
    pub rows: usize,
    /// Columns. For a vector usually 1.
    pub cols: usize,
    /// True if weight decay applies. Biases and LayerNorms do not decay.
    pub decays: bool,
}

/// Names of a tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorName {
    /// Name without the family's prefix, used to look a tensor up in files of any origin.
    pub canonical: String,
    /// Name in checkpoints of Hugging Face's classes with a head.
    pub checkpoint: String,
}

impl ParameterSpec {
    /// Returns the rows of each of its tensors.
    pub fn tensor_rows(&self) -> usize {
        self.rows / self.tensors.len().max(1)
    }
}

/// Returns the parameters of the encoder that `config` describes.
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
/// let leaves = encoder.leaves().into_iter().map(|leaf| leaf.into_inner());
/// let numbers: usize = leaves.map(|spec| spec.rows * spec.cols).sum();
/// assert_eq!(numbers, (9 + 9 + 2 + 2) * 8 + 4 * (8 + 1) * 8 + (8 + 1) * 16 + (16 + 1) * 8 + 4 * 8);
/// # Ok(())
/// # }
/// ```
pub fn describe_encoder(config: &Config) -> Encoder<ParameterSpec, ParameterSpec> {
    let names = Describe { config, names: spelling(config.family), in_base: true };
    let (width, structure) = (config.embedding, config.structure());
    let table =
        |name: &str, rows| names.matrix(&[format!("embeddings.{name}_embeddings")], rows, width);
    let embeddings = Embeddings {
        word: names.matrix(&[names.names.words.into()], config.vocab, width),
        position: structure.rotary.is_none().then(|| table("position", config.positions)),
        token_type: (config.types > 0).then(|| table("token_type", config.types)),
        norm: names.norm(names.names.embeddings_norm, width),
    };
    // ALBERT has the projection even if both widths are equal.
    let is_projected = config.family == Family::Albert || width != config.hidden;
    let projection = is_projected
        .then(|| names.linear(&[names.names.projection.into()], config.hidden, width, IDENTITY));
    let buckets = structure.relative_buckets;
    let relative_bias = (buckets > 0).then(|| {
        let bias = names.vector(vec![RELATIVE_BIAS.into()], buckets);
        ParameterSpec { cols: config.heads, ..bias }
    });
    let layers = (0..config.own_layers).map(|number| names.layer(number)).collect();
    Encoder { embeddings, projection, relative_bias, layers, depth: config.layers }
}

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
    let pooler = pooler(config.family, kind)
        .filter(|(name, _)| kind != HeadKind::Bare || has(&format!("{name}.weight")))
        .map(|(name, activation)| {
            let names = Describe { in_base: name.starts_with("pooler"), ..names };
            names.dense(name, activation)
        });
    let has_dense = structure.head_activation.is_some() && !kind.scores_vocabulary();
    let dense = if kind == HeadKind::ReplacedToken {
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

#[derive(Clone, Copy)]
struct Describe<'a> {
    config: &'a Config,
    names: &'static Spelling,
    /// True for tensors of the bare model, whose names start with the family's prefix.
    in_base: bool,
}

impl Describe<'_> {
    fn layer(&self, number: usize) -> Layer<ParameterSpec, ParameterSpec> {
        let (hidden, intermediate) = (self.config.hidden, self.config.intermediate);
        let names = self.names;
        let structure = self.config.structure();
        let layer = |number: usize| names.layer.replace('#', &number.to_string());
        // Queries, keys and values are one tensor in ModernBERT, three in the other families.
        let of = |part: &str| format!("{}{part}", layer(number));
        let separate = [names.query, names.key, names.value].map(of);
        let is_one = names.key.is_empty();
        let qkv = if is_one { &separate[..1] } else { &separate };
        let (parts, inner) = match structure.gated {
            // The gate applies the activation, so the layer itself has none.
            true => (2, IDENTITY),
            false => (1, self.config.activation),
        };
        // If norms come first, the norm after this layer is the first norm of the next one.
        let output_norm = match structure.norm_first {
            true if number + 1 == self.config.layers => FINAL_NORM.to_owned(),
            true => format!("{}{}", layer(number + 1), names.output_norm),
            false => of(names.output_norm),
        };
        let bias = &structure.biases;
        let linear = |names: &[String], outputs, inputs, activation, has_bias| Linear {
            bias: self.bias(names, outputs, has_bias),
            ..self.linear(names, outputs, inputs, activation)
        };
        let qkv_rows = 3 * hidden / qkv.len();
        Layer {
            qkv: linear(qkv, qkv_rows, hidden, IDENTITY, bias.attention),
            attention_output: linear(
                &[of(names.attention_output)],
                hidden,
                hidden,
                IDENTITY,
                bias.attention,
            ),
            attention_norm: self.norm(&of(names.attention_norm), hidden),
            intermediate: linear(
                &[of(names.intermediate)],
                parts * intermediate,
                hidden,
                inner,
                bias.feed_forward,
            ),
            output: linear(&[of(names.output)], hidden, intermediate, IDENTITY, bias.feed_forward),
            output_norm: self.norm(&output_norm, hidden),
        }
    }

    /// Returns the dense layer of a head, `[hidden, hidden]`. Its activation is the one in the
    /// family's config, otherwise `activation`.
    fn dense(&self, name: &str, activation: Activation) -> Linear<ParameterSpec, ParameterSpec> {
        let (structure, hidden) = (self.config.structure(), self.config.hidden);
        let activation = structure.head_activation.unwrap_or(activation);
        let names = [name.to_owned()];
        Linear {
            bias: self.bias(&names, hidden, structure.biases.dense),
            ..self.linear(&names, hidden, hidden, activation)
        }
    }

    /// Returns the biases of these layers; zeros if the family has none.
    fn bias(&self, names: &[String], outputs: usize, is_there: bool) -> ParameterSpec {
        let tensors = names.iter().filter(|_| is_there).map(|name| format!("{name}.bias"));
        ParameterSpec { rows: outputs * names.len(), ..self.vector(tensors.collect(), outputs) }
    }

    fn masked_lm(&self, has: &dyn Fn(&str) -> bool) -> MaskedLm<ParameterSpec, ParameterSpec> {
        let (config, names) = (self.config, self.names);
        let activation = match config.family {
            Family::ModernBert => config.structure().head_activation.unwrap_or(IDENTITY),
            // transformers uses the erf form in these heads, whatever the config says.
            Family::Electra | Family::Roberta | Family::XlmRoberta | Family::MpNet => {
                Activation::Gelu
            }
            _ => config.activation,
        };
        let decoder = [names.decoder.to_owned()];
        let own_bias = format!("{}.bias", names.decoder);
        let bias = if has(&own_bias) { own_bias } else { names.decoder_bias.to_owned() };
        let biases = &config.structure().biases;
        let bias = if biases.decoder { vec![bias] } else { Vec::new() };
        let transform = [names.transform.to_owned()];
        MaskedLm {
            transform: Linear {
                bias: self.bias(&transform, config.embedding, biases.dense),
                ..self.linear(&transform, config.embedding, config.hidden, activation)
            },
            norm: self.norm(names.transform_norm, config.embedding),
            decoder: (!config.tied).then(|| self.matrix(&decoder, config.vocab, config.embedding)),
            bias: ParameterSpec { rows: config.vocab, ..self.vector(bias, config.vocab) },
        }
    }

    /// Returns linear layers of `[outputs, inputs]` each, stacked into one.
    fn linear(
        &self,
        names: &[String],
        outputs: usize,
        inputs: usize,
        activation: Activation,
    ) -> Linear<ParameterSpec, ParameterSpec> {
        Linear {
            weight: self.matrix(names, outputs, inputs),
            bias: self.bias(names, outputs, true),
            activation,
        }
    }

    fn norm(&self, name: &str, width: usize) -> Norm<ParameterSpec> {
        let weight = self.vector(vec![format!("{name}.weight")], width);
        let bias = self.bias(&[name.to_owned()], width, self.config.structure().biases.norms);
        Norm { weight, bias, eps: self.config.norm_eps }
    }

    /// Returns weights of `[rows, cols]` each, stacked.
    fn matrix(&self, names: &[String], rows: usize, cols: usize) -> ParameterSpec {
        let tensors = names.iter().map(|name| self.tensor(format!("{name}.weight"))).collect();
        ParameterSpec { tensors, rows: rows * names.len(), cols, decays: true }
    }

    /// Returns vectors of `[len]` each, stacked, by the names of their tensors.
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
