//! Weights stream in: bytes are pushed as they arrive, in pieces of any size, and each lands once,
//! in the matrix it belongs to. Nothing of the file is kept but a partial row.

use std::collections::BTreeMap;

use super::WeightsOn;
use super::header::{self, Tensor};
use super::names::{canonical, choose_head, walk};
use super::rows::{Rows, decode, take};
use super::slots::{Assemble, Kind, Planner, Slot, Target};
use crate::backend::{Backend, Precision};
use crate::config::{Config, HeadKind};
use crate::json::{self, Object};
use crate::{Error, Result};

/// Suffix of the tensor that holds the row scales of an int8 tensor: `[rows]`, F32, earlier in the
/// same file.
const SCALE_SUFFIX: &str = "_scale";

/// What to load.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The head; `None`: the one config.json names, or the file's best.
    pub head: Option<HeadKind>,
    /// How matrices are kept; `None`: as they are in the file.
    pub precision: Option<Precision>,
}

/// A model's parameters on their backend.
pub struct Loaded<B: Backend> {
    /// The backend that holds them.
    pub backend: B,
    /// The parameters.
    pub weights: WeightsOn<B>,
    /// How many numbers they are.
    pub parameters: usize,
    /// How the matrices are kept: the precision of the word table.
    pub precision: Precision,
    /// Bytes of memory they take.
    pub bytes: usize,
}

/// Reads one checkpoint, one safetensors file after another.
pub struct Loader<B: Backend> {
    config: Config,
    options: Options,
    backend: B,
    plan: Option<Plan>,
    slots: Vec<Slot<B>>,
    /// Row scales of the int8 tensors still to come.
    scales: Vec<(String, Vec<f32>)>,
    file: Option<File>,
}

/// Which slot each tensor goes to.
struct Plan {
    head: HeadKind,
    /// Canonical names of the tensors by which it was made: all of an index or of the first file.
    /// Every walk has to go by the same.
    tensors: Vec<String>,
    targets: BTreeMap<String, Target>,
}

struct File {
    name: String,
    /// Its length in bytes, where it is known.
    size: Option<u64>,
    stage: Stage,
}

enum Stage {
    Length(Vec<u8>),
    Header { length: usize, json: Vec<u8> },
    Data(Data),
}

/// The data section: whole tensors, one after another.
struct Data {
    tensors: std::vec::IntoIter<Tensor>,
    current: Option<Current>,
}

struct Current {
    name: String,
    left: usize,
    sink: Sink,
}

/// The part of a parameter's memory that has to have arrived, in bytes of the file, before the
/// rest of it is taken: a header is no reason to trust that the other bytes will come.
const SHARE: usize = 8;

/// The memory that is taken for a parameter in any case, in bytes.
const TRUSTED: usize = 1 << 20;

/// Where a tensor's bytes go.
enum Sink {
    Skip,
    Scales {
        bytes: Vec<u8>,
    },
    /// The first bytes of a parameter that is not in memory yet.
    Early {
        rows: Rows,
        precision: Precision,
        bytes: Vec<u8>,
    },
    Rows(Rows),
}

