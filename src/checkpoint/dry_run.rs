//! A dry run: checks the tensors that files list without their bytes. Nothing is allocated.

use super::file::Sink;
use super::header::Tensor;
use super::loader::Loader;
use super::plan::SCALE_SUFFIX;
use crate::backend::Processor;
use crate::{Error, Result};

impl<B: Processor> Loader<B> {
    /// Begins a dry run, before the first file.
    pub fn dry_run(&mut self) {
        self.dry = Some(false);
    }

    /// Returns whether the bytes so far listed all tensors of the current file. The rest of the
    /// file is not needed. Always false without a dry run.
    pub fn knows(&self) -> bool {
        self.dry == Some(true)
    }

    /// Checks that the files list all tensors of the model.
    ///
    /// # Errors
    /// `BadWeights` with the names of missing tensors.
    pub fn check(&self) -> Result<()> {
        match &self.plan {
            Some(plan) => self.check_filled(plan),
            None => Err(Error::BadWeights("no weights file was given".into())),
        }
    }

    /// Notes the tensors of a file whose shapes are not known yet. Does nothing without a dry run.
    pub(super) fn check_names(&mut self, names: &[&str]) {
        if self.dry.is_none() {
            return;
        }
        for name in names {
            let name = self.canonical(name);
            if let Some(target) = self.plan.as_mut().and_then(|plan| plan.targets.get_mut(&name)) {
                target.filled = true;
            }
        }
        self.dry = Some(true);
    }

    /// Checks the shapes and dtypes of the tensors of a file.
    pub(super) fn check_tensors(
        &mut self,
        backend: &mut B,
        file: &str,
        tensors: &mut dyn Iterator<Item = &Tensor>,
    ) -> Result<()> {
        for tensor in tensors {
            let name = self.canonical(&tensor.name);
            match self.sink(backend, file, tensor)? {
                Sink::Rows(_) => {
                    if let Some(target) = self.plan.as_mut().and_then(|p| p.targets.get_mut(&name))
                    {
                        target.filled = true;
                    }
                }
                Sink::Scales { .. } => {
                    let scales = vec![1.0; tensor.shape.iter().product()];
                    self.scales.push((
                        name.strip_suffix(SCALE_SUFFIX).unwrap_or(&name).to_owned(),
                        scales,
                    ));
                }
                Sink::Skip | Sink::Early { .. } | Sink::Factor { .. } => {}
            }
        }
        self.dry = Some(true);
        Ok(())
    }
}
