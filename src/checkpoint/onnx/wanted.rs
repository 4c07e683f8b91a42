//! The parameters that are loaded, and their tensors while these arrive in any order.

use std::collections::HashMap;

use super::Consumer;
use super::graph::{Graph, Id};
use super::source::Form;
use super::tensor::{External, Held, TensorHead};
use super::values::{Parts, Scales, emit, shape};
use super::weights::{Found, find};
use crate::checkpoint::fault::{Outcome, bad, unsupported};
use crate::checkpoint::header::Tensor;
use crate::config::Config;
use crate::model::{canonical, decoder_weight, weight_of_bias};

/// The parameters of a file.
pub(super) struct Wanted {
    graph: Graph,
    /// Parameters that are loaded.
    parameters: Vec<Found>,
    /// By parameter: whether it was passed on.
    is_done: Vec<bool>,
    /// By tensor: the parameters that need it.
    users: HashMap<Id, Vec<usize>>,
    /// Tensors that wait for others.
    held: HashMap<Id, Held>,
    /// By value: whether its tensor has arrived.
    arrived: Vec<bool>,
    flow: Option<Flow>,
    /// Tensors with data in other files.
    pub(super) external: Vec<(TensorHead, External)>,
}

/// A tensor that is passed on as it arrives.
struct Flow {
    parameter: usize,
    scales: Option<Scales>,
}

/// What to do with a tensor's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begin {
    Skip,
    /// Keep the data until the tensor ends.
    Hold,
    /// Pass each piece to [`Wanted::flow`].
    Flow,
}

impl Wanted {
    /// Returns the parameters that `consumer` wants.
    pub(super) fn new(mut graph: Graph, consumer: &mut impl Consumer) -> Outcome<Self> {
        graph.mark_dynamic();
        let family = consumer.config().family;
        let found = find(&graph, &|bias| weight_of_bias(family, bias))?;
        let decoder = decoder_weight(family);
        let has_own_decoder = found.iter().any(|found| {
            canonical(family, &found.name) == decoder && found.source.form != Form::Plain
        });
        let names: Vec<_> = found.iter().map(|found| found.name.as_str()).collect();
        consumer.found(&names, has_own_decoder)?;
        let parameters = chosen(consumer, found)?;
        let mut users: HashMap<Id, Vec<usize>> = HashMap::new();
        for (n, found) in parameters.iter().enumerate() {
            for part in found.source.parts() {
                users.entry(part).or_default().push(n);
            }
        }
        Ok(Self {
            is_done: vec![false; parameters.len()],
            arrived: vec![false; graph.values().end],
            graph,
            parameters,
            users,
            held: HashMap::new(),
            flow: None,
            external: Vec::new(),
        })
    }

    /// Returns the tensor's id if a parameter needs it.
    fn needed(&self, head: &TensorHead) -> Option<Id> {
        let id = self.graph.id(head.name.as_deref()?)?;
        self.users.contains_key(&id).then_some(id)
    }

    /// Returns whether a tensor of this name has arrived, or no node uses the name.
    pub(super) fn is_settled(&self, name: &str) -> bool {
        self.graph.id(name).is_none_or(|id| self.arrived[id])
    }

    /// Begins a tensor whose data has this many bytes.
    pub(super) fn begin(
        &mut self,
        head: &TensorHead,
        bytes: u64,
        consumer: &mut impl Consumer,
    ) -> Outcome<Begin> {
        let Some(id) = self.needed(head) else { return Ok(Begin::Skip) };
        head.check_length(bytes)?;
        let &[n] = self.users[&id].as_slice() else { return Ok(Begin::Hold) };
        let Found { name, source, .. } = &self.parameters[n];
        if source.data != id || source.transposed {
            return Ok(Begin::Hold);
        }
        let dims = head.dims()?;
        let held = |id: Id| Some((self.graph.name(id), self.held.get(&id)?));
        let (dtype, scales) = match &source.form {
            Form::Plain => match head.dtype().float() {
                Some(dtype) => (dtype, None),
                None => return Ok(Begin::Hold),
            },
            Form::Linear { scale, zero, .. } => {
                let Some(scale) = held(*scale) else { return Ok(Begin::Hold) };
                let zero = zero.map(held);
                if matches!(zero, Some(None)) {
                    return Ok(Begin::Hold);
                }
                let zero = zero.flatten();
                match Scales::of(source, &dims, head.dtype(), &scale, zero.as_ref())? {
                    Some(scales) => ("F32", Some(scales)),
                    None => return Ok(Begin::Hold),
                }
            }
            _ => return Ok(Begin::Hold),
        };
        let width = if scales.is_some() { 4 } else { 1 };
        let Some(bytes) = usize::try_from(bytes).ok().and_then(|bytes| bytes.checked_mul(width))
        else {
            return bad(format!("{} is too large for here", head.title()));
        };
        consumer.begin(&Tensor { name: name.clone(), dtype, shape: dims, bytes })?;
        self.settle(id)?;
        self.flow = Some(Flow { parameter: n, scales });
        Ok(Begin::Flow)
    }

    /// Notes that a tensor has arrived.
    fn settle(&mut self, id: Id) -> Outcome<()> {
        if std::mem::replace(&mut self.arrived[id], true) {
            return bad(format!("it has two tensors \"{}\"", self.graph.name(id)));
        }
        Ok(())
    }

