//! The structures of encoders that differ from BERT's in few facts.

use webert_kernels::NormKind;

use super::Family;
use super::raw::Fields;
use super::structure::{Biases, Groups, Pooling, Rotary, Structure};
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
            _ => Ok(Self::BERT),
        }
    }

    fn squeeze_bert(fields: &Fields<'_>) -> Result<Self> {
        let groups = |name: &str, default, sizes: [&str; 2]| {
            let groups = fields.size(name)?.unwrap_or(default);
            for size in sizes {
                let width = fields.size(size)?.unwrap_or(0);
                if groups == 0 || !width.is_multiple_of(groups) {
                    return Err(Error::BadConfig(format!(
                        "config.json: {name} is {groups}, expected a divisor of {size}, {width}"
                    )));
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
        Ok(Self { groups: Some(groups), ..Self::BERT })
    }

    const NORM_FIRST: Self = Self { norm_first: true, first_norm: true, ..Self::BERT };

    fn ernie(fields: &Fields<'_>) -> Result<Self> {
        let task_types = match fields.flag("use_task_id")? {
            Some(true) => fields.size("task_type_vocab_size")?.unwrap_or(3),
            _ => 0,
        };
        Ok(Self { task_types, ..Self::BERT })
    }

    /// The names of NomicBERT's fields are those of transformers 5, or GPT-2's in the folders of
    /// its authors.
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
        // ESM-1b scales the embeddings of words before it adds positions
        if rotary.is_none() && fields.flag("token_dropout")? == Some(true) {
            return Err(Error::Unsupported(
                "config.json: position_embedding_type \"absolute\" with token_dropout (ESM-1b) is not supported; \
                 expected \"rotary\". ESM-2 has it"
                    .into(),
            ));
        }
        let token_dropout = match fields.flag("token_dropout")? {
            Some(true) => fields.size("mask_token_id")?.map(|id| id as u32),
            _ => None,
        };
        Ok(Self {
            rotary,
            embedding_norm: fields.flag("emb_layer_norm_before")?.unwrap_or(false),
            normalizes_last_state: true,
            token_dropout,
            ..Self::NORM_FIRST
        })
    }
}

fn unsupported(name: &str, found: &str, expected: &str) -> Error {
    Error::Unsupported(format!(
        "config.json: {name} \"{found}\" is not supported; expected {expected}"
    ))
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
        return Err(Error::BadConfig(format!(
            "config.json: rope_theta is {theta}, expected a number above 0"
        )));
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
