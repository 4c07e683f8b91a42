//! Trained low-rank adapters as the files of Hugging Face's PEFT: `adapter_config.json` and
//! `adapter_model.safetensors`.

use crate::error::fault;
use serde_json::{Value, json};

use super::state::{names_of, spec_of, tensor_shape};
use crate::Result;
use crate::backend::Processor;
use crate::backend::train::Train;
use crate::config::HeadKind;
use crate::train::step::lora::{ALL_LINEAR, Initialization};
use crate::train::step::trainer::Trainer;

/// What PEFT puts before each name.
const PREFIX: &str = "base_model.model.";

impl<B: Train + Processor> Trainer<B> {
    /// Returns the names and shapes of the tensors of `adapter_model.safetensors`. These are the
    /// trained parameters ([`Trainer::is_trained`]), in the order of [`Trainer::parameter`]. `None`
    /// without adapters.
    pub fn adapter_tensors(&self) -> Option<Vec<(String, Vec<usize>)>> {
        self.lora.as_ref()?;
        // The model of a bare head has no prefix in transformers.
        let is_bare = self.model.head_spec().kind == HeadKind::Bare;
        let mut tensors = Vec::new();
        for (spec, entry) in self.specs.iter().zip(&self.optimizer.entries) {
            if entry.frozen {
                continue;
            }
            let canonical = spec_of(spec).tensors.iter().map(|tensor| tensor.canonical.as_str());
            let names: Vec<_> =
                if is_bare { canonical.collect() } else { names_of(spec).collect() };
            let names = names.into_iter().map(|name| format!("{PREFIX}{name}"));
            tensors.extend(names.map(|name| (name, tensor_shape(spec))));
        }
        Some(tensors)
    }

    /// Returns `adapter_config.json`. `base` is the name of the base model, e.g. on the Hub.
    ///
    /// # Errors
    /// `BadInput` without adapters.
    pub fn adapter_config(&self, base: Option<&str>) -> Result<String> {
        let Some((options, plan)) = &self.lora else {
            return Err(fault!(
                BadInput,
                "peft: expected a model that is trained with it",
                item = "peft",
                expected = "a model that is trained with it",
            ));
        };
        let kind = self.model.head_spec().kind;
        let is_bare = kind == HeadKind::Bare;
        let task = match kind {
            HeadKind::SequenceClassification => Some("SEQ_CLS"),
            HeadKind::TokenClassification => Some("TOKEN_CLS"),
            HeadKind::QuestionAnswering => Some("QUESTION_ANS"),
            HeadKind::Bare => Some("FEATURE_EXTRACTION"),
            _ => None,
        };
        let given = options.target_modules.clone().filter(|targets| *targets != [ALL_LINEAR]);
        let modules = plan.parts().map(|part| if is_bare { &part.canonical } else { &part.module });
        let fields = json!({
            "peft_type": "LORA",
            "task_type": task,
            "base_model_name_or_path": base,
            "r": options.r,
            "lora_alpha": number(options.lora_alpha),
            "lora_dropout": options.lora_dropout,
            "use_rslora": options.use_rslora,
            "use_dora": false,
            "bias": "none",
            "target_modules": given.unwrap_or_else(|| modules.cloned().collect()),
            "exclude_modules": list(&options.exclude_modules),
            "layers_to_transform": options.layers_to_transform,
            "modules_to_save": list(&plan.saved),
            "init_lora_weights": match options.init_lora_weights {
                Initialization::Kaiming => json!(true),
                Initialization::Gaussian => json!("gaussian"),
            },
            "fan_in_fan_out": false,
            "inference_mode": true,
            "rank_pattern": {},
            "alpha_pattern": {},
        });
        Ok(format!("{fields:#}\n"))
    }
}

/// Returns a list, or null for an empty one, as PEFT writes it.
fn list(names: &[String]) -> Value {
    if names.is_empty() { Value::Null } else { json!(names) }
}

/// Returns a number, whole if it has no fraction.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 { json!(value as i64) } else { json!(value) }
}
