//! A checkpoint with tensors in any dtype, some of them invalid. Read in pieces of any size, it
//! yields the same model or error as read whole.

use serde_json::{Map, json};
use webert::config::HeadKind;

use super::safetensors::check_pieces;
use super::source::Source;
use super::tiny::{self, Tensor};

const DTYPES: [&str; 4] = ["auto", "fp32", "fp16", "q8"];

pub fn run(data: &[u8]) -> bool {
    let mut source = Source::new(data);
    let (dtype, piece) = (source.one_of(&DTYPES), 1 + usize::from(source.byte()) * 3);
    let kind = HeadKind::MaskedLm;
    let files = tiny::files(kind, 1);
    let mut file = File::default();
    let mut expect = Expect::Loads;
    for tensor in tiny::tensors(&files, kind) {
        expect = expect.and(file.store(tensor, &mut source));
    }
    let found = check_pieces(&files, dtype, "model.safetensors", &file.bytes(), piece);
    match expect {
        Expect::Loads => assert_eq!(found, "ok"),
        Expect::Refused => assert_eq!(found, "bad_weights"),
    }
    expect == Expect::Loads
}

/// Expected result of loading a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    Loads,
    Refused,
}

impl Expect {
    fn and(self, other: Self) -> Self {
        if self == Self::Loads { other } else { self }
    }
}

#[derive(Default)]
struct File {
    header: Map<String, serde_json::Value>,
    data: Vec<u8>,
}

impl File {
    /// Adds a tensor. A byte chooses how; most ways are valid.
    fn store(&mut self, mut tensor: Tensor, source: &mut Source<'_>) -> Expect {
        let is_matrix = tensor.shape.len() == 2;
        match source.byte() {
            250 => return Expect::Refused, // the tensor is missing
            251 => {
                tensor.shape.reverse();
                let square = tensor.shape.len() == 1 || tensor.shape[0] == tensor.shape[1];
                self.floats(&tensor);
                return if square { Expect::Loads } else { Expect::Refused };
            }
            252 => {
                let place = source.below(tensor.data.len());
                tensor.data[place] = source.one_of(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
                self.floats(&tensor);
                return Expect::Refused;
            }
            253 => {
                let bytes = tensor.data.iter().flat_map(|&number| f64::from(number).to_le_bytes());
                self.push(&tensor.name, "F64", &tensor.shape, bytes.collect());
                return Expect::Refused;
            }
            254 if is_matrix => {
                self.integers(&tensor, source); // without their scales
                return Expect::Refused;
            }
            way => match way % 4 {
                1 => self.halves(&tensor, "F16", source),
                2 => self.halves(&tensor, "BF16", source),
                3 if is_matrix => {
                    let scales = vec![0.01_f32; tensor.shape[0]];
                    let bytes = scales.iter().flat_map(|scale| scale.to_le_bytes()).collect();
                    self.push(&format!("{}_scale", tensor.name), "F32", &tensor.shape[..1], bytes);
                    self.integers(&tensor, source);
                }
                _ => self.floats(&tensor),
            },
        }
        Expect::Loads
    }

    fn floats(&mut self, tensor: &Tensor) {
        let bytes = tensor.data.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.push(&tensor.name, "F32", &tensor.shape, bytes);
    }

    /// Adds finite 16-bit numbers: the highest bit of the exponent is always 0.
    fn halves(&mut self, tensor: &Tensor, dtype: &str, source: &mut Source<'_>) {
        let number = |_| [source.byte(), source.byte() & 0xbf];
        let bytes = (0..tensor.data.len()).flat_map(number).collect();
        self.push(&tensor.name, dtype, &tensor.shape, bytes);
    }

    fn integers(&mut self, tensor: &Tensor, source: &mut Source<'_>) {
        let bytes = (0..tensor.data.len()).map(|_| source.byte()).collect();
        self.push(&tensor.name, "I8", &tensor.shape, bytes);
    }

    fn push(&mut self, name: &str, dtype: &str, shape: &[usize], bytes: Vec<u8>) {
        let start = self.data.len();
        self.data.extend(bytes);
        let offsets = [start, self.data.len()];
        self.header.insert(
            name.to_owned(),
            json!({ "dtype": dtype, "shape": shape, "data_offsets": offsets }),
        );
    }

    fn bytes(self) -> Vec<u8> {
        let json = serde_json::to_vec(&self.header).expect("a map of JSON values");
        [&(json.len() as u64).to_le_bytes()[..], &json, &self.data].concat()
    }
}
