//! `config.json` of a checkpoint, validated: what is unknown is an error, never a guess.

use webert_kernels::Activation;

use crate::json::{self, Value};
use crate::{Error, Result};

/// The architectures that share BERT's encoder; they differ in tensor names and a few options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// BERT: Devlin et al. 2018.
    Bert,
    /// DistilBERT: no token types, no pooler.
    DistilBert,
    /// ELECTRA: embeddings may be narrower than the encoder.
    Electra,
    /// RoBERTa: positions start behind the padding id and skip padding.
    Roberta,
    /// ALBERT: all layers share their weights; narrow embeddings.
    Albert,
}

impl Family {
    /// The family's `model_type` in `config.json`.
    pub fn model_type(self) -> &'static str {
        match self {
            Self::Bert => "bert",
            Self::DistilBert => "distilbert",
            Self::Electra => "electra",
            Self::Roberta => "roberta",
            Self::Albert => "albert",
        }
    }
}

/// The most labels a head may have.
const MAX_LABELS: usize = 1 << 20;

/// The activation that Hugging Face calls `name`.
fn activation(name: &str) -> Result<Activation> {
    match name {
        "gelu" | "gelu_python" => Ok(Activation::Gelu),
        "gelu_new" | "gelu_fast" | "gelu_pytorch_tanh" => Ok(Activation::GeluTanh),
        "relu" => Ok(Activation::Relu),
        "silu" | "swish" => Ok(Activation::Silu),
        "tanh" => Ok(Activation::Tanh),
        _ => Err(Error::Unsupported(format!(
            "config.json: the activation \"{name}\" is not one of gelu, gelu_new, relu, silu, tanh"
        ))),
    }
}

/// The output layer a checkpoint was trained with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadKind {
    /// The encoder alone, with its pooler where the checkpoint has one.
    Bare,
    /// Masked language modelling: a score for each vocabulary entry at each position.
    MaskedLm,
    /// Does the second text follow the first?
    NextSentence,
    /// Masked LM and next sentence together.
    PreTraining,
    /// One set of scores a text or pair.
    SequenceClassification,
    /// One set of scores a token.
    TokenClassification,
    /// A start and an end score a token.
    QuestionAnswering,
    /// One score a continuation.
    MultipleChoice,
    /// ELECTRA's discriminator: one score a token, positive where it was replaced.
    ReplacedToken,
}

impl HeadKind {
    /// The head named by a class in `architectures`, as in `BertForMaskedLM`.
    fn of_architecture(name: &str) -> Option<Self> {
        let (family, head) = match name.split_once("For") {
            Some((family, head)) => (family, head),
            None => return name.ends_with("Model").then_some(Self::Bare),
        };
        Some(match head {
            "MaskedLM" => Self::MaskedLm,
            "NextSentencePrediction" => Self::NextSentence,
            "PreTraining" if family == "Electra" => Self::ReplacedToken,
            "PreTraining" => Self::PreTraining,
            "SequenceClassification" => Self::SequenceClassification,
            "TokenClassification" => Self::TokenClassification,
            "QuestionAnswering" => Self::QuestionAnswering,
            "MultipleChoice" => Self::MultipleChoice,
            _ => return None,
        })
    }

    /// The head a program calls `id`, as in [`HeadKind::id`].
    pub fn with_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|head| head.id() == id)
    }

    const ALL: [Self; 9] = [
        Self::Bare,
        Self::MaskedLm,
        Self::NextSentence,
        Self::PreTraining,
        Self::SequenceClassification,
        Self::TokenClassification,
        Self::QuestionAnswering,
        Self::MultipleChoice,
        Self::ReplacedToken,
    ];

    /// How programs name the head; part of the public JavaScript API.
    pub fn id(self) -> &'static str {
        match self {
            Self::Bare => "none",
            Self::MaskedLm => "masked-lm",
            Self::NextSentence => "next-sentence-prediction",
            Self::PreTraining => "pretraining",
            Self::SequenceClassification => "sequence-classification",
            Self::TokenClassification => "token-classification",
            Self::QuestionAnswering => "question-answering",
            Self::MultipleChoice => "multiple-choice",
            Self::ReplacedToken => "replaced-token-detection",
        }
    }

    /// Whether the head is a linear layer that most families call a "classifier".
    pub(crate) fn is_classifier(self) -> bool {
        matches!(
            self,
            Self::SequenceClassification | Self::TokenClassification | Self::MultipleChoice
        )
    }

    /// How messages name the head.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bare => "none",
            Self::MaskedLm => "masked LM",
            Self::NextSentence => "next sentence prediction",
            Self::PreTraining => "pre-training (masked LM and next sentence)",
            Self::SequenceClassification => "sequence classification",
            Self::TokenClassification => "token classification",
            Self::QuestionAnswering => "question answering",
            Self::MultipleChoice => "multiple choice",
            Self::ReplacedToken => "replaced token detection",
        }
    }
}

