//! The operations of an encoder, as differences between later families and BERT.

use webert_kernels::{Activation, Distances, NormKind};

use super::Family;
use super::raw::{Fields, activation_named, bad_config, bad_field, outside, unsupported_field};
use crate::json::{Object, Text};
use crate::{Error, Result};

/// The differences from BERT's encoder and heads.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    /// The number of distance buckets with an attention bias; 0 means no bias.
    pub relative_buckets: usize,
    /// If set, queries and keys are rotated by their positions, and the model has no position
    /// table.
    pub rotary: Option<Rotary>,
    /// If set, a layer's matrices have zeros outside this many blocks.
    pub groups: Option<Groups>,
    /// If set, queries are multiplied by vectors of distances, and keys as well if true. The embeddings
    /// then have no positions.
    pub distances: Option<bool>,
    /// If true, the file has the sines and cosines of the rotary positions.
    pub has_rotary_table: bool,
    /// If set, most layers attend to a window.
    pub local: Option<Local>,
    /// If true, norms apply to copies of the state, before attention and before the feed-forward.
    pub norm_first: bool,
    /// If true, one half of the feed-forward's inner columns is activated and multiplies the other
    /// half.
    pub gated: bool,
    /// The layers that have a bias.
    pub biases: Biases,
    /// The activation after the heads' shared dense layer, before a norm and the output. `None`
    /// means BERT's heads.
    pub head_activation: Option<Activation>,
    /// If set, attention scores compare contents with relative positions.
    pub disentangled: Option<Disentangled>,
    /// The activation of the dense layer over first tokens, if the file sets it.
    pub pooler_activation: Option<Activation>,
    /// If set, a convolution of the embeddings is added to the output of the first layer.
    pub convolution: Option<Convolution>,
    /// If true, the model has a table of absolute positions.
    pub has_positions: bool,
    /// If true, narrow embeddings are projected before their norm.
    pub projects_first: bool,
    /// The vector that a head over sequences reads.
    pub pooling: Pooling,
    /// How norms scale a row.
    pub norm: NormKind,
    /// If true, a norm follows the sum of the embeddings.
    pub embedding_norm: bool,
    /// If true, a norm precedes the first layer. Only if norms come first.
    pub first_norm: bool,
    /// If norms come first: whether the last of the states is normalized, as transformers returns
    /// it for this family.
    pub normalizes_last_state: bool,
    /// The number of heads of keys and values; each is used by an equal share of the heads. `None`:
    /// each head has its own.
    pub key_value_heads: Option<usize>,
    /// Rows of the table of task types; every token has type 0. 0 if there is no table.
    pub task_types: usize,
    /// ESM: the id of mask tokens, whose embeddings are zeros. The other embeddings are scaled by
    /// the share of masks.
    pub token_dropout: Option<u32>,
    /// If true, the masked LM is a decoder without a layer before it.
    pub plain_decoder: bool,
    /// RemBERT: columns of the decoder. `None`: the width of the embeddings.
    pub decoder_width: Option<usize>,
    /// If set, layers compute in a narrower width (MobileBERT).
    pub bottleneck: Option<Bottleneck>,
    /// The number of feed-forwards of a layer.
    pub feed_forwards: usize,
    /// If true, words are embedded and projected before positions and types are added.
    pub embeds_words_first: bool,
    /// If true, the embedding of a word is projected together with its neighbours' embeddings.
    pub trigrams: bool,
    /// If set, a convolution runs beside attention (ConvBERT).
    pub span: Option<Span>,
    /// The number of blocks in the matrices of the feed-forward, stored transposed (ConvBERT).
    pub feed_forward_groups: usize,
    /// If true, other tokens read the states of masked tokens, so these are computed.
    pub reads_masked: bool,
    /// If true, the embeddings of masked tokens are zeros (ESM).
    pub clears_masked: bool,
    /// If set, added to the variance in the norms over the embeddings and over the last
    /// feed-forward (MobileBERT).
    pub outer_eps: Option<f32>,
    /// If false, heads over sequences read the first token as it is (MobileBERT).
    pub pools: bool,
    /// If true, the decoder's matrix has more columns than the word table (MobileBERT).
    pub widens_decoder: bool,
    /// If true, attentions are scores before the softmax, as transformers returns them
    /// (SqueezeBERT).
    pub returns_scores: bool,
}

