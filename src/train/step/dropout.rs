//! Dropout: the rates in a model's config, and where each family and head applies them.

use crate::error::fault;
use serde::Deserialize;

use crate::config::{Config, Family, HeadKind};
use crate::{Details, ErrorKind, Result};

/// Dropout probabilities in training. Where each rate applies depends on the family, as in
/// transformers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rates {
    /// For the embeddings, and for the outputs of attention and feed-forward before their
    /// residuals.
    pub hidden: f32,
    /// For attention probabilities.
    pub attention: f32,
    /// For the input of a text classifier's last layer. In RoBERTa and ELECTRA also for the input
    /// of the layer before it.
    pub classifier: f32,
    /// For the input of a token classifier.
    pub tokens: f32,
    /// For the input of the last layer over choices.
    pub choices: f32,
    /// For the input of the last layer of question answering.
    pub answers: f32,
    /// For the input of the sentence order classifier.
    pub order: f32,
    /// For the input of DeBERTa's dense layer over first tokens.
    pub pooler: f32,
}

/// Fields of config.json.
#[derive(Deserialize)]
struct Fields {
    hidden_dropout_prob: Option<f32>,
    attention_probs_dropout_prob: Option<f32>,
    classifier_dropout: Option<f32>,
    /// For ALBERT.
    classifier_dropout_prob: Option<f32>,
    /// For ELECTRA's multiple choice.
    summary_last_dropout: Option<f32>,
    /// For DistilBERT.
    dropout: Option<f32>,
    attention_dropout: Option<f32>,
    seq_classif_dropout: Option<f32>,
    qa_dropout: Option<f32>,
    /// For DeBERTa.
    pooler_dropout: Option<f32>,
    cls_dropout: Option<f32>,
}

impl Rates {
    /// Reads the rates from config.json. Missing rates have transformers' defaults.
    ///
    /// ```
    /// use webert::train::step::dropout::Rates;
    ///
    /// let config = br#"{"hidden_dropout_prob": 0.2, "classifier_dropout": null, "hidden_size": 8, "vocab_size": 9,
    ///     "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16, "max_position_embeddings": 9}"#;
    /// let rates = Rates::read(config)?;
    /// assert_eq!((rates.hidden, rates.attention, rates.classifier, rates.answers), (0.2, 0.1, 0.2, 0.0));
    /// # Ok::<(), webert::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Config::parse`]. `BadConfig` for a rate outside 0 ≤ rate < 1.
    pub fn read(config_json: &[u8]) -> Result<Self> {
        let family = Config::parse(config_json)?.family;
        let fields: Fields = serde_json::from_slice(config_json)
            .map_err(|error| fault!(BadConfig, "config.json: {error}", file = "config.json"))?;
        let rates = match family {
            Family::DistilBert => Self::of_distilbert(&fields)?,
            Family::Albert => Self::of_albert(&fields)?,
            Family::Deberta | Family::DebertaV2 => Self::of_deberta(&fields)?,
            _ => Self::of_bert(&fields)?,
        };
        Ok(match family {
            // transformers' RemBERT reads ALBERT's name of the rate
            Family::RemBert => {
                let classifier =
                    rate("classifier_dropout_prob", fields.classifier_dropout_prob, 0.1)?;
                let (tokens, choices) = (classifier, classifier);
                Self { classifier, tokens, choices, ..rates }
            }
            Family::MpNet => rates,
            family if family.has_heads_of_roberta() => Self { choices: rates.hidden, ..rates },
            Family::Electra => {
                let choices = rate("summary_last_dropout", fields.summary_last_dropout, 0.1)?;
                Self { choices, ..rates }
            }
            _ => rates,
        })
    }

    fn of_bert(fields: &Fields) -> Result<Self> {
        let hidden = rate("hidden_dropout_prob", fields.hidden_dropout_prob, 0.1)?;
        let attention =
            rate("attention_probs_dropout_prob", fields.attention_probs_dropout_prob, 0.1)?;
        let classifier = rate("classifier_dropout", fields.classifier_dropout, hidden)?;
        let (tokens, choices) = (classifier, classifier);
        Ok(Self { hidden, attention, classifier, tokens, choices, ..Self::default() })
    }

    fn of_deberta(fields: &Fields) -> Result<Self> {
        let hidden = rate("hidden_dropout_prob", fields.hidden_dropout_prob, 0.1)?;
        let attention =
            rate("attention_probs_dropout_prob", fields.attention_probs_dropout_prob, 0.1)?;
        let classifier = rate("cls_dropout", fields.cls_dropout, hidden)?;
        let pooler = rate("pooler_dropout", fields.pooler_dropout, 0.0)?;
        let (tokens, choices) = (hidden, classifier);
        Ok(Self { hidden, attention, classifier, tokens, choices, pooler, ..Self::default() })
    }