    /// Takes the next bytes of a tensor that is passed on.
    pub(super) fn flow(&mut self, bytes: &[u8], consumer: &mut impl Consumer) -> Outcome<()> {
        match &mut self.flow {
            Some(Flow { scales: Some(scales), .. }) => {
                // a piece of 64 KiB makes 256 KiB of floats
                for piece in bytes.chunks(1 << 16) {
                    consumer.push(&scales.convert(piece))?;
                }
                Ok(())
            }
            _ => Ok(consumer.push(bytes)?),
        }
    }

    /// Ends a tensor that was passed on.
    pub(super) fn end_flow(&mut self) {
        if let Some(Flow { parameter, .. }) = self.flow.take() {
            self.finish_parameter(parameter);
        }
    }

    /// Takes a tensor whose data is in its message or in another file.
    pub(super) fn take(&mut self, head: TensorHead, consumer: &mut impl Consumer) -> Outcome<()> {
        let Some(id) = self.needed(&head) else {
            let id = head.name.as_deref().and_then(|name| self.graph.id(name));
            return id.map_or(Ok(()), |id| {
                self.arrived[id] = true;
                Ok(())
            });
        };
        if let Some(external) = head.external()? {
            head.implied_bytes()?;
            self.external.push((head, external));
            return Ok(());
        }
        let held = head.whole()?;
        self.settle(id)?;
        self.held.insert(id, held);
        for n in self.users[&id].clone() {
            self.pass_on(n, consumer)?;
        }
        Ok(())
    }

    /// Passes a parameter on if all its tensors are here.
    fn pass_on(&mut self, n: usize, consumer: &mut impl Consumer) -> Outcome<()> {
        let Found { name, source, .. } = &self.parameters[n];
        if self.is_done[n] || source.parts().any(|part| !self.held.contains_key(&part)) {
            return Ok(());
        }
        let part = |id: Id| Some((self.graph.name(id), self.held.get(&id)?));
        let Some(data) = part(source.data) else { return Ok(()) };
        let (scale, zero) = match &source.form {
            Form::Plain => (None, None),
            Form::Linear { scale, zero, .. } | Form::Blocks { scale, zero, .. } => {
                (part(*scale), zero.and_then(part))
            }
            Form::Bnb4 { scale, .. } => (part(*scale), None),
        };
        let shape = shape(source, data.0, &data.1.dims)?;
        let dtype = match source.form {
            Form::Plain => data.1.dtype.float(),
            _ => Some("F32"),
        };
        let Some(dtype) = dtype else {
            return unsupported(format!(
                "tensor \"{}\" has integers without a scale, expected floats",
                data.0
            ));
        };
        let width =
            if dtype == "F32" { 32 } else { data.1.dtype.bits().unwrap_or(32) } as usize / 8;
        let bytes = shape.iter().try_fold(width, |all, &dim| all.checked_mul(dim));
        let Some(bytes) = bytes.filter(|_| !shape.is_empty()) else {
            return bad(format!(
                "tensor \"{}\" has shape {shape:?}, expected a vector or a matrix",
                data.0
            ));
        };
        consumer.begin(&Tensor { name: name.clone(), dtype, shape: shape.clone(), bytes })?;
        let parts = Parts { source, data, scale, zero };
        emit(&parts, &shape, |bytes| Ok(consumer.push(bytes)?))?;
        self.finish_parameter(n);
        Ok(())
    }

    /// Notes that a parameter was passed on, and frees tensors that no other one needs.
    fn finish_parameter(&mut self, n: usize) {
        self.is_done[n] = true;
        for part in self.parameters[n].source.parts() {
            if self.users[&part].iter().all(|&user| self.is_done[user]) {
                self.held.remove(&part);
            }
        }
    }

    /// Checks that all tensors have arrived, except for those that other files have.
    pub(super) fn check(&self) -> Outcome<()> {
        let elsewhere: Vec<_> = self
            .external
            .iter()
            .filter_map(|(head, _)| self.graph.id(head.name.as_deref()?))
            .collect();
        let undone = self.parameters.iter().zip(&self.is_done).filter(|(_, is_done)| !**is_done);
        for (found, _) in undone {
            let mut parts = found.source.parts();
            let missing = parts.find(|part| !self.arrived[*part] && !elsewhere.contains(part));
            if let Some(part) = missing {
                return bad(format!(
                    "tensor \"{}\" is missing, which {} takes as \"{}\"",
                    self.graph.name(part),
                    found.node,
                    found.name
                ));
            }
        }
        Ok(())
    }
}

/// Returns the parameters to load. The modules of ALBERT are repeated, and each repetition has a
/// copy of its weights; the first one is taken.
fn chosen(consumer: &impl Consumer, found: Vec<Found>) -> Outcome<Vec<Found>> {
    let Config { family, layers, own_layers, .. } = *consumer.config();
    let mut parameters: Vec<Found> = Vec::new();
    let mut by_name: HashMap<String, usize> = HashMap::new();
    for found in found {
        if !consumer.wants(&found.name) {
            continue;
        }
        if found.is_unknown {
            return unsupported(format!(
                "{} computes with \"{}\" in an unknown way",
                found.node, found.name
            ));
        }
        let first = by_name.get(&canonical(family, &found.name)).map(|&n| &parameters[n]);
        match first {
            None => {
                by_name.insert(canonical(family, &found.name), parameters.len());
                parameters.push(found);
            }
            Some(first) if first.source == found.source || own_layers < layers => {}
            Some(first) => {
                return unsupported(format!(
                    "{} and {} have different tensors as \"{}\"",
                    first.node, found.node, found.name
                ));
            }
        }
    }
    Ok(parameters)
}
