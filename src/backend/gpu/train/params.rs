//! The uniforms of training's shaders, as those of the forward pass are declared.

use bytemuck::{Pod, Zeroable};

use super::super::params::uniforms;

uniforms! {
    /// Of kernels over all elements (shaders/shared/elements.wgsl).
    ElementsParams {
        /// Groups of four.
        count: u32,
    }

    /// Of dropout.wgsl.
    DropoutParams {
        /// Rows of x.
        rows: u32,
        /// Groups of a row.
        groups: u32,
        /// Lower half of the seed.
        seed_low: u32,
        /// Upper half of the seed.
        seed_high: u32,
        /// Which of the model's dropouts it is.
        site: u32,
        /// Which forward pass of the run.
        step: u32,
        /// An element becomes 0 where its random number is less.
        threshold: u32,
        /// What the others are multiplied by.
        scale: f32,
    }

    /// Of linear_backward_input.wgsl.
    BackwardInputParams {
        /// Rows of dy and dx.
        rows: u32,
        /// Groups of a row of dx and of weights.
        groups: u32,
        /// Columns of dy.
        outputs: u32,
        /// The first column of dy that this part of the weights has a row for.
        first: u32,
        /// Rows of this part.
        count: u32,
    }

    /// Of linear_backward_weight.wgsl.
    BackwardWeightParams {
        /// Rows of x and dy.
        rows: u32,
        /// Groups of a row of x and of dweight.
        groups: u32,
        /// Columns of dy, rows of dweight.
        outputs: u32,
    }

    /// Of column_sums.wgsl.
    ColumnSumsParams {
        /// Rows of x.
        rows: u32,
        /// Groups of a row.
        groups: u32,
        /// Rows that an invocation adds up.
        chunk: u32,
    }

    /// Of norm_forward.wgsl.
    NormForwardParams {
        /// Rows of x.
        rows: u32,
        /// Columns of x.
        width: u32,
        /// Added to the variance.
        eps: f32,
    }

    /// Of norm_backward.wgsl.
    NormBackwardParams {
        /// Rows of dy.
        rows: u32,
        /// Columns of dy.
        width: u32,
    }

    /// Of attention and its gradient (shaders/shared/attention_train_params.wgsl).
    AttentionTrainParams {
        /// Columns of all heads.
        width: u32,
        /// Columns of a head.
        head_dim: u32,
        /// Columns of a row of qkv, in whole groups of four.
        stride: u32,
        /// Where the sequences begin in the list.
        sequences_start: u32,
        /// Where the blocks begin in the list.
        entries_start: u32,
        /// Heads.
        heads: u32,
        /// Rows of qkv.
        rows: u32,
        /// Lower half of the seed of dropout.
        seed_low: u32,
        /// Upper half of the seed.
        seed_high: u32,
        /// Which of the model's dropouts it is.
        site: u32,
        /// Which forward pass of the run.
        step: u32,
        /// A probability becomes 0 where its random number is less.
        threshold: u32,
        /// What the others are multiplied by.
        keep_scale: f32,
    }

    /// Of segment_sums.wgsl.
    SegmentSumsParams {
        /// Number of segments.
        segments: u32,
        /// Groups of a row, in x and y.
        groups: u32,
        /// Where the entries begin in the list.
        entries_start: u32,
    }

    /// Of cross_entropy.wgsl.
    CrossEntropyParams {
        /// Rows of logits.
        rows: u32,
        /// Columns of logits.
        classes: u32,
        /// Label smoothing.
        smoothing: f32,
        /// 1 over the weights of all targets that count.
        inverse: f32,
        /// What the gradient is multiplied by.
        scale: f32,
    }

    /// Of cross_entropy_of_groups.wgsl.
    GroupsParams {
        /// Groups of rows.
        count: u32,
        /// Columns of logits.
        cols: u32,
        /// What the gradient is multiplied by.
        scale: f32,
    }

    /// Of losses of elements (shaders/shared/elementwise_loss.wgsl).
    ElementwiseParams {
        /// Rows of logits.
        rows: u32,
        /// Columns of logits.
        cols: u32,
        /// 1 over the number of elements.
        inverse: f32,
        /// What the gradient is multiplied by.
        scale: f32,
    }

    /// Of sum.wgsl.
    SumParams {
        /// Numbers.
        count: u32,
        /// Groups of four of a workgroup.
        chunk: u32,
    }

    /// Of adamw.wgsl.
    AdamWParams {
        /// Groups of this part of the parameter.
        count: u32,
        /// Where they begin in the gradient and the moments.
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
        /// The greatest norm of all gradients that is not clipped.
        max_norm: f32,
    }

    /// Of sgd.wgsl.
    SgdParams {
        /// Groups of this part of the parameter.
        count: u32,
        /// Where they begin in the gradient.
        first: u32,
        /// Learning rate.
        rate: f32,
        /// Share of the parameter that is added to its gradient.
        weight_decay: f32,
        /// The greatest norm of all gradients that is not clipped.
        max_norm: f32,
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
impl super::TrainKernel {
    /// Name, type and offset of each member of the kernel's uniform, and its bytes.
    pub(in crate::backend::gpu) fn layout(
        self,
    ) -> (&'static [(&'static str, &'static str, usize)], usize) {
        macro_rules! of {
            ($params:ident) => {
                ($params::LAYOUT, size_of::<$params>())
            };
        }
        match self {
            Self::Activation | Self::ActivationBackward | Self::Add | Self::Clear => {
                of!(ElementsParams)
            }
            Self::Dropout => of!(DropoutParams),
            Self::LinearBackwardInput => of!(BackwardInputParams),
            Self::LinearBackwardWeight => of!(BackwardWeightParams),
            Self::ColumnSums => of!(ColumnSumsParams),
            Self::NormForward => of!(NormForwardParams),
            Self::NormBackward => of!(NormBackwardParams),
            Self::AttentionForward
            | Self::AttentionBackwardDelta
            | Self::AttentionBackwardQueries
            | Self::AttentionBackwardKeys => of!(AttentionTrainParams),
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
