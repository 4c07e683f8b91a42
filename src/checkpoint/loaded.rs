//! What a loader has loaded: the parameters on their backend, complete or named as missing.

#[cfg(feature = "families")]
use super::header::bad_file;
use super::loader::Loader;
use super::options::Part;
use super::parameter_slots::{Kind, ParameterSlot, Take};
use super::plan::Plan;
use super::shares::Share;
use crate::backend::{Precision, Processor};
use crate::config::HeadKind;
#[cfg(feature = "families")]
use crate::model::GlinerHead;
use crate::model::{EncoderOn, Head, HeadOn, ParameterSpec, Size};
#[cfg(feature = "families")]
use crate::{Details, ErrorKind};
use crate::{Error, Result};

/// The parameters of a model on their backend.
pub struct Loaded<B: Processor> {
    /// The encoder, if it was requested.
    pub encoder: Option<LoadedEncoder<B>>,
    /// The head's parameters.
    pub head: HeadOn<B>,
    /// Names and shapes of the head's parameters.
    pub head_spec: Head<ParameterSpec, ParameterSpec>,
    /// The size of the head's parameters.
    pub head_size: Size,
    /// The head of a GLiNER model, on the host.
    #[cfg(feature = "families")]
    pub gliner: Option<GlinerHead>,
}

/// The parameters of an encoder on their backend.
pub struct LoadedEncoder<B: Processor> {
    /// The parameters.
    pub weights: EncoderOn<B>,
    /// The precision of the matrices, taken from the word table.
    pub precision: Precision,
    /// The size of the parameters.
    pub size: Size,
    /// The matrices that other encoders may share.
    pub shares: Vec<Share<B>>,
}

impl<B: Processor> Loader<B> {
    /// Returns the precision of the first matrix that was loaded.
    pub fn precision(&self) -> Option<Precision> {
        self.slots.iter().find_map(|slot| match &slot.kind {
            Kind::Matrix(Some((_, precision))) => Some(*precision),
            _ => None,
        })
    }

    /// Returns the model's parameters as newly allocated zeros, all in one precision. Returns
    /// `None` if the encoder is not loaded, or until a file or the index lists the tensors.
    ///
    /// # Errors
    /// The errors of [`Backend::matrix`](crate::backend::Backend::matrix).
    pub fn outline(
        &self,
        backend: &mut B,
        precision: Precision,
    ) -> Result<Option<(EncoderOn<B>, HeadOn<B>)>> {
        let Some(plan) = &self.plan else { return Ok(None) };
        let Some(encoder) = &plan.encoder else { return Ok(None) };
        let mut slots: Vec<_> = self.slots.iter().map(ParameterSlot::empty).collect();
        slots.iter_mut().try_for_each(|slot| slot.allocate(backend, precision))?;
        let mut take = Take::new(slots);
        Ok(Some((encoder.map(&mut take)?, plan.head.map(&mut take)?)))
    }

    /// Returns the model.
    ///
    /// # Errors
    /// `BadWeights` with the names of missing tensors.
    pub fn finish(mut self) -> Result<Loaded<B>> {
        self.end_file()?;
        #[cfg(feature = "families")]
        if let (Some((file, _)), Some(missing)) = (&self.onnx, self.external_files().first()) {
            let what = format_args!("its tensors are in \"{missing}\", which was not given");
            return Err(bad_file(file, what));
        }
        if self.part == Part::Head && self.options.head == Some(HeadKind::Bare) {
            // a bare head can have no tensors, so possibly no file was read
            self.know(&mut std::iter::empty())?;
        }
        let precision = self.precision().unwrap_or(Precision::F32);
        let Some(plan) = self.plan.take() else {
            return Err(Error::BadWeights("no weights file was given".into()));
        };
        self.check_filled(&plan)?;
        let mut take = Take::new(self.slots);
        let encoder = plan.encoder.as_ref().map(|encoder| encoder.map(&mut take)).transpose()?;
        let size = std::mem::take(&mut take.size);
        let shares = std::mem::take(&mut take.shares);
        let head = plan.head.map(&mut take)?;
        #[cfg(feature = "families")]
        let gliner = match &self.config.gliner {
            Some(gliner) => {
                let values = plan.gliner.iter().map(|&number| take.host(number));
                let values: Vec<_> = values.collect::<Result<_>>()?;
                Some(GlinerHead::new(gliner, self.config.hidden, &values)?)
            }
            None => None,
        };
        Ok(Loaded {
            encoder: encoder.map(|weights| LoadedEncoder { weights, precision, size, shares }),
            head,
            head_spec: plan.head_spec,
            head_size: take.size,
            #[cfg(feature = "families")]
            gliner,
        })
    }

    /// Returns an error if a tensor is missing.
    pub(super) fn check_filled(&self, plan: &Plan) -> Result<()> {
        let mut missing = plan.targets.iter().filter(|(_, target)| !target.filled);
        let Some((first, _)) = missing.next() else { return Ok(()) };
        let what = format!(
            "{} of {} tensors are missing, among them \"{first}\"",
            missing.count() + 1,
            plan.targets.len()
        );
        // An exporter can compute with a parameter in advance.
        #[cfg(feature = "families")]
        if let Some(file) = &self.onnx_name {
            let what = format_args!(
                "{what}: the graph does not have them. Way out: load the checkpoint that it was exported from"
            );
            let kind = ErrorKind::Unsupported;
            return Err(Details::new(kind, file, format_args!(""), what).error());
        }
        Err(match self.config.has_custom_code {
            true => Error::Unsupported(format!(
                "{what}: config.json has custom code (auto_map), which is not run"
            )),
            false => Error::BadWeights(what),
        })
    }
}
