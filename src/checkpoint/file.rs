//! A safetensors file while it arrives: its header, then whole tensors, one after another.

use super::adapters::Side;
use super::header::{Tensor, bad_file};
#[cfg(feature = "families")]
use super::other_formats::OtherFormat;
use super::rows::{Rows, Stored};
#[cfg(feature = "families")]
use super::{onnx, pytorch};
use crate::Result;
use crate::backend::Precision;

pub(super) struct File {
    pub(super) name: String,
    /// Length of the file in bytes, if known.
    pub(super) size: Option<u64>,
    pub(super) stage: Stage,
}

pub(super) enum Stage {
    Length(Vec<u8>),
    Header {
        length: usize,
        json: Vec<u8>,
    },
    Data(Data),
    #[cfg(feature = "families")]
    Pytorch(OtherFormat<pytorch::Reader>),
    #[cfg(feature = "families")]
    Onnx(Box<OtherFormat<onnx::Reader>>),
}

/// The data section: whole tensors, one after another.
pub(super) struct Data {
    /// The tensors after the current one.
    pub(super) tensors: std::vec::IntoIter<Tensor>,
    pub(super) current: Option<Current>,
}

pub(super) struct Current {
    pub(super) name: String,
    pub(super) left: usize,
    pub(super) sink: Sink,
}

/// The destination of a tensor's bytes.
pub(super) enum Sink {
    Skip,
    /// The scales of an int8 tensor's rows.
    Scales {
        stored: Stored,
        bytes: Vec<u8>,
    },
    /// The first bytes of a parameter without allocated memory.
    Early {
        rows: Rows,
        precision: Precision,
        bytes: Vec<u8>,
    },
    /// A factor of an adapter. It is kept until its matrix is read.
    Factor {
        of: String,
        side: Side,
        rank: usize,
        stored: Stored,
        bytes: Vec<u8>,
    },
    Rows(Rows),
}

impl File {
    pub(super) fn new(name: &str) -> Self {
        let stage = Stage::Length(Vec::new());
        #[cfg(feature = "families")]
        let stage = match name {
            name if pytorch::Reader::reads(name) => {
                Stage::Pytorch(OtherFormat::new(pytorch::Reader::new()))
            }
            name if onnx::Reader::reads(name) => {
                Stage::Onnx(Box::new(OtherFormat::new(onnx::Reader::new())))
            }
            _ => stage,
        };
        Self { name: name.to_owned(), size: None, stage }
    }

    /// Returns an error if bytes of the file are missing.
    pub(super) fn check_whole(self) -> Result<()> {
        let ended_in = match self.stage {
            Stage::Length(_) | Stage::Header { .. } => "its header".to_owned(),
            Stage::Data(mut data) => {
                let empty = data.tensors.find(|tensor| tensor.bytes > 0).map(|tensor| tensor.name);
                match data.current.map(|current| current.name).or(empty) {
                    Some(name) => format!("tensor \"{name}\""),
                    None => return Ok(()),
                }
            }
            #[cfg(feature = "families")]
            Stage::Pytorch(pytorch) => return pytorch.reader.finish(&self.name),
            #[cfg(feature = "families")]
            Stage::Onnx(onnx) => return onnx.reader.finish(&self.name),
        };
        Err(bad_file(&self.name, format_args!("the file ends within {ended_in}: it is cut short")))
    }
}

impl Data {
    /// Returns how many of the next bytes can be skipped. `wants` decides for each of the later
    /// tensors.
    pub(super) fn skippable(&self, wants: impl Fn(&str) -> bool) -> usize {
        match &self.current {
            Some(Current { left, sink: Sink::Skip, .. }) => {
                let later = self.tensors.as_slice().iter();
                let unwanted = later.take_while(|tensor| !wants(&tensor.name));
                left + unwanted.map(|tensor| tensor.bytes).sum::<usize>()
            }
            _ => 0,
        }
    }
}