/// The narrow layers of MobileBERT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bottleneck {
    /// Width of attention and of the feed-forwards' inputs and outputs.
    pub width: usize,
    /// The input of queries, keys and values.
    pub attention: BottleneckAttention,
}

/// The input of a narrow layer's queries, keys and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BottleneckAttention {
    /// The layer's narrowed input.
    Narrow,
    /// Queries and keys read a narrowed input of their own, values the whole state.
    Shared,
    /// All read the whole state.
    State,
}

/// The span-based convolution of ConvBERT, beside attention. Each has half of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Number of tokens that one result depends on; odd.
    pub taps: usize,
}

/// Attention of DeBERTa: see [`webert_kernels::attention_disentangled`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disentangled {
    /// The row of the table of relative positions for each distance.
    pub distances: Distances,
    /// If true, queries are compared with positions.
    pub content_to_position: bool,
    /// If true, keys are compared with positions.
    pub position_to_content: bool,
    /// Multiplies the width of a head under the root of the scale.
    pub factor: usize,
    /// If true, positions are projected by the layer's own queries and keys; otherwise, each layer
    /// has projections for them.
    pub shares_projections: bool,
    /// If true, LayerNorm applies to the table.
    pub norm: bool,
    /// If true, the file has the queries, keys and values of each head in turn, and biases for
    /// queries and values only.
    pub by_heads: bool,
}

impl Disentangled {
    /// Returns whether scores depend on positions.
    pub fn has_positions(&self) -> bool {
        self.content_to_position || self.position_to_content
    }
}

/// A convolution over the tokens of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Convolution {
    /// Number of tokens that one result depends on; odd.
    pub taps: usize,
    /// Number of groups of channels, each with weights of its own.
    pub groups: usize,
    /// Applied to the result, before the residual.
    pub activation: Activation,
}

/// The number of blocks in each of a layer's matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Groups {
    /// Queries, keys and values.
    pub qkv: [usize; 3],
    /// Attention's output.
    pub attention_output: usize,
    /// The feed-forward's inner layer.
    pub intermediate: usize,
    /// The feed-forward's outer layer.
    pub output: usize,
}

/// The vector that a head over sequences reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// The first token.
    First,
    /// The mean of the tokens.
    Mean,
    /// The mean of the dense layer's outputs for all tokens.
    MeanOfDense,
}

/// The angles of rotary positions: theta^(-2i / head_dim) per position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rotary {
    /// For layers that attend to the whole sequence.
    pub global_theta: f32,
    /// For layers that attend to a window.
    pub local_theta: f32,
    /// If true, columns 2i and 2i + 1 of a head are a pair. If false, columns i and i + head_dim / 2
    /// are.
    pub interleaved: bool,
    /// If true, values are rotated like queries and keys.
    pub values: bool,
}

impl Rotary {
    /// Returns rotation of queries and keys with the same angles in all layers.
    pub(super) const fn of(theta: f32) -> Self {
        Self { global_theta: theta, local_theta: theta, interleaved: false, values: false }
    }
}

/// The layers that attend to a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// The largest distance between a query and a key.
    pub reach: usize,
    /// For each layer, whether it attends to the whole sequence.
    pub global_layers: Vec<bool>,
}

/// The linear layers and norms that have a bias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Biases {
    /// The linear layers around attention.
    pub attention: bool,
    /// The feed-forward's inner layer.
    pub intermediate: bool,
    /// The feed-forward's outer layer.
    pub output: bool,
    /// LayerNorms.
    pub norms: bool,
    /// The dense layer of the heads.
    pub dense: bool,
    /// The layer that scores the vocabulary.
    pub decoder: bool,
}

impl Biases {
    pub(super) const ALL: Self = Self {
        attention: true,
        intermediate: true,
        output: true,
        norms: true,
        dense: true,
        decoder: true,
    };
}

