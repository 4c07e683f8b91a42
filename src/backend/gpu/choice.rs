//! Which variant of a kernel computes a call. Variants of a kernel return the same results at
//! different speeds. A device that computes a variant wrongly does not use it.

use super::kernels::Kernel;
use super::linear::{NARROW, Tiling, kernel_of};
use super::pipelines::Key;
#[cfg(feature = "train")]
use super::train::TrainKernel;
use super::variants::{
    Operands, TILE_16X32_HALVED, TILE_16X32_SLICED, TILE_32X32, TILE_32X32_SLICED, TILE_64X64,
    TILE_64X64_BY_64, TILE_64X64_DOUBLED, TILE_64X128, TILE_64X128_BY_256, TILE_64X128_DOUBLED,
    TILE_128X64, TILE_128X128, TILE_128X128_BY_128, Tile,
};
use super::{Gpu, MAX_HEAD_DIM};
use crate::backend::{Activation, Precision};
use crate::{Error, Result};

/// Number of 64 × 64 tiles below which 32 × 32 tiles keep more of the device busy.
const FEW_TILES: usize = 64;
/// Number of 64 × 64 tiles from which larger tiles keep every device busy.
const MANY_TILES: usize = 512;

/// How numbers are multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arithmetic {
    F32,
    F16,
    Int8,
}

/// A variant of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) arithmetic: Arithmetic,
    pub(super) layout: Layout,
}

/// How results are divided among invocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// One to four rows per workgroup.
    FewRows,
    /// Tiles of gradients with this number of rows and columns.
    #[cfg(feature = "train")]
    Tiles(u8),
    /// Tiles of linear.wgsl. In integers, rows are quantized before.
    Tiling(Tiling),
    /// Tiles of linear.wgsl in integers, which quantizes rows itself.
    Rounding(Tiling),
    /// Blocks with this number of queries.
    Queries(u8),
    /// Without barriers and workgroup memory.
    BarrierFree,
    /// Two operations in one dispatch, which may load this many times as many bytes as a dispatch
    /// costs on a small device.
    Together(u8),
    /// Each of them in a dispatch of its own.
    Apart,
}

/// Bytes of workgroup memory of attention_wide.wgsl: more than the least limit.
const WIDE_MEMORY: u32 = 17 << 10;
/// Attention over twice as many queries at a time.
pub(super) const WIDE: Layout = Layout::Queries(32);

const fn tiling(tile: &'static Tile, parts: u32) -> Layout {
    Layout::Tiling(Tiling { tile, parts })
}

const fn rounding(tile: &'static Tile, parts: u32) -> Layout {
    Layout::Rounding(Tiling { tile, parts })
}

