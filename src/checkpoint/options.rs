//! What to load, and how.

#[cfg(feature = "train")]
use super::initialize::Initialize;
use crate::backend::Precision;
use crate::config::HeadKind;
use crate::{Error, Result};

/// Options of loading.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoadOptions {
    /// The head. `None` means the head named by config.json, or the best one in the file.
    pub head: Option<HeadKind>,
    /// The precision of matrices. `None` means the device's preference.
    pub precision: Option<Precision>,
    /// Identifies the adapter that the files add to the encoder; 0 if they have none. It must be
    /// given for encoders that share matrices.
    pub adapter: u32,
    /// Which missing tensors are drawn; `None` means none of them.
    #[cfg(feature = "train")]
    pub initialize: Option<Initialize>,
}

impl LoadOptions {
    /// Returns options with the precision named by `dtype`: "auto", "fp32", "fp16" or "q8". "auto"
    /// is the device's preference: q8 on the CPU, and the file's precision on a GPU.
    ///
    /// # Errors
    /// `BadInput` for another name.
    pub fn with_dtype(dtype: &str, head: Option<HeadKind>) -> Result<Self> {
        let precision = match dtype {
            "auto" => None,
            "fp32" => Some(Precision::F32),
            "fp16" => Some(Precision::F16),
            "q8" => Some(Precision::I8),
            other => {
                return Err(Error::BadInput(format!(
                    "dtype \"{other}\" is not one of auto, fp32, fp16, q8"
                )));
            }
        };
        Ok(Self {
            head,
            precision,
            adapter: 0,
            #[cfg(feature = "train")]
            initialize: None,
        })
    }
}

/// The parameters to load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The encoder and the head.
    All,
    /// The head alone; the encoder is already loaded.
    Head,
}