/// What the scores of a sequence classifier mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The labels exclude each other: softmax.
    SingleLabel,
    /// Each label stands alone: sigmoid.
    MultiLabel,
    /// The score is the answer.
    Regression,
}

/// The shape of a model and the facts its tasks need.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The architecture.
    pub family: Family,
    /// The head `architectures` names, if it names one.
    pub head: Option<HeadKind>,
    /// Width of the encoder.
    pub hidden: usize,
    /// Width of the embedding tables; `hidden` unless the family narrows it.
    pub embedding: usize,
    /// How many transformer layers run.
    pub layers: usize,
    /// Attention heads a layer; divides `hidden`.
    pub heads: usize,
    /// Width of the feed-forward layer.
    pub intermediate: usize,
    /// Rows of the word table.
    pub vocab: usize,
    /// Rows of the position table.
    pub positions: usize,
    /// Rows of the token-type table; 0 where the family has none.
    pub types: usize,
    /// The feed-forward activation.
    pub activation: Activation,
    /// Added to the variance in every LayerNorm.
    pub norm_eps: f32,
    /// The padding token.
    pub pad_id: u32,
    /// Whether the masked-LM decoder is the word table, even where the file has one of its own.
    pub tied: bool,
    /// The labels' names in order; `LABEL_n` where the file names none.
    pub labels: Vec<String>,
    /// `problem_type`, where it is given.
    pub problem: Option<Problem>,
}

/// `config.json` as written.
struct Raw<'a> {
    model_type: Option<&'a str>,
    architecture: Option<&'a str>,
    hidden_size: usize,
    embedding_size: Option<usize>,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    type_vocab_size: Option<usize>,
    hidden_act: Option<&'a str>,
    layer_norm_eps: Option<f64>,
    pad_token_id: Option<usize>,
    tie_word_embeddings: Option<bool>,
    position_embedding_type: Option<&'a str>,
    num_hidden_groups: Option<usize>,
    inner_group_num: Option<usize>,
    is_decoder: Option<bool>,
    num_labels: Option<usize>,
    id2label: Option<&'a Value<'a>>,
    problem_type: Option<&'a str>,
}

/// The fields of `config.json`, each of the kind it has to be; null counts as absent.
struct Fields<'a>(&'a Value<'a>);

impl<'a> Fields<'a> {
    fn get<T>(
        &self,
        name: &str,
        kind: &str,
        read: impl Fn(&'a Value<'a>) -> Option<T>,
    ) -> Result<Option<T>> {
        match self.0.get(name).filter(|value| !value.is_null()) {
            None => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| misfit(name, kind, value)),
        }
    }

    fn text(&self, name: &str) -> Result<Option<&'a str>> {
        self.get(name, "a string", Value::as_text)
    }

    fn size(&self, name: &str) -> Result<Option<usize>> {
        let size = |value: &Value<'_>| value.as_whole().and_then(|size| size.try_into().ok());
        self.get(name, "a whole number", size)
    }

    fn flag(&self, name: &str) -> Result<Option<bool>> {
        self.get(name, "true or false", Value::as_bool)
    }

    /// A size that has to be there, by its name or by DistilBERT's.
    fn need(&self, name: &str, other: &str) -> Result<usize> {
        let size = match self.size(name)? {
            None => self.size(other)?,
            size => size,
        };
        size.ok_or_else(|| Error::BadConfig(format!("config.json has no {name}")))
    }
}

#[cold]
fn misfit(name: &str, kind: &str, found: &Value<'_>) -> Error {
    let found = found.describe();
    Error::BadConfig(format!("config.json: {name} is {found}, expected {kind}"))
}