// The layouts of each shape: the default comes first. Floats and integers have kernels of their
// own.
/// The default of small results.
const SMALL_DEFAULT: Layout = tiling(TILE_32X32, 1);
/// The default of large results.
const LARGE_DEFAULT: Layout = tiling(TILE_64X64, 1);
/// The default of short texts in integers.
const SMALL_ROUNDING: Layout = rounding(TILE_32X32, 1);
const FEW: &[Layout] = &[Layout::FewRows, SMALL_DEFAULT];
const SHORT: &[Layout] = &[
    SMALL_DEFAULT,
    tiling(TILE_16X32_SLICED, 1),
    tiling(TILE_16X32_SLICED, 4),
    tiling(TILE_32X32_SLICED, 1),
];
const MEDIUM: &[Layout] = &[
    SMALL_DEFAULT,
    tiling(TILE_32X32, 2),
    tiling(TILE_32X32, 4),
    tiling(TILE_16X32_SLICED, 1),
    tiling(TILE_32X32_SLICED, 1),
];
const LARGE: &[Layout] = &[
    LARGE_DEFAULT,
    SMALL_DEFAULT,
    tiling(TILE_64X64, 2),
    tiling(TILE_32X32, 2),
    tiling(TILE_64X64_BY_64, 1),
];
const MANY: &[Layout] = &[
    LARGE_DEFAULT,
    tiling(TILE_64X128, 1),
    tiling(TILE_128X64, 1),
    tiling(TILE_64X64_BY_64, 1),
    tiling(TILE_128X128, 1),
    tiling(TILE_128X128_BY_128, 1),
    tiling(TILE_64X128_DOUBLED, 1),
];
const FEW_INT8: &[Layout] = &[Layout::FewRows, SMALL_ROUNDING];
const SHORT_INT8: &[Layout] = &[
    SMALL_ROUNDING,
    rounding(TILE_16X32_SLICED, 4),
    rounding(TILE_16X32_SLICED, 1),
    rounding(TILE_32X32_SLICED, 1),
    tiling(TILE_16X32_SLICED, 1),
    rounding(TILE_16X32_HALVED, 4),
    rounding(TILE_16X32_HALVED, 1),
];
const MEDIUM_INT8: &[Layout] = &[
    SMALL_DEFAULT,
    tiling(TILE_32X32_SLICED, 1),
    tiling(TILE_16X32_HALVED, 1),
    tiling(TILE_16X32_SLICED, 1),
    tiling(TILE_64X64_DOUBLED, 1),
    rounding(TILE_32X32_SLICED, 1),
];
const LARGE_INT8: &[Layout] = &[
    LARGE_DEFAULT,
    tiling(TILE_64X64_DOUBLED, 1),
    SMALL_DEFAULT,
    tiling(TILE_32X32_SLICED, 1),
    tiling(TILE_128X64, 1),
];
const MANY_INT8: &[Layout] = &[
    LARGE_DEFAULT,
    tiling(TILE_128X64, 1),
    tiling(TILE_64X64_DOUBLED, 1),
    tiling(TILE_64X128_DOUBLED, 1),
    tiling(TILE_64X128_BY_256, 1),
];
/// Of the gradients.
#[cfg(feature = "train")]
const SIDES: [&[Layout]; 2] =
    [&[Layout::Tiles(32), Layout::Tiles(64)], &[Layout::Tiles(64), Layout::Tiles(32)]];
const ATTENTION: &[Layout] = &[Layout::Queries(16), WIDE, Layout::BarrierFree];
const SOFTWARE: &[Layout] = &[Layout::BarrierFree];
const ATTENTION_OUTPUT: &[Layout] = &[Layout::Together(1), Layout::Together(2), Layout::Apart];

impl Variant {
    /// Returns true if a linear layer reads rows that were quantized before.
    pub(super) fn quantizes(self) -> bool {
        self.arithmetic == Arithmetic::Int8
            && matches!(self.layout, Layout::Tiling(_) | Layout::BarrierFree)
    }

    /// Returns the name for callers.
    pub(super) fn name(self) -> String {
        let arithmetic = match self.arithmetic {
            Arithmetic::F32 => "f32",
            Arithmetic::F16 => "f16",
            Arithmetic::Int8 => "int8",
        };
        match self.layout {
            Layout::FewRows => format!("{arithmetic} few rows"),
            #[cfg(feature = "train")]
            Layout::Tiles(side) => format!("{arithmetic} {side}x{side}"),
            Layout::Tiling(Tiling { tile, parts: 1 }) => format!("{arithmetic} {tile:?}"),
            Layout::Tiling(Tiling { tile, parts }) => format!("{arithmetic} {tile:?} by {parts}"),
            Layout::Rounding(Tiling { tile, parts: 1 }) => {
                format!("{arithmetic} rounding {tile:?}")
            }
            Layout::Rounding(Tiling { tile, parts }) => {
                format!("{arithmetic} rounding {tile:?} by {parts}")
            }
            Layout::Queries(queries) => format!("{arithmetic} {queries} queries"),
            Layout::BarrierFree => format!("{arithmetic} barrier-free"),
            Layout::Together(loads) => format!("{arithmetic} together/{loads}"),
            Layout::Apart => format!("{arithmetic} apart"),
        }
    }
}

