//! The compute shaders: the fragments of shaders/ that make up each kernel.

use super::attention_output::IS_INCLUDED;
use super::minify::shader;
#[cfg(feature = "train")]
use super::train::TrainKernel;
use super::variants::{
    Operands, TILE_16X32_HALVED, TILE_16X32_SLICED, TILE_32X32, TILE_32X32_SLICED, TILES, Tile,
    attention_wide,
};
use crate::backend::Precision;

/// Activations that shared/activation.wgsl does not contain.
#[cfg(feature = "families")]
pub(super) const OTHER_ACTIVATIONS: &str = shader!("shared/activation_families");
#[cfg(not(feature = "families"))]
pub(super) const OTHER_ACTIVATIONS: &str = shader!("shared/activation_few");

/// The tables of embed.wgsl: name, and first binding.
pub(super) const EMBEDDING_TABLES: [(&str, u32); 3] = [("word", 5), ("position", 7), ("type", 9)];

/// A kernel. Its binding 0 is the uniform `Params`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kernel {
    /// Gathers rows of a matrix by number.
    Gather(Precision),
    /// Embeddings from tables of this precision, normalized.
    Embed(Precision),
    /// LayerNorm, with or without a residual.
    Norm,
    /// LayerNorm of a layer's sums, which may have parts, and a residual.
    SumNorm,
    /// [`Kernel::SumNorm`], which also copies some rows of the result.
    SumNormRead,
    /// A linear layer whose input is LayerNorm of two sums.
    Normed(Consumer),
    /// LayerNorm without barriers, for software adapters.
    NormBarrierFree,
    /// Linear layer over five or more rows.
    Linear(Precision, &'static Tile),
    /// [`Kernel::Linear`] in 16-bit floats.
    LinearF16(Precision, &'static Tile),
    /// Adds the parts of the sums of [`Kernel::Linear`].
    LinearSumParts,
    /// [`Kernel::Linear`] in 8-bit integers, over quantized rows.
    LinearQuantized(&'static Tile),
    /// [`Kernel::LinearQuantized`], which quantizes rows itself.
    LinearRounded(&'static Tile),
    /// Linear layer over one to four rows.
    LinearFewRows(Precision),
    /// [`Kernel::LinearFewRows`] in 8-bit integers.
    LinearFewRowsInt8,
    /// Linear layer without barriers or workgroup memory, for software adapters.
    LinearBarrierFree(Precision),
    /// [`Kernel::LinearBarrierFree`] over quantized rows.
    LinearBarrierFreeInt8,
    /// Quantizes rows to 8 bits.
    QuantizeRows,
    /// Attention, without returning its probabilities.
    Attention,
    /// [`Kernel::Attention`] over twice as many queries and keys at a time.
    AttentionWide,
    /// Attention without barriers or workgroup memory, for software adapters and wide heads.
    AttentionBarrierFree,
    /// Attention over few rows and the layer after it, with weights of this precision, not I8.
    AttentionOutput(Precision),
    /// The probabilities of attention only.
    AttentionProbabilities,
    /// The k largest numbers of each row.
    TopK,
    /// [`Kernel::Attention`] by distance.
    #[cfg(feature = "families")]
    AttentionRelative,
    /// [`Kernel::AttentionBarrierFree`] by distance.
    #[cfg(feature = "families")]
    AttentionRelativeBarrierFree,
    /// [`Kernel::AttentionProbabilities`] by distance.
    #[cfg(feature = "families")]
    AttentionRelativeProbabilities,
    /// [`Kernel::Attention`] by contents and relative positions.
    #[cfg(feature = "families")]
    AttentionDisentangled,
    /// [`Kernel::AttentionBarrierFree`] by contents and relative positions.
    #[cfg(feature = "families")]
    AttentionDisentangledBarrierFree,
    /// [`Kernel::AttentionProbabilities`] by contents and relative positions.
    #[cfg(feature = "families")]
    AttentionDisentangledProbabilities,
    /// Neighbours of each token side by side.
    #[cfg(feature = "families")]
    Unfold,
    /// Convolution with a kernel for each column.
    #[cfg(feature = "families")]
    Depthwise,
    /// Convolution with kernels of each token's own.
    #[cfg(feature = "families")]
    SpanConvolution,
    /// Columns of two matrices side by side.
    #[cfg(feature = "families")]
    Columns,
    /// Sets rows to 0.
    #[cfg(feature = "families")]
    ClearRows,
    /// Rotary positions.
    #[cfg(feature = "families")]
    Rotary,
    /// The gate of a feed-forward layer.
    #[cfg(feature = "families")]
    Gate,
    /// Adds x to the residual and writes LayerNorm of the sum to x.
    #[cfg(feature = "families")]
    ResidualNorm,
    /// [`Kernel::ResidualNorm`] without barriers, for software adapters.
    #[cfg(feature = "families")]
    ResidualNormBarrierFree,
    /// A norm that is no LayerNorm, with or without a residual.
    #[cfg(feature = "families")]
    NormOfKind,
    /// [`Kernel::NormOfKind`] without barriers, for software adapters.
    #[cfg(feature = "families")]
    NormOfKindBarrierFree,
    /// Multiplies rows by factors.
    #[cfg(feature = "families")]
    ScaleRows,
    /// Means over sequences.
    #[cfg(feature = "families")]
    MeanPool,
    /// A kernel of training.
    #[cfg(feature = "train")]
    Train(TrainKernel),
}

/// A linear layer that can normalize its input, see shared/x_normed.wgsl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consumer {
    /// As [`Kernel::Linear`].
    Linear(Precision, &'static Tile),
    /// As [`Kernel::LinearF16`].
    LinearF16(Precision, &'static Tile),
    /// As [`Kernel::LinearRounded`].
    LinearRounded(&'static Tile),
    /// As [`Kernel::LinearFewRows`].
    LinearFewRows(Precision),
    /// As [`Kernel::LinearFewRowsInt8`].
    LinearFewRowsInt8,
}

impl Consumer {
    /// The variants of linear.wgsl for few rows.
    pub(super) const TILES: [&'static Tile; 4] =
        [TILE_32X32, TILE_32X32_SLICED, TILE_16X32_SLICED, TILE_16X32_HALVED];

    /// Returns the layer without the norm.
    pub(super) fn plain(self) -> Kernel {
        match self {
            Self::Linear(precision, tile) => Kernel::Linear(precision, tile),
            Self::LinearF16(precision, tile) => Kernel::LinearF16(precision, tile),
            Self::LinearRounded(tile) => Kernel::LinearRounded(tile),
            Self::LinearFewRows(precision) => Kernel::LinearFewRows(precision),
            Self::LinearFewRowsInt8 => Kernel::LinearFewRowsInt8,
        }
    }
}

/// A shader's override constants.
pub(super) type Constants<'a> = &'a [(&'static str, f64)];

impl Kernel {
    /// Returns every kernel, in every precision.
    pub(super) fn all() -> Vec<Self> {
        let precisions = [Precision::F32, Precision::F16, Precision::Bf16, Precision::I8];
        let with = |kernel: fn(Precision) -> Self| precisions.map(kernel);
        let kernels = [
            with(Self::Gather).as_slice(),
            &with(Self::Embed),
            &with(Self::LinearFewRows),
            &with(Self::LinearBarrierFree),
            &[Self::LinearFewRowsInt8, Self::LinearBarrierFreeInt8],
            &[
                Self::LinearSumParts,
                Self::QuantizeRows,
                Self::Norm,
                Self::SumNorm,
                Self::SumNormRead,
                Self::NormBarrierFree,
                Self::TopK,
            ],
            &[Self::Attention, Self::AttentionWide],
            &[Self::AttentionBarrierFree, Self::AttentionProbabilities],
        ]
        .concat();
        #[cfg(feature = "families")]
        let kernels = [
            kernels.as_slice(),
            &[Self::AttentionRelative, Self::AttentionRelativeBarrierFree],
            &[Self::AttentionRelativeProbabilities, Self::Rotary, Self::Gate],
            &[Self::ResidualNorm, Self::ResidualNormBarrierFree, Self::MeanPool],
            &[Self::AttentionDisentangled, Self::AttentionDisentangledBarrierFree],
            &[Self::AttentionDisentangledProbabilities, Self::Unfold, Self::ClearRows],
            &[Self::NormOfKind, Self::NormOfKindBarrierFree, Self::ScaleRows, Self::Columns],
            &[Self::Depthwise, Self::SpanConvolution],
            &[Precision::F32, Precision::F16, Precision::Bf16].map(Self::AttentionOutput),
        ]
        .concat();
        let tiled = TILES.into_iter().flat_map(|tile| {
            let both =
                move |precision| [Self::Linear(precision, tile), Self::LinearF16(precision, tile)];
            precisions.into_iter().flat_map(both)
        });
        let quantized = TILES
            .into_iter()
            .flat_map(|tile| [Self::LinearQuantized(tile), Self::LinearRounded(tile)]);
        let kernels: Vec<Self> = kernels.into_iter().chain(tiled).chain(quantized).collect();
        let normed: Vec<Self> =
            kernels.iter().filter_map(|kernel| kernel.consumer()).map(Self::Normed).collect();
        let kernels = [kernels, normed].concat();
        #[cfg(feature = "train")]
        let kernels = kernels.into_iter().chain(TrainKernel::ALL.map(Self::Train)).collect();
        kernels
    }

    /// Returns the layer that also normalizes its input, if there is one.
    pub(super) fn consumer(self) -> Option<Consumer> {
        match self {
            Self::Linear(precision, tile) if Consumer::TILES.contains(&tile) => {
                Some(Consumer::Linear(precision, tile))
            }
            Self::LinearF16(precision, tile) if Consumer::TILES.contains(&tile) => {
                Some(Consumer::LinearF16(precision, tile))
            }
            Self::LinearRounded(tile) if Consumer::TILES.contains(&tile) => {
                Some(Consumer::LinearRounded(tile))
            }
            Self::LinearFewRows(precision) => Some(Consumer::LinearFewRows(precision)),
            Self::LinearFewRowsInt8 => Some(Consumer::LinearFewRowsInt8),
            _ => None,
        }
    }

    /// Returns the WGSL of the kernel: its fragments, concatenated, and its variant.
    pub(super) fn source(self) -> String {
        // The prelude comes last, because WGSL requires directives such as `enable f16` at the
        // start.
        let repeated = match self {
            Self::Linear(_, tile) | Self::LinearF16(_, tile) => tile.source(Operands::Floats),
            Self::LinearQuantized(tile) => tile.source(Operands::Quantized),
            Self::LinearRounded(tile) => tile.source(Operands::Rounded),
            Self::AttentionWide => attention_wide(),
            Self::Embed(precision) => embedding_tables(precision),
            // whose weights have the binding of qkv
            Self::AttentionOutput(_) if IS_INCLUDED => {
                shader!("shared/attention_heads").replace("@binding(3)", "@binding(6)")
            }
            Self::Normed(consumer) => {
                let (plain, normed) = (shader!("shared/x_rows"), shader!("shared/x_normed"));
                return consumer.plain().source().replace(plain, normed);
            }
            _ => String::new(),
        };
        [self.fragments(), vec![&repeated, shader!("shared/prelude")]].concat().concat()
    }

    /// Returns the fragments of the kernel's WGSL, without the prelude.
    fn fragments(self) -> Vec<&'static str> {
        let (norm_row, residual) = (shader!("shared/norm_row"), shader!("shared/residual"));
        let normalise = shader!("shared/normalise");
        match self {
            Self::Gather(precision) => vec![weight(precision), shader!("gather")],
            // and the tables' own source
            Self::Embed(_) => vec![norm_row, normalise, shader!("embed"), shader!("norm")],
            Self::Norm => vec![norm_row, normalise, residual, shader!("norm")],
            Self::NormBarrierFree => {
                vec![norm_row, normalise, residual, shader!("norm_barrier_free")]
            }
            Self::SumNorm => vec![norm_row, normalise, shader!("sum_norm"), shader!("norm")],
            Self::SumNormRead => {
                let read = shader!("shared/normalise_read");
                vec![norm_row, read, shader!("sum_norm"), shader!("norm")]
            }
            Self::Normed(consumer) => consumer.plain().fragments(),
            Self::AttentionOutput(precision) if IS_INCLUDED => {
                vec![weight(precision), shader!("attention_output")]
            }
            Self::AttentionOutput(_) => Vec::new(),
            Self::TopK => vec![shader!("top_k")],
            Self::Attention
            | Self::AttentionWide
            | Self::AttentionBarrierFree
            | Self::AttentionProbabilities => self.attention_fragments(),
            Self::Linear(..)
            | Self::LinearF16(..)
            | Self::LinearSumParts
            | Self::LinearQuantized(_)
            | Self::LinearRounded(_)
            | Self::LinearFewRows(_)
            | Self::LinearFewRowsInt8
            | Self::LinearBarrierFree(_)
            | Self::LinearBarrierFreeInt8
            | Self::QuantizeRows => self.linear_fragments(),
            #[cfg(feature = "train")]
            Self::Train(kernel) => kernel.fragments(),
            #[cfg(feature = "families")]
            Self::AttentionRelative
            | Self::AttentionRelativeBarrierFree
            | Self::AttentionRelativeProbabilities
            | Self::AttentionDisentangled
            | Self::AttentionDisentangledBarrierFree
            | Self::AttentionDisentangledProbabilities => self.attention_fragments(),
            #[cfg(feature = "families")]
            Self::Unfold
            | Self::Depthwise
            | Self::SpanConvolution
            | Self::Columns
            | Self::ClearRows
            | Self::Rotary
            | Self::Gate
            | Self::ResidualNorm
            | Self::ResidualNormBarrierFree
            | Self::NormOfKind
            | Self::NormOfKindBarrierFree
            | Self::ScaleRows
            | Self::MeanPool => self.family_fragments(),
        }
    }

    // A kernel outside a group has no fragments there. The tests reject a kernel without code.

    /// Returns the fragments of linear layers and of the quantization before them.
    fn linear_fragments(self) -> Vec<&'static str> {
        let params = shader!("shared/linear_params");
        let activation: &[&str] = &[shader!("shared/activation"), OTHER_ACTIVATIONS];
        let store_vec4 = shader!("shared/store_vec4");
        let (quantize, load_rows) = (shader!("shared/quantize"), shader!("shared/load_rows"));
        let (x_rows, dot_int8) = (shader!("shared/x_rows"), shader!("shared/dot_int8"));
        let (groups, weight_block) =
            (shader!("shared/groups_float"), shader!("shared/weight_block"));
        let arithmetic_int8 = shader!("shared/arithmetic_int8");
        let barrier_free = shader!("shared/barrier_free");
        let (before, after): (&[&str], &[&str]) = match self {
            // and the tile's own source
            Self::Linear(precision, _) => (
                &[shader!("shared/arithmetic_f32"), params, x_rows, weight(precision), groups],
                &[store_vec4],
            ),
            Self::LinearF16(precision, _) => (
                &[shader!("shared/arithmetic_f16"), params, x_rows, weight(precision), groups],
                &[store_vec4],
            ),
            Self::LinearSumParts => (&[params], &[store_vec4, shader!("linear_sum_parts")]),
            Self::LinearQuantized(_) => {
                (&[arithmetic_int8, params, shader!("shared/x_quantized"), dot_int8], &[store_vec4])
            }
            Self::LinearRounded(_) => {
                (&[arithmetic_int8, params, x_rows, quantize, load_rows, dot_int8], &[store_vec4])
            }
            Self::LinearFewRows(precision) => {
                (&[params, x_rows, weight(precision)], &[shader!("linear_few_rows")])
            }
            Self::LinearFewRowsInt8 => {
                let kernel = shader!("linear_few_rows_int8");
                (
                    &[params, x_rows, quantize, load_rows, dot_int8, weight_block],
                    &[store_vec4, kernel],
                )
            }
            Self::LinearBarrierFree(precision) => {
                let kernel = shader!("linear_barrier_free");
                (&[params, weight(precision)], &[store_vec4, barrier_free, kernel])
            }
            Self::LinearBarrierFreeInt8 => {
                (&[params], &[store_vec4, barrier_free, shader!("linear_barrier_free_int8")])
            }
            Self::QuantizeRows => {
                return vec![params, x_rows, quantize, load_rows, shader!("quantize_rows")];
            }
            _ => return Vec::new(),
        };
        [before, activation, after].concat()
    }

    /// Returns the fragments of attention: how a score depends on positions, and which kernel
    /// computes with it.
    fn attention_fragments(self) -> Vec<&'static str> {
        let positions = match self {
            #[cfg(feature = "families")]
            Self::AttentionRelative
            | Self::AttentionRelativeBarrierFree
            | Self::AttentionRelativeProbabilities => shader!("attention_relative"),
            #[cfg(feature = "families")]
            Self::AttentionDisentangled
            | Self::AttentionDisentangledBarrierFree
            | Self::AttentionDisentangledProbabilities => shader!("attention_disentangled"),
            _ => shader!("shared/attention_everywhere"),
        };
        let kernel: &[&str] = match self {
            Self::Attention => &[shader!("attention")],
            Self::AttentionWide => &[], // variants.rs has its source
            #[cfg(feature = "families")]
            Self::AttentionRelative | Self::AttentionDisentangled => &[shader!("attention")],
            Self::AttentionBarrierFree => &[shader!("attention_barrier_free")],
            Self::AttentionProbabilities => {
                &[shader!("shared/reduce"), shader!("attention_probabilities")]
            }
            #[cfg(feature = "families")]
            Self::AttentionRelativeBarrierFree | Self::AttentionDisentangledBarrierFree => {
                &[shader!("attention_barrier_free")]
            }
            #[cfg(feature = "families")]
            Self::AttentionRelativeProbabilities | Self::AttentionDisentangledProbabilities => {
                &[shader!("shared/reduce"), shader!("attention_probabilities")]
            }
            _ => return Vec::new(),
        };
        let (params, heads) =
            (shader!("shared/attention_params"), shader!("shared/attention_heads"));
        [&[params, heads, positions, shader!("shared/attention_store")], kernel].concat()
    }

    /// Returns the fragments of the kernels that only BERT's relatives need.
    #[cfg(feature = "families")]
    fn family_fragments(self) -> Vec<&'static str> {
        let kinds = shader!("shared/norm_row_kinds");
        let (residual, residual_norm) = (shader!("shared/residual"), shader!("residual_norm"));
        match self {
            Self::Unfold => vec![shader!("shared/neighbours"), shader!("unfold")],
            Self::Depthwise => vec![shader!("shared/neighbours"), shader!("depthwise")],
            Self::SpanConvolution => {
                vec![shader!("shared/neighbours"), shader!("span_convolution")]
            }
            Self::Columns => vec![shader!("columns")],
            Self::ClearRows => vec![shader!("clear_rows")],
            Self::Rotary => vec![shader!("rotary")],
            Self::Gate => {
                vec![shader!("shared/activation"), OTHER_ACTIVATIONS, shader!("gate")]
            }
            Self::ResidualNorm => vec![kinds, residual_norm, shader!("norm")],
            Self::ResidualNormBarrierFree => {
                vec![kinds, residual_norm, shader!("norm_barrier_free")]
            }
            Self::NormOfKind => vec![kinds, residual, shader!("norm")],
            Self::NormOfKindBarrierFree => vec![kinds, residual, shader!("norm_barrier_free")],
            Self::ScaleRows => vec![shader!("scale_rows")],
            Self::MeanPool => vec![shader!("mean_pool")],
            _ => Vec::new(),
        }
    }
}

/// Returns the fragment that reads a matrix of this precision.
fn weight(precision: Precision) -> &'static str {
    match precision {
        Precision::F32 => shader!("shared/weight_f32"),
        Precision::F16 => shader!("shared/weight_f16"),
        Precision::Bf16 => shader!("shared/weight_bf16"),
        Precision::I8 => shader!("shared/weight_i8"),
    }
}

/// Returns the fragments that read the three tables of embeddings: [`weight`] with the names and
/// bindings of each.
fn embedding_tables(precision: Precision) -> String {
    let table = |(name, first): (&str, u32)| {
        weight(precision)
            .replace("weights", &format!("{name}_weights"))
            .replace("scales", &format!("{name}_scales"))
            .replace("fn weight(", &format!("fn {name}_weight("))
            .replace("params.groups", "row_groups()")
            .replace("@binding(3)", &format!("@binding({first})"))
            .replace("@binding(4)", &format!("@binding({})", first + 1))
    };
    EMBEDDING_TABLES.map(table).concat()
}

/// Returns the name and WGSL of every kernel, for tests.
#[doc(hidden)]
pub fn sources() -> Vec<(String, String)> {
    Kernel::all().into_iter().map(|kernel| (format!("{kernel:?}"), kernel.source())).collect()
}
