//! Where the numbers of a parameter are: a tensor of the file, and the nodes between the tensor and
//! the node that computes with it.

use super::graph::{Graph, GraphNode, Id};
use crate::checkpoint::fault::{Outcome, unsupported};

/// The maximum number of nodes between a tensor and the node that computes with it.
const MAX_NODES: usize = 8;

/// The tensors that hold a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Source {
    pub(super) data: Id,
    /// Whether the tensor is the transposed parameter.
    pub(super) transposed: bool,
    pub(super) form: Form,
}

/// How the numbers are stored.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    /// As they are.
    Plain,
    /// `(number − zero point) · scale`.
    Linear {
        scale: Id,
        /// 0 if absent.
        zero: Option<Id>,
        shared: Shared,
    },
    /// The blocks of MatMulNBits, along the columns of the parameter.
    Blocks { rows: usize, cols: usize, bits: usize, block: usize, scale: Id, zero: Option<Id> },
    /// The blocks of MatMulBnb4: 4-bit numbers of a table, along the whole parameter.
    Bnb4 { rows: usize, cols: usize, block: usize, scale: Id },
}

/// Which numbers share a scale and a zero point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shared {
    All,
    /// The numbers of a row (axis 0) or a column (axis 1) of the tensor, or all of them if there is
    /// one scale.
    Axis(usize),
    /// Blocks of this many numbers along an axis of the tensor.
    Blocks {
        axis: usize,
        block: usize,
    },
}

impl Source {
    /// Returns all tensors.
    pub(super) fn parts(&self) -> impl Iterator<Item = Id> {
        let (scale, zero) = match &self.form {
            Form::Plain => (None, None),
            Form::Linear { scale, zero, .. } | Form::Blocks { scale, zero, .. } => {
                (Some(*scale), *zero)
            }
            Form::Bnb4 { scale, .. } => (Some(*scale), None),
        };
        [Some(self.data), scale, zero].into_iter().flatten()
    }
}

/// Returns the tensor behind a value that `user` takes. Returns `None` if the value depends on the
/// model's inputs.
///
/// # Errors
/// `Unsupported` if a node changes the tensor in an unknown way.
pub(super) fn origin(graph: &Graph, value: Id, user: &GraphNode) -> Outcome<Option<Source>> {
    if graph.is_dynamic(value) {
        return Ok(None);
    }
    let (mut at, mut transposed, mut form) = (value, false, Form::Plain);
    for _ in 0..MAX_NODES {
        let Some(node) = graph.producer(at) else {
            return Ok(Some(Source { data: at, transposed, form }));
        };
        match node.op.as_str() {
            "Identity" | "Cast" => {}
            "Constant" => return Ok(Some(Source { data: at, transposed, form })),
            "Transpose" if node.perm.as_ref().is_none_or(|perm| perm[..] == [1, 0]) => {
                transposed = !transposed;
            }
            "DequantizeLinear" if form == Form::Plain => {
                form = linear(graph, node, 1)?;
                // the axis is one of the stored tensor, so transpositions so far do not matter
            }
            _ => {
                return unsupported(format!(
                    "{} stands between a weight and {}",
                    node.title(),
                    user.title()
                ));
            }
        }
        let Some(input) = node.input(0) else {
            return unsupported(format!("{} has no input", node.title()));
        };
        at = input;
    }
    unsupported(format!("more than {MAX_NODES} nodes stand between a weight and {}", user.title()))
}

/// Returns the scale and the zero point of a node DequantizeLinear. `axis` is its default axis.
pub(super) fn linear(graph: &Graph, node: &GraphNode, axis: i64) -> Outcome<Form> {
    let axis = node.int("axis").unwrap_or(axis);
    let block = node.int("block_size").unwrap_or(0);
    let (scale, zero) = (node.input(1), node.input(2));
    match (scale, usize::try_from(axis), usize::try_from(block)) {
        (Some(scale), Ok(axis @ 0..=1), Ok(block)) => Ok(Form::Linear {
            scale: constant(graph, scale, node)?,
            zero: zero.map(|zero| constant(graph, zero, node)).transpose()?,
            shared: match block {
                0 => Shared::Axis(axis),
                block => Shared::Blocks { axis, block },
            },
        }),
        _ => unsupported(format!("{}: axis {axis} and blocks of {block}", node.title())),
    }
}

/// Returns the tensor of scales or zero points.
pub(super) fn constant(graph: &Graph, value: Id, user: &GraphNode) -> Outcome<Id> {
    match origin(graph, value, user)? {
        Some(Source { data, transposed: false, form: Form::Plain }) => Ok(data),
        _ => unsupported(format!(
            "{}: expected \"{}\" to be a tensor of the file",
            user.title(),
            graph.name(value)
        )),
    }
}