/// An operation that has variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    /// A linear layer with weights in this precision.
    Linear(Precision),
    /// Attention over heads of up to 64 columns.
    Attention,
    /// Attention over few rows and the layer after it, with weights in this precision.
    AttentionOutput(Precision),
    /// The gradient of a linear layer's input.
    #[cfg(feature = "train")]
    BackwardInput,
    /// The gradient of a linear layer's weight.
    #[cfg(feature = "train")]
    BackwardWeight,
}

/// The size of a call. The best variant depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// One to four rows.
    Few,
    /// Up to 32 rows.
    Short,
    /// Fewer than [`FEW_TILES`] tiles of 64 × 64 results.
    Medium,
    /// Fewer than [`MANY_TILES`].
    Large,
    /// More results.
    Many,
}

impl Shape {
    /// Every shape, the smallest first.
    pub(super) const ALL: [Self; 5] =
        [Self::Few, Self::Short, Self::Medium, Self::Large, Self::Many];

    /// Returns the shape of a result `[rows, cols]`.
    pub(super) fn of(rows: usize, cols: usize) -> Self {
        let tiles = rows.div_ceil(64) * cols.div_ceil(64);
        match rows {
            0..=4 => Self::Few,
            5..=32 => Self::Short,
            _ if tiles < FEW_TILES => Self::Medium,
            _ if tiles < MANY_TILES => Self::Large,
            _ => Self::Many,
        }
    }

    /// Returns the name for callers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Few => "few",
            Self::Short => "short",
            Self::Medium => "medium",
            Self::Large => "large",
            Self::Many => "many",
        }
    }
}

/// Calls for which one variant is chosen.
pub(super) type Class = (Op, Shape);

impl Op {
    /// Returns the name for callers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Linear(Precision::F32) => "linear_fp32",
            Self::Linear(Precision::F16) => "linear_fp16",
            Self::Linear(Precision::Bf16) => "linear_bf16",
            Self::Linear(Precision::I8) => "linear_q8",
            Self::Attention => "attention",
            Self::AttentionOutput(Precision::F16) => "attention_output_fp16",
            Self::AttentionOutput(Precision::Bf16) => "attention_output_bf16",
            Self::AttentionOutput(_) => "attention_output_fp32",
            #[cfg(feature = "train")]
            Self::BackwardInput => "linear_backward_input",
            #[cfg(feature = "train")]
            Self::BackwardWeight => "linear_backward_weight",
        }
    }

    /// Returns the shapes for which variants are chosen separately.
    pub(super) fn shapes(self) -> &'static [Shape] {
        match self {
            Self::Linear(_) => &Shape::ALL,
            Self::Attention => &[Shape::Medium],
            Self::AttentionOutput(_) => &[Shape::Short],
            #[cfg(feature = "train")]
            _ => &[Shape::Medium, Shape::Large],
        }
    }
}

/// A call that was warmed up before its variant was chosen: rows, outputs and inputs; precision of
/// the weights; activation; whether it normalizes its input.
pub(super) type OpenCall = ((usize, [usize; 2]), Precision, Activation, bool);

/// What measurements have found.
#[derive(Clone, Default)]
pub(super) struct Found {
    /// Chosen variants. A class that is missing uses its first variant.
    pub(super) chosen: Vec<(Class, Variant)>,
    /// Nanoseconds of a measured call of each class.
    pub(super) nanos: Vec<(Class, u32)>,
    /// Microseconds that the measurement took. 0: nothing was measured.
    pub(super) micros: u32,
    /// Microseconds of a request without work.
    pub(super) request: u32,
    /// Nanoseconds of each small dispatch in a request.
    pub(super) dispatch: u32,
}

impl Found {
    /// Returns the chosen variant of a class, if one was chosen.
    pub(super) fn of(&self, class: Class) -> Option<Variant> {
        self.chosen.iter().find(|(chosen, _)| *chosen == class).map(|(_, variant)| *variant)
    }

    /// Returns the nanoseconds of a measured call of a class; 0 if it was not measured.
    pub(super) fn nanos_of(&self, class: Class) -> u32 {
        self.nanos.iter().find(|(measured, _)| *measured == class).map_or(0, |(_, nanos)| *nanos)
    }

