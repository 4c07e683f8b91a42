//! The validated `config.json` of a checkpoint. Unknown values are errors and are never guessed.

mod deberta;
mod families;
mod family;
mod family_defaults;
#[cfg(feature = "families")]
mod gliner;
mod head;
mod modern_bert;
mod raw;
mod structure;

pub use family::Family;
use family::HAS_ALL;
#[cfg(feature = "families")]
pub use gliner::{GLINER_CONFIG, Gliner, SpanMode};
pub use head::{HeadKind, Problem};
pub use structure::{
    Biases, Bottleneck, BottleneckAttention, Convolution, Disentangled, Groups, Local, Pooling,
    Rotary, Span, Structure,
};

use std::borrow::Cow;

use serde::Serialize;
use webert_kernels::Activation;

#[cfg(feature = "families")]
use crate::{Details, ErrorKind};
use crate::{Error, Result, json};
use raw::{Raw, bad_config, bad_field, outside};

/// Number of positions of a GLiNER model whose encoder has no table of positions.
#[cfg(feature = "families")]
const ANY_LENGTH: usize = 1 << 16;

/// The shape of a model and the settings that its tasks need.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The architecture.
    pub family: Family,
    /// The head named by `architectures`, if any.
    pub head: Option<HeadKind>,
    /// Width of the encoder.
    pub hidden: usize,
    /// Width of the embedding tables. Equals `hidden` unless the family narrows it.
    pub embedding: usize,
    /// The number of transformer layers that run.
    pub layers: usize,
    /// The number of layers with their own weights. Each is used by an equal share of the layers
    /// that run; ALBERT has one for all.
    pub own_layers: usize,
    /// Attention heads per layer; must divide `hidden`.
    pub heads: usize,
    /// Width of the feed-forward layer.
    pub intermediate: usize,
    /// Rows of the word table.
    pub vocab: usize,
    /// Rows of the position table.
    pub positions: usize,
    /// Rows of the token-type table; 0 if the family has none.
    pub types: usize,
    /// The feed-forward activation.
    pub activation: Activation,
    /// Added to the variance in every LayerNorm.
    pub norm_eps: f32,
    /// The padding token.
    pub pad_id: u32,
    /// If true, the masked-LM decoder uses the word table, even if the file has its own decoder.
    pub tied: bool,
    /// The labels' names in order; `LABEL_n` if the file has no names.
    pub labels: Vec<String>,
    /// The same labels with their types in `id2label`. Empty if all are strings.
    pub label_values: Vec<Label>,
    /// `problem_type`, if present.
    pub problem: Option<Problem>,
    /// The standard deviation of randomly initialized matrices.
    #[cfg(feature = "train")]
    pub initializer_range: f64,
    /// The function that turns a cross-encoder's logit into its score. This is the full name of a
    /// Python class, as sentence-transformers writes it.
    pub score_function: Option<String>,
    /// Whether the folder has custom model code (`auto_map`). The code is never run.
    pub has_custom_code: bool,
    /// The class in `architectures`, if transformers has no model or head with that name.
    pub unknown_architecture: Option<String>,
    /// The head of a GLiNER model, from `gliner_config.json`.
    #[cfg(feature = "families")]
    pub gliner: Option<Box<Gliner>>,
    /// The structure in the file. [`Config::structure`] returns the computed one.
    pub structure: Structure,
}

/// A label in an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Label {
    /// A name.
    Text(String),
    /// A number.
    Number(f64),
    /// A boolean.
    Flag(bool),
    /// null.
    Null,
}

impl Config {
    /// Returns the label `n` with its type in `id2label`.
    pub fn label(&self, n: usize) -> Label {
        let value = self.label_values.get(n).cloned();
        value.unwrap_or_else(|| Label::Text(self.labels[n].clone()))
    }

