//! The options of a training run, with the names of Hugging Face's `TrainingArguments`.

use serde::Deserialize;

use crate::train::step::schedule::SchedulerType;
use crate::{Error, ErrorKind, Result};

/// The optimizer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Optimizer {
    /// AdamW, as PyTorch implements it.
    #[default]
    AdamwTorch,
    /// Plain gradient descent.
    Sgd,
}

/// How the second text of a negative pair in pre-training is chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Objective {
    /// Next sentence prediction (BERT): a text of another document.
    #[default]
    Nsp,
    /// Sentence order prediction (ALBERT): the same two texts in reverse order.
    Sop,
}

/// The options of a run: steps, optimizer, schedule, evaluation, and options of single tasks.
/// Deserializing rejects unknown names.
///
/// ```
/// use webert::train::arguments::TrainingArguments;
///
/// let read = |json| -> Result<TrainingArguments, _> { serde_json::from_str(json) };
/// assert_eq!(read("{}").unwrap(), TrainingArguments::default());
/// assert!(read(r#"{"learning_rat": 1}"#).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainingArguments {
    /// Number of passes over the rows.
    pub num_train_epochs: f64,
    /// Number of steps, which replaces `num_train_epochs`. -1 uses the epochs.
    pub max_steps: i64,
    /// Rows per micro-batch.
    pub per_device_train_batch_size: usize,
    /// Rows per batch of an evaluation.
    pub per_device_eval_batch_size: usize,
    /// Micro-batches per step. Their gradients are added up.
    pub gradient_accumulation_steps: usize,
    /// Largest learning rate of the run.
    pub learning_rate: f64,
    /// How the learning rate changes.
    pub lr_scheduler_type: SchedulerType,
    /// Share of the steps during which the rate rises.
    pub warmup_ratio: f64,
    /// Number of steps during which the rate rises. If not 0, it replaces `warmup_ratio`.
    pub warmup_steps: usize,
    /// AdamW's weight decay. Biases and norms do not decay.
    pub weight_decay: f64,
    /// Decay of the mean of the gradients.
    pub adam_beta1: f64,
    /// Decay of the mean of the squared gradients.
    pub adam_beta2: f64,
    /// Added to the root of the mean of the squared gradients.
    pub adam_epsilon: f64,
    /// Largest norm of all gradients together; larger gradients are clipped. 0 disables clipping.
    pub max_grad_norm: f64,
    /// The optimizer.
    pub optim: Optimizer,
    /// Learning rate of each layer as a share of the rate of the layer above.
    pub layer_lr_decay: f64,
    /// Share of a target that is spread equally over all classes.
    pub label_smoothing_factor: f64,
    /// Weight of each class in the cross-entropy.
    pub class_weights: Option<Vec<f32>>,
    /// Largest number of tokens per text, including special tokens. The model's limit also applies.
    pub max_length: usize,
    /// Whether to put rows of similar lengths into one batch.
    pub group_by_length: bool,
    /// Seed of every random choice.
    pub seed: u64,
    /// Whether to keep one state per layer and to recompute the rest for the gradient.
    pub gradient_checkpointing: bool,
    /// Share of the tokens that masked language modelling chooses.
    pub mlm_probability: f64,
    /// Whether to mask whole words.
    pub whole_word_mask: bool,
    /// Whether to mask spans of words, as in SpanBERT.
    pub ngram: bool,
    /// Only with a teacher: divisor of the scores before the softmax of soft targets. `None`: 2.
    pub temperature: Option<f64>,
    /// Only with a teacher: weight of the divergence from its predictions. `None`: 5 for masked
    /// language models, otherwise 0.5.
    pub alpha_ce: Option<f64>,
    /// Only with a teacher: weight of the masked language model's own loss. `None`: 2.
    pub alpha_mlm: Option<f64>,
    /// Only with a teacher: weight of the loss of a classifier's labels. `None`: 0.5.
    pub alpha_labels: Option<f64>,
    /// Only with a teacher: weight of the cosine loss of the last states. `None`: 1 for masked
    /// language models, otherwise 0.
    pub alpha_cos: Option<f64>,
    /// The second objective of pre-training.
    pub objective: Objective,
    /// Tokens shared by neighbouring windows of a context in question answering. `None`: 128, or
    /// half of a short window.
    pub doc_stride: Option<usize>,
    /// Steps between two evaluations. `None`: one epoch.
    pub eval_steps: Option<usize>,
    /// Whether the run ends with the weights of its best evaluation.
    pub load_best_model_at_end: bool,
    /// Metric that defines the best evaluation. `None`: the loss.
    pub metric_for_best_model: Option<String>,
    /// Number of evaluations without improvement after which a run ends. `None`: no limit.
    pub early_stopping_patience: Option<usize>,
}

