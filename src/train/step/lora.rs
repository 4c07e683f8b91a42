//! Low-rank adapters in training (LoRA, Hu and others 2021): the options, with the names and
//! defaults of Hugging Face's PEFT, and which matrices they choose.

use crate::error::fault;
use std::ops::Range;

use serde::Deserialize;

use crate::config::{Config, Family, HeadKind};
use crate::model::{Encoder, Head, Layout, Leaf, ParameterSpec, RowOrder};
use crate::{Error, ErrorKind, Result};

/// Options of PEFT's `LoraConfig`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LoraOptions {
    /// Rank of the factors.
    pub r: usize,
    /// The product of the factors is multiplied by `lora_alpha / r`.
    pub lora_alpha: f64,
    /// Probability of dropout of the adapters' inputs.
    pub lora_dropout: f64,
    /// If true, the product is multiplied by `lora_alpha / √r` instead.
    pub use_rslora: bool,
    /// Ends of the names of the adapted modules, e.g. `query`; or [`ALL_LINEAR`] alone. `None`:
    /// PEFT's choice for the family.
    pub target_modules: Option<Vec<String>>,
    /// Ends of the names of modules that are not adapted.
    pub exclude_modules: Vec<String>,
    /// Layers whose modules are adapted. `None`: all.
    pub layers_to_transform: Option<Vec<usize>>,
    /// Ends of the names of modules of the head that are trained as a whole, besides the classifier
    /// of a classification model.
    pub modules_to_save: Vec<String>,
    /// Initial values of the factors.
    pub init_lora_weights: Initialization,
}

impl Default for LoraOptions {
    fn default() -> Self {
        Self {
            r: 8,
            lora_alpha: 8.0,
            lora_dropout: 0.0,
            use_rslora: false,
            target_modules: None,
            exclude_modules: Vec::new(),
            layers_to_transform: None,
            modules_to_save: Vec::new(),
            init_lora_weights: Initialization::Kaiming,
        }
    }
}

/// Initial values of `lora_A`; `lora_B` is 0, so training starts from the base's outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Initialization {
    /// Uniform within ±1 / √columns: PEFT's `true`.
    Kaiming,
    /// Normal with the standard deviation 1 / r.
    Gaussian,
}

/// The value of `target_modules` that adapts every linear layer except the trained head's.
pub const ALL_LINEAR: &str = "all-linear";

/// The adapters of one parameter: one for each adapted tensor that the parameter is stacked from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::train) struct ParameterAdapters {
    pub(in crate::train) parts: Vec<AdapterSpec>,
}

/// One adapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::train) struct AdapterSpec {
    /// Name of the module in checkpoints, e.g. `bert.encoder.layer.0.attention.self.query`.
    pub(in crate::train) module: String,
    /// The same without the family's prefix.
    pub(in crate::train) canonical: String,
    /// Rows of the parameter.
    pub(in crate::train) outputs: Range<usize>,
}

/// Which parameters a run with adapters trains. Both lists have the encoder's leaves, then the
/// head's.
#[derive(Debug, Clone)]
pub(in crate::train) struct LoraPlan {
    pub(in crate::train) adapters: Vec<Option<ParameterAdapters>>,
    /// Parameters that are trained as a whole.
    pub(in crate::train) is_whole: Vec<bool>,
    /// Modules trained as a whole, as in PEFT's `modules_to_save`.
    pub(in crate::train) saved: Vec<String>,
    /// The first layer with an adapter, or the number of layers.
    pub(in crate::train) first_layer: usize,
}

impl LoraOptions {
    /// Checks the numbers.
    ///
    /// # Errors
    /// `BadInput`, naming the option.
    fn check(&self, config: &Config) -> Result<()> {
        let bad = |name: &str, expected: &str, found: &dyn std::fmt::Display| {
            Err(Error::unexpected(
                ErrorKind::BadInput,
                format_args!("peft.{name}"),
                format_args!("{expected}"),
                format_args!("{found}"),
            ))
        };
        if self.r == 0 {
            return bad("r", "a rank of at least 1", &self.r);
        }
        if !self.lora_alpha.is_finite() {
            return bad("lora_alpha", "a finite number", &self.lora_alpha);
        }
        if !(0.0..1.0).contains(&self.lora_dropout) {
            return bad("lora_dropout", "0 or more and less than 1", &self.lora_dropout);
        }
        let layers = self.layers_to_transform.iter().flatten();
        match layers.into_iter().find(|layer| **layer >= config.layers) {
            Some(layer) => {
                let expected = format!("layers below {}", config.layers);
                bad("layers_to_transform", &expected, layer)
            }
            None => Ok(()),
        }
    }

