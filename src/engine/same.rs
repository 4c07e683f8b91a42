//! Whether two configs tell of the same encoder.

use crate::config::{Config, Family};
use crate::{Error, Result};

/// Refuses a config of another encoder than the engine's.
///
/// # Errors
/// `BadInput` naming the first field that differs.
pub(super) fn check_same_encoder(engine: &Config, other: &Config) -> Result<()> {
    for ((name, has), (_, found)) in facts(engine).into_iter().zip(facts(other)) {
        if has != found {
            return Err(Error::BadInput(format!(
                "config.json: {name} is {found}, the encoder that the head is attached to has {has}"
            )));
        }
    }
    Ok(())
}

/// What the encoder's parameters and computation hang on, by the names of config.json.
fn facts(config: &Config) -> [(&'static str, String); 12] {
    // only RoBERTa's positions hang on the padding id
    let pad_id = if config.family == Family::Roberta { config.pad_id } else { 0 };
    [
        ("model_type", config.family.model_type().to_owned()),
        ("hidden_size", config.hidden.to_string()),
        ("embedding_size", config.embedding.to_string()),
        ("num_hidden_layers", config.layers.to_string()),
        ("num_attention_heads", config.heads.to_string()),
        ("intermediate_size", config.intermediate.to_string()),
        ("vocab_size", config.vocab.to_string()),
        ("max_position_embeddings", config.positions.to_string()),
        ("type_vocab_size", config.types.to_string()),
        ("hidden_act", format!("{:?}", config.activation)),
        // as an f64, the format of which is there anyway, to 18 decimals
        ("layer_norm_eps", ((f64::from(config.norm_eps) * 1e18).round() / 1e18).to_string()),
        ("pad_token_id", pad_id.to_string()),
    ]
}