impl Default for TrainingArguments {
    fn default() -> Self {
        Self {
            num_train_epochs: 3.0,
            max_steps: -1,
            per_device_train_batch_size: 8,
            per_device_eval_batch_size: 8,
            gradient_accumulation_steps: 1,
            learning_rate: 5e-5,
            lr_scheduler_type: SchedulerType::Linear,
            warmup_ratio: 0.0,
            warmup_steps: 0,
            weight_decay: 0.0,
            adam_beta1: 0.9,
            adam_beta2: 0.999,
            adam_epsilon: 1e-8,
            max_grad_norm: 1.0,
            optim: Optimizer::AdamwTorch,
            layer_lr_decay: 1.0,
            label_smoothing_factor: 0.0,
            class_weights: None,
            max_length: 128,
            group_by_length: true,
            seed: 42,
            gradient_checkpointing: false,
            mlm_probability: 0.15,
            whole_word_mask: false,
            ngram: false,
            temperature: None,
            alpha_ce: None,
            alpha_mlm: None,
            alpha_labels: None,
            alpha_cos: None,
            objective: Objective::Nsp,
            doc_stride: None,
            eval_steps: None,
            load_best_model_at_end: false,
            metric_for_best_model: None,
            early_stopping_patience: None,
        }
    }
}

