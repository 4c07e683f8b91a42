//! The operations of an encoder, as differences between later families and BERT.

use webert_kernels::{Activation, Distances, NormKind};

use super::Family;
use super::raw::{Fields, outside};
use crate::Result;

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
}
