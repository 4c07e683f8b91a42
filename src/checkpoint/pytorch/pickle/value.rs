//! The values of a pickle.

use crate::checkpoint::pytorch::globals::{Dtype, Global};

/// Index of a value in [`Machine::values`]. Containers hold indices, so nesting and cycles need
/// neither stack nor memory.
pub(in crate::checkpoint::pytorch) type Place = u32;

/// A value of a pickle.
#[derive(Debug, Clone)]
pub(in crate::checkpoint::pytorch) enum Value {
    None,
    Bool(bool),
    Int(i64),
    /// An integer of more than 64 bits, as little-endian two's complement.
    Large(Vec<u8>),
    /// A float or bytes. Tensors do not use its value.
    Other,
    Text(String),
    Tuple(Vec<Place>),
    List(Vec<Place>),
    Dict(Vec<(Place, Place)>),
    Global(Global),
    Storage(Box<StorageView>),
    Tensor(Box<View>),
}

/// A storage, or a view of a storage. Only files of the first PyTorch releases have such views.
#[derive(Debug, Clone)]
pub(in crate::checkpoint::pytorch) struct StorageView {
    pub(in crate::checkpoint::pytorch) key: String,
    /// `None` means bytes.
    pub(in crate::checkpoint::pytorch) dtype: Option<Dtype>,
    /// Elements of the whole storage.
    pub(in crate::checkpoint::pytorch) length: u64,
    /// The number of elements before the view.
    pub(in crate::checkpoint::pytorch) offset: u64,
    pub(in crate::checkpoint::pytorch) view_length: u64,
}

/// A tensor: a view of a storage.
#[derive(Debug, Clone)]
pub(in crate::checkpoint::pytorch) struct View {
    pub(in crate::checkpoint::pytorch) storage: StorageView,
    pub(in crate::checkpoint::pytorch) dtype: Dtype,
    /// Offset in elements. Strides are in elements too.
    pub(in crate::checkpoint::pytorch) offset: u64,
    pub(in crate::checkpoint::pytorch) shape: Vec<u64>,
    pub(in crate::checkpoint::pytorch) strides: Vec<u64>,
}
