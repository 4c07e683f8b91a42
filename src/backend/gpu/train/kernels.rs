//! The compute shaders of training: the fragments of shaders/ that make up each kernel.

use super::super::minify::shader;
use crate::backend::gpu::kernels::OTHER_ACTIVATIONS;

/// A training kernel. Its binding 0 is the uniform `Params`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::backend::gpu) enum TrainKernel {
    /// y = activation(z).
    Activation,
    /// dy = dy · activation'(z).
    ActivationBackward,
    /// y += x, or y = x.
    Add,
    /// y = 0.
    Clear,
    /// x = dropout(x).
    Dropout,
    /// dx = dy · weight.
    LinearBackwardInput,
    /// dweight += dyᵀ · x.
    LinearBackwardWeight,
    /// Sums of columns, by chunks of rows.
    ColumnSums,
    /// LayerNorm that also stores the values its gradient needs.
    NormForward,
    /// Gradient of LayerNorm with respect to its input.
    NormBackward,
    /// Attention that also stores the logarithm of each softmax's sum.
    AttentionForward,
    /// Sums of dy · y per head.
    AttentionBackwardDelta,
    /// Gradient of attention with respect to the queries.
    AttentionBackwardQueries,
    /// Gradient of attention with respect to the keys and values.
    AttentionBackwardKeys,
    /// [`TrainKernel::AttentionForward`] by contents and relative positions.
    AttentionDisentangledForward,
    /// Gradient of attention by relative positions with respect to the queries.
    AttentionDisentangledBackwardQueries,
    /// Gradient of attention by relative positions with respect to the keys and values.
    AttentionDisentangledBackwardKeys,
    /// Gradient of attention by relative positions with respect to the positions.
    AttentionDisentangledBackwardPositions,
    /// Weighted sums of rows.
    SegmentSums,
    /// Cross-entropy of rows, and its gradient.
    CrossEntropy,
    /// Cross-entropy along the columns of groups of rows.
    CrossEntropyOfGroups,
    /// Binary cross-entropy of elements.
    BinaryCrossEntropy,
    /// Mean square of elements.
    MeanSquare,
    /// Sum of numbers or of their squares, by chunks.
    Sum,
    /// One step of AdamW.
    AdamW,
    /// One step of gradient descent.
    Sgd,
}

impl TrainKernel {
    /// Every kernel.
    pub(in crate::backend::gpu) const ALL: [Self; 26] = [
        Self::Activation,
        Self::ActivationBackward,
        Self::Add,
        Self::Clear,
        Self::Dropout,
        Self::LinearBackwardInput,
        Self::LinearBackwardWeight,
        Self::ColumnSums,
        Self::NormForward,
        Self::NormBackward,
        Self::AttentionForward,
        Self::AttentionBackwardDelta,
        Self::AttentionBackwardQueries,
        Self::AttentionBackwardKeys,
        Self::AttentionDisentangledForward,
        Self::AttentionDisentangledBackwardQueries,
        Self::AttentionDisentangledBackwardKeys,
        Self::AttentionDisentangledBackwardPositions,
        Self::SegmentSums,
        Self::CrossEntropy,
        Self::CrossEntropyOfGroups,
        Self::BinaryCrossEntropy,
        Self::MeanSquare,
        Self::Sum,
        Self::AdamW,
        Self::Sgd,
    ];