impl Config {
    /// Reads `config.json`.
    ///
    /// # Errors
    /// `BadConfig` for what is not JSON, lacks a size or has an impossible one; `Unsupported` for
    /// another `model_type`, activation or variant than this crate computes.
    pub fn parse(json: &[u8]) -> Result<Self> {
        let json = json::read("config.json", json).map_err(Error::BadConfig)?;
        let raw = Raw::read(&json)?;
        raw.unsupported_variant()?;
        let family = raw.family()?;
        let config = Self {
            family,
            head: raw.architecture.and_then(HeadKind::of_architecture),
            hidden: raw.hidden_size,
            embedding: match family {
                Family::Electra | Family::Albert => raw.embedding_size.unwrap_or(128),
                _ => raw.hidden_size,
            },
            layers: raw.num_hidden_layers,
            heads: raw.num_attention_heads,
            intermediate: raw.intermediate_size,
            vocab: raw.vocab_size,
            positions: raw.max_position_embeddings,
            types: match family {
                Family::DistilBert => 0,
                _ => raw.type_vocab_size.unwrap_or(2),
            },
            activation: match (raw.hidden_act, family) {
                (Some(name), _) => activation(name)?,
                (None, Family::Albert) => Activation::GeluTanh,
                (None, _) => Activation::Gelu,
            },
            norm_eps: match family {
                // transformers' DistilBERT writes 1e-12 in its code, whatever the config says
                Family::DistilBert => 1e-12,
                _ => raw.layer_norm_eps.unwrap_or(1e-12) as f32,
            },
            pad_id: match raw.pad_token_id {
                None => u32::from(family == Family::Roberta),
                Some(id) => id.try_into().map_err(|_| {
                    Error::BadConfig(format!("config.json: pad_token_id {id} is no token's"))
                })?,
            },
            tied: raw.tie_word_embeddings.unwrap_or(true),
            labels: raw.labels()?,
            problem: raw.problem()?,
        };
        config.checked()
    }

    /// The most tokens one sequence can have.
    pub fn max_tokens(&self) -> usize {
        self.positions - self.first_position()
    }

    /// Multiplications of the encoder's weights by one token's activations.
    pub fn products(&self) -> u64 {
        let [layers, hidden, inner] =
            [self.layers, self.hidden, self.intermediate].map(|n| n as u64);
        layers * (4 * hidden + 2 * inner) * hidden
    }

    /// The position of the first token: RoBERTa's positions start behind the padding id.
    pub fn first_position(&self) -> usize {
        if self.family == Family::Roberta { self.pad_id as usize + 1 } else { 0 }
    }

    fn checked(self) -> Result<Self> {
        let sizes = [
            ("hidden_size", self.hidden),
            ("embedding_size", self.embedding),
            ("num_attention_heads", self.heads),
            ("intermediate_size", self.intermediate),
            ("vocab_size", self.vocab),
            ("max_position_embeddings", self.positions),
        ];
        // 2^24 is far beyond any model and keeps every product of two sizes inside 48 bits
        for (name, size) in sizes {
            if size == 0 || size > 1 << 24 {
                return Err(Error::BadConfig(format!(
                    "config.json: {name} is {size}, expected 1 to {}",
                    1 << 24
                )));
            }
        }
        if self.layers > 1024 || self.types > 1 << 16 {
            return Err(Error::BadConfig(
                "config.json: more than 1024 layers or 65536 token types".into(),
            ));
        }
        if !self.hidden.is_multiple_of(self.heads) {
            return Err(Error::BadConfig(format!(
                "config.json: hidden_size {} is not a multiple of num_attention_heads {}",
                self.hidden, self.heads
            )));
        }
        if self.positions <= self.first_position() {
            return Err(Error::BadConfig(format!(
                "config.json: max_position_embeddings {} leaves no room behind pad_token_id {}",
                self.positions, self.pad_id
            )));
        }
        Ok(self)
    }
}