    fn of_albert(fields: &Fields) -> Result<Self> {
        let hidden = rate("hidden_dropout_prob", fields.hidden_dropout_prob, 0.0)?;
        let attention =
            rate("attention_probs_dropout_prob", fields.attention_probs_dropout_prob, 0.0)?;
        let classifier = rate("classifier_dropout_prob", fields.classifier_dropout_prob, 0.1)?;
        let (tokens, choices, order) = (classifier, classifier, classifier);
        Ok(Self { hidden, attention, classifier, tokens, choices, order, ..Self::default() })
    }

    fn of_distilbert(fields: &Fields) -> Result<Self> {
        let hidden = rate("dropout", fields.dropout, 0.1)?;
        let attention = rate("attention_dropout", fields.attention_dropout, 0.1)?;
        let classifier = rate("seq_classif_dropout", fields.seq_classif_dropout, 0.2)?;
        let answers = rate("qa_dropout", fields.qa_dropout, 0.1)?;
        let (tokens, choices) = (hidden, classifier);
        Ok(Self { hidden, attention, classifier, tokens, choices, answers, ..Self::default() })
    }
}

fn rate(name: &str, found: Option<f32>, default: f32) -> Result<f32> {
    let rate = found.unwrap_or(default);
    if !(0.0..1.0).contains(&rate) {
        let (kind, expected) = (ErrorKind::BadConfig, format_args!("0 or more and less than 1"));
        let what = format_args!(": expected {expected}, got {rate}");
        let details = Details::new(kind, "config.json", format_args!("{name}"), what);
        return Err(details.values(expected, format_args!("{rate}")).error());
    }
    Ok(rate)
}

/// The rate at each place of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::train) struct DropoutRates {
    /// After the norm of the embeddings.
    pub(in crate::train) embeddings: f32,
    /// On attention probabilities.
    pub(in crate::train) attention: f32,
    /// On attention's output, before its residual.
    pub(in crate::train) attention_output: f32,
    /// On the feed-forward's output, before its residual.
    pub(in crate::train) output: f32,
    /// Before a head's dense layer over first tokens.
    pub(in crate::train) pooler: f32,
    /// Before a head's last layer.
    pub(in crate::train) head: f32,
    /// On the table of relative positions, in each layer.
    pub(in crate::train) positions: f32,
    /// On the inputs of low-rank adapters.
    pub(in crate::train) adapters: f32,
}

impl DropoutRates {
    pub(in crate::train) fn new(rates: Rates, family: Family, kind: HeadKind) -> Self {
        let Rates { hidden, attention, .. } = rates;
        // The places below are copied from the modules of transformers 4.57; the test lists them.
        let head = match kind {
            HeadKind::SequenceClassification => rates.classifier,
            HeadKind::TokenClassification => rates.tokens,
            HeadKind::MultipleChoice => rates.choices,
            HeadKind::QuestionAnswering => rates.answers,
            HeadKind::PreTraining => rates.order,
            HeadKind::Bare | HeadKind::MaskedLm => 0.0,
            HeadKind::NextSentence | HeadKind::ReplacedToken => 0.0,
        };
        let has_own_dense = (family.has_heads_of_roberta() || family == Family::Electra)
            && kind == HeadKind::SequenceClassification;
        Self {
            embeddings: hidden,
            attention,
            // DistilBERT has no dropout here, and ALBERT none on the output of the feed-forward.
            attention_output: if family == Family::DistilBert { 0.0 } else { hidden },
            output: if family == Family::Albert { 0.0 } else { hidden },
            pooler: match family {
                Family::Deberta | Family::DebertaV2 if kind.reads_first() => rates.pooler,
                _ if has_own_dense => head,
                _ => 0.0,
            },
            head,
            positions: hidden,
            adapters: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use super::{DropoutRates, Rates};
    use crate::config::{Config, HeadKind};

    /// Returns the sites of a family's head. `rates` uses the family's names in config.json.
    fn sites(family: &str, rates: &str, kind: HeadKind) -> DropoutRates {
        let json = format!(
            r#"{{"model_type": "{family}", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
            "intermediate_size": 16, "vocab_size": 9, "max_position_embeddings": 9{rates}}}"#
        );
        let family = Config::parse(json.as_bytes()).unwrap().family;
        DropoutRates::new(Rates::read(json.as_bytes()).unwrap(), family, kind)
    }

