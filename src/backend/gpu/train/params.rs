//! The uniforms of the training shaders, declared like the uniforms of the forward pass.

use bytemuck::{Pod, Zeroable};

use super::super::params::uniforms;

uniforms! {
    /// For elementwise kernels (shaders/shared/elements.wgsl).
    ElementsParams {
        /// Groups of four.
        count: u32,
    }

    /// For activation.wgsl.
    ActivationParams {
        /// Groups of four.
        count: u32,
        /// Columns of a row.
        width: u32,
    }

    /// For dropout.wgsl.
    DropoutParams {
        /// Rows of x.
        rows: u32,
        /// Groups per row.
        groups: u32,
        /// Lower half of the seed.
        seed_low: u32,
        /// Upper half of the seed.
        seed_high: u32,
        /// Number of this dropout within the model.
        site: u32,
        /// Number of the forward pass within the run.
        step: u32,
        /// An element becomes 0 if its random number is below this.
        threshold: u32,
        /// Factor of the elements that are kept.
        scale: f32,
    }

    /// For linear_backward_input.wgsl.
    BackwardInputParams {
        /// Rows of dy and dx.
        rows: u32,
        /// Groups per row of dx and of the weights.
        groups: u32,
        /// Columns of dy.
        outputs: u32,
        /// First column of dy for which this part of the weights has a row.
        first: u32,
        /// Rows in this part.
        count: u32,
    }

    /// For linear_backward_weight.wgsl.
    BackwardWeightParams {
        /// Rows of x and dy.
        rows: u32,
        /// Groups per row of x and of dweight.
        groups: u32,
        /// Columns of dy, which are the rows of dweight.
        outputs: u32,
    }

    /// For column_sums.wgsl.
    ColumnSumsParams {
        /// Rows of x.
        rows: u32,
        /// Groups per row.
        groups: u32,
        /// Rows added up by one invocation.
        chunk: u32,
    }

    /// For norm_forward.wgsl.
    NormForwardParams {
        /// Rows of x.
        rows: u32,
        /// Columns of x.
        width: u32,
        /// Added to the variance, inside the root.
        eps: f32,
    }

    /// For norm_backward.wgsl.
    NormBackwardParams {
        /// Rows of dy.
        rows: u32,
        /// Columns of dy.
        width: u32,
    }

    /// For attention and its gradient (shaders/shared/attention_train_params.wgsl).
    AttentionTrainParams {
        /// Columns of all heads together.
        width: u32,
        /// Columns per head.
        head_dim: u32,
        /// Columns per row of qkv, in whole groups of four.
        stride: u32,
        /// Index in the list of the first sequence.
        sequences_start: u32,
        /// Index in the list of the first block, or of the first row's sequence.
        entries_start: u32,
        /// Heads.
        heads: u32,
        /// Rows of qkv.
        rows: u32,
        /// Lower half of the dropout seed.
        seed_low: u32,
        /// Upper half of the dropout seed.
        seed_high: u32,
        /// Number of this dropout within the model.
        site: u32,
        /// Number of the forward pass within the run.
        step: u32,
        /// A probability becomes 0 if its random number is below this.
        threshold: u32,
        /// Factor of the probabilities that are kept.
        keep_scale: f32,
        /// Index in the list of the first row's position within its sequence.
        columns_start: u32,
        /// Greatest distance of two rows of a sequence.
        reach: u32,
        /// First query of a slice.
        first_query: u32,
        /// Number of queries of a slice.
        queries: u32,
    }

    /// For segment_sums.wgsl.
    SegmentSumsParams {
        /// Number of segments.
        segments: u32,
        /// Groups per row, in x and y.
        groups: u32,
        /// Index in the list of the first entry.
        entries_start: u32,
    }

    /// For cross_entropy.wgsl.
    CrossEntropyParams {
        /// Rows of logits.
        rows: u32,
        /// Columns of logits.
        classes: u32,
        /// Label smoothing.
        smoothing: f32,
        /// 1 / Σ weight over the targets that are not ignored.
        inverse: f32,
        /// Factor of the gradient.
        scale: f32,
    }

    /// For cross_entropy_of_groups.wgsl.
    GroupsParams {
        /// Number of groups of rows.
        count: u32,
        /// Columns of logits.
        cols: u32,
        /// Factor of the gradient.
        scale: f32,
    }

    /// For elementwise losses (shaders/shared/elementwise_loss.wgsl).
    ElementwiseParams {
        /// Rows of logits.
        rows: u32,
        /// Columns of logits.
        cols: u32,
        /// 1 / number of elements.
        inverse: f32,
        /// Factor of the gradient.
        scale: f32,
    }

    /// For sum.wgsl.
    SumParams {
        /// Number of elements.
        count: u32,
        /// Groups of four per workgroup.
        chunk: u32,
    }

    /// For adamw.wgsl.
    AdamWParams {
        /// Groups in this part of the parameter.
        count: u32,
        /// Index in the gradient and the moments of the first group.
        first: u32,
        /// Decay of the first moment.
        beta1: f32,
        /// Decay of the second moment.
        beta2: f32,
        /// 1 - learning rate · weight decay.
        decay: f32,
        /// learning rate / (1 - beta1^step).
        step_size: f32,
        /// 1 / √(1 - beta2^step).
        root_scale: f32,
        /// Added to the root.
        epsilon: f32,
        /// Largest norm of all gradients together that is not clipped.
        max_norm: f32,
    }

    /// For sgd.wgsl.
    SgdParams {
        /// Groups in this part of the parameter.
        count: u32,
        /// Index in the gradient of the first group.
        first: u32,
        /// Learning rate.
        rate: f32,
        /// Share of the parameter that is added to its gradient.
        weight_decay: f32,
        /// Largest norm of all gradients together that is not clipped.
        max_norm: f32,
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
impl super::TrainKernel {
    /// Returns name, type and offset of each member of the kernel's uniform, and its size in bytes.
    pub(in crate::backend::gpu) fn layout(
        self,
    ) -> (&'static [(&'static str, &'static str, usize)], usize) {
        macro_rules! of {
            ($params:ident) => {
                ($params::LAYOUT, size_of::<$params>())
            };
        }
        match self {
            Self::Activation => of!(ActivationParams),
            Self::ActivationBackward | Self::Add | Self::Clear => of!(ElementsParams),
            Self::Dropout => of!(DropoutParams),
            Self::LinearBackwardInput => of!(BackwardInputParams),
            Self::LinearBackwardWeight => of!(BackwardWeightParams),
            Self::ColumnSums => of!(ColumnSumsParams),
            Self::NormForward => of!(NormForwardParams),
            Self::NormBackward => of!(NormBackwardParams),
            Self::AttentionForward
            | Self::AttentionBackwardDelta
            | Self::AttentionBackwardQueries
            | Self::AttentionBackwardKeys
            | Self::AttentionDisentangledForward
            | Self::AttentionDisentangledBackwardQueries
            | Self::AttentionDisentangledBackwardKeys
            | Self::AttentionDisentangledBackwardPositions => of!(AttentionTrainParams),
            Self::SegmentSums => of!(SegmentSumsParams),
            Self::CrossEntropy => of!(CrossEntropyParams),
            Self::CrossEntropyOfGroups => of!(GroupsParams),
            Self::BinaryCrossEntropy | Self::MeanSquare => of!(ElementwiseParams),
            Self::Sum => of!(SumParams),
            Self::AdamW => of!(AdamWParams),
            Self::Sgd => of!(SgdParams),
        }
    }
}
