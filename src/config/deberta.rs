//! The structure of DeBERTa, in all versions.

use webert_kernels::Distances;

use super::raw::{Fields, activation_named, bad_config, outside, unsupported_field};
use super::{Convolution, Disentangled, Family, Structure};
use crate::Result;

impl Structure {
    pub(super) fn deberta(family: Family, fields: &Fields<'_>) -> Result<Self> {
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