    fn list(sites: DropoutRates) -> [f32; 6] {
        let DropoutRates { embeddings, attention, attention_output, output, pooler, head, .. } =
            sites;
        [embeddings, attention, attention_output, output, pooler, head]
    }

    /// Expected values from the modules of transformers 4.57: modeling_bert.py and the other
    /// families.
    #[test]
    fn sites_match_transformers() {
        use HeadKind::{
            MaskedLm, MultipleChoice, NextSentence, PreTraining, QuestionAnswering, ReplacedToken,
            SequenceClassification, TokenClassification,
        };
        let bert = r#", "hidden_dropout_prob": 0.2, "attention_probs_dropout_prob": 0.3, "classifier_dropout": 0.4"#;
        let albert = &bert.replace("classifier_dropout", "classifier_dropout_prob");
        let distilbert = r#", "dropout": 0.2, "attention_dropout": 0.3, "seq_classif_dropout": 0.4, "qa_dropout": 0.5"#;
        let summary = &format!(r#"{bert}, "summary_last_dropout": 0.6"#);
        for (family, rates, kind, expected) in [
            ("bert", bert, SequenceClassification, [0.2, 0.3, 0.2, 0.2, 0.0, 0.4]),
            ("bert", bert, TokenClassification, [0.2, 0.3, 0.2, 0.2, 0.0, 0.4]),
            ("bert", bert, MultipleChoice, [0.2, 0.3, 0.2, 0.2, 0.0, 0.4]),
            ("bert", bert, QuestionAnswering, [0.2, 0.3, 0.2, 0.2, 0.0, 0.0]),
            ("bert", bert, NextSentence, [0.2, 0.3, 0.2, 0.2, 0.0, 0.0]),
            ("bert", bert, PreTraining, [0.2, 0.3, 0.2, 0.2, 0.0, 0.0]),
            ("roberta", bert, SequenceClassification, [0.2, 0.3, 0.2, 0.2, 0.4, 0.4]),
            ("roberta", bert, TokenClassification, [0.2, 0.3, 0.2, 0.2, 0.0, 0.4]),
            ("roberta", bert, MultipleChoice, [0.2, 0.3, 0.2, 0.2, 0.0, 0.2]),
            ("roberta", bert, MaskedLm, [0.2, 0.3, 0.2, 0.2, 0.0, 0.0]),
            ("electra", bert, SequenceClassification, [0.2, 0.3, 0.2, 0.2, 0.4, 0.4]),
            ("electra", summary, MultipleChoice, [0.2, 0.3, 0.2, 0.2, 0.0, 0.6]),
            ("electra", bert, MultipleChoice, [0.2, 0.3, 0.2, 0.2, 0.0, 0.1]),
            ("electra", bert, ReplacedToken, [0.2, 0.3, 0.2, 0.2, 0.0, 0.0]),
            ("albert", albert, SequenceClassification, [0.2, 0.3, 0.2, 0.0, 0.0, 0.4]),
            ("albert", albert, PreTraining, [0.2, 0.3, 0.2, 0.0, 0.0, 0.4]),
            ("distilbert", distilbert, SequenceClassification, [0.2, 0.3, 0.0, 0.2, 0.0, 0.4]),
            ("distilbert", distilbert, TokenClassification, [0.2, 0.3, 0.0, 0.2, 0.0, 0.2]),
            ("distilbert", distilbert, QuestionAnswering, [0.2, 0.3, 0.0, 0.2, 0.0, 0.5]),
            // the families' defaults
            ("bert", "", SequenceClassification, [0.1, 0.1, 0.1, 0.1, 0.0, 0.1]),
            ("albert", "", SequenceClassification, [0.0, 0.0, 0.0, 0.0, 0.0, 0.1]),
            ("distilbert", "", SequenceClassification, [0.1, 0.1, 0.0, 0.1, 0.0, 0.2]),
        ] {
            assert_eq!(list(sites(family, rates, kind)), expected, "{family} {kind:?} {rates}");
        }
    }

    #[test]
    fn a_rate_of_1_is_refused() {
        let json = br#"{"hidden_dropout_prob": 1, "hidden_size": 8, "num_hidden_layers": 1, "vocab_size": 9,
            "num_attention_heads": 2, "intermediate_size": 16, "max_position_embeddings": 9}"#;
        let error = Rates::read(json).unwrap_err();
        assert_eq!(error.code(), "bad_config");
        assert!(
            error
                .to_string()
                .contains("hidden_dropout_prob: expected 0 or more and less than 1, got 1"),
            "{error}"
        );
    }
}
