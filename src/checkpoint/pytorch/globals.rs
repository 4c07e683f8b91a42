//! The names that a pickle may use.

/// The type of a tensor's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dtype {
    /// The name in safetensors.
    pub(super) name: &'static str,
    /// Bytes of an element.
    pub(super) width: u64,
}

/// The meaning of an allowed name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Global {
    OrderedDict,
    Size,
    /// `torch.Tensor`, or the class of parameters.
    Tensor,
    /// `None` means bytes.
    Storage(Option<Dtype>),
    Dtype(Dtype),
    Rebuild(Rebuild),
    /// A function that returns a tensor with attributes.
    TypedTensor,
    /// Bytes, as written by older protocols.
    Bytes,
}

/// A function that returns a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rebuild {
    /// Arguments: storage, offset, shape and strides. Newer versions add requires_grad, hooks and
    /// metadata.
    Tensor,
    /// The arguments of `Tensor` with a dtype before the metadata.
    TensorV3,
    /// Arguments: tensor, requires_grad, hooks, state.
    Parameter,
}

impl Global {
    /// Returns the name for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::OrderedDict => "collections.OrderedDict",
            Self::Size => "torch.Size",
            Self::Tensor => "torch.Tensor",
            Self::Storage(_) => "a storage",
            Self::Dtype(_) => "a dtype",
            Self::Bytes => "_codecs.encode",
            Self::Rebuild(_) | Self::TypedTensor => "a function that makes tensors",
        }
    }
}

/// The dtypes. Each row has the storage class without "Storage" at its end, the name in `torch`,
/// the name in safetensors, and the bytes of an element. Dtypes without a class have storages of
/// bytes.
const DTYPES: [(&str, &str, &str, u64); 18] = [
    ("Float", "float32", "F32", 4),
    ("Double", "float64", "F64", 8),
    ("Half", "float16", "F16", 2),
    ("BFloat16", "bfloat16", "BF16", 2),
    ("Long", "int64", "I64", 8),
    ("Int", "int32", "I32", 4),
    ("Short", "int16", "I16", 2),
    ("Char", "int8", "I8", 1),
    ("Byte", "uint8", "U8", 1),
    ("Bool", "bool", "BOOL", 1),
    ("ComplexFloat", "complex64", "C64", 8),
    ("ComplexDouble", "complex128", "C128", 16),
    ("", "uint16", "U16", 2),
    ("", "uint32", "U32", 4),
    ("", "uint64", "U64", 8),
    ("", "float8_e4m3fn", "F8_E4M3", 1),
    ("", "float8_e5m2", "F8_E5M2", 1),
    ("", "float8_e8m0fnu", "F8_E8M0", 1),
];

/// Returns the meaning of a name; `None` if it is not allowed.
pub(super) fn global(module: &str, name: &str) -> Option<Global> {
    let dtype = |found: &(&str, &str, &'static str, u64)| Dtype { name: found.2, width: found.3 };
    match (module, name) {
        ("collections", "OrderedDict") => Some(Global::OrderedDict),
        ("torch", "Size") => Some(Global::Size),
        ("torch", "Tensor") | ("torch.nn.parameter", "Parameter") => Some(Global::Tensor),
        ("torch._utils", "_rebuild_tensor" | "_rebuild_tensor_v2") => {
            Some(Global::Rebuild(Rebuild::Tensor))
        }
        ("torch._utils", "_rebuild_tensor_v3") => Some(Global::Rebuild(Rebuild::TensorV3)),
        ("torch._utils", "_rebuild_parameter" | "_rebuild_parameter_with_state") => {
            Some(Global::Rebuild(Rebuild::Parameter))
        }
        ("_codecs", "encode") => Some(Global::Bytes),
        ("torch._tensor", "_rebuild_from_type_v2") => Some(Global::TypedTensor),
        ("torch" | "torch.storage", "UntypedStorage") => Some(Global::Storage(None)),
        ("torch" | "torch.cuda", name) => match name.strip_suffix("Storage") {
            Some(class) if !class.is_empty() => DTYPES
                .iter()
                .find(|known| known.0 == class)
                .map(|known| Global::Storage(Some(dtype(known)))),
            _ if module == "torch" => {
                DTYPES.iter().find(|known| known.1 == name).map(|known| Global::Dtype(dtype(known)))
            }
            _ => None,
        },
        _ => None,
    }
}
