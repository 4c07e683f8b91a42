//! The fields of `config.json` with the defaults of transformers.

use std::borrow::Cow;
use std::fmt::{Arguments, Display};

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use webert_kernels::Activation;

use super::{Family, HAS_ALL, Label, Problem, Structure};
use crate::json::{Object, Text, describe, read_as, text, whole};
use crate::{Details, Error, ErrorKind, Result};

/// The largest number of labels of a head.
const MAX_LABELS: usize = 1 << 20;

/// The fields, with their names in the file.
pub(super) struct Raw<'a> {
    pub(super) family: Family,
    pub(super) architecture: Option<Cow<'a, str>>,
    pub(super) hidden_size: usize,
    pub(super) embedding_size: Option<usize>,
    pub(super) num_hidden_layers: usize,
    pub(super) num_attention_heads: usize,
    pub(super) intermediate_size: usize,
    pub(super) vocab_size: usize,
    pub(super) max_position_embeddings: usize,
    pub(super) type_vocab_size: Option<usize>,
    pub(super) hidden_act: Option<Cow<'a, str>>,
    pub(super) layer_norm_eps: Option<f64>,
    pub(super) norm_eps: Option<f64>,
    pub(super) pad_token_id: Option<usize>,
    pub(super) tie_word_embeddings: Option<bool>,
    pub(super) position_embedding_type: Option<Cow<'a, str>>,
    pub(super) num_hidden_groups: Option<usize>,
    pub(super) inner_group_num: Option<usize>,
    pub(super) is_decoder: Option<bool>,
    pub(super) num_labels: Option<usize>,
    pub(super) id2label: Object<'a>,
    pub(super) problem_type: Option<Cow<'a, str>>,
    #[cfg(feature = "train")]
    pub(super) initializer_range: Option<f64>,
    pub(super) score_function: Option<Cow<'a, str>>,
    pub(super) fields: Fields<'a>,
}

