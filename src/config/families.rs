//! The structures of encoders that differ from BERT's in few facts.

use webert_kernels::NormKind;

use super::Family;
use super::raw::{Fields, outside, unsupported_field};
use super::structure::{
    Biases, Bottleneck, BottleneckAttention, Groups, Pooling, Rotary, Span, Structure,
};
use crate::json::{Object, Text};
use crate::{Error, Result};

impl Structure {
    /// Returns the structure of a family without an attention of its own.
    pub(super) fn of_family(family: Family, fields: &Fields<'_>) -> Result<Self> {
        match family {
            Family::XlmRobertaXl | Family::MegatronBert => {
                Ok(Self { embedding_norm: false, normalizes_last_state: true, ..Self::NORM_FIRST })
            }
            Family::RobertaPreLayerNorm => Ok(Self::NORM_FIRST),
            Family::Ernie => Self::ernie(fields),
            Family::RemBert => {
                let width = fields.size("output_embedding_size")?.unwrap_or(1664);
                Ok(Self { decoder_width: Some(width), ..Self::BERT })
            }
            Family::NomicBert => Self::nomic_bert(fields),
            Family::Gte => Ok(Self {
                rotary: Some(rotary(fields, 160_000.0)?),
                gated: true,
                biases: Biases { intermediate: false, ..Biases::ALL },
                ..Self::BERT
            }),
            Family::JinaEmbeddingsV3 => {
                Ok(Self { rotary: Some(rotary(fields, 20_000.0)?), ..Self::BERT })
            }
            Family::EuroBert => Self::euro_bert(fields),
            Family::Esm => Self::esm(fields),
            Family::RoFormer => {
                let values = fields.flag("rotary_value")?.unwrap_or(false);
                let rotary = Rotary { interleaved: true, values, ..Rotary::of(10_000.0) };
                Ok(Self { rotary: Some(rotary), has_rotary_table: true, ..Self::BERT })
            }
            Family::SqueezeBert => Self::squeeze_bert(fields),
            Family::MobileBert => Self::mobile_bert(fields),
            Family::ConvBert => Self::conv_bert(fields),
            _ => Ok(Self::BERT),
        }
    }

    fn squeeze_bert(fields: &Fields<'_>) -> Result<Self> {
        let groups = |name: &str, default, sizes: [&str; 2]| {
            let groups = fields.size(name)?.unwrap_or(default);
            for size in sizes {
                let width = fields.size(size)?.unwrap_or(0);
                if groups == 0 || !width.is_multiple_of(groups) {
                    return Err(outside(
                        name,
                        &groups,
                        &format_args!("a divisor of {size}, {width}"),
                    ));
                }
            }
            Ok(groups)
        };
        let (hidden, inner) = (["hidden_size"; 2], ["hidden_size", "intermediate_size"]);
        let groups = Groups {
            qkv: [
                groups("q_groups", 4, hidden)?,
                groups("k_groups", 4, hidden)?,
                groups("v_groups", 4, hidden)?,
            ],
            attention_output: groups("post_attention_groups", 1, hidden)?,
            intermediate: groups("intermediate_groups", 4, inner)?,
            output: groups("output_groups", 4, inner)?,
        };
        let hidden = fields.size("hidden_size")?;
        if fields.size("embedding_size")?.is_some_and(|width| Some(width) != hidden) {
            return Err(unsupported("embedding_size", "another width", "hidden_size"));
        }
        Ok(Self { groups: Some(groups), returns_scores: true, ..Self::BERT })
    }