impl<'a> Raw<'a> {
    fn read(json: &'a Value<'a>) -> Result<Self> {
        let fields = Fields(json);
        let list = |name: &str| fields.get(name, "a list", Value::as_array);
        let object = |value: &'a Value<'a>| matches!(value, Value::Object(_)).then_some(value);
        let first = list("architectures")?.and_then(<[_]>::first);
        let hidden_act = match fields.text("hidden_act")? {
            None => fields.text("activation")?,
            name => name,
        };
        Ok(Self {
            model_type: fields.text("model_type")?,
            architecture: first.and_then(Value::as_text),
            hidden_size: fields.need("hidden_size", "dim")?,
            embedding_size: fields.size("embedding_size")?,
            num_hidden_layers: fields.need("num_hidden_layers", "n_layers")?,
            num_attention_heads: fields.need("num_attention_heads", "n_heads")?,
            intermediate_size: fields.need("intermediate_size", "hidden_dim")?,
            vocab_size: fields.need("vocab_size", "")?,
            max_position_embeddings: fields.need("max_position_embeddings", "")?,
            type_vocab_size: fields.size("type_vocab_size")?,
            hidden_act,
            layer_norm_eps: fields.get("layer_norm_eps", "a number", Value::as_number)?,
            pad_token_id: fields.size("pad_token_id")?,
            tie_word_embeddings: fields.flag("tie_word_embeddings")?,
            position_embedding_type: fields.text("position_embedding_type")?,
            num_hidden_groups: fields.size("num_hidden_groups")?,
            inner_group_num: fields.size("inner_group_num")?,
            is_decoder: fields.flag("is_decoder")?,
            num_labels: fields.size("num_labels")?,
            id2label: fields.get("id2label", "an object", object)?,
            problem_type: fields.text("problem_type")?,
        })
    }

    fn family(&self) -> Result<Family> {
        match self.model_type {
            // the first configs, of 2018, name no model type: they are BERT's
            None | Some("bert") => Ok(Family::Bert),
            Some("distilbert") => Ok(Family::DistilBert),
            Some("electra") => Ok(Family::Electra),
            Some("roberta") => Ok(Family::Roberta),
            Some("albert") => Ok(Family::Albert),
            Some(other) => Err(Error::Unsupported(format!(
                "config.json: model_type \"{other}\" is not one of bert, distilbert, electra, roberta, albert"
            ))),
        }
    }

    fn unsupported_variant(&self) -> Result<()> {
        let refuse = |what: String| Err(Error::Unsupported(format!("config.json: {what}")));
        match self.position_embedding_type {
            None | Some("absolute") => {}
            Some(other) => {
                return refuse(format!("position_embedding_type \"{other}\", only \"absolute\""));
            }
        }
        if self.num_hidden_groups.unwrap_or(1) != 1 || self.inner_group_num.unwrap_or(1) != 1 {
            return refuse("more than one group of ALBERT layers".into());
        }
        if self.is_decoder == Some(true) {
            return refuse("is_decoder is true, only encoders run here".into());
        }
        Ok(())
    }

    fn labels(&self) -> Result<Vec<String>> {
        let named = self.id2label.map(Value::entries).unwrap_or_default();
        let count = if named.is_empty() { self.num_labels.unwrap_or(2) } else { named.len() };
        // before anything is allocated by it
        if count > MAX_LABELS {
            return Err(Error::BadConfig(format!(
                "config.json: {count} labels, expected at most {MAX_LABELS}"
            )));
        }
        if named.is_empty() {
            return Ok((0..count).map(|n| format!("LABEL_{n}")).collect());
        }
        let mut labels = vec![None; count];
        for (number, label) in named {
            let place = number.parse().ok().and_then(|n: usize| labels.get_mut(n));
            if let Some(place) = place {
                *place = label.as_text();
            }
        }
        let known = labels.iter().enumerate().map(|(n, label)| {
            label.map(str::to_owned).ok_or_else(|| {
                Error::BadConfig(format!(
                    "config.json: id2label has {count} entries but none for {n}"
                ))
            })
        });
        known.collect()
    }

    fn problem(&self) -> Result<Option<Problem>> {
        match self.problem_type {
            None => Ok(None),
            Some("single_label_classification") => Ok(Some(Problem::SingleLabel)),
            Some("multi_label_classification") => Ok(Some(Problem::MultiLabel)),
            Some("regression") => Ok(Some(Problem::Regression)),
            Some(other) => {
                Err(Error::BadConfig(format!("config.json: problem_type \"{other}\" is unknown")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use super::{Activation, Config};

    #[test]
    fn albert_has_an_activation_of_its_own() {
        let activation = |family: &str| {
            let sizes = r#""hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
                "intermediate_size": 16, "vocab_size": 9, "max_position_embeddings": 9"#;
            let json = format!(r#"{{"model_type": "{family}", {sizes}}}"#);
            Config::parse(json.as_bytes()).unwrap().activation
        };
        assert_eq!(activation("albert"), Activation::GeluTanh);
        for other in ["bert", "distilbert", "electra", "roberta"] {
            assert_eq!(activation(other), Activation::Gelu, "{other}");
        }
    }
}
