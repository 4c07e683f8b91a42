//! A PEFT adapter that is loaded with the weights of its base. Its tensors are read before the
//! first of the base's, and have the base's names.

use super::header::{self, Tensor};
use super::loader::Loader;
use super::options::{LoadOptions, Part};
use super::plan::Plan;
use crate::backend::Processor;
use crate::config::{Config, HeadKind};
use crate::error::fault;
use crate::model::{describe_head, tied_names};
use crate::{Details, ErrorKind, Result};

/// Name of the adapter in messages.
pub(super) const FILE: &str = "adapter_model.safetensors";

/// An adapter, or none.
#[derive(Default)]
pub(super) struct Peft {
    tensors: Vec<Tensor>,
    /// The file. `None` after it was read.
    bytes: Option<Vec<u8>>,
}

impl Peft {
    /// # Errors
    /// `BadWeights` if the file has no valid header.
    fn new(bytes: Vec<u8>) -> Result<Self> {
        let cut = || {
            fault!(BadWeights, "{FILE} ends within its header: it is cut short", file = "{FILE}")
        };
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(cut)?;
        let json = rest.get(..header::length(FILE, *length)?).ok_or_else(cut)?;
        Ok(Self { tensors: header::tensors(FILE, json)?, bytes: Some(bytes) })
    }

    /// Returns the names of the adapter's tensors.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.iter().map(|tensor| tensor.name.as_str())
    }

    /// Returns whether an adapter was given and its bytes were taken.
    pub(super) fn is_read(&self) -> bool {
        !self.tensors.is_empty() && self.bytes.is_none()
    }
}

impl<B: Processor> Loader<B> {
    /// Returns a loader for a model and the adapter in `adapter`, a safetensors file. With
    /// [`Part::Head`], the encoder must already have the adapter.
    ///
    /// # Errors
    /// The errors of [`Loader::new`]; `BadInput` if the adapter does not fit the model.
    pub fn with_adapter(
        config: Config,
        part: Part,
        options: LoadOptions,
        index: Option<&[u8]>,
        adapter: Vec<u8>,
    ) -> Result<Self> {
        let mut loader = Self::without_index(config, part, options);
        loader.peft = Peft::new(adapter)?;
        loader.read_index(index)?;
        Ok(loader)
    }

    /// Reads the adapter, if there is one that was not read yet.
    ///
    /// # Errors
    /// The errors of [`Loader::push`].
    pub fn read_peft(&mut self, backend: &mut B) -> Result<()> {
        if self.plan.is_none() {
            return Ok(());
        }
        let Some(bytes) = self.peft.bytes.take() else { return Ok(()) };
        self.begin_file(FILE)?;
        self.push(backend, &bytes)?;
        self.end_file()
    }

    /// Rejects an adapter with a tensor that would be ignored, or that would change more than PEFT
    /// does.
    pub(super) fn check_peft(&self) -> Result<()> {
        let Some(plan) = self.plan.as_ref().filter(|_| !self.peft.tensors.is_empty()) else {
            return Ok(());
        };
        let tied = tied_names(&self.config);
        let has_decoder = plan.head.masked_lm.as_ref().is_some_and(|head| head.decoder.is_none());
        for name in self.peft.names() {
            let matrix = self.matrix_of(name);
            let fault = if has_decoder && tied.iter().any(|(_, words)| *words == matrix) {
                "changes the word table, which the decoder of the masked LM shares. Merge the adapter in Python: `merge_and_unload()`, then `save_pretrained()`"
            } else if plan.wants(&matrix) || self.is_elsewhere(plan, &matrix, &tied) {
                continue;
            } else {
                "has no parameter in the base model"
            };
            let kind = if has_decoder { ErrorKind::Unsupported } else { ErrorKind::BadInput };
            let (item, what) = (format_args!("tensor \"{name}\""), format_args!(" {fault}"));
            return Err(Details::new(kind, FILE, item, what).error());
        }
        Ok(())
    }

    /// Returns whether a matrix belongs to another head, or to an encoder that is already loaded.
    fn is_elsewhere(&self, plan: &Plan, matrix: &str, tied: &[(String, String)]) -> bool {
        let has = |name: &str| self.peft.names().any(|tensor| self.matrix_of(tensor) == name);
        let planned = |part, kind| {
            let spec = describe_head(&self.config, kind, &has);
            Plan::of::<B>(&self.config, part, spec).is_ok_and(|(plan, _)| plan.wants(matrix))
        };
        let own = plan.head_spec.kind;
        if self.part == Part::Head && planned(Part::All, own) {
            return true;
        }
        let is_decoder = !own.scores_vocabulary() && tied.iter().any(|(alias, _)| alias == matrix);
        let others = HeadKind::all().filter(|kind| *kind != own);
        is_decoder || others.into_iter().any(|kind| planned(Part::Head, kind))
    }
}