    fn mobile_bert(fields: &Fields<'_>) -> Result<Self> {
        let flag = |name: &str, default| Ok::<_, Error>(fields.flag(name)?.unwrap_or(default));
        let norm = match fields.text("normalization_type")?.as_deref() {
            None | Some("no_norm") => NormKind::Affine,
            Some("layer_norm") => NormKind::Layer,
            Some(other) => {
                return Err(unsupported("normalization_type", other, "no_norm or layer_norm"));
            }
        };
        let feed_forwards = fields.size("num_feedforward_networks")?.unwrap_or(4);
        if !(1..=64).contains(&feed_forwards) {
            return Err(outside("num_feedforward_networks", &feed_forwards, &"1 to 64"));
        }
        let trigrams = flag("trigram_input", true)?;
        let bottleneck = match flag("use_bottleneck", true)? {
            true => Some(Bottleneck::read(fields)?),
            false => None,
        };
        Ok(Self {
            norm,
            bottleneck,
            feed_forwards,
            embeds_words_first: true,
            trigrams,
            reads_masked: trigrams,
            // the library gives these two norms no eps of the config
            outer_eps: Some(1e-5),
            pools: flag("classifier_activation", true)?,
            widens_decoder: true,
            ..Self::BERT
        })
    }

    fn conv_bert(fields: &Fields<'_>) -> Result<Self> {
        let taps = fields.size("conv_kernel_size")?.unwrap_or(9);
        if taps.is_multiple_of(2) || taps > 1 << 10 {
            return Err(outside("conv_kernel_size", &taps, &"an odd number below 1024"));
        }
        let groups = fields.size("num_groups")?.unwrap_or(1);
        for name in ["hidden_size", "intermediate_size"] {
            let width = fields.size(name)?.unwrap_or(0);
            if groups == 0 || !width.is_multiple_of(groups) {
                let expected = format_args!("a divisor of {name}, {width}");
                return Err(outside("num_groups", &groups, &expected));
            }
        }
        Ok(Self {
            span: Some(Span { taps }),
            feed_forward_groups: groups,
            reads_masked: true,
            ..Self::BERT
        })
    }

    const NORM_FIRST: Self = Self { norm_first: true, first_norm: true, ..Self::BERT };

    fn ernie(fields: &Fields<'_>) -> Result<Self> {
        let task_types = match fields.flag("use_task_id")? {
            Some(true) => fields.size("task_type_vocab_size")?.unwrap_or(3),
            _ => 0,
        };
        Ok(Self { task_types, ..Self::BERT })
    }

    /// NomicBERT's fields have the names of transformers 5 or, in its authors' folders, of GPT-2.
    fn nomic_bert(fields: &Fields<'_>) -> Result<Self> {
        for name in [
            "prenorm",
            "use_rms_norm",
            "parallel_block",
            "rotary_emb_interleaved",
            "causal",
            "qkv_proj_bias",
            "mlp_fc1_bias",
            "mlp_fc2_bias",
        ] {
            if fields.flag(name)? == Some(true) {
                return Err(unsupported(name, "true", "false"));
            }
        }
        for name in ["num_experts", "rotary_emb_scale_base", "moe_every_n_layers"] {
            if fields.number::<f32>(name)?.is_some_and(|number| number != 0.0) {
                return Err(unsupported(name, "a number", "null"));
            }
        }
        match fields.text("activation_function")?.as_deref() {
            None | Some("swiglu") => {}
            Some(other) => return Err(unsupported("activation_function", other, "swiglu")),
        }
        if fields.number("rotary_emb_fraction")?.unwrap_or(1.0_f32) != 1.0 {
            return Err(unsupported("rotary_emb_fraction", "another number", "1"));
        }
        let theta = fields.number("rotary_emb_base")?.unwrap_or(1000.0);
        Ok(Self {
            rotary: Some(rotary(fields, theta)?),
            gated: true,
            biases: Biases { attention: false, intermediate: false, output: false, ..Biases::ALL },
            ..Self::BERT
        })
    }

    fn euro_bert(fields: &Fields<'_>) -> Result<Self> {
        let flag = |name: &str| Ok::<_, Error>(fields.flag(name)?.unwrap_or(false));
        let pooling = match fields.text("classifier_pooling")?.as_deref() {
            None | Some("late") => Pooling::MeanOfDense,
            Some("bos") => Pooling::First,
            Some("mean") => Pooling::Mean,
            Some(other) => {
                return Err(unsupported("classifier_pooling", other, "late, bos or mean"));
            }
        };
        let mlp = flag("mlp_bias")?;
        Ok(Self {
            rotary: Some(rotary(fields, 250_000.0)?),
            gated: true,
            biases: Biases {
                attention: flag("attention_bias")?,
                intermediate: mlp,
                output: mlp,
                norms: false,
                decoder: mlp,
                ..Biases::ALL
            },
            norm: NormKind::Rms,
            embedding_norm: false,
            normalizes_last_state: true,
            key_value_heads: fields.size("num_key_value_heads")?,
            pooling,
            plain_decoder: true,
            ..Self::NORM_FIRST
        })
    }

