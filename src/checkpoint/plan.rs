//! Maps each tensor of a checkpoint to its destination.

use super::choose_head::choose_head;
#[cfg(feature = "train")]
use super::initialize::choose_drawn;
use super::options::{LoadOptions, Part};
use super::parameter_slots::{ParameterSlot, TensorTarget};
use crate::backend::Processor;
use crate::config::Config;
#[cfg(feature = "families")]
use crate::model::describe_gliner;
use crate::model::{
    Encoder, Head, ParameterSpec, Visitor, canonical, describe_encoder, describe_head, tied_names,
};
use crate::{Details, ErrorKind, Result};

/// Suffix of the tensor with the row scales of an int8 tensor. It is `[rows]`, floats of any width,
/// and must come earlier in the same file.
pub(super) const SCALE_SUFFIX: &str = "_scale";

/// The parameters to load, as slot numbers, and the destination of each tensor.
pub(super) struct Plan {
    /// `None` if the encoder is already loaded.
    pub(super) encoder: Option<Encoder<usize, usize>>,
    pub(super) head: Head<usize, usize>,
    pub(super) head_spec: Head<ParameterSpec, ParameterSpec>,
    /// The head of a GLiNER model, in the order of [`describe_gliner`].
    #[cfg(feature = "families")]
    pub(super) gliner: Vec<usize>,
    /// Destinations by canonical name.
    pub(super) targets: Targets,
    /// Names of tied weights that the files have in place of a target. Each entry is the alias,
    /// then the target.
    pub(super) aliases: Vec<(String, String)>,
    /// Destinations of tensors that are drawn even if the files have them.
    #[cfg(feature = "train")]
    pub(super) replaced: Targets,
}

/// Destinations by name. Sorted: a map would take five times as much code.
#[derive(Default)]
pub(super) struct Targets(pub(super) Vec<(String, TensorTarget)>);

