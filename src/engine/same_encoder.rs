//! Checks that two configs describe the same encoder.

use crate::config::Config;
use crate::{Error, Result};

/// Rejects a config of another encoder than the engine's. `is_changed`: the model's own files may
/// change parameters of the encoder, so the number of token types may differ.
///
/// # Errors
/// `BadInput`, naming the first field that differs.
pub(super) fn check_same_encoder(engine: &Config, other: &Config, is_changed: bool) -> Result<()> {
    let facts = |config| facts(config, is_changed);
    let mut facts = facts(engine).into_iter().zip(facts(other)).collect::<Vec<_>>();
    // Without the feature, every structure is the same, and the code to print one stays out of the
    // binary.
    if cfg!(feature = "families") && engine.encoder_structure() != other.encoder_structure() {
        let differ = |config: &Config| {
            ("the structure of layers", format!("{:?}", config.encoder_structure()))
        };
        facts.push((differ(engine), differ(other)));
    }
    for ((name, has), (_, found)) in facts {
        if has != found {
            return Err(Error::BadInput(format!(
                "config.json: {name}: expected the encoder's {has}, got {found}"
            )));
        }
    }
    Ok(())
}

/// Returns everything that the encoder's parameters and computation depend on, with the names of
/// config.json.
fn facts(config: &Config, is_changed: bool) -> [(&'static str, String); 12] {
    // Only some families derive positions from the padding id.
    let pad_id = config.padding_position().unwrap_or(0);
    let types = if is_changed { config.types.min(1) } else { config.types };
    [
        ("model_type", config.family.model_type().to_owned()),
        ("hidden_size", config.hidden.to_string()),
        ("embedding_size", config.embedding.to_string()),
        ("num_hidden_layers", config.layers.to_string()),
        ("num_attention_heads", config.heads.to_string()),
        ("intermediate_size", config.intermediate.to_string()),
        ("vocab_size", config.vocab.to_string()),
        ("max_position_embeddings", config.positions.to_string()),
        ("type_vocab_size", types.to_string()),
        ("hidden_act", format!("{:?}", config.activation)),
        // Printed as f64, whose formatting is in the binary anyway, and rounded to 18 decimals.
        ("layer_norm_eps", ((f64::from(config.norm_eps) * 1e18).round() / 1e18).to_string()),
        ("pad_token_id", pad_id.to_string()),
    ]
}
