//! Weights in ONNX files. The graph is not run: it shows which tensor is which parameter. Bytes are
//! pushed as they arrive, in pieces of any size, and are passed on to a [`Consumer`].
//!
//! A file is a Protocol Buffers message, `ModelProto` (<https://github.com/onnx/onnx>, onnx.proto).
//! Writers put the nodes of its graph before the tensors, so the parameters are known when the
//! tensors arrive. Only tensors that must be transposed or wait for their scales are kept in memory.

mod external;
mod graph;
mod node;
mod source;
mod tensor;
mod values;
mod wanted;
mod weights;
mod wire;

use super::fault::{Fault, Outcome, append, bad, unsupported};
use super::header::Tensor;
use crate::Result;
use crate::config::Config;
use graph::Graph;
use node::Node;
use tensor::{External, RAW_DATA, TensorHead};
use wanted::{Begin, Wanted};
use wire::{Field, Head, Value};

/// Receives the parameters of a file.
pub(super) trait Consumer {
    /// Returns the model's config.
    fn config(&self) -> &Config;
    /// Is called once with the names of all parameters of the file, before the methods below.
    /// `has_own_decoder`: the file rounds the decoder of a masked LM by itself, so it differs from
    /// the word table even if both are tied.
    fn found(&mut self, names: &[&str], has_own_decoder: bool) -> Result<()>;
    /// Returns whether a parameter is needed.
    fn wants(&self, name: &str) -> bool;
    /// Begins a parameter. All its bytes follow.
    fn begin(&mut self, tensor: &Tensor) -> Result<()>;
    /// Receives the next bytes of the current parameter.
    fn push(&mut self, bytes: &[u8]) -> Result<()>;
}

/// What helps if a file is not supported.
const WAY_OUT: &str = "Way out: load another ONNX file of the model (dtype, model_file_name), or the checkpoint that it was exported from";

/// Bytes that are read before the format is checked. A web page or a Git LFS pointer can be
/// recognised from them.
const START: usize = 24;

/// The maximum bytes of a node, which is kept in memory. Nodes hold small constants.
const MAX_NODE: u64 = 64 << 20;

/// Reads one file, and the files with its external data.
pub(super) struct Reader {
    /// Bytes of an incomplete field head.
    head: Vec<u8>,
    /// Offset of the next byte.
    position: u64,
    is_started: bool,
    has_graph: bool,
    /// Offset after the graph, or after the current tensor.
    graph_end: Option<u64>,
    tensor_end: Option<u64>,
    task: Task,
    tensor: TensorHead,
    /// The nodes, until the first tensor.
    graph: Option<Graph>,
    /// Tensors of nodes Constant.
    constants: Vec<TensorHead>,
    wanted: Option<Wanted>,
    /// Tensors of the current file of external data, in order; the last one comes first.
    external: Vec<(TensorHead, External)>,
    /// Whether the current file has external data.
    is_external: bool,
}

/// What the next bytes are.
enum Task {
    /// The head of a field.
    Field,
    /// Bytes that are not needed.
    Skip(u64),
    /// The bytes of a field, which are kept.
    Keep { number: u64, left: u64, bytes: Vec<u8> },
    /// The data of a tensor that is passed on.
    Flow(u64),
}

impl Reader {
    /// Returns whether a file with this name is read as an ONNX file.
    pub(super) fn reads(name: &str) -> bool {
        name.ends_with(".onnx")
    }

    pub(super) fn new() -> Self {
        Self {
            head: Vec::new(),
            position: 0,
            is_started: false,
            has_graph: false,
            graph_end: None,
            tensor_end: None,
            task: Task::Field,
            tensor: TensorHead::default(),
            graph: Some(Graph::default()),
            constants: Vec::new(),
            wanted: None,
            external: Vec::new(),
            is_external: false,
        }
    }

    /// Reads the next bytes of `file`, which has `size` bytes if known.
    ///
    /// # Errors
    /// `BadWeights` for a damaged file, `Unsupported` for a graph that is not understood, and the
    /// errors of `consumer`.
    pub(super) fn push(
        &mut self,
        file: &str,
        size: Option<u64>,
        consumer: &mut impl Consumer,
        bytes: &[u8],
    ) -> Result<()> {
        self.push_bytes(size, consumer, bytes).map_err(|fault| fault.named(file, WAY_OUT))
    }

    fn push_bytes(
        &mut self,
        size: Option<u64>,
        consumer: &mut impl Consumer,
        mut bytes: &[u8],
    ) -> Outcome<()> {
        if self.is_external {
            return self.read_external(size, consumer, bytes);
        }
        if !self.is_started {
            super::rows::take(&mut bytes, &mut self.head, START);
            if self.head.len() < START {
                return Ok(());
            }
            check_start(&self.head)?;
            self.is_started = true;
            let start = std::mem::take(&mut self.head);
            self.read(size, consumer, &start)?;
        }
        self.read(size, consumer, bytes)
    }