    /// Returns this with what a later measurement has found.
    pub(super) fn with(&self, later: Self) -> Self {
        Self {
            chosen: [&self.chosen[..], &later.chosen].concat(),
            nanos: [&self.nanos[..], &later.nanos].concat(),
            micros: self.micros + later.micros,
            ..later
        }
    }
}

/// The variants in use.
#[derive(Default)]
pub(super) struct Choice {
    pub(super) found: Found,
    /// What is found next, while its kernels are compiled.
    pub(super) next: Found,
    /// The times of defaults, by which callers compare the device with the CPU before anything is
    /// chosen.
    pub(super) default_times: Option<Found>,
    /// Variants that are not used, and why.
    pub(super) struck: Vec<(Op, Variant, String)>,
    /// Variants that the self-test has compared.
    pub(super) tested: Vec<(Op, Variant)>,
    /// The variant that every call uses, for the self-test and the measurement.
    pub(super) forced: Option<Variant>,
    /// True if sums have all parts of their variant, also over few inputs.
    pub(super) in_all_parts: bool,
    pub(super) open_calls: Vec<OpenCall>,
}

impl Choice {
    /// Strikes out a variant of an operation, also where it was chosen.
    pub(super) fn strike(&mut self, op: Op, variant: Variant, why: String) {
        for found in [&mut self.found, &mut self.next] {
            found.chosen.retain(|((chosen, _), v)| (*chosen, *v) != (op, variant));
        }
        if !self.is_struck(op, variant) {
            self.struck.push((op, variant, why));
        }
    }

    pub(super) fn is_struck(&self, op: Op, variant: Variant) -> bool {
        self.struck.iter().any(|(struck, v, _)| (*struck, *v) == (op, variant))
    }
}

impl Gpu {
    /// Returns the operations whose variants are in use.
    pub(super) fn ops(&self) -> Vec<Op> {
        let linear = self.low_precision.used.iter().map(|precision| Op::Linear(*precision));
        let all = linear.chain(self.attention_ops());
        #[cfg(feature = "train")]
        let all = all.chain(
            self.train_tested
                .then_some([Op::BackwardInput, Op::BackwardWeight])
                .into_iter()
                .flatten(),
        );
        all.collect()
    }

    /// Returns the variants of a class that this device may use, the default first. Variants that
    /// are struck out are not among them.
    pub(super) fn candidates(&self, (op, shape): Class) -> Vec<Variant> {
        let low = match op {
            Op::Linear(Precision::I8) if self.low_precision.int8 => Some(Arithmetic::Int8),
            Op::Linear(Precision::F16) if self.low_precision.half => Some(Arithmetic::F16),
            _ => None,
        };
        // Arithmetic in fewer bits is the default.
        let arithmetics = low.into_iter().chain([Arithmetic::F32]);
        let mut all: Vec<Variant> = arithmetics
            .flat_map(|arithmetic| {
                let layouts = self.layouts((op, shape), arithmetic);
                layouts.iter().map(move |&layout| Variant { arithmetic, layout })
            })
            .filter(|variant| self.exists(op, *variant) && !self.choice.is_struck(op, *variant))
            .collect();
        // Floats from integers are slower in any layout, so one is measured.
        let integers = all.iter().take_while(|v| v.arithmetic == Arithmetic::Int8).count();
        if integers > 0 {
            all.truncate(integers + 1);
        }
        // A kernel of few rows is the default of few rows, in any arithmetic. Sorting would add 2 kB.
        let comes_first = |v: &Variant| shape != Shape::Few || v.layout == Layout::FewRows;
        let (first, others): (Vec<_>, Vec<_>) = all.into_iter().partition(comes_first);
        [first, others].concat()
    }