    /// Reads `config.json`.
    ///
    /// # Errors
    /// `BadConfig` if the file is not JSON, or a size is missing or impossible. `Unsupported` for
    /// a `model_type`, activation or variant that this crate does not compute.
    pub fn parse(json: &[u8]) -> Result<Self> {
        let json = json::read("config.json", json).map_err(Error::BadConfig)?;
        let raw = Raw::read(json)?;
        raw.unsupported_variant()?;
        let config = Self {
            family: raw.family,
            head: raw.architecture.as_deref().and_then(HeadKind::of_architecture),
            hidden: raw.hidden_size,
            embedding: raw.embedding()?,
            layers: raw.num_hidden_layers,
            own_layers: raw.own_layers(),
            heads: raw.attention_heads()?,
            intermediate: raw.intermediate_size,
            vocab: raw.vocab_size,
            positions: raw.positions()?,
            types: raw.types(),
            activation: raw.activation()?,
            norm_eps: raw.norm_eps()?,
            pad_id: raw.pad_id()?,
            tied: raw.ties_decoder(),
            labels: raw.labels()?,
            label_values: raw.label_values()?,
            problem: raw.problem()?,
            has_custom_code: raw.has_custom_code(),
            unknown_architecture: raw.unknown_architecture(),
            #[cfg(feature = "train")]
            initializer_range: raw.initializer_range()?,
            #[cfg(feature = "families")]
            gliner: None,
            structure: raw.structure()?,
            score_function: raw.score_function.map(Cow::into_owned),
        };
        config.checked()
    }

    /// Reads the encoder of a GLiNER model, `json`, and its head, `gliner_config.json`. If `json` is
    /// missing, the encoder is `encoder_config` of `gliner_config.json`.
    ///
    /// # Errors
    /// As [`Config::parse`] and [`Gliner::parse`].
    #[cfg(feature = "families")]
    pub fn parse_gliner(json: Option<&[u8]>, gliner_config: &[u8]) -> Result<Self> {
        let head = Gliner::parse(gliner_config)?;
        let own = gliner::encoder_config(gliner_config)?;
        let Some(encoder) = json.or(own) else {
            let (kind, item) = (ErrorKind::Unsupported, format_args!("encoder_config"));
            let what = format_args!(" is missing. Pass the encoder's config.json beside it.");
            return Err(Details::new(kind, GLINER_CONFIG, item, what).error());
        };
        let mut config = Self::parse(encoder)?;
        // The library reads texts of any length if positions enter through attention alone.
        if config.structure().disentangled.is_some() && !config.structure().adds_positions() {
            config.positions = config.positions.max(ANY_LENGTH);
        }
        config.gliner = Some(Box::new(head));
        Ok(config)
    }

    /// Returns the operations of the encoder.
    pub fn structure(&self) -> &Structure {
        // without the feature, only BERT's operations are compiled in
        if cfg!(feature = "families") { &self.structure } else { &Structure::BERT }
    }

    /// Returns [`Config::structure`] with the fields of heads reset to defaults.
    pub(crate) fn encoder_structure(&self) -> Structure {
        let mut structure = self.structure().clone();
        structure.head_activation = None;
        structure.pooler_activation = None;
        structure.pooling = Pooling::First;
        structure.plain_decoder = false;
        structure.decoder_width = None;
        structure.pools = true;
        structure.biases.dense = true;
        structure.biases.decoder = true;
        structure
    }

    /// Returns the columns of attention's queries, keys, values and results.
    pub fn attention_width(&self) -> usize {
        match self.structure() {
            Structure { bottleneck: Some(bottleneck), .. } => bottleneck.width,
            Structure { span: Some(_), .. } => self.hidden / 2,
            _ => self.hidden,
        }
    }

    /// Returns the columns of the inputs and outputs of attention's output layer and of the
    /// feed-forward.
    pub fn layer_width(&self) -> usize {
        self.structure().bottleneck.map_or(self.hidden, |bottleneck| bottleneck.width)
    }

    /// Returns the number of the encoder's last state. State 0 is the output of the embeddings, and
    /// state n is the output of layer n. If norms come first, one more state may follow, which is the
    /// normalized output of the last layer.
    pub fn last_state(&self) -> usize {
        let structure = self.structure();
        self.layers + usize::from(structure.norm_first && !structure.normalizes_last_state)
    }

    /// Returns the largest number of tokens in a sequence.
    pub fn max_tokens(&self) -> usize {
        self.positions - self.first_position()
    }

