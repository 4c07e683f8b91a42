//! The compute shaders: the fragments of shaders/ that make up each kernel.

use super::minify::shader;
#[cfg(feature = "train")]
use super::train::TrainKernel;
use crate::backend::Precision;

/// Activations that shared/activation.wgsl does not contain.
#[cfg(feature = "families")]
pub(super) const OTHER_ACTIVATIONS: &str = shader!("shared/activation_families");
#[cfg(not(feature = "families"))]
pub(super) const OTHER_ACTIVATIONS: &str = shader!("shared/activation_few");

/// A kernel. Its binding 0 is the uniform `Params`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kernel {
    /// Gathers rows of a matrix by number.
    Gather(Precision),
    /// LayerNorm, with or without a residual.
    Norm,
    /// LayerNorm without barriers, for software adapters.
    NormBarrierFree,
    /// Linear layer over five or more rows.
    Linear(Precision),
    /// [`Kernel::Linear`] in 16-bit floats.
    LinearF16(Precision),
    /// [`Kernel::Linear`] in 8-bit integers.
    LinearInt8,
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
    /// Attention without barriers or workgroup memory, for software adapters and wide heads.
    AttentionBarrierFree,
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

/// A shader's override constants.
pub(super) type Constants<'a> = &'a [(&'static str, f64)];

impl Kernel {
    /// Returns every kernel, in every precision.
    pub(super) fn all() -> Vec<Self> {
        let precisions = [Precision::F32, Precision::F16, Precision::Bf16, Precision::I8];
        let with = |kernel: fn(Precision) -> Self| precisions.map(kernel);
        let kernels = [
            with(Self::Gather).as_slice(),
            &with(Self::Linear),
            &with(Self::LinearF16),
            &with(Self::LinearFewRows),
            &with(Self::LinearBarrierFree),
            &[Self::LinearInt8, Self::LinearFewRowsInt8, Self::LinearBarrierFreeInt8],
            &[Self::QuantizeRows, Self::Norm, Self::NormBarrierFree, Self::TopK],
            &[Self::Attention, Self::AttentionBarrierFree, Self::AttentionProbabilities],
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
        ]
        .concat();
        #[cfg(feature = "train")]
        let kernels = kernels.into_iter().chain(TrainKernel::ALL.map(Self::Train)).collect();
        kernels
    }

    /// Returns the WGSL of the kernel: its fragments, concatenated.
    pub(super) fn source(self) -> String {
        let weight = |precision| match precision {
            Precision::F32 => shader!("shared/weight_f32"),
            Precision::F16 => shader!("shared/weight_f16"),
            Precision::Bf16 => shader!("shared/weight_bf16"),
            Precision::I8 => shader!("shared/weight_i8"),
        };
        let params = shader!("shared/linear_params");
        let activation: &str = &[shader!("shared/activation"), OTHER_ACTIVATIONS].concat();
        let (tile, store_vec4) = (shader!("shared/tile"), shader!("shared/store_vec4"));
        let (quantize, load_rows) = (shader!("shared/quantize"), shader!("shared/load_rows"));
        let (dot_int8, norm_row) = (shader!("shared/dot_int8"), shader!("shared/norm_row"));
        let (heads, linear) = (shader!("shared/attention_heads"), shader!("linear"));
        let (attention, store) =
            (shader!("shared/attention_params"), shader!("shared/attention_store"));
        let barrier_free = shader!("shared/barrier_free");
        let (residual, everywhere) =
            (shader!("shared/residual"), shader!("shared/attention_everywhere"));
        #[cfg(feature = "families")]
        let (residual_norm, relative) = (shader!("residual_norm"), shader!("attention_relative"));
        #[cfg(feature = "families")]
        let disentangled = shader!("attention_disentangled");
        #[cfg(feature = "families")]
        let norm_row_kinds = shader!("shared/norm_row_kinds");
        let fragments: &[&str] = match self {
            Self::Gather(precision) => &[weight(precision), shader!("gather")],
            Self::Norm => &[norm_row, residual, shader!("norm")],
            Self::NormBarrierFree => &[norm_row, residual, shader!("norm_barrier_free")],
            Self::Linear(precision) => {
                let arithmetic = shader!("shared/arithmetic_f32");
                &[arithmetic, params, weight(precision), activation, tile, linear]
            }
            Self::LinearF16(precision) => {
                let arithmetic = shader!("shared/arithmetic_f16");
                &[arithmetic, params, weight(precision), activation, tile, linear]
            }
            Self::LinearInt8 => {
                let kernel = shader!("linear_int8");
                &[params, quantize, load_rows, dot_int8, activation, tile, kernel]
            }
            Self::LinearFewRows(precision) => {
                &[params, weight(precision), activation, shader!("linear_few_rows")]
            }
            Self::LinearFewRowsInt8 => {
                let kernel = shader!("linear_few_rows_int8");
                &[params, quantize, load_rows, dot_int8, activation, store_vec4, kernel]
            }
            Self::LinearBarrierFree(precision) => {
                let kernel = shader!("linear_barrier_free");
                &[params, weight(precision), activation, store_vec4, barrier_free, kernel]
            }
            Self::LinearBarrierFreeInt8 => {
                let kernel = shader!("linear_barrier_free_int8");
                &[params, activation, store_vec4, barrier_free, kernel]
            }
            Self::QuantizeRows => &[params, quantize, load_rows, shader!("quantize_rows")],
            Self::Attention => &[attention, heads, everywhere, store, shader!("attention")],
            Self::AttentionBarrierFree => {
                &[attention, heads, everywhere, store, shader!("attention_barrier_free")]
            }
            Self::AttentionProbabilities => {
                let kernel = shader!("attention_probabilities");
                &[attention, heads, everywhere, store, shader!("shared/reduce"), kernel]
            }
            #[cfg(feature = "families")]
            Self::AttentionRelative => &[attention, heads, relative, store, shader!("attention")],
            #[cfg(feature = "families")]
            Self::AttentionRelativeBarrierFree => {
                &[attention, heads, relative, store, shader!("attention_barrier_free")]
            }
            #[cfg(feature = "families")]
            Self::AttentionRelativeProbabilities => {
                let kernel = shader!("attention_probabilities");
                &[attention, heads, relative, store, shader!("shared/reduce"), kernel]
            }
            #[cfg(feature = "families")]
            Self::AttentionDisentangled => {
                &[attention, heads, disentangled, store, shader!("attention")]
            }
            #[cfg(feature = "families")]
            Self::AttentionDisentangledBarrierFree => {
                &[attention, heads, disentangled, store, shader!("attention_barrier_free")]
            }
            #[cfg(feature = "families")]
            Self::AttentionDisentangledProbabilities => {
                let kernel = shader!("attention_probabilities");
                &[attention, heads, disentangled, store, shader!("shared/reduce"), kernel]
            }
            #[cfg(feature = "families")]
            Self::Unfold => &[shader!("unfold")],
            #[cfg(feature = "families")]
            Self::Columns => &[shader!("columns")],
            #[cfg(feature = "families")]
            Self::ClearRows => &[shader!("clear_rows")],
            #[cfg(feature = "families")]
            Self::Rotary => &[shader!("rotary")],
            #[cfg(feature = "families")]
            Self::Gate => &[activation, shader!("gate")],
            #[cfg(feature = "families")]
            Self::ResidualNorm => &[norm_row_kinds, residual_norm, shader!("norm")],
            #[cfg(feature = "families")]
            Self::ResidualNormBarrierFree => {
                &[norm_row_kinds, residual_norm, shader!("norm_barrier_free")]
            }
            #[cfg(feature = "families")]
            Self::NormOfKind => &[norm_row_kinds, residual, shader!("norm")],
            #[cfg(feature = "families")]
            Self::NormOfKindBarrierFree => {
                &[norm_row_kinds, residual, shader!("norm_barrier_free")]
            }
            #[cfg(feature = "families")]
            Self::ScaleRows => &[shader!("scale_rows")],
            #[cfg(feature = "families")]
            Self::MeanPool => &[shader!("mean_pool")],
            Self::TopK => &[shader!("top_k")],
            #[cfg(feature = "train")]
            Self::Train(kernel) => &kernel.fragments(),
        };
        // The prelude comes last, because WGSL requires directives such as `enable f16` at the
        // start.
        [fragments, &[shader!("shared/prelude")]].concat().concat()
    }
}

/// Returns the name and WGSL of every kernel, for tests.
#[doc(hidden)]
pub fn sources() -> Vec<(String, String)> {
    Kernel::all().into_iter().map(|kernel| (format!("{kernel:?}"), kernel.source())).collect()
}