    /// Returns the layouts of a class, the default first.
    fn layouts(&self, (op, shape): Class, arithmetic: Arithmetic) -> &'static [Layout] {
        match (op, shape) {
            (Op::Attention, _) if self.head_dim > MAX_HEAD_DIM => SOFTWARE,
            (Op::Attention | Op::Linear(_), _) if self.barrier_free => SOFTWARE,
            (Op::Attention, _) => ATTENTION,
            (Op::AttentionOutput(_), _) => ATTENTION_OUTPUT,
            #[cfg(feature = "train")]
            (Op::BackwardInput | Op::BackwardWeight, _) => {
                SIDES[usize::from(shape >= Shape::Large)]
            }
            (Op::Linear(_), _) if arithmetic == Arithmetic::Int8 => match shape {
                Shape::Few => FEW_INT8,
                Shape::Short => SHORT_INT8,
                Shape::Medium => MEDIUM_INT8,
                Shape::Large => LARGE_INT8,
                Shape::Many => MANY_INT8,
            },
            (_, Shape::Few) => FEW,
            (_, Shape::Short) => SHORT,
            (_, Shape::Medium) => MEDIUM,
            (_, Shape::Large) => LARGE,
            (_, Shape::Many) => MANY,
        }
    }

    /// Returns true if an operation has a variant on this device.
    fn exists(&self, op: Op, Variant { arithmetic, layout }: Variant) -> bool {
        let is_layer = matches!(op, Op::Linear(_) | Op::Attention);
        let memory = self.device.max_workgroup_bytes;
        match layout {
            WIDE => WIDE_MEMORY <= memory,
            #[cfg(feature = "train")]
            Layout::Tiles(_) => !is_layer,
            Layout::Tiling(Tiling { tile, .. }) => {
                let operands = match arithmetic {
                    Arithmetic::Int8 => Operands::Quantized,
                    _ => Operands::Floats,
                };
                is_layer && tile.memory(operands) <= memory
            }
            Layout::Rounding(Tiling { tile, .. }) => {
                arithmetic == Arithmetic::Int8 && tile.memory(Operands::Rounded) <= memory
            }
            Layout::FewRows | Layout::BarrierFree => is_layer && arithmetic != Arithmetic::F16,
            Layout::Queries(_) | Layout::Together(_) | Layout::Apart => true,
        }
    }

    /// Returns every variant of an operation once.
    pub(super) fn variants(&self, op: Op) -> Vec<Variant> {
        let mut all = Vec::new();
        for shape in op.shapes() {
            for variant in self.candidates((op, *shape)) {
                if !all.contains(&variant) {
                    all.push(variant);
                }
            }
        }
        all
    }

    /// Returns the variants of an operation that are in use and that the self-test has not compared.
    pub(super) fn untested(&self, op: Op) -> Vec<Variant> {
        let mut all = Vec::new();
        for shape in op.shapes() {
            let variant = self.variant((op, *shape));
            if !all.contains(&variant) && !self.is_tested(op, variant) {
                all.push(variant);
            }
        }
        all
    }

    pub(super) fn is_tested(&self, op: Op, variant: Variant) -> bool {
        variant.layout == Layout::Apart || self.choice.tested.contains(&(op, variant))
    }

    /// Returns true if an operation has a variant of each shape.
    pub(super) fn is_possible(&self, op: Op) -> bool {
        op.shapes().iter().all(|shape| !self.candidates((op, *shape)).is_empty())
    }

    /// Returns the variant that computes a class.
    pub(super) fn variant(&self, (op, shape): Class) -> Variant {
        if let Some(variant) = self.choice.forced {
            return variant;
        }
        let shapes = op.shapes();
        // The nearest shape that is measured.
        let shape = shapes.iter().rev().find(|known| **known <= shape).unwrap_or(&shapes[0]);
        let shape = *shape;
        let candidates = self.candidates((op, shape));
        if let Some(variant) = self.wanted_tiling(op, shape, &candidates) {
            return variant;
        }
        let wanted = candidates.iter().find(|variant| self.is_wanted(**variant));
        let chosen = self.choice.found.of((op, shape)).filter(|_| wanted.is_none());
        // The self-test fails if no variant is left, so the last default is never used.
        let default = Variant { arithmetic: Arithmetic::F32, layout: SMALL_DEFAULT };
        chosen.or(wanted.or(candidates.first()).copied()).unwrap_or(default)
    }

    /// Returns the variant of linear.wgsl that a test has asked for, in the default arithmetic.
    fn wanted_tiling(&self, op: Op, shape: Shape, candidates: &[Variant]) -> Option<Variant> {
        let arithmetic = candidates.first()?.arithmetic;
        let tiled = matches!(op, Op::Linear(_)) && shape != Shape::Few && !self.barrier_free;
        let layout = self.tiling.filter(|_| tiled)?;
        let fits = arithmetic == Arithmetic::Int8 || !matches!(layout, Layout::Rounding(_));
        fits.then_some(Variant { arithmetic, layout })
    }

    /// Returns true if a test has asked for a variant.
    fn is_wanted(&self, Variant { layout, .. }: Variant) -> bool {
        match (layout, self.tile_size) {
            #[cfg(feature = "train")]
            (Layout::Tiles(side), Some(size)) => usize::from(side) == size,
            (SMALL_DEFAULT | SMALL_ROUNDING, Some(size)) => size == 32,
            (LARGE_DEFAULT, Some(size)) => size == 64,
            (WIDE, _) => self.wide_attention,
            _ => false,
        }
    }

    /// Returns true if the variant of a class is still to be chosen.
    pub(super) fn is_open(&self, class: Class) -> bool {
        self.measures && self.choice.found.of(class).is_none() && self.candidates(class).len() > 1
    }
}