    fn esm(fields: &Fields<'_>) -> Result<Self> {
        if fields.flag("is_folding_model")? == Some(true) {
            return Err(unsupported("is_folding_model", "true", "false"));
        }
        let rotary = match fields.text("position_embedding_type")?.as_deref() {
            Some("rotary") => Some(rotary(fields, 10_000.0)?),
            _ => None,
        };
        let token_dropout = match fields.flag("token_dropout")? {
            Some(true) => fields.size("mask_token_id")?.map(|id| id as u32),
            _ => None,
        };
        Ok(Self {
            rotary,
            embedding_norm: fields.flag("emb_layer_norm_before")?.unwrap_or(false),
            normalizes_last_state: true,
            token_dropout,
            // dropout scales the embeddings of words alone
            embeds_words_first: rotary.is_none(),
            clears_masked: true,
            ..Self::NORM_FIRST
        })
    }
}

impl Bottleneck {
    fn read(fields: &Fields<'_>) -> Result<Self> {
        let flag = |name: &str, default| Ok::<_, Error>(fields.flag(name)?.unwrap_or(default));
        let width = fields.size("intra_bottleneck_size")?.unwrap_or(128);
        let heads = fields.size("num_attention_heads")?.unwrap_or(1);
        if width == 0 || width > 1 << 24 || !width.is_multiple_of(heads.max(1)) {
            let expected = format_args!("a multiple of num_attention_heads, {heads}");
            return Err(outside("intra_bottleneck_size", &width, &expected));
        }
        let attention = if flag("use_bottleneck_attention", false)? {
            BottleneckAttention::Narrow
        } else if flag("key_query_shared_bottleneck", true)? {
            BottleneckAttention::Shared
        } else {
            BottleneckAttention::State
        };
        let hidden = fields.size("hidden_size")?.unwrap_or(0);
        if attention == BottleneckAttention::State && width != hidden {
            let expected = format_args!(
                "hidden_size, {hidden}, because use_bottleneck_attention and \
                 key_query_shared_bottleneck are false"
            );
            return Err(outside("intra_bottleneck_size", &width, &expected));
        }
        Ok(Self { width, attention })
    }
}

fn unsupported(name: &str, found: &str, expected: &str) -> Error {
    let what = format_args!(" \"{found}\" is not supported; expected {expected}");
    let details = unsupported_field(name, what);
    details.values(format_args!("{expected}"), format_args!("{found}")).error()
}

/// Returns the angles of `rope_parameters`, `rope_theta` or `default`.
fn rotary(fields: &Fields<'_>, default: f32) -> Result<Rotary> {
    let mut theta = fields.number("rope_theta")?.unwrap_or(default);
    for name in ["rope_parameters", "rope_scaling"] {
        let Some(parameters) = fields.object(name)? else { continue };
        check_kind(name, &parameters)?;
        theta = parameters.get_as("rope_theta").unwrap_or(theta);
    }
    if theta.is_nan() || theta <= 0.0 {
        return Err(outside("rope_theta", &theta, &"a number above 0"));
    }
    Ok(Rotary::of(theta))
}

/// Rejects a kind of rotary positions other than the default.
fn check_kind(field: &str, parameters: &Object<'_>) -> Result<()> {
    for name in ["rope_type", "type"] {
        let kind: Option<Text<'_>> = parameters.get_as(name);
        if let Some(Text(kind)) = kind.filter(|Text(kind)| kind != "default") {
            return Err(unsupported(&format!("{name} of {field}"), &kind, "default"));
        }
    }
    Ok(())
}