    /// Returns the number of multiplications per token by the encoder's weights.
    pub fn products(&self) -> u64 {
        let [layers, hidden, inner] =
            [self.layers, self.hidden, self.intermediate].map(|n| n as u64);
        let widths = if self.structure().gated { 3 } else { 2 };
        layers * (4 * hidden + widths * inner) * hidden
    }

    /// Returns the position of the first token. RoBERTa's positions start after the padding id.
    pub fn first_position(&self) -> usize {
        self.padding_position().map_or(0, |padding| padding as usize + 1)
    }

    /// Returns the padding id if positions skip it; padding tokens have this id as their position.
    /// `None` means that positions are columns.
    pub fn padding_position(&self) -> Option<u32> {
        let counts = self.family.counts_positions() && self.structure().rotary.is_none();
        counts.then_some(self.pad_id)
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
        // 2^24 is far larger than any model and keeps every product of two sizes within 48 bits
        for (name, size) in sizes {
            if size == 0 || size > 1 << 24 {
                return Err(outside(name, &size, &format_args!("1 to {}", 1 << 24)));
            }
        }
        if self.layers > 1024 || self.types > 1 << 16 {
            return Err(bad_config(format_args!("more than 1024 layers or 65536 token types")));
        }
        if self.layers > 0 && !(1..=self.layers).contains(&self.own_layers) {
            let expected = format_args!("1 to the {} layers", self.layers);
            return Err(outside("num_hidden_groups", &self.own_layers, &expected));
        }
        if !self.hidden.is_multiple_of(self.heads) {
            let what = format_args!(
                " {} is not a multiple of num_attention_heads {}",
                self.hidden, self.heads
            );
            return Err(bad_field("hidden_size", what).error());
        }
        if self.structure().span.is_some() && !self.hidden.is_multiple_of(2 * self.heads) {
            let what = format_args!(
                " {} is not a multiple of twice the {} heads of attention",
                self.hidden, self.heads
            );
            return Err(bad_field("hidden_size", what).error());
        }
        if self.structure().widens_decoder && self.embedding > self.hidden {
            let expected = format_args!("at most hidden_size, {}", self.hidden);
            return Err(outside("embedding_size", &self.embedding, &expected));
        }
        let key_heads = self.structure().key_value_heads.unwrap_or(self.heads);
        if HAS_ALL && (key_heads == 0 || !self.heads.is_multiple_of(key_heads)) {
            let expected = format_args!("a divisor of num_attention_heads, {}", self.heads);
            return Err(outside("num_key_value_heads", &key_heads, &expected));
        }
        if self.structure().rotary.is_some() && !(self.hidden / self.heads).is_multiple_of(2) {
            let columns = self.hidden / self.heads;
            return Err(bad_config(format_args!(
                "a head has {columns} columns, rotary positions turn pairs of them"
            )));
        }
        if self.positions <= self.first_position() {
            let what = format_args!(
                " {} leaves no room behind pad_token_id {}",
                self.positions, self.pad_id
            );
            return Err(bad_field("max_position_embeddings", what).error());
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use super::{Activation, Config, Error, HAS_ALL, Structure};
    use crate::ErrorKind;

    /// Parses a config of this family with additional fields.
    fn parse(family: &str, more: &str) -> Result<Config, Error> {
        let sizes = r#""hidden_size": 8, "num_hidden_layers": 4, "num_attention_heads": 2,
            "intermediate_size": 16, "vocab_size": 9, "max_position_embeddings": 9"#;
        Config::parse(format!(r#"{{"model_type": "{family}", {sizes}{more}}}"#).as_bytes())
    }

    #[test]
    fn families_without_code_in_a_binary_are_refused() {
        for family in ["mpnet", "modernbert", "nomic_bert", "esm"] {
            match (parse(family, ""), cfg!(feature = "families")) {
                (Ok(config), true) => assert_ne!(*config.structure(), Structure::BERT),
                (Err(error), false) if error.kind() == ErrorKind::Unsupported => {
                    let text = error.to_string();
                    assert!(text.contains(&format!("model_type \"{family}\"")), "{text}");
                }
                (other, _) => assert!(other.is_err(), "{family}: {other:?}"),
            }
        }
    }

    #[cfg(feature = "families")]
    #[test]
    fn facts_of_modernbert_are_its_own_unless_the_file_says_otherwise() {
        let by_default = parse("modernbert", "").unwrap();
        let structure = by_default.structure();
        assert_eq!((by_default.norm_eps, by_default.last_state()), (1e-5, 5));
        let global: Vec<_> = (0..4).map(|layer| structure.is_global(layer)).collect();
        assert_eq!(global, [true, false, false, true]);
        let (rotary, local) = (structure.rotary.unwrap(), structure.local.clone().unwrap());
        assert_eq!((rotary.global_theta, rotary.local_theta), (160_000.0, 10_000.0));
        assert_eq!(local.reach, 64);
        // null: the theta of the other layers
        let config = parse("modernbert", r#", "local_rope_theta": null"#).unwrap();
        assert_eq!(config.structure().rotary.unwrap().local_theta, 160_000.0);
        for (more, code, named) in [
            (r#", "layer_types": []"#, "bad_config", "layer_types"),
            (
                r#", "rope_parameters": {"full_attention": {"rope_type": "yarn"}}"#,
                "unsupported",
                "yarn",
            ),
            (r#", "rope_scaling": {"type": "linear", "factor": 2}"#, "unsupported", "linear"),
            (r#", "classifier_pooling": "max""#, "unsupported", "max"),
            (r#", "classifier_activation": "prelu""#, "unsupported", "prelu"),
            (r#", "global_attn_every_n_layers": 0"#, "bad_config", "global_attn_every_n_layers"),
            (r#", "local_rope_theta": -1"#, "bad_config", "local_rope_theta"),
            (r#", "hidden_size": 6"#, "bad_config", "a head has 3 columns"),
        ] {
            let error = parse("modernbert", more).unwrap_err();
            assert_eq!(error.code(), code, "{more}");
            assert!(error.to_string().contains(named), "{more}: {error}");
        }
        let error = parse("mpnet", r#", "relative_attention_num_buckets": 5"#).unwrap_err();
        assert_eq!(error.code(), "bad_config");
    }

    #[cfg(feature = "families")]
    #[test]
    fn modernbert_reads_the_fields_of_transformers_5() {
        let layers = r#", "position_embedding_type": "sans_pos", "layer_types":
            ["sliding_attention", "full_attention", "full_attention", "sliding_attention"]"#;
        let rope = r#", "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 7},
            "sliding_attention": {"rope_theta": 3}}"#;
        let config = parse("modernbert", &format!("{layers}{rope}")).unwrap();
        let structure = config.structure();
        let global: Vec<_> = (0..4).map(|layer| structure.is_global(layer)).collect();
        assert_eq!(global, [false, true, true, false]);
        let rotary = structure.rotary.unwrap();
        assert_eq!((rotary.global_theta, rotary.local_theta), (7.0, 3.0));
        // only the thetas of the named types replace the defaults
        let rope =
            r#", "rope_parameters": {"full_attention": {"rope_theta": 7}}, "local_rope_theta": 5"#;
        let rotary = parse("modernbert", rope).unwrap().structure().rotary.unwrap();
        assert_eq!((rotary.global_theta, rotary.local_theta), (7.0, 5.0));
    }

    #[cfg(feature = "families")]
    #[test]
    fn nomicbert_reads_the_names_of_its_authors() {
        let config = |more: &str| {
            let sizes = r#""n_embd": 8, "n_layer": 2, "n_head": 2, "n_inner": 16, "vocab_size": 9,
                "n_positions": 8192, "layer_norm_epsilon": 1e-3, "activation_function": "swiglu""#;
            Config::parse(format!(r#"{{"model_type": "nomic_bert", {sizes}{more}}}"#).as_bytes())
        };
        let plain = config("").unwrap();
        assert_eq!((plain.hidden, plain.layers, plain.intermediate), (8, 2, 16));
        assert_eq!((plain.norm_eps, plain.positions), (1e-3, 8192));
        assert_eq!(plain.structure().rotary.unwrap().global_theta, 1000.0);
        // longer texts would have other angles
        let scaled = config(r#", "rotary_scaling_factor": 2, "max_trained_positions": 2048"#);
        assert_eq!(scaled.unwrap().positions, 2048);
        for more in [
            r#", "prenorm": true"#,
            r#", "num_experts": 8"#,
            r#", "rotary_emb_fraction": 0.5"#,
            r#", "activation_function": "gelu""#,
            r#", "rope_parameters": {"rope_type": "yarn"}"#,
        ] {
            assert_eq!(config(more).unwrap_err().code(), "unsupported", "{more}");
        }
    }

    #[cfg(feature = "families")]
    #[test]
    fn facts_of_later_families_are_checked() {
        for (family, more, code, named) in [
            ("eurobert", r#", "classifier_pooling": "max""#, "unsupported", "classifier_pooling"),
            ("eurobert", r#", "num_key_value_heads": 3"#, "bad_config", "num_key_value_heads"),
            ("esm", r#", "is_folding_model": true"#, "unsupported", "is_folding_model"),
            (
                "esm",
                r#", "position_embedding_type": "relative_key""#,
                "unsupported",
                "relative_key",
            ),
            ("squeezebert", r#", "q_groups": 3"#, "bad_config", "q_groups"),
            ("bert", r#", "position_embedding_type": "rotary""#, "unsupported", "rotary"),
            ("gte", r#", "rope_scaling": {"type": "ntk", "factor": 8}"#, "unsupported", "ntk"),
        ] {
            let error = parse(family, more).unwrap_err();
            assert_eq!(error.code(), code, "{family} {more}");
            assert!(error.to_string().contains(named), "{family} {more}: {error}");
        }
        let config = parse("bert", r#", "position_embedding_type": "relative_key_query""#).unwrap();
        assert_eq!(config.structure().distances, Some(true));
    }

    #[test]
    fn the_family_is_named_before_sizes() {
        for (name, way_out) in
            [("neobert", "another family"), ("new", "model_type \"gte\""), ("t5", "")]
        {
            let json = format!(r#"{{"model_type": "{name}", "n_embd": 8}}"#);
            let error = Config::parse(json.as_bytes()).unwrap_err();
            assert_eq!(error.code(), "unsupported");
            let message = error.to_string();
            let expected = format!("model_type \"{name}\" is not supported");
            let way_out = if HAS_ALL { way_out } else { "import \"webert\"" };
            assert!(message.contains(&expected) && message.contains(way_out), "{message}");
        }
        let error = Config::parse(br#"{"dim": 8}"#).unwrap_err();
        assert_eq!(error.code(), "unsupported");
        assert!(error.to_string().contains("model_type"), "{error}");
    }

    #[test]
    fn labels_may_be_numbers_booleans_and_have_gaps() {
        let labels = |json: &str| {
            parse("bert", &format!(r#", "num_labels": 9, "id2label": {json}"#)).map(|c| c.labels)
        };
        assert_eq!(labels(r#"{"0": 3, "1": -1.5}"#).unwrap(), ["3", "-1.5"]);
        assert_eq!(
            labels(r#"{"1": true, "0": false, "2": null}"#).unwrap(),
            ["False", "True", "None"]
        );
        assert_eq!(labels(r#"{"0": "a", "2": "b", "3": "c"}"#).unwrap(), ["a", "LABEL_1", "b"]);
        assert_eq!(labels(r#"{"x": "a"}"#).unwrap_err().code(), "bad_config");
        assert_eq!(labels(r#"{"0": ["a"]}"#).unwrap_err().code(), "bad_config");
    }

    #[test]
    fn layers_are_shared_by_groups() {
        assert_eq!(parse("albert", "").unwrap().own_layers, 1);
        assert_eq!(parse("albert", r#", "num_hidden_groups": 2"#).unwrap().own_layers, 2);
        for groups in [0, 5] {
            let error =
                parse("albert", &format!(r#", "num_hidden_groups": {groups}"#)).unwrap_err();
            assert_eq!(error.code(), "bad_config", "{groups}");
        }
        let error = parse("albert", r#", "inner_group_num": 2"#).unwrap_err();
        assert_eq!(error.code(), "unsupported");
    }

    #[test]
    fn albert_has_an_activation_of_its_own() {
        let activation = |family: &str| parse(family, "").unwrap().activation;
        assert_eq!(activation("albert"), Activation::GeluTanh);
        for other in ["bert", "distilbert", "electra", "roberta", "xlm-roberta"] {
            assert_eq!(activation(other), Activation::Gelu, "{other}");
        }
    }
}