impl Structure {
    /// BERT's structure.
    pub const BERT: Self = Self {
        relative_buckets: 0,
        rotary: None,
        groups: None,
        distances: None,
        has_rotary_table: false,
        local: None,
        norm_first: false,
        gated: false,
        biases: Biases::ALL,
        head_activation: None,
        disentangled: None,
        pooler_activation: None,
        convolution: None,
        has_positions: true,
        projects_first: false,
        pooling: Pooling::First,
        norm: NormKind::Layer,
        embedding_norm: true,
        first_norm: false,
        normalizes_last_state: false,
        key_value_heads: None,
        task_types: 0,
        token_dropout: None,
        plain_decoder: false,
        decoder_width: None,
        bottleneck: None,
        feed_forwards: 1,
        embeds_words_first: false,
        trigrams: false,
        span: None,
        feed_forward_groups: 1,
        reads_masked: false,
        clears_masked: false,
        outer_eps: None,
        pools: true,
        widens_decoder: false,
        returns_scores: false,
    };

    /// Returns whether attention scores depend on positions.
    pub fn attends_relatively(&self) -> bool {
        // With the feature, the compiler can tell that builds without it need no such kernel.
        cfg!(feature = "families")
            && (self.relative_buckets > 0
                || self.rotary.is_some()
                || self.local.is_some()
                || self.distances.is_some())
    }

    /// Returns whether layers are narrower than the state or have several feed-forwards.
    pub fn has_narrow_layers(&self) -> bool {
        cfg!(feature = "families") && (self.bottleneck.is_some() || self.feed_forwards > 1)
    }

    /// Returns whether a convolution runs beside attention.
    pub fn has_span_convolution(&self) -> bool {
        cfg!(feature = "families") && self.span.is_some()
    }

    /// Returns whether a table of positions is added to the embeddings.
    pub fn adds_positions(&self) -> bool {
        self.has_positions && self.rotary.is_none() && self.distances.is_none()
    }

    /// Returns whether layer `layer` attends to the whole sequence.
    pub fn is_global(&self, layer: usize) -> bool {
        let local = self.local.as_ref();
        local.is_none_or(|local| local.global_layers.get(layer).copied().unwrap_or(true))
    }

    pub(super) fn read(family: Family, fields: &Fields<'_>, layers: usize) -> Result<Self> {
        let distances = match fields.text("position_embedding_type")?.as_deref() {
            Some("relative_key") if family.reads_position_type() => Some(false),
            Some("relative_key_query") if family.reads_position_type() => Some(true),
            _ => None,
        };
        let structure = Self::of(family, fields, layers)?;
        Ok(Self { distances, ..structure })
    }

    fn of(family: Family, fields: &Fields<'_>, layers: usize) -> Result<Self> {
        match family {
            Family::MpNet => {
                let buckets = fields.size("relative_attention_num_buckets")?.unwrap_or(32);
                if !(4..=1 << 16).contains(&buckets) || !buckets.is_multiple_of(4) {
                    let name = "relative_attention_num_buckets";
                    return Err(outside(name, &buckets, &"a multiple of 4"));
                }
                Ok(Self { relative_buckets: buckets, ..Self::BERT })
            }
            Family::ModernBert => Self::modern_bert(fields, layers),
            Family::Deberta | Family::DebertaV2 => Self::deberta(family, fields),
            other => Self::of_family(other, fields),
        }
    }

    fn modern_bert(fields: &Fields<'_>, layers: usize) -> Result<Self> {
        let flag = |name: &str, default| Ok::<_, Error>(fields.flag(name)?.unwrap_or(default));
        let window = fields.size("local_attention")?.unwrap_or(128);
        let rotary = rotary(fields)?;
        let global_layers = global_layers(fields, layers)?;
        let pooling = match fields.text("classifier_pooling")?.as_deref() {
            None | Some("cls") => Pooling::First,
            Some("mean") => Pooling::Mean,
            Some(other) => {
                let what = format_args!(" \"{other}\", only \"cls\" and \"mean\"");
                return Err(unsupported_field("classifier_pooling", what).error());
            }
        };
        let activation = fields.text("classifier_activation")?;
        Ok(Self {
            has_positions: false,
            rotary: Some(rotary),
            local: Some(Local { reach: window / 2, global_layers }),
            norm_first: true,
            // transformers 5, which writes these fields, returns the normalized state as the last one
            normalizes_last_state: fields.is_there("rope_parameters")
                || fields.is_of_transformers_5()?,
            gated: true,
            biases: Biases {
                attention: flag("attention_bias", false)?,
                intermediate: flag("mlp_bias", false)?,
                output: flag("mlp_bias", false)?,
                norms: flag("norm_bias", false)?,
                dense: flag("classifier_bias", false)?,
                decoder: flag("decoder_bias", true)?,
            },
            head_activation: Some(activation_named(activation.as_deref().unwrap_or("gelu"))?),
            pooling,
            ..Self::BERT
        })
    }
}