impl Gpu {
    /// Strikes out the variants that use a kernel, because of an error. Errors: this error, if the
    /// kernel has no other variant.
    pub(super) fn strike_kernel(&mut self, key: &Key, error: Error) -> Result<()> {
        // Other kernels compute the same in more dispatches.
        if key.is_of(|kernel| matches!(kernel, Kernel::Embed(_))) {
            self.embeds_in_steps = true;
            return Ok(());
        }
        if key.is_of(|kernel| {
            matches!(kernel, Kernel::SumNorm | Kernel::SumNormRead | Kernel::Normed(_))
        }) {
            self.norms_apart = true;
            return Ok(());
        }
        // Another pipeline of the same kernel may have failed before.
        let mut struck = self.choice.struck.iter();
        let mut found = struck.any(|(op, variant, _)| self.is_kernel(key, *op, *variant));
        for op in self.ops() {
            for variant in self.variants(op) {
                if self.is_kernel(key, op, variant) {
                    self.choice.strike(op, variant, error.to_string());
                    found = true;
                }
            }
            if found && !self.is_possible(op) {
                return Err(error);
            }
        }
        if found { Ok(()) } else { Err(error) }
    }

    fn is_kernel(&self, key: &Key, op: Op, variant: Variant) -> bool {
        match op {
            Op::Linear(_) if variant.quantizes() && key.has(Kernel::QuantizeRows, &[]) => true,
            Op::Linear(precision) => [1, 3, 37].into_iter().any(|rows| {
                [NARROW, NARROW + 1].into_iter().any(|outputs| {
                    kernel_of(variant, precision, rows, outputs)
                        .is_some_and(|(kernel, constants, _)| key.has(kernel, &constants))
                })
            }),
            Op::Attention if variant.layout == Layout::BarrierFree => {
                key.has(Kernel::AttentionBarrierFree, &[])
            }
            Op::Attention if variant.layout == WIDE => key.has(Kernel::AttentionWide, &[]),
            Op::Attention => key.has(Kernel::Attention, &[]),
            Op::AttentionOutput(precision) => {
                variant.layout != Layout::Apart && key.has(Kernel::AttentionOutput(precision), &[])
            }
            #[cfg(feature = "train")]
            Op::BackwardInput | Op::BackwardWeight => {
                let kernel = match op {
                    Op::BackwardInput => TrainKernel::LinearBackwardInput,
                    _ => TrainKernel::LinearBackwardWeight,
                };
                let Layout::Tiles(side) = variant.layout else { return false };
                key.has(Kernel::Train(kernel), &[("THREADS_X", f64::from(side / 4))])
            }
        }
    }
}
