//! Loads weights as a stream. Bytes are pushed as they arrive, in pieces of any size, and each is
//! written once to its matrix. Only a partial row of the file is kept.

use super::adapters::{Adapters, adapted};
use super::file::{Current, Data, File, Sink, Stage};
use super::header::{self, Tensor};
use super::index::{self, Index};
#[cfg(feature = "families")]
use super::onnx;
use super::options::{LoadOptions, Part};
#[cfg(feature = "families")]
use super::other_formats::OtherFormat;
use super::parameter_slots::ParameterSlot;
#[cfg(feature = "families")]
use super::peft::Peft;
use super::plan::{Plan, SCALE_SUFFIX};
use super::rows::take;
use super::shares::Share;
use crate::backend::{Precision, Processor};
use crate::config::Config;
use crate::model::canonical;
use crate::{Details, Error, ErrorKind, Result};

/// Reads a checkpoint, one safetensors file after another.
pub struct Loader<B: Processor> {
    pub(super) config: Config,
    pub(super) part: Part,
    pub(super) options: LoadOptions,
    index: Option<Index>,
    pub(super) plan: Option<Plan>,
    pub(super) slots: Vec<ParameterSlot<B>>,
    /// Row scales of int8 tensors that were not read yet.
    pub(super) scales: Vec<(String, Vec<f32>)>,
    /// Adapters of matrices that were not read yet.
    pub(super) adapters: Adapters,
    /// Matrices of encoders that are already loaded, until they are taken: see [`Loader::over`].
    pub(super) shares: Option<Vec<Share<B>>>,
    #[cfg(feature = "families")]
    pub(super) peft: Peft,
    file: Option<File>,
    /// An ONNX file that was read, while other files have data of its tensors.
    #[cfg(feature = "families")]
    pub(super) onnx: Option<(String, Box<OtherFormat<onnx::Reader>>)>,
    /// The name of the last ONNX file.
    #[cfg(feature = "families")]
    pub(super) onnx_name: Option<String>,
    /// In a dry run: whether the tensors of the current file are known.
    #[cfg(feature = "families")]
    pub(super) dry: Option<bool>,
}

impl<B: Processor> Loader<B> {
    /// Returns a loader for the model described by `config`.
    ///
    /// # Errors
    /// `Unsupported` if `index` shows that the head is missing; `BadWeights` for an invalid index.
    pub fn new(
        config: Config,
        part: Part,
        options: LoadOptions,
        index: Option<&[u8]>,
    ) -> Result<Self> {
        let mut loader = Self::without_index(config, part, options);
        loader.read_index(index)?;
        Ok(loader)
    }

    pub(super) fn without_index(config: Config, part: Part, options: LoadOptions) -> Self {
        let options = LoadOptions { precision: options.precision.or(B::PRECISION), ..options };
        Self {
            config,
            part,
            options,
            index: None,
            plan: None,
            slots: Vec::new(),
            scales: Vec::new(),
            adapters: Adapters::default(),
            shares: (options.adapter != 0).then(Vec::new),
            #[cfg(feature = "families")]
            peft: Peft::default(),
            file: None,
            #[cfg(feature = "families")]
            onnx: None,
            #[cfg(feature = "families")]
            onnx_name: None,
            #[cfg(feature = "families")]
            dry: None,
        }
    }

    pub(super) fn read_index(&mut self, index: Option<&[u8]>) -> Result<()> {
        let Some(index) = index.map(index::read).transpose()? else { return Ok(()) };
        self.know(&mut index.iter().map(|(name, _)| name.as_str()))?;
        self.refuse_adapters(&mut index.iter().map(|(name, _)| name.as_str()))?;
        self.index = Some(index);
        Ok(())
    }

    /// Returns whether the index lists a tensor to load in this shard. Always true without an
    /// index.
    pub fn wants(&self, shard: &str) -> bool {
        let Some(index) = &self.index else { return true };
        let mut tensors = index.iter().filter(|(_, file)| file == shard);
        tensors.any(|(tensor, _)| self.wants_tensor(tensor))
    }

    pub(super) fn wants_tensor(&self, name: &str) -> bool {
        let name = self.matrix_of(name);
        self.plan.as_ref().is_some_and(|plan| plan.wants(&name))
    }

    /// Returns the canonical name of a tensor, or of the matrix that it adapts.
    pub(super) fn matrix_of(&self, name: &str) -> String {
        let matrix =
            adapted(name.strip_suffix(SCALE_SUFFIX).unwrap_or(name)).map(|(matrix, _)| matrix);
        self.canonical(matrix.as_deref().unwrap_or(name))
    }

    /// Returns the canonical name of a tensor. If the file has tied weights only under an alias,
    /// the first name is returned.
    pub(super) fn canonical(&self, name: &str) -> String {
        let name = canonical(self.config.family, name);
        let Some(plan) = &self.plan else { return name };
        let (weight, suffix) = match name.strip_suffix(SCALE_SUFFIX) {
            Some(weight) => (weight, SCALE_SUFFIX),
            None => (name.as_str(), ""),
        };
        match plan.aliases.iter().find(|(alias, _)| alias == weight) {
            Some((_, tied)) => format!("{tied}{suffix}"),
            None => name,
        }
    }