impl Structure {
    fn deberta(family: Family, fields: &Fields<'_>) -> Result<Self> {
        refuse_variants(fields)?;
        let is_first = family == Family::Deberta;
        let number = |name: &str| fields.number::<i64>(name);
        let positive = |number: Option<i64>| number.filter(|&n| n > 0).map(|n| n as usize);
        let terms = fields.words("pos_att_type")?;
        let has = |name: &str| terms.iter().any(|term| term == name);
        let (to_position, to_content) = (has("c2p"), has("p2c"));
        let relative = fields.flag("relative_attention")?.unwrap_or(false);
        let limit = positive(number("max_position_embeddings")?).unwrap_or(512);
        let furthest = positive(number("max_relative_positions")?).unwrap_or(limit);
        let buckets = positive(number("position_buckets")?).filter(|_| !is_first).unwrap_or(0);
        let distances =
            Distances { span: if buckets > 0 { buckets } else { furthest }, buckets, furthest };
        if relative && (distances.span > 1 << 20 || furthest > 1 << 24) {
            let (found, most) = (distances.span, 1 << 20);
            return Err(bad_config(format_args!(
                "{found} relative positions, expected at most {most}"
            )));
        }
        if relative && buckets > 0 && (buckets < 4 || furthest <= buckets / 2 + 1) {
            let expected =
                format_args!("4 or more and less than twice the {furthest} relative positions");
            return Err(outside("position_buckets", &buckets, &expected));
        }
        let norms = fields.words("norm_rel_ebd")?;
        let disentangled = Disentangled {
            distances,
            content_to_position: relative && to_position,
            position_to_content: relative && to_content,
            // the first version counts all types, later ones the two that they know
            factor: 1 + if is_first {
                terms.len()
            } else {
                usize::from(to_position) + usize::from(to_content)
            },
            shares_projections: !is_first && fields.flag("share_att_key")?.unwrap_or(false),
            norm: !is_first && norms.iter().any(|norm| norm == "layer_norm"),
            by_heads: is_first,
        };
        let pooler = fields.text("pooler_hidden_act")?;
        Ok(Self {
            pooler_activation: Some(activation_named(pooler.as_deref().unwrap_or("gelu"))?),
            disentangled: Some(disentangled),
            convolution: if is_first { None } else { convolution(fields)? },
            has_positions: fields.flag("position_biased_input")?.unwrap_or(true),
            projects_first: true,
            ..Self::BERT
        })
    }
}

/// Rejects variants of DeBERTa that are not computed.
fn refuse_variants(fields: &Fields<'_>) -> Result<()> {
    if fields.flag("talking_head")? == Some(true) {
        let what = format_args!(" is true, which is not supported");
        return Err(unsupported_field("talking_head", what).error());
    }
    let hidden = fields.size("hidden_size")?.unwrap_or(0);
    if let Some(width) = fields.size("pooler_hidden_size")?.filter(|&width| width != hidden) {
        let what = format_args!(" is {width}, only the hidden_size {hidden} is supported");
        let details = unsupported_field("pooler_hidden_size", what);
        return Err(details.values(format_args!("{hidden}"), format_args!("{width}")).error());
    }
    let heads = fields.size("num_attention_heads")?.unwrap_or(1);
    match fields.size("attention_head_size")? {
        Some(width) if width.checked_mul(heads) != Some(hidden) => {
            let expected = format_args!("hidden_size / num_attention_heads");
            let what = format_args!(" is {width}, only {expected} is supported");
            let details = unsupported_field("attention_head_size", what);
            Err(details.values(expected, format_args!("{width}")).error())
        }
        _ => Ok(()),
    }
}