impl Targets {
    fn place(&self, name: &str) -> std::result::Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| other.as_str().cmp(name))
    }

    /// Adds a destination. It replaces another one of the same name.
    fn insert(&mut self, name: &str, target: TensorTarget) {
        match self.place(name) {
            Ok(at) => self.0[at].1 = target,
            Err(at) => self.0.insert(at, (name.to_owned(), target)),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&TensorTarget> {
        self.place(name).ok().map(|at| &self.0[at].1)
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut TensorTarget> {
        self.place(name).ok().map(|at| &mut self.0[at].1)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(String, TensorTarget)> {
        self.0.iter()
    }

    #[cfg(feature = "train")]
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut (String, TensorTarget)> {
        self.0.iter_mut()
    }

    /// Returns the destinations whose name `is_first` accepts, and the others.
    #[cfg(feature = "train")]
    pub(super) fn split(self, is_first: impl Fn(&String) -> bool) -> (Self, Self) {
        let (first, others) = self.0.into_iter().partition(|(name, _)| is_first(name));
        (Self(first), Self(others))
    }
}

impl Plan {
    /// Returns the plan and its slots. `found` are the tensor names of the index or of the first
    /// file.
    ///
    /// # Errors
    /// `Unsupported` if the requested head is not found.
    pub(super) fn new<B: Processor>(
        config: &Config,
        part: Part,
        options: LoadOptions,
        found: &mut dyn Iterator<Item = &str>,
    ) -> Result<(Self, Vec<ParameterSlot<B>>)> {
        let tensors: Vec<_> = found.map(|name| canonical(config.family, name)).collect();
        let has = |name: &str| tensors.iter().any(|tensor| tensor == name);
        let kind = choose_head(config, options.head, &has);
        #[cfg(feature = "train")]
        let (kind, output_is_drawn) = choose_drawn(config, options, kind)?;
        #[cfg(not(feature = "train"))]
        let kind = kind?;
        refuse_dropped(config, &tensors)?;
        let planned = Self::of(config, part, describe_head(config, kind, &has));
        let planned = planned.map(|(plan, slots)| {
            let aliases = tied_names(config).into_iter();
            let aliases = aliases.filter(|(alias, name)| has(alias) && !has(name)).collect();
            (Self { aliases, ..plan }, slots)
        });
        #[cfg(feature = "train")]
        let planned = planned.map(|(plan, slots)| (plan.with_output_drawn(output_is_drawn), slots));
        planned
    }

    /// Returns the plan and its slots for the encoder and this head.
    pub(super) fn of<B: Processor>(
        config: &Config,
        part: Part,
        head_spec: Head<ParameterSpec, ParameterSpec>,
    ) -> Result<(Self, Vec<ParameterSlot<B>>)> {
        let mut planner = Planner { slots: Vec::new(), targets: Targets::default() };
        let encoder = match part {
            Part::All => Some(describe_encoder(config).map(&mut planner)?),
            Part::Head => None,
        };
        let head = head_spec.map(&mut planner)?;
        #[cfg(feature = "families")]
        let gliner = describe_gliner(config)
            .iter()
            .map(|spec| planner.add(spec, ParameterSlot::host(spec)))
            .collect();
        let Planner { slots, targets } = planner;
        let plan = Self {
            encoder,
            head,
            head_spec,
            #[cfg(feature = "families")]
            gliner,
            targets,
            aliases: Vec::new(),
            #[cfg(feature = "train")]
            replaced: Targets::default(),
        };
        Ok((plan, slots))
    }

    /// Returns whether a tensor, or the tensor that it scales, is to be loaded and has not come yet.
    /// `name` is canonical.
    pub(super) fn wants(&self, name: &str) -> bool {
        let scaled = name.strip_suffix(SCALE_SUFFIX);
        let target = self.targets.get(name).or_else(|| self.targets.get(scaled?));
        target.is_some_and(|target| !target.filled)
    }
}

/// Rejects a tensor outside the encoder that is unknown to transformers' heads, if the class is
/// unknown too. Without this tensor, the answers would be wrong.
fn refuse_dropped(config: &Config, tensors: &[String]) -> Result<()> {
    let Some(architecture) = &config.unknown_architecture else { return Ok(()) };
    let Some(tensor) = tensors.iter().find(|tensor| *tensor == "linear.weight") else {
        return Ok(());
    };
    let (kind, item) = (ErrorKind::Unsupported, format_args!("architectures"));
    let what = format_args!(
        " \"{architecture}\" is not supported: its tensor \"{tensor}\" would be ignored"
    );
    Err(Details::new(kind, "config.json", item, what).error())
}

/// Assigns a slot number to every parameter and a destination to every tensor.
struct Planner<B: Processor> {
    slots: Vec<ParameterSlot<B>>,
    targets: Targets,
}

impl<B: Processor> Planner<B> {
    fn add(&mut self, spec: &ParameterSpec, slot: ParameterSlot<B>) -> usize {
        let (number, rows) = (self.slots.len(), spec.tensor_rows());
        let named = spec.tensors.iter().enumerate();
        for (n, tensor) in named.filter(|(_, tensor)| !tensor.canonical.is_empty()) {
            let (order, layout, first_row) = (spec.order, tensor.layout, n * rows);
            let slot = number;
            let target = TensorTarget { slot, first_row, rows, order, layout, filled: false };
            self.targets.insert(&tensor.canonical, target);
        }
        self.slots.push(slot);
        number
    }
}

impl<B: Processor> Visitor<&ParameterSpec, &ParameterSpec> for Planner<B> {
    type Matrix = usize;
    type Vector = usize;

    fn matrix(&mut self, spec: &ParameterSpec) -> Result<usize> {
        Ok(self.add(spec, ParameterSlot::matrix(spec)))
    }

    fn vector(&mut self, spec: &ParameterSpec) -> Result<usize> {
        Ok(self.add(spec, ParameterSlot::vector(spec)))
    }
}