impl<B: Backend> Loader<B> {
    /// A loader for the model `config` describes.
    ///
    /// # Errors
    /// `Unsupported` where `index` shows that the head is not there; `BadWeights` for a bad index.
    pub fn new(config: Config, backend: B, options: Options, index: Option<&[u8]>) -> Result<Self> {
        let mut loader = Self {
            config,
            options,
            backend,
            plan: None,
            slots: Vec::new(),
            scales: Vec::new(),
            file: None,
        };
        if let Some(json) = index {
            let name = "model.safetensors.index.json";
            let index: Object<'_> = json::read(name, json).map_err(Error::BadWeights)?;
            let Some(map) = index.get_as::<Object<'_>>("weight_map") else {
                return Err(Error::BadWeights(format!("{name}: there is no weight_map in it")));
            };
            loader.know(map.0.iter().map(|(name, _)| &**name))?;
        }
        Ok(loader)
    }

    /// Begins a file; `name` is for messages.
    ///
    /// # Errors
    /// `BadWeights` where the one before is not complete.
    pub fn begin_file(&mut self, name: &str) -> Result<()> {
        self.end_file()?;
        let stage = Stage::Length(Vec::new());
        self.file = Some(File { name: name.to_owned(), size: None, stage });
        Ok(())
    }

    /// Tells the length of the current file, in bytes: one whose header claims another is refused
    /// before there is memory for what it claims.
    pub fn expect_size(&mut self, size: u64) {
        if let Some(file) = &mut self.file {
            file.size = Some(size);
        }
    }

    /// The next bytes of the current file.
    ///
    /// # Errors
    /// `BadWeights` naming the file and tensor at fault, `OutOfMemory`, `Unsupported`. A loader
    /// that failed can only be dropped.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<()> {
        let Some(mut file) = self.file.take() else {
            return Err(Error::BadWeights("weights arrived before a file was begun".into()));
        };
        while !bytes.is_empty() {
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
                        Stage::Data(self.open(&file.name, file.size, &json)?)
                    } else {
                        Stage::Header { length, json }
                    }
                }
                Stage::Data(mut data) => {
                    self.data(&file.name, &mut data, &mut bytes)?;
                    Stage::Data(data)
                }
            };
        }
        self.file = Some(file);
        Ok(())
    }

    /// Ends the current file, if there is one.
    ///
    /// # Errors
    /// `BadWeights` where bytes are missing.
    pub fn end_file(&mut self) -> Result<()> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let ended_in = match file.stage {
            Stage::Length(_) | Stage::Header { .. } => "its header".to_owned(),
            Stage::Data(mut data) => {
                let empty = data.tensors.find(|tensor| tensor.bytes > 0).map(|tensor| tensor.name);
                match data.current.map(|current| current.name).or(empty) {
                    Some(name) => format!("tensor \"{name}\""),
                    None => return Ok(()),
                }
            }
        };
        Err(Error::BadWeights(format!("{} ends within {ended_in}: it is cut short", file.name)))
    }

    /// The backend that is loaded to.
    pub fn backend(&mut self) -> &mut B {
        &mut self.backend
    }

    /// How matrices are kept: the precision of the first that has come.
    pub fn precision(&self) -> Option<Precision> {
        self.slots.iter().find_map(|slot| match &slot.kind {
            Kind::Matrix(Some((_, precision))) => Some(*precision),
            _ => None,
        })
    }

    /// The model's parameters in zeros and memory of their own, all in one precision; `None` before
    /// a file or the index has told which tensors there are.
    ///
    /// # Errors
    /// As [`Backend::matrix`].
    pub fn outline(&mut self, precision: Precision) -> Result<Option<WeightsOn<B>>> {
        let Some(plan) = &self.plan else { return Ok(None) };
        let mut slots: Vec<_> = self.slots.iter().map(Slot::empty).collect();
        for slot in &mut slots {
            slot.allocate(&mut self.backend, precision)?;
        }
        let has = |name: &str| plan.tensors.iter().any(|tensor| tensor == name);
        let mut assemble = Assemble { slots: slots.into_iter(), has: &has };
        walk(&self.config, plan.head, &mut assemble).map(Some)
    }

    /// Hands over the model.
    ///
    /// # Errors
    /// `BadWeights` naming the tensors that never came.
    pub fn finish(mut self) -> Result<Loaded<B>> {
        self.end_file()?;
        let precision = self.precision().unwrap_or(Precision::F32);
        let Some(plan) = self.plan else {
            return Err(Error::BadWeights("no weights file was given".into()));
        };
        let mut missing = plan.targets.iter().filter(|(_, target)| !target.filled);
        if let Some((first, _)) = missing.next() {
            return Err(Error::BadWeights(format!(
                "{} of {} tensors are missing, among them \"{first}\"",
                missing.count() + 1,
                plan.targets.len()
            )));
        }
        let parameters = self.slots.iter().map(|slot| slot.rows * slot.cols).sum();
        let bytes = self.slots.iter().map(Slot::bytes).sum();
        let has = |name: &str| plan.tensors.iter().any(|tensor| tensor == name);
        let mut assemble = Assemble { slots: self.slots.into_iter(), has: &has };
        let weights = walk(&self.config, plan.head, &mut assemble)?;
        Ok(Loaded { backend: self.backend, weights, parameters, precision, bytes })
    }

    /// Plans where the tensors go, the first time that any are `found`.
    fn know<'a>(&mut self, found: impl Iterator<Item = &'a str>) -> Result<()> {
        if self.plan.is_some() {
            return Ok(());
        }
        let tensors: Vec<_> = found.map(|name| canonical(self.config.family, name)).collect();
        let has = |name: &str| tensors.iter().any(|tensor| tensor == name);
        let head = choose_head(&self.config, self.options.head, &has)?;
        let mut planner = Planner { slots: Vec::new(), targets: BTreeMap::new(), has: &has };
        walk(&self.config, head, &mut planner)?;
        let Planner { slots, targets, .. } = planner;
        self.slots = slots;
        self.plan = Some(Plan { head, tensors, targets });
        Ok(())
    }

    fn open(&mut self, file: &str, size: Option<u64>, json: &[u8]) -> Result<Data> {
        let tensors = header::tensors(file, json)?;
        let data: u64 = tensors.iter().map(|tensor| tensor.bytes as u64).sum();
        let claimed = 8 + json.len() as u64 + data;
        if let Some(size) = size.filter(|size| *size != claimed) {
            return Err(Error::BadWeights(format!(
                "{file} has {size} bytes, its header makes it {claimed}: it is cut short or damaged"
            )));
        }
        self.know(tensors.iter().map(|tensor| tensor.name.as_str()))?;
        let mut data = Data { tensors: tensors.into_iter(), current: None };
        data.current = self.next_tensor(file, &mut data.tensors)?;
        Ok(data)
    }

    /// The next tensor that has bytes.
    fn next_tensor(
        &mut self,
        file: &str,
        tensors: &mut std::vec::IntoIter<Tensor>,
    ) -> Result<Option<Current>> {
        for tensor in tensors {
            let sink = self.sink(file, &tensor)?;
            if tensor.bytes > 0 {
                return Ok(Some(Current { name: tensor.name, left: tensor.bytes, sink }));
            }
        }
        Ok(None)
    }

    fn data(&mut self, file: &str, data: &mut Data, bytes: &mut &[u8]) -> Result<()> {
        let Some(current) = &mut data.current else {
            return Err(Error::BadWeights(format!(
                "{file} goes on for at least {} bytes after its last tensor",
                bytes.len()
            )));
        };
        let (now, later) = bytes.split_at(bytes.len().min(current.left));
        *bytes = later;
        current.left -= now.len();
        let mut early = Vec::new();
        if let Sink::Early { rows, precision, bytes } = &mut current.sink {
            bytes.extend_from_slice(now);
            let slot = &mut self.slots[rows.slot()];
            let share = slot.claim(*precision).unwrap_or_default() / SHARE;
            if current.left > 0 && bytes.len() < share {
                return Ok(());
            }
            slot.allocate(&mut self.backend, *precision)?;
            early = std::mem::take(bytes);
            current.sink = Sink::Rows(rows.clone());
        }
        let now = if early.is_empty() { now } else { &early };
        match &mut current.sink {
            Sink::Skip | Sink::Early { .. } => {}
            Sink::Scales { bytes } => bytes.extend_from_slice(now),
            Sink::Rows(rows) => {
                let name = canonical(self.config.family, &current.name);
                let scales = self.scales.iter().find(|(of, _)| *of == name);
                let scales = scales.map_or(&[][..], |(_, scales)| scales);
                let slot = &mut self.slots[rows.slot()];
                rows.push(&mut self.backend, slot, scales, now).map_err(|row| {
                    Error::BadWeights(format!(
                        "{file}: tensor \"{}\" has NaN or infinity in row {row}, expected finite numbers",
                        current.name
                    ))
                })?;
            }
        }
        if current.left == 0 {
            self.close(data.current.take());
            data.current = self.next_tensor(file, &mut data.tensors)?;
        }
        Ok(())
    }

    fn close(&mut self, current: Option<Current>) {
        let Some(current) = current else { return };
        let name = canonical(self.config.family, &current.name);
        match current.sink {
            Sink::Skip | Sink::Early { .. } => {}
            Sink::Scales { bytes } => {
                let mut scales = Vec::new();
                decode(Precision::F32, &bytes, &mut scales);
                self.scales.push((name.trim_end_matches(SCALE_SUFFIX).to_owned(), scales));
            }
            Sink::Rows(_) => {
                if let Some(target) = self.plan.as_mut().and_then(|p| p.targets.get_mut(&name)) {
                    target.filled = true;
                }
                self.scales.retain(|(of, _)| *of != name);
            }
        }
    }

    /// Decides where a tensor goes and makes room for it.
    fn sink(&mut self, file: &str, tensor: &Tensor) -> Result<Sink> {
        let name = canonical(self.config.family, &tensor.name);
        let bad =
            |what: String| Error::BadWeights(format!("{file}: tensor \"{}\" {what}", tensor.name));
        let Some(plan) = &self.plan else { return Ok(Sink::Skip) };
        if let Some(target) = name.strip_suffix(SCALE_SUFFIX).and_then(|of| plan.targets.get(of)) {
            if tensor.dtype != "F32" || tensor.shape.iter().product::<usize>() != target.rows {
                return Err(bad(format!(
                    "is {} {:?}, expected the F32 scales of {} rows",
                    tensor.dtype, tensor.shape, target.rows
                )));
            }
            return Ok(Sink::Scales { bytes: Vec::new() });
        }
        let Some(&target) = plan.targets.get(&name) else { return Ok(Sink::Skip) };
        let slot = &mut self.slots[target.slot];
        let expected = match slot.kind {
            Kind::Matrix(_) => vec![target.rows, slot.cols],
            Kind::Vector(_) => vec![target.rows],
        };
        if tensor.shape != expected {
            return Err(bad(format!(
                "has shape {:?}, config.json makes it {expected:?}",
                tensor.shape
            )));
        }
        let stored = match tensor.dtype {
            "F32" => Precision::F32,
            "F16" => Precision::F16,
            "BF16" => Precision::Bf16,
            "I8" if matches!(slot.kind, Kind::Matrix(_)) => Precision::I8,
            other => return Err(bad(format!("is {other}, expected F32, F16, BF16 or I8"))),
        };
        if stored == Precision::I8 && !self.scales.iter().any(|(of, _)| *of == name) {
            return Err(bad(format!(
                "is int8: its row scales, \"{}{SCALE_SUFFIX}\", must come before it",
                tensor.name
            )));
        }
        let precision = self.options.precision.unwrap_or(stored);
        let rows = Rows::new(target, stored);
        // What there can be no memory for is refused before any of it has to arrive.
        let at_once = slot.claim(precision).is_none_or(|claim| claim <= TRUSTED);
        if slot.is_allocated() || at_once {
            slot.allocate(&mut self.backend, precision)?;
            return Ok(Sink::Rows(rows));
        }
        Ok(Sink::Early { rows, precision, bytes: Vec::new() })
    }
}