    /// Returns the number by which the product of the factors is multiplied.
    pub(in crate::train) fn scale(&self) -> f32 {
        let rank = self.r as f64;
        (self.lora_alpha / if self.use_rslora { rank.sqrt() } else { rank }) as f32
    }

    /// Returns the ends of module names to adapt.
    ///
    /// # Errors
    /// `BadInput` if the option is missing and PEFT has no default for the family.
    fn targets(&self, family: Family) -> Result<Vec<String>> {
        if let Some(targets) = &self.target_modules {
            return Ok(targets.clone());
        }
        let names: &[&str] = match family {
            Family::Bert | Family::Roberta | Family::XlmRoberta | Family::Electra => {
                &["query", "value"]
            }
            Family::DebertaV2 => &["query_proj", "value_proj"],
            Family::Deberta => &["in_proj"],
            _ => {
                let family = family.model_type();
                return Err(fault!(
                    BadInput,
                    "peft.target_modules: expected the names of modules, because PEFT has no default for model_type \"{family}\"; \"{ALL_LINEAR}\" adapts all linear layers",
                    item = "peft.target_modules",
                    expected = "the names of modules",
                ));
            }
        };
        Ok(names.iter().map(|&name| name.to_owned()).collect())
    }

    /// Chooses the parameters of a model. `drawn` lists the tensors that the base does not have, by
    /// their canonical names. The head's tensors among them are trained as a whole, or the adapter
    /// would not have them.
    ///
    /// # Errors
    /// `BadInput` for a number out of range, for a name that no module has, and if no module is left to
    /// adapt. `Unsupported` for a module that cannot be adapted or trained as a whole.
    pub(in crate::train) fn plan(
        &self,
        config: &Config,
        encoder: &Encoder<ParameterSpec, ParameterSpec>,
        head: &Head<ParameterSpec, ParameterSpec>,
        drawn: &[String],
    ) -> Result<LoraPlan> {
        self.check(config)?;
        let saved = self.saved_modules(head.kind);
        let targets = self.targets(config.family)?;
        let is_all = targets == [ALL_LINEAR];
        let in_head = encoder.leaves().len();
        let mut plan = LoraPlan {
            adapters: Vec::new(),
            is_whole: Vec::new(),
            saved: saved.clone(),
            first_layer: config.layers,
        };
        let layers = encoder.leaf_layers().into_iter().chain(vec![None; head.leaves().len()]);
        let leaves = encoder.leaves().into_iter().chain(head.leaves());
        for (place, (leaf, layer)) in leaves.zip(layers).enumerate() {
            let is_new =
                place >= in_head && self.add_drawn(leaf.into_inner(), drawn, &mut plan.saved);
            let is_whole = is_new || self.is_saved(leaf.into_inner(), &saved, place >= in_head)?;
            plan.is_whole.push(is_whole);
            let adapters = match leaf {
                Leaf::Matrix(spec) if !is_whole => {
                    let of = Place { layer, is_head: place >= in_head };
                    self.adapters(spec, of, &targets, is_all)?
                }
                _ => None,
            };
            if adapters.is_some() {
                plan.first_layer = plan.first_layer.min(layer.unwrap_or(config.layers));
            }
            plan.adapters.push(adapters);
        }
        let is_used = |end: &String| plan.parts().any(|part| ends_with(&part.module, end));
        if let Some(unused) = targets.iter().find(|end| !is_all && !is_used(end)) {
            return Err(fault!(
                BadInput,
                "peft.target_modules: no linear layer to adapt is named \"{unused}\"",
                item = "peft.target_modules",
                found = "\"{unused}\"",
            ));
        }
        if plan.parts().next().is_none() {
            return Err(fault!(
                BadInput,
                "peft: expected linear layers to adapt, got none; see target_modules, exclude_modules and layers_to_transform",
                item = "peft",
                expected = "linear layers to adapt",
                found = "none",
            ));
        }
        Ok(plan)
    }

    /// Returns the ends of the names of the modules that are trained as a whole.
    fn saved_modules(&self, kind: HeadKind) -> Vec<String> {
        let own: &[&str] = match kind {
            HeadKind::SequenceClassification | HeadKind::TokenClassification => {
                &["classifier", "score"]
            }
            HeadKind::QuestionAnswering => &["qa_outputs"],
            _ => &[],
        };
        let mut all: Vec<String> = own.iter().map(|&name| name.to_owned()).collect();
        all.extend(
            self.modules_to_save.iter().filter(|name| !own.contains(&name.as_str())).cloned(),
        );
        all
    }