    /// Begins a file. Messages use `name`.
    ///
    /// # Errors
    /// `BadWeights` if the previous file is incomplete.
    pub fn begin_file(&mut self, name: &str) -> Result<()> {
        self.end_file()?;
        #[cfg(feature = "families")]
        if let Some(knows) = &mut self.dry {
            *knows = false;
        }
        let file = File::new(name);
        #[cfg(feature = "families")]
        let file = match self.onnx.take() {
            Some((_, mut onnx)) => {
                onnx.reader.begin_external(name.rsplit('/').next().unwrap_or(name));
                File { stage: Stage::Onnx(onnx), ..file }
            }
            None => file,
        };
        self.file = Some(file);
        Ok(())
    }

    /// Sets the length of the current file in bytes. If the header implies another length, the file
    /// is rejected before memory is allocated.
    pub fn expect_size(&mut self, size: u64) {
        if let Some(file) = &mut self.file {
            file.size = Some(size);
        }
    }

    /// Takes the next bytes of the current file.
    ///
    /// # Errors
    /// `BadWeights` with the names of the file and tensor at fault; `OutOfMemory`; `Unsupported`.
    /// After an error, the loader must be dropped.
    pub fn push(&mut self, backend: &mut B, mut bytes: &[u8]) -> Result<()> {
        let Some(mut file) = self.file.take() else {
            return Err(Error::BadWeights("weights arrived before a file was begun".into()));
        };
        while !bytes.is_empty() {
            #[cfg(feature = "families")]
            if self.dry == Some(true) {
                break;
            }
            file.stage = match file.stage {
                Stage::Length(mut first) => {
                    take(&mut bytes, &mut first, 8);
                    match <[u8; 8]>::try_from(first.as_slice()) {
                        Ok(first) => Stage::Header {
                            length: header::length(&file.name, first)?,
                            json: Vec::new(),
                        },
                        Err(_) => Stage::Length(first),
                    }
                }
                Stage::Header { length, mut json } => {
                    take(&mut bytes, &mut json, length);
                    if json.len() == length {
                        let tensors = header::tensors(&file.name, &json)?;
                        check_size(&file.name, file.size, length, &tensors)?;
                        Stage::Data(self.open(backend, &file.name, tensors)?)
                    } else {
                        Stage::Header { length, json }
                    }
                }
                Stage::Data(mut data) => {
                    self.data(backend, &file.name, &mut data, &mut bytes)?;
                    Stage::Data(data)
                }
                #[cfg(feature = "families")]
                Stage::Pytorch(mut pytorch) => {
                    pytorch.push(self, backend, &file.name, bytes)?;
                    bytes = &[];
                    Stage::Pytorch(pytorch)
                }
                #[cfg(feature = "families")]
                Stage::Onnx(mut onnx) => {
                    onnx.push(self, backend, (&file.name, file.size), bytes)?;
                    bytes = &[];
                    Stage::Onnx(onnx)
                }
            };
        }
        self.file = Some(file);
        Ok(())
    }

    /// Ends the current file, if any.
    ///
    /// # Errors
    /// `BadWeights` if bytes are missing.
    pub fn end_file(&mut self) -> Result<()> {
        #[cfg(feature = "families")]
        if self.dry == Some(true) {
            (self.file, self.onnx) = (None, None);
        }
        let Some(file) = self.file.take() else { return Ok(()) };
        #[cfg(feature = "families")]
        if let Stage::Onnx(onnx) = file.stage {
            onnx.reader.finish(&file.name)?;
            self.onnx_name = Some(file.name.clone());
            if !onnx.reader.external_files().is_empty() {
                self.onnx = Some((file.name, onnx));
            }
            return Ok(());
        }
        file.check_whole()
    }

    /// Returns the names of files beside the last file that have data of its tensors, e.g.
    /// `model.onnx_data`. They must be read next, in any order.
    #[cfg(feature = "families")]
    pub fn external_files(&self) -> Vec<String> {
        self.onnx.as_ref().map(|(_, onnx)| onnx.reader.external_files()).unwrap_or_default()
    }

    /// Returns how many of the next bytes of the current file are not needed; 0 until its header
    /// was read.
    pub fn skippable(&self) -> usize {
        match self.file.as_ref().map(|file| &file.stage) {
            Some(Stage::Data(data)) => data.skippable(|name| self.wants_tensor(name)),
            #[cfg(feature = "families")]
            Some(Stage::Pytorch(pytorch)) => pytorch.reader.skippable(),
            #[cfg(feature = "families")]
            Some(Stage::Onnx(onnx)) => onnx.reader.skippable(),
            _ => 0,
        }
    }

