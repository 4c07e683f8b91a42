//! `config.json` of a checkpoint, validated: what is unknown is an error, never a guess.

mod head;
mod raw;

pub use head::HeadKind;

use std::borrow::Cow;

use webert_kernels::Activation;

use crate::{Error, Result, json};
use raw::Raw;

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
    /// The standard deviation of matrices that are drawn.
    #[cfg(feature = "train")]
    pub initializer_range: f64,
    /// What a cross-encoder's score is of its logit, as sentence-transformers writes it: the full name of a class in
    /// Python.
    pub score_function: Option<String>,
}

impl Config {
    /// Reads `config.json`.
    ///
    /// # Errors
    /// `BadConfig` for what is not JSON, lacks a size or has an impossible one; `Unsupported` for
    /// another `model_type`, activation or variant than this crate computes.
    pub fn parse(json: &[u8]) -> Result<Self> {
        let json = json::read("config.json", json).map_err(Error::BadConfig)?;
        let raw = Raw::read(json)?;
        raw.unsupported_variant()?;
        let family = raw.family()?;
        let config = Self {
            family,
            head: raw.architecture.as_deref().and_then(HeadKind::of_architecture),
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
            activation: raw.activation(family)?,
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
            #[cfg(feature = "train")]
            initializer_range: raw.initializer_range()?,
            score_function: raw.score_function.map(Cow::into_owned),
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