impl<'a> Raw<'a> {
    pub(super) fn read(json: Object<'a>) -> Result<Self> {
        let fields = Fields(json);
        // read before the sizes, because other families name the sizes differently
        let family = family_of(&fields)?;
        let architectures = fields.get("architectures", "a list", read_as::<Vec<Text<'_>>>)?;
        let mut hidden_act = None;
        for name in ["hidden_act", "activation", "hidden_activation"] {
            if hidden_act.is_none() {
                hidden_act = fields.text(name)?;
            }
        }
        Ok(Self {
            family,
            architecture: architectures.into_iter().flatten().next().map(|Text(name)| name),
            hidden_size: fields.need(&["hidden_size", "dim", "n_embd"])?,
            embedding_size: fields.size("embedding_size")?,
            num_hidden_layers: fields.need(&["num_hidden_layers", "n_layers", "n_layer"])?,
            num_attention_heads: fields.need(&["num_attention_heads", "n_heads", "n_head"])?,
            intermediate_size: fields.need(&["intermediate_size", "hidden_dim", "n_inner"])?,
            vocab_size: fields.need(&["vocab_size"])?,
            max_position_embeddings: fields.need(&["max_position_embeddings", "n_positions"])?,
            type_vocab_size: fields.size("type_vocab_size")?,
            hidden_act,
            layer_norm_eps: fields.number("layer_norm_eps")?,
            norm_eps: fields.number("norm_eps")?,
            pad_token_id: fields.size("pad_token_id")?,
            tie_word_embeddings: fields.flag("tie_word_embeddings")?,
            position_embedding_type: fields.text("position_embedding_type")?,
            num_hidden_groups: fields.size("num_hidden_groups")?,
            inner_group_num: fields.size("inner_group_num")?,
            is_decoder: fields.flag("is_decoder")?,
            num_labels: fields.size("num_labels")?,
            id2label: fields.get("id2label", "an object", read_as)?.unwrap_or_default(),
            problem_type: fields.text("problem_type")?,
            #[cfg(feature = "train")]
            initializer_range: fields.get("initializer_range", "a number", read_as)?,
            score_function: fields.score_function()?,
            fields,
        })
    }

    pub(super) fn structure(&self) -> Result<Structure> {
        match cfg!(feature = "families") {
            true => Structure::read(self.family, &self.fields, self.num_hidden_layers),
            false => Ok(Structure::BERT),
        }
    }

    pub(super) fn has_custom_code(&self) -> bool {
        self.fields.is_there("auto_map")
    }

    /// Returns the class in `architectures`, if transformers has no model or head with that name.
    pub(super) fn unknown_architecture(&self) -> Option<String> {
        let name = self.architecture.as_deref()?;
        let is_known = name.contains("For") || name.ends_with("Model");
        (!is_known).then(|| name.to_owned())
    }

    /// Rejects variants that this crate does not compute.
    pub(super) fn unsupported_variant(&self) -> Result<()> {
        // the classes of these families in transformers do not read this field
        let reads_positions = self.family.reads_position_type();
        let has_families = cfg!(feature = "families");
        match self.position_embedding_type.as_deref().filter(|_| reads_positions) {
            None | Some("absolute") => {}
            Some("rotary") if HAS_ALL && self.family == Family::Esm => {}
            Some("relative_key" | "relative_key_query")
                if has_families && self.family != Family::Esm => {}
            Some(other) => {
                let custom_code = if self.fields.is_there("auto_map") {
                    ". The folder has custom code (auto_map), which is not run"
                } else {
                    ""
                };
                let expected =
                    format_args!("\"absolute\", \"relative_key\" or \"relative_key_query\"");
                let what =
                    format_args!(" \"{other}\" is not supported; expected {expected}{custom_code}");
                let details = unsupported_field("position_embedding_type", what);
                return Err(details.values(expected, format_args!("{other}")).error());
            }
        }
        if self.inner_group_num.unwrap_or(1) != 1 {
            let what = format_args!(", only one layer in a group");
            return Err(unsupported_field("inner_group_num", what).error());
        }
        if self.is_decoder == Some(true) {
            let what = format_args!(" is true, only encoders run here");
            return Err(unsupported_field("is_decoder", what).error());
        }
        Ok(())
    }

    /// Returns the labels in the order of their numbers.
    pub(super) fn labels(&self) -> Result<Vec<String>> {
        let named = &self.id2label.0;
        let count = if named.is_empty() { self.num_labels.unwrap_or(2) } else { named.len() };
        // checked before any allocation of this size
        if count > MAX_LABELS {
            return Err(bad_config(format_args!("{count} labels, expected at most {MAX_LABELS}")));
        }
        if named.is_empty() {
            return Ok((0..count).map(|n| format!("LABEL_{n}")).collect());
        }
        let mut entries = Vec::with_capacity(count);
        for (number, label) in named {
            let number: i64 = number.trim().parse().map_err(|_| {
                let what = format_args!(" has the key \"{number}\", expected a whole number");
                bad_field("id2label", what).error()
            })?;
            entries.push((number, label_text(label)?));
        }
        // as in a Python dict, a later entry replaces an earlier one with the same number
        entries.reverse();
        entries.sort_by_key(|&(number, _)| number);
        entries.dedup_by_key(|(number, _)| *number);
        // transformers returns one score per entry, whatever the numbers of the entries are
        let count = entries.len();
        let mut labels: Vec<_> = (0..count).map(|n| format!("LABEL_{n}")).collect();
        for (number, label) in entries {
            if let Some(place) = usize::try_from(number).ok().and_then(|n| labels.get_mut(n)) {
                *place = label;
            }
        }
        Ok(labels)
    }

    /// Returns the labels with their types in the file, in the same order. Empty if all are
    /// strings.
    pub(super) fn label_values(&self) -> Result<Vec<Label>> {
        if self.id2label.0.iter().all(|(_, label)| text(label).is_some()) {
            return Ok(Vec::new());
        }
        let mut values: Vec<Label> = self.labels()?.into_iter().map(Label::Text).collect();
        for (number, label) in &self.id2label.0 {
            let place = number.trim().parse().ok().and_then(|n: usize| values.get_mut(n));
            if let Some(place) = place {
                *place = label_value(label);
            }
        }
        Ok(values)
    }

    #[cfg(feature = "train")]
    pub(super) fn initializer_range(&self) -> Result<f64> {
        let range = self.initializer_range.unwrap_or(0.02);
        if !(0.0..1e3).contains(&range) {
            let expected = "0 or more and less than 1000";
            return Err(outside("initializer_range", &range, &expected));
        }
        Ok(range)
    }

    pub(super) fn problem(&self) -> Result<Option<Problem>> {
        match self.problem_type.as_deref() {
            None => Ok(None),
            Some("single_label_classification") => Ok(Some(Problem::SingleLabel)),
            Some("multi_label_classification") => Ok(Some(Problem::MultiLabel)),
            Some("regression") => Ok(Some(Problem::Regression)),
            Some(other) => {
                Err(bad_field("problem_type", format_args!(" \"{other}\" is unknown")).error())
            }
        }
    }
}

/// Returns the label with its type in the file.
fn label_value(label: &RawValue) -> Label {
    match label.get() {
        "true" => Label::Flag(true),
        "false" => Label::Flag(false),
        "null" => Label::Null,
        // Read as JSON: the parser of f64 in the standard library has a table of 10 KiB.
        json => match (read_as(label), text(label)) {
            (Some(number), _) => Label::Number(number),
            (None, Some(label)) => Label::Text(label.into_owned()),
            (None, None) => Label::Text(json.to_owned()),
        },
    }
}

/// Returns the text of a label: a string, or a number, boolean or null as Python prints it.
fn label_text(label: &RawValue) -> Result<String> {
    match label.get() {
        "true" => Ok("True".into()),
        "false" => Ok("False".into()),
        "null" => Ok("None".into()),
        json => match text(label) {
            Some(label) => Ok(label.into_owned()),
            None if !json.starts_with(['[', '{']) => Ok(json.to_owned()),
            None => Err(misfit("id2label", "labels that are strings, numbers or booleans", label)),
        },
    }
}

/// The families that this build runs.
const NAMED: &[Family] =
    if HAS_ALL { &Family::ALL } else { Family::ALL.split_at(Family::IN_ALL_BUILDS).0 };

/// Returns the family named by `model_type`.
fn family_of(fields: &Fields<'_>) -> Result<Family> {
    let model_type = fields.text("model_type")?;
    match model_type.as_deref() {
        // The first configs, from 2018, have no model_type; they are BERT configs.
        None if fields.is_there("hidden_size") => Ok(Family::Bert),
        None => Err(Error::Unsupported(format!(
            "config.json: expected a model_type, one of {}, found none",
            families()
        ))),
        Some(name) => match NAMED.iter().find(|family| family.model_type() == name) {
            Some(family) => Ok(*family),
            None if !HAS_ALL => {
                let what = format_args!(
                    " \"{name}\" is not supported by the smaller binaries: import \"webert\" in a page, a \
                     Worker or Node"
                );
                Err(unsupported_field("model_type", what).error())
            }
            None => {
                let (families, way_out) = (families(), way_out(name));
                let expected = format_args!("one of {families}");
                let what =
                    format_args!(" \"{name}\" is not supported; expected {expected}{way_out}");
                let details = unsupported_field("model_type", what);
                Err(details.values(expected, format_args!("{name}")).error())
            }
        },
    }
}

/// Returns the supported values of `model_type`.
fn families() -> String {
    NAMED.iter().map(|family| family.model_type()).collect::<Vec<_>>().join(", ")
}

/// Returns what to do about a `model_type` that only custom code runs, as a sentence.
fn way_out(model_type: &str) -> &'static str {
    match model_type {
        "new" => {
            ". Its code is in the folder and is not run; transformers 5 has the same model as model_type \"gte\""
        }
        "jina_bert" | "jina_bert_v2" | "neobert" => {
            ". Its code is in the folder and is not run: take a model of another family"
        }
        _ => "",
    }
}

