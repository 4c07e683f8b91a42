//! The one table tensor name ↔ field ↔ shape, for every family. Names here are canonical: without
//! the family's prefix ("bert."), with LayerNorm's "weight" and "bias" for "gamma" and "beta".

use super::{Decoder, Head, Layer, MaskedLm, Weights};
use crate::backend::{Activation, Embeddings, Linear, Norm};
use crate::config::{Config, Family, HeadKind};
use crate::{Error, Result};

const IDENTITY: Activation = Activation::Identity;

/// One family's spelling.
struct Spelling {
    prefix: &'static str,
    /// Before each of a layer's names; `#` stands for the layer's number.
    layer: &'static str,
    query: &'static str,
    key: &'static str,
    value: &'static str,
    attention_output: &'static str,
    attention_norm: &'static str,
    intermediate: &'static str,
    output: &'static str,
    output_norm: &'static str,
    /// Table width to encoder width.
    projection: &'static str,
    /// The masked-LM head: dense, norm, decoder, and a bias that stands outside the decoder.
    transform: &'static str,
    transform_norm: &'static str,
    decoder: &'static str,
    decoder_bias: &'static str,
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

fn spelling(family: Family) -> &'static Spelling {
    match family {
        Family::Bert => &BERT,
        Family::DistilBert => &DISTILBERT,
        Family::Electra => &ELECTRA,
        Family::Roberta => &ROBERTA,
        Family::Albert => &ALBERT,
    }
}