    fn read(
        &mut self,
        size: Option<u64>,
        consumer: &mut impl Consumer,
        mut bytes: &[u8],
    ) -> Outcome<()> {
        while !bytes.is_empty() {
            let now = |left: u64| bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            match &mut self.task {
                Task::Field => {
                    if let Some(field) = self.next_field(&mut bytes)? {
                        self.check_room(&field, size)?;
                        self.start(field, consumer)?;
                    }
                }
                Task::Skip(left) => {
                    let count = now(*left);
                    self.skip(count as u64);
                    bytes = &bytes[count..];
                }
                Task::Keep { left, bytes: kept, .. } => {
                    let count = now(*left);
                    append(kept, &bytes[..count], "a node or a tensor")?;
                    *left -= count as u64;
                    self.position += count as u64;
                    bytes = &bytes[count..];
                }
                Task::Flow(left) => {
                    let count = now(*left);
                    *left -= count as u64;
                    self.position += count as u64;
                    if let Some(wanted) = &mut self.wanted {
                        wanted.flow(&bytes[..count], consumer)?;
                    }
                    bytes = &bytes[count..];
                }
            }
            self.end_task(consumer)?;
        }
        Ok(())
    }

    /// Reads the head of a field; `None` if more bytes are needed.
    fn next_field(&mut self, bytes: &mut &[u8]) -> Outcome<Option<Field>> {
        while let Some((&byte, rest)) = bytes.split_first() {
            self.head.push(byte);
            self.position += 1;
            *bytes = rest;
            if let Some(field) = wire::field(&mut &self.head[..])? {
                self.head.clear();
                return Ok(Some(field));
            }
        }
        Ok(None)
    }

    /// Checks that a field fits into its message.
    fn check_room(&self, field: &Field, size: Option<u64>) -> Outcome<()> {
        let length = if let Head::Length(length) = field.value { length } else { 0 };
        let end = self.tensor_end.or(self.graph_end).or(size);
        let is_within = self.position.checked_add(length).is_some_and(|to| {
            end.is_none_or(|end| to <= end) && size.is_none_or(|size| to <= size)
        });
        if is_within {
            return Ok(());
        }
        bad(format!(
            "field {} at byte {} has {length} bytes, more than its message: the file is cut short or damaged",
            field.number, self.position
        ))
    }

    /// Starts a field of the model, of the graph or of a tensor.
    fn start(&mut self, field: Field, consumer: &mut impl Consumer) -> Outcome<()> {
        let Field { number, value } = field;
        let Head::Length(length) = value else {
            return match value {
                _ if self.tensor_end.is_none() => Ok(()),
                Head::Varint(value) => self.tensor.take(number, Value::Varint(value)),
                Head::Fixed32(value) => self.tensor.take(number, Value::Fixed32(value)),
                Head::Fixed64(value) => self.tensor.take(number, Value::Fixed64(value)),
                Head::Length(_) => Ok(()),
            };
        };
        let keep = Task::Keep { number, left: length, bytes: Vec::new() };
        if self.tensor_end.is_some() {
            self.task = if number == RAW_DATA { self.start_data(length, consumer)? } else { keep };
            return Ok(());
        }
        if self.graph_end.is_some() {
            return self.start_in_graph(number, length, consumer);
        }
        // the graph of ModelProto
        if number != 7 {
            self.task = Task::Skip(length);
        } else if std::mem::replace(&mut self.has_graph, true) {
            return bad("it has two graphs");
        } else {
            self.graph_end = Some(self.position + length);
        }
        Ok(())
    }

    /// Starts a field of `GraphProto`.
    fn start_in_graph(
        &mut self,
        number: u64,
        length: u64,
        consumer: &mut impl Consumer,
    ) -> Outcome<()> {
        match number {
            // node
            1 if self.graph.is_none() => {
                return unsupported("its tensors come before its nodes");
            }
            1 if length > MAX_NODE => {
                return bad(format!(
                    "it has a node of {length} bytes, expected at most {MAX_NODE}"
                ));
            }
            // node, input
            1 | 11 => self.task = Task::Keep { number, left: length, bytes: Vec::new() },
            // initializer
            5 => {
                self.know(consumer)?;
                self.tensor = TensorHead::default();
                self.tensor_end = Some(self.position + length);
            }
            // sparse_initializer
            15 => return unsupported("it has sparse tensors"),
            _ => self.task = Task::Skip(length),
        }
        Ok(())
    }

    /// Finds the parameters. All nodes must have been read.
    fn know(&mut self, consumer: &mut impl Consumer) -> Outcome<()> {
        let Some(graph) = self.graph.take() else { return Ok(()) };
        let mut wanted = Wanted::new(graph, consumer)?;
        for constant in std::mem::take(&mut self.constants) {
            wanted.take(constant, consumer)?;
        }
        self.wanted = Some(wanted);
        Ok(())
    }