/// Returns the activation that transformers calls `name` in its table `ACT2FN`.
///
/// # Errors
/// `Unsupported` with the name of the activation.
pub(crate) fn activation_named(name: &str) -> Result<Activation> {
    match name {
        "gelu" | "gelu_python" => Ok(Activation::Gelu),
        "gelu_new" | "gelu_fast" | "gelu_pytorch_tanh" | "gelu_python_tanh" | "gelu_accurate" => {
            Ok(Activation::GeluTanh)
        }
        "relu" => Ok(Activation::Relu),
        "silu" | "swish" => Ok(Activation::Silu),
        "tanh" => Ok(Activation::Tanh),
        "linear" => Ok(Activation::Identity),
        name => other_activation(name),
    }
}

/// Returns an activation that few models use.
#[cfg(feature = "families")]
fn other_activation(name: &str) -> Result<Activation> {
    match name {
        "quick_gelu" => Ok(Activation::QuickGelu),
        "gelu_10" => Ok(Activation::ClippedGelu),
        "hardswish" => Ok(Activation::HardSwish),
        "laplace" => Ok(Activation::Laplace),
        "leaky_relu" => Ok(Activation::LeakyRelu),
        "mish" => Ok(Activation::Mish),
        "relu2" => Ok(Activation::ReluSquared),
        "relu6" => Ok(Activation::Relu6),
        "sigmoid" => Ok(Activation::Sigmoid),
        "sqrtsoftplus" => Ok(Activation::SqrtSoftplus),
        name => Err(Error::Unsupported(format!(
            "config.json: the activation \"{name}\" is not supported; expected one of gelu, gelu_10, gelu_accurate, \
             gelu_fast, gelu_new, gelu_python, gelu_python_tanh, gelu_pytorch_tanh, hardswish, laplace, leaky_relu, \
             linear, mish, quick_gelu, relu, relu2, relu6, sigmoid, silu, sqrtsoftplus, swish, tanh"
        ))),
    }
}

#[cfg(not(feature = "families"))]
fn other_activation(name: &str) -> Result<Activation> {
    Err(Error::Unsupported(format!(
        "config.json: the activation \"{name}\" is not supported by the smaller binaries; expected one of gelu, \
         gelu_new, linear, relu, silu, tanh"
    )))
}

