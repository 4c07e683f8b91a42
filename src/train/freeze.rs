//! What of a model stays as it is.

use super::optimizer::Entry;
use super::schedule::Depth;
use crate::config::{Config, Family, HeadKind};
use crate::model::{Encoder, Head, ParameterSpec};
use crate::{Error, Result};

/// What stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Freeze {
    /// Nothing.
    #[default]
    None,
    /// The embeddings and so many of the first layers.
    Layers(usize),
    /// All but the head.
    Encoder,
}

impl Freeze {
    /// Refuses what the model has not, or cannot keep apart.
    ///
    /// # Errors
    /// `BadInput` for more layers than there are; `Unsupported` for some of the layers of a family that has one.
    pub(super) fn check(self, config: &Config) -> Result<()> {
        let Self::Layers(layers) = self else { return Ok(()) };
        if layers > config.layers {
            return Err(Error::BadInput(format!(
                "freeze: {layers} layers, the model has {}",
                config.layers
            )));
        }
        if config.family == Family::Albert && (1..config.layers).contains(&layers) {
            return Err(Error::Unsupported("freeze: ALBERT's layers share their weights".into()));
        }
        Ok(())
    }

    /// The first layer that is trained; `None`: the embeddings are trained, too.
    pub(super) fn first_layer(self, config: &Config) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Layers(layers) => Some(layers),
            Self::Encoder => Some(config.layers),
        }
    }

    /// Whether a parameter of this place in the encoder's layers stays; `None`: one of the embeddings.
    fn holds(self, layer: Option<usize>) -> bool {
        match self {
            Self::None => false,
            Self::Layers(layers) => layer.is_none_or(|layer| layer < layers),
            Self::Encoder => true,
        }
    }

    /// What the optimiser is told of each parameter: the encoder's leaves, then the head's.
    pub(super) fn entries(
        self,
        encoder: &Encoder<ParameterSpec, ParameterSpec>,
        head: &Head<ParameterSpec, ParameterSpec>,
    ) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (leaf, layer) in encoder.leaves().into_iter().zip(encoder.leaf_layers()) {
            let depth = layer.map_or(Depth::Embeddings, Depth::Layer);
            entries.push(Entry::new(leaf, depth, self.holds(layer)));
        }
        // embeddings do not pass through their checkpoint's pooler
        let is_unused = head.kind == HeadKind::Bare;
        let head = head.leaves().into_iter();
        entries.extend(head.map(|leaf| Entry::new(leaf, Depth::Head, is_unused)));
        entries
    }
}
