//! Which operations an encoder is made of: the facts in which later families differ from BERT.

use webert_kernels::Activation;

use super::Family;
use super::raw::{Fields, activation_named};
use crate::{Error, Result};

/// What differs from BERT's encoder and heads.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    /// Buckets of the distances that attention's scores have a bias for; 0: no bias.
    pub relative_buckets: usize,
    /// Queries and keys are turned by their positions, and there is no table of positions.
    pub rotary: Option<Rotary>,
    /// Most layers attend to a window.
    pub local: Option<Local>,
    /// Norms are over copies of the state, in front of attention and of the feed-forward.
    pub norm_first: bool,
    /// One half of the feed-forward's inner columns is activated and multiplies the other.
    pub gated: bool,
    /// Which layers have a bias.
    pub biases: Biases,
    /// What follows the dense layer that all heads have, before a norm and the output; `None`: heads are BERT's.
    pub head_activation: Option<Activation>,
    /// Sequences are scored by the mean of their tokens, not by the first.
    pub pools_mean: bool,
}

/// The angles of rotary positions: theta^(-2i / head_dim) a position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rotary {
    /// In layers that attend to the whole sequence.
    pub global_theta: f32,
    /// In layers that attend to a window.
    pub local_theta: f32,
}

/// Which layers attend to a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Local {
    /// The greatest distance of a key that is attended to.
    pub reach: usize,
    /// Layer 0 and every so many after it attend to the whole sequence.
    pub global_every: usize,
}

/// Which linear layers and norms have a bias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Biases {
    /// The linear layers around attention.
    pub attention: bool,
    /// The feed-forward's.
    pub feed_forward: bool,
    /// LayerNorms.
    pub norms: bool,
    /// The dense layer of the heads.
    pub dense: bool,
    /// The scores of the vocabulary.
    pub decoder: bool,
}

impl Biases {
    const ALL: Self =
        Self { attention: true, feed_forward: true, norms: true, dense: true, decoder: true };
}

impl Structure {
    /// BERT's.
    pub const BERT: Self = Self {
        relative_buckets: 0,
        rotary: None,
        local: None,
        norm_first: false,
        gated: false,
        biases: Biases::ALL,
        head_activation: None,
        pools_mean: false,
    };

    /// Whether attention's scores depend on positions.
    pub fn attends_relatively(&self) -> bool {
        self.relative_buckets > 0 || self.rotary.is_some() || self.local.is_some()
    }

    /// Whether the layer of this number attends to the whole sequence.
    pub fn is_global(&self, layer: usize) -> bool {
        self.local.is_none_or(|local| layer.is_multiple_of(local.global_every))
    }

    pub(super) fn read(family: Family, fields: &Fields<'_>) -> Result<Self> {
        match family {
            Family::MpNet => {
                let buckets = fields.size("relative_attention_num_buckets")?.unwrap_or(32);
                if !(4..=1 << 16).contains(&buckets) || !buckets.is_multiple_of(4) {
                    return Err(Error::BadConfig(format!(
                        "config.json: relative_attention_num_buckets is {buckets}, expected a multiple of 4"
                    )));
                }
                Ok(Self { relative_buckets: buckets, ..Self::BERT })
            }
            Family::ModernBert => Self::modern_bert(fields),
            _ => Ok(Self::BERT),
        }
    }

    fn modern_bert(fields: &Fields<'_>) -> Result<Self> {
        // later versions of transformers write these in place of the fields below
        for name in ["layer_types", "rope_parameters", "rope_scaling"] {
            if fields.is_there(name) {
                return Err(Error::Unsupported(format!(
                    "config.json: {name}, only local_attention, global_attn_every_n_layers, \
                     global_rope_theta and local_rope_theta"
                )));
            }
        }
        let flag = |name: &str, default| Ok::<_, Error>(fields.flag(name)?.unwrap_or(default));
        let theta = |name: &str| fields.number(name);
        let global_theta = theta("global_rope_theta")?.unwrap_or(160_000.0);
        // null stands for the other layers' theta
        let local_theta = match theta("local_rope_theta")? {
            Some(theta) => theta,
            None if fields.is_null("local_rope_theta") => global_theta,
            None => 10_000.0,
        };
        let window = fields.size("local_attention")?.unwrap_or(128);
        let global_every = fields.size("global_attn_every_n_layers")?.unwrap_or(3);
        if global_every == 0 || global_theta <= 0.0 || local_theta <= 0.0 {
            return Err(Error::BadConfig(
                "config.json: global_attn_every_n_layers, global_rope_theta and local_rope_theta \
                 have to be above 0"
                    .into(),
            ));
        }
        let pools_mean = match fields.text("classifier_pooling")?.as_deref() {
            None | Some("cls") => false,
            Some("mean") => true,
            Some(other) => {
                return Err(Error::Unsupported(format!(
                    "config.json: classifier_pooling \"{other}\", only \"cls\" and \"mean\""
                )));
            }
        };
        let activation = fields.text("classifier_activation")?;
        Ok(Self {
            rotary: Some(Rotary { global_theta, local_theta }),
            local: Some(Local { reach: window / 2, global_every }),
            norm_first: true,
            gated: true,
            biases: Biases {
                attention: flag("attention_bias", false)?,
                feed_forward: flag("mlp_bias", false)?,
                norms: flag("norm_bias", false)?,
                dense: flag("classifier_bias", false)?,
                decoder: flag("decoder_bias", true)?,
            },
            head_activation: Some(activation_named(activation.as_deref().unwrap_or("gelu"))?),
            pools_mean,
            ..Self::BERT
        })
    }
}