/// Returns the convolution of DeBERTa-v2, if the model has one.
fn convolution(fields: &Fields<'_>) -> Result<Option<Convolution>> {
    let taps = fields.size("conv_kernel_size")?.unwrap_or(0);
    if taps == 0 {
        return Ok(None);
    }
    let groups = fields.size("conv_groups")?.unwrap_or(1);
    let hidden = fields.size("hidden_size")?.unwrap_or(0);
    if taps.is_multiple_of(2) || taps > 1 << 10 {
        return Err(outside("conv_kernel_size", &taps, &"an odd number below 1024"));
    }
    if groups == 0 || !hidden.is_multiple_of(groups) {
        let expected = format_args!("a divisor of hidden_size {hidden}");
        return Err(outside("conv_groups", &groups, &expected));
    }
    let activation = fields.text("conv_act")?;
    let activation = activation_named(activation.as_deref().unwrap_or("tanh"))?;
    Ok(Some(Convolution { taps, groups, activation }))
}

/// The two types of layers, with their names in transformers 5.
const TYPES: [&str; 2] = ["full_attention", "sliding_attention"];

/// Returns for each layer whether it attends to the whole sequence. `layer_types` decides if
/// present. Otherwise these are the first layer and every `global_attn_every_n_layers`-th layer
/// after it.
fn global_layers(fields: &Fields<'_>, layers: usize) -> Result<Vec<bool>> {
    let Some(types) = fields.texts("layer_types")? else {
        let every = fields.size("global_attn_every_n_layers")?.unwrap_or(3);
        if every == 0 {
            return Err(outside("global_attn_every_n_layers", &0, &"1 or more"));
        }
        return Ok((0..layers).map(|layer| layer.is_multiple_of(every)).collect());
    };
    if types.len() != layers {
        let found = types.len();
        let what = format_args!(" has {found} entries, expected one per layer, {layers}");
        let details = bad_field("layer_types", what);
        return Err(details.values(format_args!("{layers}"), format_args!("{found}")).error());
    }
    let is_global = types.iter().map(|name| {
        if TYPES.contains(&name.as_ref()) {
            return Ok(name == TYPES[0]);
        }
        let expected = format_args!("full_attention or sliding_attention");
        let what = format_args!(" has \"{name}\", which is not supported; expected {expected}");
        let details = unsupported_field("layer_types", what);
        Err(details.values(expected, format_args!("{name}")).error())
    });
    is_global.collect()
}

/// Returns the angles from `rope_parameters` and `rope_scaling`, or else from the older fields.
fn rotary(fields: &Fields<'_>) -> Result<Rotary> {
    let parameters = fields.object("rope_parameters")?;
    let scaling = fields.object("rope_scaling")?;
    let of = |name: &str| parameters.as_ref().and_then(|parameters| parameters.get_as(name));
    let [global, local] = TYPES.map(of);
    // the older `rope_scaling` field overrides the values of both types
    let theta = |own: Option<&Object<'_>>| -> Result<Option<f32>> {
        let mut theta = None;
        for parameters in own.into_iter().chain(&scaling) {
            for name in ["rope_type", "type"] {
                let kind: Option<Text<'_>> = parameters.get_as(name);
                if let Some(Text(kind)) = kind.filter(|Text(kind)| kind != "default") {
                    return Err(Error::Unsupported(format!(
                        "config.json: {name} \"{kind}\" of rotary positions is not supported; expected \"default\""
                    )));
                }
            }
            theta = parameters.get_as("rope_theta").or(theta);
        }
        Ok(theta)
    };
    let global_theta = match theta(global.as_ref())? {
        Some(theta) => theta,
        None => fields.number("global_rope_theta")?.unwrap_or(160_000.0),
    };
    let local_theta = match theta(local.as_ref())? {
        Some(theta) => theta,
        None => match fields.number("local_rope_theta")? {
            Some(theta) => theta,
            // null means the theta of the other layers
            None if fields.is_null("local_rope_theta") => global_theta,
            None => 10_000.0,
        },
    };
    for (name, theta) in [("global_rope_theta", global_theta), ("local_rope_theta", local_theta)] {
        if theta <= 0.0 {
            return Err(outside(name, &theta, &"a number above 0"));
        }
    }
    Ok(Rotary { global_theta, local_theta, ..Rotary::of(global_theta) })
}