/// The fields of `config.json`, each checked for its type. null means absent.
pub(super) struct Fields<'a>(pub(super) Object<'a>);

impl<'a> Fields<'a> {
    fn get<T>(
        &self,
        name: &str,
        kind: &str,
        read: impl Fn(&'a RawValue) -> Option<T>,
    ) -> Result<Option<T>> {
        match self.0.get(name) {
            None => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| misfit(name, kind, value)),
        }
    }

    /// Returns whether the field is present and null.
    pub(super) fn is_null(&self, name: &str) -> bool {
        self.0.value_or_null(name).is_some_and(|value| value.get() == "null")
    }

    /// Returns whether the field is present and not null.
    pub(super) fn is_there(&self, name: &str) -> bool {
        self.0.get(name).is_some()
    }

    /// Returns whether `transformers_version` is 5 or later.
    pub(super) fn is_of_transformers_5(&self) -> Result<bool> {
        let version = self.text("transformers_version")?;
        let major = version.as_deref().and_then(|version| version.split('.').next());
        Ok(major.and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major >= 5))
    }

    /// Returns a list of strings.
    pub(super) fn texts(&self, name: &str) -> Result<Option<Vec<Cow<'a, str>>>> {
        let texts = self.get(name, "a list of strings", read_as::<Vec<Text<'_>>>)?;
        Ok(texts.map(|texts| texts.into_iter().map(|Text(text)| text).collect()))
    }

    /// Returns a list of strings, or the parts of a string between "|", in lower case.
    pub(super) fn words(&self, name: &str) -> Result<Vec<Cow<'a, str>>> {
        let kind = "a list of strings or a string";
        let list = |value| match text(value) {
            Some(text) => {
                let words = text.split('|').map(|word| Cow::Owned(word.trim().to_lowercase()));
                Some(words.collect())
            }
            None => {
                let list = read_as::<Vec<Text<'_>>>(value)?;
                Some(list.into_iter().map(|Text(text)| text).collect())
            }
        };
        Ok(self.get(name, kind, list)?.unwrap_or_default())
    }

    /// Returns an object.
    pub(super) fn object(&self, name: &str) -> Result<Option<Object<'a>>> {
        self.get(name, "an object", read_as)
    }

    pub(super) fn number<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        self.get(name, "a number", read_as)
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<Cow<'a, str>>> {
        self.get(name, "a string", text)
    }

    /// Returns the score function. sentence-transformers 4 and version 3 write it to different
    /// fields; the newer field comes first.
    fn score_function(&self) -> Result<Option<Cow<'a, str>>> {
        let newer = self.get("sentence_transformers", "an object", read_as::<Object<'_>>)?;
        match newer.and_then(|newer| newer.get_as("activation_fn")) {
            Some(Text(name)) => Ok(Some(name)),
            None => self.text("sbert_ce_default_activation_function"),
        }
    }

    pub(super) fn size(&self, name: &str) -> Result<Option<usize>> {
        let size = |value: &RawValue| whole(value).and_then(|size| size.try_into().ok());
        self.get(name, "a whole number", size)
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>> {
        self.get(name, "true or false", read_as)
    }

    /// Returns a required size. `names` are its name in BERT and its names in other families.
    fn need(&self, names: &[&str]) -> Result<usize> {
        for name in names {
            if let Some(size) = self.size(name)? {
                return Ok(size);
            }
        }
        Err(Error::BadConfig(format!("config.json has no {}", names[0])))
    }
}

/// Returns the error for a config that contradicts itself.
#[cold]
pub(super) fn bad_config(what: Arguments<'_>) -> Error {
    Details::new(ErrorKind::BadConfig, "config.json", format_args!(""), what).error()
}

/// Returns the error for an invalid field. `what` follows its name.
#[cold]
pub(super) fn bad_field(name: &str, what: Arguments<'_>) -> Box<Details> {
    Details::new(ErrorKind::BadConfig, "config.json", format_args!("{name}"), what)
}

/// Returns the error for a field with a value that is not supported. `what` follows its name.
#[cold]
pub(super) fn unsupported_field(name: &str, what: Arguments<'_>) -> Box<Details> {
    Details::new(ErrorKind::Unsupported, "config.json", format_args!("{name}"), what)
}

/// Returns the error for a field whose value is not `expected`.
#[cold]
pub(super) fn outside(name: &str, found: &dyn Display, expected: &dyn Display) -> Error {
    let details = bad_field(name, format_args!(" is {found}, expected {expected}"));
    details.values(format_args!("{expected}"), format_args!("{found}")).error()
}

#[cold]
fn misfit(name: &str, kind: &str, found: &RawValue) -> Error {
    outside(name, &describe(found.get()), &kind)
}
