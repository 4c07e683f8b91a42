//! Safetensors files that tests take apart and put together.

use std::ops::Range;

use serde_json::{Map, Value, json};

/// A safetensors file in parts: header entries in file order, and the data.
pub(crate) struct File {
    pub(crate) header: Map<String, Value>,
    pub(crate) data: Vec<u8>,
}

impl File {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let mut header: Map<String, Value> = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
        header.remove("__metadata__");
        Self { header, data: bytes[8 + length..].to_vec() }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let json = serde_json::to_vec(&self.header).unwrap();
        let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
        bytes.extend(json);
        bytes.extend(&self.data);
        bytes
    }

    pub(crate) fn range(&self, name: &str) -> Range<usize> {
        let [from, to] = [0, 1].map(|n| self.header[name]["data_offsets"][n].as_u64().unwrap());
        from as usize..to as usize
    }

    pub(crate) fn tensor(&self, name: &str) -> &[u8] {
        &self.data[self.range(name)]
    }

    pub(crate) fn tensor_mut(&mut self, name: &str) -> &mut [u8] {
        let range = self.range(name);
        &mut self.data[range]
    }

    /// Adds a tensor at the end.
    pub(crate) fn push(&mut self, name: &str, dtype: &str, shape: &[usize], bytes: &[u8]) {
        let from = self.data.len();
        self.data.extend(bytes);
        let offsets = [from, self.data.len()];
        let info = json!({ "dtype": dtype, "shape": shape, "data_offsets": offsets });
        self.header.insert(name.to_owned(), info);
    }
}
