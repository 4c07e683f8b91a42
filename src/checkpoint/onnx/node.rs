//! A node of the graph (`NodeProto`).

use super::tensor::TensorHead;
use super::wire::{self, Value, packed, text};
use crate::checkpoint::fault::{Outcome, bad};

/// Graphs may be nested at most this deep. Exporters nest them once, for `If` and `Loop`.
const MAX_DEPTH: usize = 32;

/// A node with its attributes.
#[derive(Debug, Default)]
pub(super) struct Node<'a> {
    pub(super) op: &'a str,
    pub(super) name: &'a str,
    pub(super) inputs: Vec<&'a str>,
    pub(super) outputs: Vec<&'a str>,
    attributes: Vec<Attribute<'a>>,
}

#[derive(Debug, Default)]
struct Attribute<'a> {
    name: &'a str,
    int: Option<i64>,
    float: Option<f32>,
    ints: Vec<u64>,
    tensor: Option<&'a [u8]>,
}

impl<'a> Node<'a> {
    /// Returns a node from the bytes of its message.
    pub(super) fn read(message: &'a [u8]) -> Outcome<Self> {
        Self::read_at(message, 0)
    }

    fn read_at(message: &'a [u8], depth: usize) -> Outcome<Self> {
        let mut node = Self::default();
        for field in wire::fields(message) {
            match field? {
                (1, Value::Bytes(input)) => node.inputs.push(text(input)?),
                (2, Value::Bytes(output)) => node.outputs.push(text(output)?),
                (3, Value::Bytes(name)) => node.name = text(name)?,
                (4, Value::Bytes(op)) => node.op = text(op)?,
                (5, Value::Bytes(attribute)) => {
                    node.attributes.push(Attribute::read(attribute, depth)?);
                }
                _ => {}
            }
        }
        Ok(node)
    }

    fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Returns an integer attribute.
    pub(super) fn int(&self, name: &str) -> Option<i64> {
        self.attribute(name)?.int
    }

    /// Returns a float attribute.
    pub(super) fn float(&self, name: &str) -> Option<f32> {
        self.attribute(name)?.float
    }

    /// Returns an attribute with a list of integers.
    pub(super) fn ints(&self, name: &str) -> Option<&[u64]> {
        Some(&self.attribute(name)?.ints)
    }

    /// Returns the tensor of a Constant node.
    pub(super) fn constant(&self) -> Outcome<Option<TensorHead>> {
        let tensor = self.attribute("value").and_then(|attribute| attribute.tensor);
        tensor.map(TensorHead::read).transpose()
    }
}

impl<'a> Attribute<'a> {
    fn read(message: &'a [u8], depth: usize) -> Outcome<Self> {
        let mut attribute = Self::default();
        for field in wire::fields(message) {
            match field? {
                (1, Value::Bytes(name)) => attribute.name = text(name)?,
                (2, Value::Fixed32(float)) => attribute.float = Some(f32::from_le_bytes(float)),
                (3, Value::Varint(int)) => attribute.int = Some(int as i64),
                (5, Value::Bytes(tensor)) => attribute.tensor = Some(tensor),
                (6 | 11, Value::Bytes(graph)) => check_graph(graph, depth + 1)?,
                (8, Value::Varint(int)) => attribute.ints.push(int),
                (8, Value::Bytes(ints)) => packed(ints, &mut attribute.ints)?,
                _ => {}
            }
        }
        Ok(attribute)
    }
}

/// Checks the nodes of a graph within a node. Their weights are not read.
fn check_graph(message: &[u8], depth: usize) -> Outcome<()> {
    if depth > MAX_DEPTH {
        return bad(format!(
            "it has graphs nested more than {MAX_DEPTH} deep: the file is damaged"
        ));
    }
    for field in wire::fields(message) {
        if let (1, Value::Bytes(node)) = field? {
            Node::read_at(node, depth)?;
        }
    }
    Ok(())
}