/// A tensor's canonical name.
pub(super) fn canonical(family: Family, name: &str) -> String {
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
fn pooler(family: Family, head: HeadKind) -> Option<(&'static str, Activation)> {
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

/// Whether a head scores sequences, by what [`pooler`] makes of their first tokens.
fn scores_sequences(head: HeadKind) -> bool {
    use HeadKind::{MultipleChoice, NextSentence, PreTraining, SequenceClassification};
    matches!(head, NextSentence | PreTraining | SequenceClassification | MultipleChoice)
}

/// The last linear layer of a head that has just one.
fn output_layer(family: Family, head: HeadKind) -> &'static str {
    match (family, head) {
        (Family::Albert, HeadKind::PreTraining) => "sop_classifier.classifier",
        (_, HeadKind::NextSentence | HeadKind::PreTraining) => "cls.seq_relationship",
        (Family::Roberta | Family::Electra, HeadKind::SequenceClassification) => {
            "classifier.out_proj"
        }
        (_, HeadKind::QuestionAnswering) => "qa_outputs",
        (_, HeadKind::ReplacedToken) => "discriminator_predictions.dense_prediction",
        _ => "classifier",
    }
}

/// The heads whose tensors are among `names` (canonical). A `classifier` may serve several.
fn available_heads(family: Family, names: &dyn Fn(&str) -> bool) -> Vec<HeadKind> {
    let has = |layer: &str| names(&format!("{layer}.weight"));
    let masked_lm = has(spelling(family).transform);
    let pooled = |head| match pooler(family, head) {
        Some((name, _)) => has(name),
        None => !scores_sequences(head),
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

/// What to do with each parameter as the table is walked.
pub(super) trait Place {
    type Matrix;
    type Vector;
    /// A matrix stacked by rows from tensors of `[rows, cols]` each.
    fn matrix(&mut self, tensors: &[String], rows: usize, cols: usize) -> Result<Self::Matrix>;
    /// A vector stacked from tensors of `[len]` each.
    fn vector(&mut self, tensors: &[String], len: usize) -> Result<Self::Vector>;
    /// Whether the checkpoint has this tensor.
    fn has(&self, tensor: &str) -> bool;
}

/// Walks every parameter of a model in a fixed order.
pub(super) fn walk<P: Place>(
    config: &Config,
    head: HeadKind,
    place: &mut P,
) -> Result<Weights<P::Matrix, P::Vector>> {
    Walk { config, names: spelling(config.family), place }.weights(head)
}

struct Walk<'a, P> {
    config: &'a Config,
    names: &'static Spelling,
    place: &'a mut P,
}

impl<P: Place> Walk<'_, P> {
    fn weights(&mut self, head: HeadKind) -> Result<Weights<P::Matrix, P::Vector>> {
        let config = self.config;
        let width = config.embedding;
        let table = |name: &str| [format!("embeddings.{name}_embeddings.weight")];
        let embeddings = Embeddings {
            word: self.place.matrix(&table("word"), config.vocab, width)?,
            position: self.place.matrix(&table("position"), config.positions, width)?,
            token_type: match config.types {
                0 => None,
                types => Some(self.place.matrix(&table("token_type"), types, width)?),
            },
            norm: self.norm("embeddings.LayerNorm", width)?,
        };
        let projection = match config.family {
            Family::Albert => true,
            _ => width != config.hidden,
        };
        let projection = match projection {
            true => Some(self.linear(&[self.names.projection], config.hidden, width, IDENTITY)?),
            false => None,
        };
        let own_layers = if config.family == Family::Albert { 1 } else { config.layers };
        let layers = (0..own_layers).map(|n| self.layer(n)).collect::<Result<_>>()?;
        Ok(Weights {
            embeddings,
            projection,
            layers,
            pooler: self.pooler(head)?,
            head: self.head(head)?,
        })
    }

    fn layer(&mut self, number: usize) -> Result<Layer<P::Matrix, P::Vector>> {
        let (hidden, intermediate) = (self.config.hidden, self.config.intermediate);
        let names = self.names;
        let layer = names.layer.replace('#', &number.to_string());
        let of = |part: &str| format!("{layer}{part}");
        Ok(Layer {
            qkv: self.linear(
                &[&of(names.query), &of(names.key), &of(names.value)],
                hidden,
                hidden,
                IDENTITY,
            )?,
            attention_output: self.linear(
                &[&of(names.attention_output)],
                hidden,
                hidden,
                IDENTITY,
            )?,
            attention_norm: self.norm(&of(names.attention_norm), hidden)?,
            intermediate: self.linear(
                &[&of(names.intermediate)],
                intermediate,
                hidden,
                self.config.activation,
            )?,
            output: self.linear(&[&of(names.output)], hidden, intermediate, IDENTITY)?,
            output_norm: self.norm(&of(names.output_norm), hidden)?,
        })
    }

    fn pooler(&mut self, head: HeadKind) -> Result<Option<Linear<P::Matrix, P::Vector>>> {
        let Some((name, activation)) = pooler(self.config.family, head) else { return Ok(None) };
        if head == HeadKind::Bare && !self.place.has(&format!("{name}.weight")) {
            return Ok(None);
        }
        let hidden = self.config.hidden;
        Ok(Some(self.linear(&[name], hidden, hidden, activation)?))
    }

    fn head(&mut self, head: HeadKind) -> Result<Head<P::Matrix, P::Vector>> {
        let labels = self.config.labels.len();
        Ok(match head {
            HeadKind::Bare => Head::Bare,
            HeadKind::MaskedLm => Head::MaskedLm(self.masked_lm()?),
            HeadKind::NextSentence => Head::NextSentence(self.output_layer(head, 2)?),
            HeadKind::PreTraining => {
                Head::PreTraining(self.masked_lm()?, self.output_layer(head, 2)?)
            }
            HeadKind::SequenceClassification => {
                Head::SequenceClassification(self.output_layer(head, labels)?)
            }
            HeadKind::TokenClassification => {
                Head::TokenClassification(self.output_layer(head, labels)?)
            }
            HeadKind::QuestionAnswering => Head::QuestionAnswering(self.output_layer(head, 2)?),
            HeadKind::MultipleChoice => Head::MultipleChoice(self.output_layer(head, 1)?),
            HeadKind::ReplacedToken => Head::ReplacedToken(
                self.linear(
                    &["discriminator_predictions.dense"],
                    self.config.hidden,
                    self.config.hidden,
                    self.config.activation,
                )?,
                self.output_layer(head, 1)?,
            ),
        })
    }

    fn output_layer(
        &mut self,
        head: HeadKind,
        outputs: usize,
    ) -> Result<Linear<P::Matrix, P::Vector>> {
        self.linear(
            &[output_layer(self.config.family, head)],
            outputs,
            self.config.hidden,
            IDENTITY,
        )
    }

    fn masked_lm(&mut self) -> Result<MaskedLm<P::Matrix, P::Vector>> {
        let (config, names) = (self.config, self.names);
        let activation = match config.family {
            // transformers writes the erf form in the code of these two heads
            Family::Electra | Family::Roberta => Activation::Gelu,
            _ => config.activation,
        };
        let transform =
            self.linear(&[names.transform], config.embedding, config.hidden, activation)?;
        let norm = self.norm(names.transform_norm, config.embedding)?;
        let own_bias = format!("{}.bias", names.decoder);
        let bias = if self.place.has(&own_bias) { own_bias } else { names.decoder_bias.to_owned() };
        let bias = self.place.vector(&[bias], config.vocab)?;
        let decoder = if config.tied {
            Decoder::Tied(bias)
        } else {
            let weight = format!("{}.weight", names.decoder);
            let weight = self.place.matrix(&[weight], config.vocab, config.embedding)?;
            Decoder::Own(Linear { weight, bias, activation: IDENTITY })
        };
        Ok(MaskedLm { transform, norm, decoder })
    }

    /// Linear layers of `[outputs, inputs]` each, stacked into one.
    fn linear(
        &mut self,
        names: &[&str],
        outputs: usize,
        inputs: usize,
        activation: Activation,
    ) -> Result<Linear<P::Matrix, P::Vector>> {
        let part =
            |part: &str| names.iter().map(|name| format!("{name}.{part}")).collect::<Vec<_>>();
        Ok(Linear {
            weight: self.place.matrix(&part("weight"), outputs, inputs)?,
            bias: self.place.vector(&part("bias"), outputs)?,
            activation,
        })
    }

    fn norm(&mut self, name: &str, width: usize) -> Result<Norm<P::Vector>> {
        Ok(Norm {
            weight: self.place.vector(&[format!("{name}.weight")], width)?,
            bias: self.place.vector(&[format!("{name}.bias")], width)?,
            eps: self.config.norm_eps,
        })
    }
}

/// The head to load: what is asked for, else what config.json names, else the best the file has.
pub(super) fn choose_head(
    config: &Config,
    asked: Option<HeadKind>,
    names: &dyn Fn(&str) -> bool,
) -> Result<HeadKind> {
    let mut available = available_heads(config.family, names);
    // a "classifier" fits several heads; where the config says whose it is, it is no other's
    let shared = |head: HeadKind| output_layer(config.family, head) == "classifier";
    if let Some(named) = config.head.filter(|&named| named.is_classifier() && shared(named)) {
        available.retain(|&head| head == named || !head.is_classifier() || !shared(head));
    }
    // the encoder alone can always be had; transformers falls back on it, too
    let head =
        asked.or(config.head).or_else(|| available.first().copied()).unwrap_or(HeadKind::Bare);
    if head == HeadKind::Bare || available.contains(&head) {
        return Ok(head);
    }
    let list: Vec<_> = available.iter().map(|head| head.name()).collect();
    let list = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    Err(Error::Unsupported(format!(
        "the checkpoint has no head for {}; the heads in its file: {list}",
        head.name()
    )))
}
