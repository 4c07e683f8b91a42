//! Safetensors files that tests split and join.

use std::ops::Range;

use serde_json::{Map, Value, json};

/// A safetensors file in parts: header entries in the order of the file, and the data.
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

    /// Appends a tensor.
    pub(crate) fn push(&mut self, name: &str, dtype: &str, shape: &[usize], bytes: &[u8]) {
        let from = self.data.len();
        self.data.extend(bytes);
        let offsets = [from, self.data.len()];
        let info = json!({ "dtype": dtype, "shape": shape, "data_offsets": offsets });
        self.header.insert(name.to_owned(), info);
    }
}

/// Returns an int8 checkpoint with one scale per row. The scales come before all matrices.
pub(crate) fn quantized(file: &File) -> File {
    let (mut floats, mut integers) = (Vec::new(), Vec::new());
    for (name, info) in &file.header {
        let shape: Vec<usize> = serde_json::from_value(info["shape"].clone()).unwrap();
        let bytes = file.tensor(name);
        if shape.len() < 2 {
            floats.push((name.clone(), shape, bytes.to_vec()));
            continue;
        }
        let values: Vec<f32> =
            bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let (mut scales, mut rounded) = (Vec::new(), Vec::new());
        for row in values.chunks_exact(shape[1]) {
            let scale = row.iter().fold(0.0_f32, |max, x| max.max(x.abs())) / 127.0;
            scales.extend(scale.to_le_bytes());
            rounded.extend(row.iter().map(|x| (x / scale).round() as i8 as u8));
        }
        floats.push((format!("{name}_scale"), vec![shape[0]], scales));
        integers.push((name.clone(), shape, rounded));
    }
    let mut quantized = File { header: Map::new(), data: Vec::new() };
    for (dtype, tensors) in [("F32", floats), ("I8", integers)] {
        for (name, shape, bytes) in tensors {
            quantized.push(&name, dtype, &shape, &bytes);
        }
    }
    quantized
}