    /// Skips `bytes` bytes of the current file, at most [`Loader::skippable`].
    ///
    /// # Errors
    /// The errors of [`Loader::push`].
    pub fn skip(&mut self, backend: &mut B, mut bytes: usize) -> Result<()> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        #[cfg(feature = "families")]
        if let Stage::Pytorch(pytorch) = &mut file.stage {
            pytorch.reader.skip(bytes);
        }
        #[cfg(feature = "families")]
        if let Stage::Onnx(onnx) = &mut file.stage {
            onnx.reader.skip_bytes(bytes);
        }
        if let Stage::Data(data) = &mut file.stage {
            while let Some(Current { left, sink: Sink::Skip, .. }) = &mut data.current {
                let now = bytes.min(*left);
                *left -= now;
                bytes -= now;
                if *left > 0 {
                    break;
                }
                data.current = self.next_tensor(backend, &file.name, &mut data.tensors)?;
            }
        }
        self.file = Some(file);
        Ok(())
    }

    /// Makes the plan for the tensors, the first time that the names in the files are known.
    pub(super) fn know(&mut self, found: &mut dyn Iterator<Item = &str>) -> Result<()> {
        if self.plan.is_some() {
            return Ok(());
        }
        #[cfg(feature = "families")]
        let found: Vec<&str> = found.collect();
        #[cfg(feature = "families")]
        let found = &mut found.into_iter().chain(self.peft.names());
        let (plan, slots) = Plan::new(&self.config, self.part, self.options, found)?;
        self.slots = slots;
        self.plan = Some(plan);
        #[cfg(feature = "families")]
        self.check_peft()?;
        Ok(())
    }

    /// Rejects adapters of an encoder that is already loaded for another model, because they would
    /// be ignored.
    fn refuse_adapters(&self, found: &mut dyn Iterator<Item = &str>) -> Result<()> {
        // The encoder to attach to has the adapter that is named, or the adapter of a PEFT folder.
        // Small binaries are always given its number, so this code need not be in them.
        if !cfg!(any(feature = "families", feature = "train")) || self.options.adapter != 0 {
            return Ok(());
        }
        #[cfg(feature = "families")]
        if self.peft.is_read() {
            return Ok(());
        }
        for name in found {
            if self.part == Part::Head && adapted(name).is_some() && !self.wants_tensor(name) {
                let item = format_args!("tensor \"{name}\"");
                let what = format_args!(
                    " adapts the encoder, which the model that is attached to has without it: load this model by itself"
                );
                return Err(Details::new(ErrorKind::BadInput, "", item, what).error());
            }
        }
        Ok(())
    }

    /// Allocates the parameters without tensors.
    pub(super) fn allocate_zeros(&mut self, backend: &mut B) -> Result<()> {
        let mut zeros = self.slots.iter_mut().filter(|slot| slot.is_zeros);
        zeros.try_for_each(|slot| slot.allocate(backend, Precision::F32))
    }

    fn open(&mut self, backend: &mut B, file: &str, tensors: Vec<Tensor>) -> Result<Data> {
        self.prepare(
            backend,
            file,
            &tensors.iter().map(|tensor| tensor.name.as_str()).collect::<Vec<_>>(),
        )?;
        #[cfg(feature = "families")]
        if self.dry.is_some() {
            self.check_tensors(backend, file, &mut tensors.iter())?;
            return Ok(Data { tensors: Vec::new().into_iter(), current: None });
        }
        let mut data = Data { tensors: tensors.into_iter(), current: None };
        data.current = self.next_tensor(backend, file, &mut data.tensors)?;
        Ok(data)
    }

    /// Prepares for a file with tensors of these names.
    pub(super) fn prepare(&mut self, backend: &mut B, file: &str, names: &[&str]) -> Result<()> {
        self.know(&mut names.iter().copied())?;
        self.refuse_adapters(&mut names.iter().copied())?;
        #[cfg(feature = "families")]
        if self.dry.is_some() {
            return self.read_peft(backend);
        }
        self.allocate_zeros(backend)?;
        #[cfg(feature = "families")]
        self.read_peft(backend)?;
        self.take_shares(file);
        Ok(())
    }
}

/// Rejects a header whose implied size differs from the file's size.
fn check_size(file: &str, size: Option<u64>, header: usize, tensors: &[Tensor]) -> Result<()> {
    let data: u64 = tensors.iter().map(|tensor| tensor.bytes as u64).sum();
    let claimed = 8 + header as u64 + data;
    match size.filter(|size| *size != claimed) {
        Some(size) => {
            let what = format_args!(
                "the file has {size} bytes, its header makes it {claimed}: it is cut short or damaged"
            );
            let details = Details::new(ErrorKind::BadWeights, file, format_args!(""), what);
            Err(details
                .values(format_args!("{claimed} bytes"), format_args!("{size} bytes"))
                .error())
        }
        None => Ok(()),
    }
}
