//! The structure of ModernBERT.

use super::raw::{Fields, activation_named, bad_field, outside, unsupported_field};
use super::{Biases, Local, Pooling, Rotary, Structure};
use crate::json::{Object, Text};
use crate::{Error, Result};

impl Structure {
    pub(super) fn modern_bert(fields: &Fields<'_>, layers: usize) -> Result<Self> {
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