impl TrainingArguments {
    /// Returns the options of a run with a teacher, with their names.
    pub(in crate::train) fn distillation_options(&self) -> [(&'static str, Option<f64>); 5] {
        [
            ("temperature", self.temperature),
            ("alpha_ce", self.alpha_ce),
            ("alpha_mlm", self.alpha_mlm),
            ("alpha_labels", self.alpha_labels),
            ("alpha_cos", self.alpha_cos),
        ]
    }

    /// Checks that every number is in its range.
    ///
    /// # Errors
    /// `BadInput`, naming the option, its value and the expected range.
    pub fn check(&self) -> Result<()> {
        self.check_fractions()?;
        self.check_amounts()?;
        self.check_counts()?;
        let weights = self.class_weights.as_deref().unwrap_or_default();
        if let Some(weight) = weights.iter().find(|weight| !(0.0..f32::INFINITY).contains(*weight))
        {
            return refuse("class_weights", weight.to_string(), "finite numbers, 0 or more");
        }
        Ok(())
    }

    fn check_fractions(&self) -> Result<()> {
        let shares = [
            ("warmup_ratio", self.warmup_ratio, 1.0),
            ("label_smoothing_factor", self.label_smoothing_factor, 1.0),
            ("mlm_probability", self.mlm_probability, 1.0),
            ("layer_lr_decay", self.layer_lr_decay, 1.0),
        ];
        for (name, share, greatest) in shares {
            if !(0.0..=greatest).contains(&share) {
                return refuse(name, share.to_string(), "0 to 1");
            }
        }
        if self.mlm_probability == 0.0 {
            return refuse("mlm_probability", "0".into(), "more than 0");
        }
        for (name, beta) in [("adam_beta1", self.adam_beta1), ("adam_beta2", self.adam_beta2)] {
            if !(0.0..1.0).contains(&beta) {
                return refuse(name, beta.to_string(), "0 or more and less than 1");
            }
        }
        Ok(())
    }

    fn check_amounts(&self) -> Result<()> {
        let amounts = [
            ("learning_rate", self.learning_rate),
            ("weight_decay", self.weight_decay),
            ("max_grad_norm", self.max_grad_norm),
            ("adam_epsilon", self.adam_epsilon),
            ("num_train_epochs", self.num_train_epochs),
        ];
        let weights =
            self.distillation_options().map(|(name, weight)| (name, weight.unwrap_or(0.0)));
        for (name, number) in amounts.into_iter().chain(weights) {
            if !(0.0..f64::INFINITY).contains(&number) {
                return refuse(name, number.to_string(), "a finite number, 0 or more");
            }
        }
        if let Some(temperature) = self.temperature.filter(|&temperature| temperature <= 0.0) {
            return refuse("temperature", temperature.to_string(), "a finite number above 0");
        }
        Ok(())
    }

    fn check_counts(&self) -> Result<()> {
        let counts = [
            ("per_device_train_batch_size", self.per_device_train_batch_size),
            ("per_device_eval_batch_size", self.per_device_eval_batch_size),
            ("gradient_accumulation_steps", self.gradient_accumulation_steps),
            ("max_length", self.max_length),
            ("eval_steps", self.eval_steps.unwrap_or(1)),
            ("early_stopping_patience", self.early_stopping_patience.unwrap_or(1)),
        ];
        if let Some((name, _)) = counts.into_iter().find(|&(_, count)| count == 0) {
            return refuse(name, "0".into(), "1 or more");
        }
        if self.max_steps < -1 {
            return refuse("max_steps", self.max_steps.to_string(), "-1 or more");
        }
        Ok(())
    }
}

fn refuse(name: &str, found: String, expected: &str) -> Result<()> {
    let (name, expected) = (format_args!("{name}"), format_args!("{expected}"));
    Err(Error::unexpected(ErrorKind::BadInput, name, expected, format_args!("{found}")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use super::{Objective, Optimizer, TrainingArguments};
    use crate::train::step::schedule::SchedulerType;

    #[test]
    fn names_match_hugging_face() {
        let json =
            r#"{"lr_scheduler_type": "constant_with_warmup", "optim": "sgd", "objective": "sop"}"#;
        let arguments: TrainingArguments = serde_json::from_str(json).unwrap();
        assert_eq!(arguments.lr_scheduler_type, SchedulerType::ConstantWithWarmup);
        assert_eq!(arguments.optim, Optimizer::Sgd);
        assert_eq!(arguments.objective, Objective::Sop);
        let named: TrainingArguments = serde_json::from_str(r#"{"optim": "adamw_torch"}"#).unwrap();
        assert_eq!(named, TrainingArguments::default());
    }

    #[test]
    fn what_no_run_can_have_is_refused_by_name() {
        assert_eq!(TrainingArguments::default().check(), Ok(()));
        for (json, name) in [
            (
                r#"{"learning_rate": -1e-5}"#,
                "learning_rate: expected a finite number, 0 or more, got -0.00001",
            ),
            (r#"{"warmup_ratio": 1.5}"#, "warmup_ratio: expected 0 to 1, got 1.5"),
            (r#"{"mlm_probability": 0}"#, "mlm_probability: expected more than 0, got 0"),
            (r#"{"adam_beta2": 1}"#, "adam_beta2: expected 0 or more and less than 1, got 1"),
            (
                r#"{"per_device_train_batch_size": 0}"#,
                "per_device_train_batch_size: expected 1 or more, got 0",
            ),
            (r#"{"eval_steps": 0}"#, "eval_steps: expected 1 or more, got 0"),
            (
                r#"{"early_stopping_patience": 0}"#,
                "early_stopping_patience: expected 1 or more, got 0",
            ),
            (r#"{"temperature": 0}"#, "temperature: expected a finite number above 0, got 0"),
            (r#"{"alpha_cos": -1}"#, "alpha_cos: expected a finite number, 0 or more, got -1"),
            (r#"{"max_steps": -2}"#, "max_steps: expected -1 or more, got -2"),
            (
                r#"{"class_weights": [1, -1]}"#,
                "class_weights: expected finite numbers, 0 or more, got -1",
            ),
        ] {
            let arguments: TrainingArguments = serde_json::from_str(json).unwrap();
            let error = arguments.check().unwrap_err();
            assert_eq!(error.code(), "bad_input");
            assert!(error.to_string().starts_with(name), "{error}");
        }
    }
}