    /// Starts the data of a tensor.
    fn start_data(&mut self, length: u64, consumer: &mut impl Consumer) -> Outcome<Task> {
        let keep = Task::Keep { number: RAW_DATA, left: length, bytes: Vec::new() };
        let Some(wanted) = self.wanted.as_mut().filter(|_| self.tensor.is_known()) else {
            return Ok(keep);
        };
        Ok(match wanted.begin(&self.tensor, length, consumer)? {
            Begin::Skip => Task::Skip(length),
            Begin::Hold => keep,
            Begin::Flow => {
                self.tensor.is_over = true;
                Task::Flow(length)
            }
        })
    }

    /// Ends the current field, and the messages that end with it.
    fn end_task(&mut self, consumer: &mut impl Consumer) -> Outcome<()> {
        if let Task::Skip(0) | Task::Flow(0) | Task::Keep { left: 0, .. } = &self.task {
            match std::mem::replace(&mut self.task, Task::Field) {
                Task::Keep { number, bytes, .. } => self.end_kept(number, bytes)?,
                Task::Flow(_) => self.wanted.iter_mut().for_each(Wanted::end_flow),
                _ => {}
            }
        }
        if !matches!(self.task, Task::Field) || !self.head.is_empty() {
            return Ok(());
        }
        if self.tensor_end == Some(self.position) {
            self.tensor_end = None;
            let tensor = std::mem::take(&mut self.tensor);
            if let Some(wanted) = self.wanted.as_mut().filter(|_| !tensor.is_over) {
                wanted.take(tensor, consumer)?;
            }
        }
        if self.tensor_end.is_none() && self.graph_end == Some(self.position) {
            self.graph_end = None;
            self.know(consumer)?;
        }
        Ok(())
    }

    fn end_kept(&mut self, number: u64, bytes: Vec<u8>) -> Outcome<()> {
        if self.tensor_end.is_some() {
            return match number {
                RAW_DATA => self.tensor.take_raw(bytes),
                _ => self.tensor.take(number, Value::Bytes(&bytes)),
            };
        }
        if number == 1 {
            let node = Node::read(&bytes)?;
            if let Some(mut constant) = node.constant()?.filter(|_| node.op == "Constant") {
                constant.name = node.outputs.first().map(|&name| name.to_owned());
                self.constants.push(constant);
            }
            return self.graph.as_mut().map_or(Ok(()), |graph| graph.add(&node));
        }
        self.check_input(&bytes)
    }

    /// Checks an input of the model, `ValueInfoProto`. Older files list their tensors as well.
    fn check_input(&self, message: &[u8]) -> Outcome<()> {
        for field in wire::fields(message) {
            let (1, Value::Bytes(name)) = field? else { continue };
            let name = wire::text(name)?;
            let is_settled = self.wanted.as_ref().is_none_or(|wanted| wanted.is_settled(name));
            if !Graph::is_input(name) && !is_settled {
                return unsupported(format!("the graph has an input \"{name}\""));
            }
        }
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// `BadWeights` if bytes or tensors are missing.
    pub(super) fn finish(&self, file: &str) -> Result<()> {
        self.end().map_err(|fault| fault.named(file, WAY_OUT))
    }

    fn end(&self) -> Outcome<()> {
        if !self.is_started {
            check_start(&self.head)?;
            return bad("the file ends within its first bytes: it is cut short");
        }
        let within = match &self.task {
            Task::Skip(_) if self.is_external => None,
            Task::Field => None,
            _ => Some(self.tensor.title()),
        };
        let within = within.or_else(|| self.external.last().map(|(head, _)| head.title()));
        let is_in_graph = !self.head.is_empty() || self.graph_end.is_some();
        match (&self.wanted, within) {
            (_, Some(within)) => bad(format!("the file ends within {within}: it is cut short")),
            _ if is_in_graph => bad("the file ends within the graph: it is cut short"),
            (Some(wanted), None) => wanted.check(),
            (None, None) => bad("it has no graph: not an ONNX file, or damaged"),
        }
    }

    /// Returns how many of the next bytes are not needed; 0 if unknown.
    pub(super) fn skippable(&self) -> usize {
        // the last byte ends the field, so it must be pushed
        let bytes = if let Task::Skip(left) = self.task { left.saturating_sub(1) } else { 0 };
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }

    /// Skips `bytes` of the file, at most [`Self::skippable`].
    pub(super) fn skip_bytes(&mut self, bytes: usize) {
        self.skip(bytes as u64);
    }

    fn skip(&mut self, bytes: u64) {
        if let Task::Skip(left) = &mut self.task {
            let now = bytes.min(*left);
            *left -= now;
            self.position += now;
        }
    }
}

/// Checks the first bytes of a file.
fn check_start(start: &[u8]) -> Outcome<()> {
    match crate::json::other_format(start) {
        Some(found) => Err(Fault::Bad(format!("the file is {found}"))),
        None => Ok(()),
    }
}
