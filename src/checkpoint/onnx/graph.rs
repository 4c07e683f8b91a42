//! The graph: which node takes and returns which value.

use std::collections::HashMap;

use super::node::Node;
use crate::checkpoint::fault::{Outcome, bad};

/// The number of a value: a result of a node, a tensor of the file or an input of the model.
pub(super) type Id = usize;

/// Inputs of the models. All values that depend on them are computed anew for each text.
const INPUTS: [&str; 6] =
    ["input_ids", "attention_mask", "token_type_ids", "position_ids", "inputs_embeds", "task_id"];

/// A node of the graph.
#[derive(Debug)]
pub(super) struct GraphNode {
    pub(super) op: String,
    pub(super) name: String,
    pub(super) inputs: Vec<Id>,
    pub(super) outputs: Vec<Id>,
    ints: Vec<(&'static str, i64)>,
    /// `alpha` and `beta` of a Gemm, 1 by default.
    pub(super) factors: [f32; 2],
    /// The axes of a Transpose, in order.
    pub(super) perm: Option<Vec<u64>>,
}

/// Attributes that decide how a weight is stored.
const INTS: [&str; 14] = [
    "transA",
    "transB",
    "axis",
    "bits",
    "block_size",
    "N",
    "K",
    "quant_type",
    "gather_axis",
    "quantize_axis",
    "to",
    "transBatchB",
    "num_heads",
    "blocked_axis",
];

impl GraphNode {
    /// Returns an integer attribute.
    pub(super) fn int(&self, name: &str) -> Option<i64> {
        self.ints.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// Returns an input; `None` if the node does not have it.
    pub(super) fn input(&self, n: usize) -> Option<Id> {
        self.inputs.get(n).copied().filter(|&id| id != NOTHING)
    }

    /// Returns the first result.
    pub(super) fn output(&self) -> Id {
        self.outputs.first().copied().unwrap_or(NOTHING)
    }

    /// Returns the node's name and operation, for messages.
    pub(super) fn title(&self) -> String {
        format!("node \"{}\" ({})", self.name, self.op)
    }
}

/// The id of the empty name, which stands for an absent input.
pub(super) const NOTHING: Id = 0;

/// All nodes.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<GraphNode>,
    names: Vec<String>,
    ids: HashMap<String, Id>,
    /// By value: the node that returns it.
    producers: Vec<Option<usize>>,
    /// By value: the nodes that take it.
    consumers: Vec<Vec<usize>>,
    /// By value: whether it depends on the model's inputs.
    dynamic: Vec<bool>,
    /// By node: whether one of its inputs does.
    computes: Vec<bool>,
}

impl Default for Graph {
    fn default() -> Self {
        let mut graph = Self {
            nodes: Vec::new(),
            names: Vec::new(),
            ids: HashMap::new(),
            producers: Vec::new(),
            consumers: Vec::new(),
            dynamic: Vec::new(),
            computes: Vec::new(),
        };
        graph.intern("");
        graph
    }
}

impl Graph {
    fn intern(&mut self, name: &str) -> Id {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.names.len();
        self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        self.producers.push(None);
        self.consumers.push(Vec::new());
        id
    }

    /// Adds a node.
    pub(super) fn add(&mut self, node: &Node<'_>) -> Outcome<()> {
        let number = self.nodes.len();
        let inputs: Vec<_> = node.inputs.iter().map(|name| self.intern(name)).collect();
        let outputs: Vec<_> = node.outputs.iter().map(|name| self.intern(name)).collect();
        for &id in inputs.iter().filter(|&&id| id != NOTHING) {
            if self.consumers[id].last() != Some(&number) {
                self.consumers[id].push(number);
            }
        }
        for &id in outputs.iter().filter(|&&id| id != NOTHING) {
            if self.producers[id].replace(number).is_some() {
                return bad(format!(
                    "two nodes return \"{}\": the file is damaged",
                    self.names[id]
                ));
            }
        }
        self.nodes.push(GraphNode {
            op: node.op.to_owned(),
            name: node.name.to_owned(),
            inputs,
            outputs,
            ints: INTS.iter().filter_map(|name| Some((*name, node.int(name)?))).collect(),
            factors: ["alpha", "beta"].map(|name| node.float(name).unwrap_or(1.0)),
            perm: node.ints("perm").map(<[u64]>::to_vec),
        });
        Ok(())
    }

    /// Marks the values that depend on the model's inputs. Must be called after the last node.
    pub(super) fn mark_dynamic(&mut self) {
        self.dynamic = vec![false; self.names.len()];
        self.computes = vec![false; self.nodes.len()];
        let mut waiting: Vec<Id> = INPUTS.iter().filter_map(|name| self.id(name)).collect();
        while let Some(id) = waiting.pop() {
            if std::mem::replace(&mut self.dynamic[id], true) {
                continue;
            }
            for &node in &self.consumers[id] {
                if !std::mem::replace(&mut self.computes[node], true) {
                    let outputs = self.nodes[node].outputs.iter();
                    waiting.extend(outputs.filter(|&&id| id != NOTHING));
                }
            }
        }
    }

    /// Returns the id of a value that a node takes or returns.
    pub(super) fn id(&self, name: &str) -> Option<Id> {
        self.ids.get(name).copied()
    }

    pub(super) fn name(&self, id: Id) -> &str {
        &self.names[id]
    }

    /// Returns all values except the empty name.
    pub(super) fn values(&self) -> std::ops::Range<Id> {
        NOTHING + 1..self.names.len()
    }

    /// Returns the node that returns a value; `None` for tensors of the file and inputs.
    pub(super) fn producer(&self, id: Id) -> Option<&GraphNode> {
        self.nodes.get((*self.producers.get(id)?)?)
    }

    /// Returns the nodes that take a value.
    pub(super) fn consumers(&self, id: Id) -> impl Iterator<Item = &GraphNode> {
        self.consumers[id].iter().map(|&node| &self.nodes[node])
    }

    /// Returns the nodes that take a value, and whether each of them computes with the model's
    /// inputs.
    pub(super) fn users(&self, id: Id) -> impl Iterator<Item = (&GraphNode, bool)> {
        let computes = |node: usize| self.computes.get(node).copied().unwrap_or_default();
        self.consumers[id].iter().map(move |&node| (&self.nodes[node], computes(node)))
    }

    /// Returns whether a value depends on the model's inputs.
    pub(super) fn is_dynamic(&self, id: Id) -> bool {
        self.dynamic.get(id).copied().unwrap_or_default()
    }

    /// Returns whether a name is one of the model's inputs.
    pub(super) fn is_input(name: &str) -> bool {
        INPUTS.contains(&name)
    }
}
