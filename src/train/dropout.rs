//! The rates of dropout that a model was configured with.

use serde::Deserialize;

use crate::{Error, Result};

/// Probabilities with which activations are dropped in training.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rates {
    /// Of the embeddings, and of attention's and the feed-forward's output before their residuals.
    pub hidden: f32,
    /// Of attention's probabilities.
    pub attention: f32,
    /// Of what a classifier's last layer reads.
    pub classifier: f32,
}

/// The fields of config.json, with DistilBERT's and ALBERT's names for them.
#[derive(Deserialize)]
struct Fields {
    #[serde(alias = "dropout")]
    hidden_dropout_prob: Option<f32>,
    #[serde(alias = "attention_dropout")]
    attention_probs_dropout_prob: Option<f32>,
    #[serde(alias = "seq_classif_dropout", alias = "classifier_dropout_prob")]
    classifier_dropout: Option<f32>,
}

impl Rates {
    /// The rates in config.json; BERT's 0.1 where it names none, and for the classifier that of hidden states.
    ///
    /// ```
    /// use webert::train::dropout::Rates;
    ///
    /// let rates = Rates::read(br#"{"hidden_dropout_prob": 0.2, "classifier_dropout": null}"#)?;
    /// assert_eq!(rates, Rates { hidden: 0.2, attention: 0.1, classifier: 0.2 });
    /// assert!(Rates::read(br#"{"hidden_dropout_prob": 1}"#).is_err());
    /// # Ok::<(), webert::Error>(())
    /// ```
    ///
    /// # Errors
    /// `BadConfig` for what is not JSON, and for a rate that is not 0 or more and less than 1.
    pub fn read(config_json: &[u8]) -> Result<Self> {
        let fields: Fields = serde_json::from_slice(config_json)
            .map_err(|error| Error::BadConfig(format!("config.json: {error}")))?;
        let hidden = rate("hidden_dropout_prob", fields.hidden_dropout_prob, 0.1)?;
        let attention =
            rate("attention_probs_dropout_prob", fields.attention_probs_dropout_prob, 0.1)?;
        let classifier = rate("classifier_dropout", fields.classifier_dropout, hidden)?;
        Ok(Self { hidden, attention, classifier })
    }
}

fn rate(name: &str, found: Option<f32>, default: f32) -> Result<f32> {
    let rate = found.unwrap_or(default);
    if !(0.0..1.0).contains(&rate) {
        return Err(Error::BadConfig(format!(
            "config.json: {name} is {rate}, expected 0 or more and less than 1"
        )));
    }
    Ok(rate)
}