    /// Returns true if the tensors of a parameter were drawn. Adds their modules to `saved`, unless
    /// it has them.
    fn add_drawn(&self, spec: &ParameterSpec, drawn: &[String], saved: &mut Vec<String>) -> bool {
        let tensors = spec.tensors.iter().filter(|tensor| drawn.contains(&tensor.canonical));
        let names: Vec<&str> = tensors.map(|tensor| tensor.checkpoint.as_str()).collect();
        for name in &names {
            if !saved.iter().any(|end| is_in(name, end)) {
                let module = name.rsplit_once('.').map_or(*name, |(module, _)| module);
                saved.push(module.to_owned());
            }
        }
        !names.is_empty()
    }

    /// Returns true if a parameter belongs to a module that is trained as a whole.
    fn is_saved(&self, spec: &ParameterSpec, saved: &[String], is_head: bool) -> Result<bool> {
        let names = spec.tensors.iter().map(|tensor| tensor.checkpoint.as_str());
        let found = names.clone().find_map(|name| saved.iter().find(|end| is_in(name, end)));
        let Some(end) = found else { return Ok(false) };
        if is_head {
            return Ok(true);
        }
        // PEFT compares names from their end, too, so "classifier" never matches the encoder.
        Err(fault!(
            Unsupported,
            "peft.modules_to_save: \"{end}\" is a part of the encoder; only modules of the head can be trained as a whole",
            item = "peft.modules_to_save",
            expected = "modules of the head",
            found = "\"{end}\"",
        ))
    }

    /// Returns the adapters of a matrix.
    fn adapters(
        &self,
        spec: &ParameterSpec,
        of: Place,
        targets: &[String],
        is_all: bool,
    ) -> Result<Option<ParameterAdapters>> {
        let is_in_layers = |layers: &Vec<usize>| of.layer.is_some_and(|n| layers.contains(&n));
        // An empty list means all layers, as in PEFT.
        let layers = self.layers_to_transform.as_ref().filter(|layers| !layers.is_empty());
        if !layers.is_none_or(is_in_layers) {
            return Ok(None);
        }
        let (rows, mut parts) = (spec.tensor_rows(), Vec::new());
        for (part, tensor) in spec.tensors.iter().enumerate() {
            let Some(module) = tensor.checkpoint.strip_suffix(".weight") else { continue };
            let is_excluded = self.exclude_modules.iter().any(|end| ends_with(module, end));
            let is_target = targets.iter().any(|end| ends_with(module, end));
            if is_excluded || !(is_target || is_all && is_linear(module, of)) {
                continue;
            }
            let is_plain = spec.order == RowOrder::Plain && tensor.layout == Layout::Plain;
            if !is_linear(module, of) || !of.has_gradient() || !is_plain {
                return Err(fault!(
                    Unsupported,
                    "peft.target_modules: {module} cannot be adapted; only linear layers of the encoder's layers and of the head can. exclude_modules leaves it out",
                    item = "peft.target_modules",
                    expected = "linear layers of the encoder's layers and of the head",
                    found = "{module}",
                ));
            }
            let outputs = part * rows..(part + 1) * rows;
            let canonical = tensor.canonical.strip_suffix(".weight").unwrap_or(module).to_owned();
            parts.push(AdapterSpec { module: module.to_owned(), canonical, outputs });
        }
        Ok((!parts.is_empty()).then_some(ParameterAdapters { parts }))
    }
}

impl LoraPlan {
    /// Returns all adapters, in the order of the parameters.
    pub(in crate::train) fn parts(&self) -> impl Iterator<Item = &AdapterSpec> {
        self.adapters.iter().flatten().flat_map(|adapters| &adapters.parts)
    }
}

/// Where a parameter is.
#[derive(Debug, Clone, Copy)]
struct Place {
    layer: Option<usize>,
    is_head: bool,
}

impl Place {
    /// Returns true if the backward pass reaches the parameter without the embeddings' gradients.
    fn has_gradient(self) -> bool {
        self.is_head || self.layer.is_some()
    }
}

/// Returns true if a matrix is the weight of a linear layer. The vocabulary's decoder counts as an
/// output, which PEFT does not adapt either.
fn is_linear(module: &str, of: Place) -> bool {
    match of.is_head {
        true => !module.ends_with("decoder"),
        false => !module.ends_with("embeddings"),
    }
}

/// Returns true if a module has this name, or this end of its path.
fn ends_with(module: &str, end: &str) -> bool {
    module.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Returns true if a tensor belongs to a module whose path ends so. PEFT compares no dot here:
/// "classifier" also names DistilBERT's `pre_classifier`.
fn is_in(tensor: &str, end: &str) -> bool {
    tensor.match_indices('.').any(|(dot, _)| tensor[..dot].ends_with(end))
}
