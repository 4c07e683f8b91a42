//! Which parts of a model are not trained.

use super::optimizer::Entry;
use super::schedule::Depth;
use crate::config::{Config, Family, HeadKind};
use crate::error::fault;
use crate::model::{Encoder, Head, ParameterSpec};
use crate::{Error, ErrorKind, Result};

/// The parts of a model that are not trained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Freeze {
    /// None: everything is trained.
    #[default]
    None,
    /// The embeddings and this number of first layers.
    Layers(usize),
    /// Everything except the head. The encoder then has no dropout. The head's input is computed
    /// once per sequence and kept, up to 256 MiB.
    Encoder,
}

impl Freeze {
    /// Checks that the model has these layers and can freeze them separately.
    ///
    /// # Errors
    /// `BadInput` for more layers than the model has. `Unsupported` for some layers of ALBERT,
    /// whose layers share their weights.
    pub(in crate::train) fn check(self, config: &Config) -> Result<()> {
        let Self::Layers(layers) = self else { return Ok(()) };
        if layers > config.layers {
            return Err(Error::unexpected(
                ErrorKind::BadInput,
                format_args!("freeze"),
                format_args!("at most {} layers", config.layers),
                format_args!("{layers}"),
            ));
        }
        if config.family == Family::Albert && (1..config.layers).contains(&layers) {
            return Err(fault!(
                Unsupported,
                "freeze: ALBERT's layers share their weights, so they cannot be frozen one by one",
                item = "freeze",
                found = "{layers}",
            ));
        }
        Ok(())
    }

    /// Returns the first trained layer, or `None` if the embeddings are trained as well.
    pub(in crate::train) fn first_layer(self, config: &Config) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Layers(layers) => Some(layers),
            Self::Encoder => Some(config.layers),
        }
    }

    /// Returns true if a parameter of this layer is frozen. `None` is a parameter of the
    /// embeddings.
    fn holds(self, layer: Option<usize>) -> bool {
        match self {
            Self::None => false,
            Self::Layers(layers) => layer.is_none_or(|layer| layer < layers),
            Self::Encoder => true,
        }
    }

    /// Returns the optimizer's entry for each parameter: the encoder's leaves, then the head's.
    pub(in crate::train) fn entries(
        self,
        encoder: &Encoder<ParameterSpec, ParameterSpec>,
        head: &Head<ParameterSpec, ParameterSpec>,
    ) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (leaf, layer) in encoder.leaves().into_iter().zip(encoder.leaf_layers()) {
            let depth = layer.map_or(Depth::Embeddings, Depth::Layer);
            entries.push(Entry::new(leaf, depth, self.holds(layer)));
        }
        // Embeddings do not use the pooler of their checkpoint.
        let is_unused = head.kind == HeadKind::Bare;
        let head = head.leaves().into_iter();
        entries.extend(head.map(|leaf| Entry::new(leaf, Depth::Head, is_unused)));
        entries
    }
}
