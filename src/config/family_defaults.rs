//! The fields of `config.json` whose default, name or meaning depends on the family.

use webert_kernels::Activation;

use super::raw::{Raw, activation_named, bad_field};
use super::{Family, HAS_ALL};
use crate::Result;

impl Raw<'_> {
    /// Returns the width of the embeddings.
    pub(super) fn embedding(&self) -> Result<usize> {
        let default = match self.family {
            Family::Electra | Family::Albert | Family::MobileBert => 128,
            Family::ConvBert => 768,
            Family::Deberta | Family::DebertaV2 | Family::RoFormer => self.hidden_size,
            Family::RemBert if HAS_ALL => {
                return Ok(self.fields.size("input_embedding_size")?.unwrap_or(256));
            }
            _ => return Ok(self.hidden_size),
        };
        Ok(self.embedding_size.unwrap_or(default))
    }

    /// Returns the number of layers that have parameters of their own.
    pub(super) fn own_layers(&self) -> usize {
        match self.family {
            Family::Albert => self.num_hidden_groups.unwrap_or(1),
            _ => self.num_hidden_layers,
        }
    }

    /// Returns the number of heads of attention. In ConvBERT attention has a share of the heads,
    /// the convolution the others.
    pub(super) fn attention_heads(&self) -> Result<usize> {
        match self.family {
            Family::ConvBert if HAS_ALL => {
                let ratio = self.fields.size("head_ratio")?.unwrap_or(2).max(1);
                Ok((self.num_attention_heads / ratio).max(1))
            }
            _ => Ok(self.num_attention_heads),
        }
    }

    /// Returns the number of positions. NomicBERT's `rotary_scaling_factor` changes the angles of
    /// texts that are longer than `max_trained_positions`, so these texts are refused.
    pub(super) fn positions(&self) -> Result<usize> {
        let positions = self.max_position_embeddings;
        let is_scaled = HAS_ALL && self.fields.number::<f64>("rotary_scaling_factor")?.is_some();
        match self.family {
            Family::NomicBert if is_scaled => {
                Ok(positions.min(self.fields.size("max_trained_positions")?.unwrap_or(2048)))
            }
            _ => Ok(positions),
        }
    }

    /// Returns the number of token types.
    pub(super) fn types(&self) -> usize {
        let default = match self.family {
            Family::DistilBert | Family::MpNet | Family::ModernBert => return 0,
            Family::EuroBert | Family::Esm => return 0,
            Family::Deberta | Family::DebertaV2 => 0,
            Family::JinaEmbeddingsV3 | Family::Gte => 1,
            _ => 2,
        };
        self.type_vocab_size.unwrap_or(default)
    }

    /// Returns the activation of the feed-forward layers.
    pub(super) fn activation(&self) -> Result<Activation> {
        let default = match self.family {
            Family::Albert => "gelu_new",
            Family::NomicBert | Family::EuroBert => "silu",
            Family::MobileBert => "relu",
            _ => "gelu",
        };
        match self.hidden_act.as_deref() {
            // ESM's code does not read the field
            Some(_) if self.family == Family::Esm => activation_named(default),
            named => activation_named(named.unwrap_or(default)),
        }
    }

    /// Returns the eps of the norms.
    pub(super) fn norm_eps(&self) -> Result<f32> {
        let (given, default) = match self.family {
            // transformers' DistilBERT always uses 1e-12 and ignores the config
            Family::DistilBert => (None, 1e-12),
            Family::ModernBert => (self.norm_eps, 1e-5),
            Family::Deberta | Family::DebertaV2 => (self.layer_norm_eps, 1e-7),
            Family::EuroBert if HAS_ALL => (self.fields.number("rms_norm_eps")?, 1e-5),
            // NomicBERT's older name is GPT-2's
            Family::NomicBert if HAS_ALL => {
                (self.layer_norm_eps.or(self.fields.number("layer_norm_epsilon")?), 1e-12)
            }
            Family::JinaEmbeddingsV3 => (self.layer_norm_eps, 1e-5),
            _ => (self.layer_norm_eps, 1e-12),
        };
        Ok(given.unwrap_or(default) as f32)
    }

    /// Returns the id of the padding token.
    pub(super) fn pad_id(&self) -> Result<u32> {
        let family = self.family;
        match self.pad_token_id {
            // transformers' MPNet always uses 1 and ignores the config
            _ if family == Family::MpNet => Ok(1),
            None => Ok(u32::from(
                family.has_heads_of_roberta() || matches!(family, Family::Gte | Family::ConvBert),
            )),
            Some(id) => id.try_into().map_err(|_| {
                bad_field("pad_token_id", format_args!(" {id} is no token's")).error()
            }),
        }
    }

    /// Returns whether the masked language model's decoder is the word table.
    pub(super) fn ties_decoder(&self) -> bool {
        // transformers' RemBERT never ties them: their widths differ
        self.tie_word_embeddings.unwrap_or(self.family != Family::EuroBert)
            && self.family != Family::RemBert
    }
}