    /// Returns the fragments of the kernel's WGSL, without the prelude.
    pub(in crate::backend::gpu) fn fragments(self) -> Vec<&'static str> {
        let (elements, activation) = (shader!("shared/elements"), shader!("shared/activation"));
        let (philox, reduce) = (shader!("shared/philox"), shader!("shared/reduce"));
        let (elementwise, clip) = (shader!("shared/elementwise_loss"), shader!("shared/clip"));
        match self {
            Self::Activation => {
                vec![activation, OTHER_ACTIVATIONS, shader!("activation")]
            }
            Self::ActivationBackward => {
                vec![elements, activation, OTHER_ACTIVATIONS, shader!("activation_backward")]
            }
            Self::Add => vec![elements, shader!("add")],
            Self::Clear => vec![elements, shader!("clear")],
            Self::Dropout => vec![philox, shader!("dropout")],
            Self::LinearBackwardInput => {
                vec![shader!("shared/weight_f32"), shader!("linear_backward_input")]
            }
            Self::LinearBackwardWeight => vec![shader!("linear_backward_weight")],
            Self::ColumnSums => vec![shader!("column_sums")],
            Self::NormForward => vec![reduce, shader!("norm_forward")],
            Self::NormBackward => vec![reduce, shader!("norm_backward")],
            Self::AttentionForward
            | Self::AttentionBackwardDelta
            | Self::AttentionBackwardQueries
            | Self::AttentionBackwardKeys => self.attention_fragments(),
            Self::AttentionDisentangledForward
            | Self::AttentionDisentangledBackwardQueries
            | Self::AttentionDisentangledBackwardKeys
            | Self::AttentionDisentangledBackwardPositions => self.disentangled_fragments(),
            Self::SegmentSums => vec![shader!("segment_sums")],
            Self::CrossEntropy => vec![reduce, shader!("cross_entropy")],
            Self::CrossEntropyOfGroups => vec![reduce, shader!("cross_entropy_of_groups")],
            Self::BinaryCrossEntropy => vec![elementwise, shader!("binary_cross_entropy")],
            Self::MeanSquare => vec![elementwise, shader!("mean_square")],
            Self::Sum => vec![reduce, shader!("sum")],
            Self::AdamW => vec![clip, shader!("adamw")],
            Self::Sgd => vec![clip, shader!("sgd")],
        }
    }

    /// Returns the fragments of attention and its gradient.
    fn attention_fragments(self) -> Vec<&'static str> {
        let mut fragments =
            vec![shader!("shared/philox"), shader!("shared/attention_train_params")];
        if self == Self::AttentionBackwardDelta {
            fragments.push(shader!("attention_backward_delta"));
            return fragments;
        }
        fragments.extend([shader!("shared/attention_heads"), shader!("shared/attention_tile")]);
        if self == Self::AttentionForward {
            fragments.push(shader!("shared/attention_log_sums"));
        }
        fragments.extend(match self {
            Self::AttentionForward => {
                [shader!("shared/attention_store"), shader!("attention_forward")]
            }
            Self::AttentionBackwardQueries => {
                [shader!("shared/attention_gradient"), shader!("attention_backward_queries")]
            }
            _ => [shader!("shared/attention_gradient"), shader!("attention_backward_keys")],
        });
        fragments
    }

    /// Returns the fragments of attention by relative positions and its gradient.
    fn disentangled_fragments(self) -> Vec<&'static str> {
        let mut fragments = vec![
            shader!("shared/philox"),
            shader!("shared/attention_train_params"),
            shader!("shared/attention_heads"),
            shader!("attention_disentangled"),
            shader!("shared/attention_pairs"),
        ];
        if self == Self::AttentionDisentangledForward {
            fragments.extend([shader!("shared/reduce"), shader!("shared/attention_store")]);
            fragments.push(shader!("shared/attention_log_sums"));
        } else {
            fragments.push(shader!("shared/attention_gradient"));
            fragments.push(shader!("shared/attention_pair_gradient"));
        }
        fragments.push(match self {
            Self::AttentionDisentangledForward => shader!("attention_disentangled_forward"),
            Self::AttentionDisentangledBackwardQueries => {
                shader!("attention_disentangled_backward_queries")
            }
            Self::AttentionDisentangledBackwardKeys => {
                shader!("attention_disentangled_backward_keys")
            }
            _ => shader!("attention_disentangled_backward_positions"),
        });
        fragments
    }
}
