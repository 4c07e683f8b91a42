//! The uniforms of the shaders, `Params` at binding 0: one struct per shader, with the same
//! members. A test compares names, types and offsets with the shaders.

use bytemuck::{Pod, Zeroable};

/// Declares uniforms: structs in C layout. For members of 4 bytes, WGSL has the same layout.
macro_rules! uniforms {
    ($($(#[$doc:meta])* $name:ident { $($(#[$member_doc:meta])* $member:ident: $type:ident,)+ })+) => { $(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Debug, Clone, Copy, Pod, Zeroable)]
        pub(in crate::backend::gpu) struct $name {
            $($(#[$member_doc])* pub(in crate::backend::gpu) $member: $type,)+
        }

        #[cfg(all(test, not(target_arch = "wasm32")))]
        impl $name {
            /// Name, type and offset of each member.
            pub(in crate::backend::gpu) const LAYOUT: &[(&str, &str, usize)] = &[
                $((stringify!($member), stringify!($type), std::mem::offset_of!($name, $member)),)+
            ];
        }
    )+ };
}
#[cfg(feature = "train")]
pub(super) use uniforms;

uniforms! {
    /// For gather.wgsl.
    GatherParams {
        /// Rows of y.
        rows: u32,
        /// Groups of four columns of a row, in y and in the table.
        groups: u32,
        /// Index in the list of the first row number.
        list_start: u32,
        /// First row of this part of the table.
        first: u32,
        /// Rows in this part.
        count: u32,
    }

    /// For the linear layers and quantize_rows.wgsl (shaders/shared/linear_params.wgsl).
    LinearParams {
        /// Rows of x and y.
        rows: u32,
        /// Groups of four columns per row of x.
        groups: u32,
        /// Columns of y.
        outputs: u32,
        /// First column of y that this part of the weights computes.
        first: u32,
        /// Number of columns that this part computes, which is its number of weight rows.
        count: u32,
        /// Groups of four inputs per part of the sums: all of them, unless there are several parts.
        part_groups: u32,
        /// Added to the variance, inside the root, if x is to be normalized.
        eps: f32,
    }

    /// For LayerNorm (shaders/shared/norm_row.wgsl).
    NormParams {
        /// Rows of x.
        rows: u32,
        /// Columns of x.
        width: u32,
        /// Added to the variance, inside the root.
        eps: f32,
    }

    /// For attention (shaders/shared/attention_params.wgsl).
    AttentionParams {
        /// Columns of all heads together.
        width: u32,
        /// Columns per head.
        head_dim: u32,
        /// Columns per row of qkv, in whole groups of four.
        stride: u32,
        /// Index in the list of the first sequence.
        sequences_start: u32,
        /// Index in the list of the first block (attention) or of the first row's sequence
        /// (probabilities).
        entries_start: u32,
        /// Heads.
        heads: u32,
        /// Rows of qkv.
        rows: u32,
        /// Number of blocks.
        blocks: u32,
        /// Index in the list of the first row's position within its sequence.
        columns_start: u32,
        /// Greatest distance of a key that is attended to.
        reach: u32,
    }

    /// For attention_output.wgsl.
    AttentionOutputParams {
        /// Columns of all heads together.
        width: u32,
        /// Columns per head.
        head_dim: u32,
        /// Columns per row of qkv, in whole groups of four.
        stride: u32,
        /// Index in the list of the first sequence.
        sequences_start: u32,
        /// Index in the list of the first block.
        entries_start: u32,
        /// Heads.
        heads: u32,
        /// Columns of y.
        outputs: u32,
    }

    /// For top_k.wgsl.
    TopKParams {
        /// Rows of x.
        rows: u32,
        /// Groups of four columns per row of x.
        groups: u32,
        /// Columns of x.
        width: u32,
        /// Number of scores to return per row.
        k: u32,
    }
}

#[cfg(feature = "families")]
uniforms! {
    /// For rotary.wgsl.
    RotaryParams {
        /// Rows of qkv.
        rows: u32,
        /// Columns per row of qkv, in whole groups of four.
        stride: u32,
        /// Columns per head.
        head_dim: u32,
        /// Heads of queries and keys together.
        heads: u32,
        /// Index in the list of the first position.
        positions_start: u32,
    }

    /// For convolutions (shaders/shared/neighbours.wgsl).
    UnfoldParams {
        /// Rows of x and y.
        rows: u32,
        /// Columns of x.
        width: u32,
        /// Neighbours per row, itself included.
        taps: u32,
        /// Index in the list of the first row's sequence.
        rows_start: u32,
        /// Index in the list of the first sequence.
        sequences_start: u32,
        /// Index in the list of the first row's position within its sequence.
        columns_start: u32,
    }

    /// For columns.wgsl.
    ColumnsParams {
        /// Rows of a, b and y.
        rows: u32,
        /// Columns of y.
        width: u32,
        /// Columns of y that a has.
        split: u32,
        /// First column of a.
        a_start: u32,
        /// First column of b.
        b_start: u32,
        /// Columns of a row of a.
        a_cols: u32,
        /// Columns of a row of b.
        b_cols: u32,
    }

    /// For clear_rows.wgsl.
    ClearRowsParams {
        /// Rows to clear.
        rows: u32,
        /// Groups of four columns per row.
        groups: u32,
    }

    /// For gate.wgsl.
    GateParams {
        /// Rows of x and y.
        rows: u32,
        /// Columns of y.
        width: u32,
    }

    /// For scale_rows.wgsl.
    ScaleRowsParams {
        /// Rows of x.
        rows: u32,
        /// Groups of four columns of a row.
        groups: u32,
    }

    /// For mean_pool.wgsl.
    MeanPoolParams {
        /// Number of sequences.
        sequences: u32,
        /// Groups of four columns per row.
        groups: u32,
        /// Index in the list of the first sequence.
        sequences_start: u32,
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use naga::{AddressSpace, ScalarKind, TypeInner};

    use super::super::kernels::Kernel;
    use super::super::record::PARAMS_BYTES;
    use super::{
        AttentionOutputParams, AttentionParams, GatherParams, LinearParams, NormParams, TopKParams,
    };
    #[cfg(feature = "families")]
    use super::{
        ClearRowsParams, ColumnsParams, GateParams, MeanPoolParams, RotaryParams, ScaleRowsParams,
        UnfoldParams,
    };

    fn layout(kernel: Kernel) -> (&'static [(&'static str, &'static str, usize)], usize) {
        match kernel {
            Kernel::Gather(_) => (GatherParams::LAYOUT, size_of::<GatherParams>()),
            Kernel::Embed(_) | Kernel::SumNorm | Kernel::SumNormRead => layout(Kernel::Norm),
            Kernel::Norm | Kernel::NormBarrierFree => (NormParams::LAYOUT, size_of::<NormParams>()),
            Kernel::AttentionOutput(_) => {
                (AttentionOutputParams::LAYOUT, size_of::<AttentionOutputParams>())
            }
            Kernel::Linear(..)
            | Kernel::LinearF16(..)
            | Kernel::LinearSumParts
            | Kernel::LinearQuantized(_)
            | Kernel::LinearRounded(_)
            | Kernel::LinearFewRows(_)
            | Kernel::LinearFewRowsInt8
            | Kernel::LinearBarrierFree(_)
            | Kernel::LinearBarrierFreeInt8
            | Kernel::Normed(_)
            | Kernel::QuantizeRows => (LinearParams::LAYOUT, size_of::<LinearParams>()),
            Kernel::Attention
            | Kernel::AttentionWide
            | Kernel::AttentionBarrierFree
            | Kernel::AttentionProbabilities => {
                (AttentionParams::LAYOUT, size_of::<AttentionParams>())
            }
            Kernel::TopK => (TopKParams::LAYOUT, size_of::<TopKParams>()),
            #[cfg(feature = "families")]
            Kernel::AttentionRelative
            | Kernel::AttentionRelativeBarrierFree
            | Kernel::AttentionRelativeProbabilities
            | Kernel::AttentionDisentangled
            | Kernel::AttentionDisentangledBarrierFree
            | Kernel::AttentionDisentangledProbabilities => {
                (AttentionParams::LAYOUT, size_of::<AttentionParams>())
            }
            #[cfg(feature = "families")]
            Kernel::Rotary => (RotaryParams::LAYOUT, size_of::<RotaryParams>()),
            #[cfg(feature = "families")]
            Kernel::Unfold | Kernel::Depthwise | Kernel::SpanConvolution => {
                (UnfoldParams::LAYOUT, size_of::<UnfoldParams>())
            }
            #[cfg(feature = "families")]
            Kernel::Columns => (ColumnsParams::LAYOUT, size_of::<ColumnsParams>()),
            #[cfg(feature = "families")]
            Kernel::ClearRows => (ClearRowsParams::LAYOUT, size_of::<ClearRowsParams>()),
            #[cfg(feature = "families")]
            Kernel::Gate => (GateParams::LAYOUT, size_of::<GateParams>()),
            #[cfg(feature = "families")]
            Kernel::ResidualNorm
            | Kernel::ResidualNormBarrierFree
            | Kernel::NormOfKind
            | Kernel::NormOfKindBarrierFree => (NormParams::LAYOUT, size_of::<NormParams>()),
            #[cfg(feature = "families")]
            Kernel::ScaleRows => (ScaleRowsParams::LAYOUT, size_of::<ScaleRowsParams>()),
            #[cfg(feature = "families")]
            Kernel::MeanPool => (MeanPoolParams::LAYOUT, size_of::<MeanPoolParams>()),
            #[cfg(feature = "train")]
            Kernel::Train(kernel) => kernel.layout(),
        }
    }

    #[test]
    fn uniforms_are_laid_out_as_in_the_shaders() {
        for kernel in Kernel::all() {
            let module = naga::front::wgsl::parse_str(&kernel.source()).unwrap();
            let (_, uniform) = module
                .global_variables
                .iter()
                .find(|(_, variable)| variable.space == AddressSpace::Uniform)
                .unwrap_or_else(|| panic!("{kernel:?} has no uniform"));
            assert_eq!(uniform.binding.as_ref().unwrap().binding, 0, "{kernel:?}");
            let TypeInner::Struct { members, span } = &module.types[uniform.ty].inner else {
                panic!("{kernel:?}: the uniform is not a struct");
            };
            let members: Vec<_> = members
                .iter()
                .map(|member| {
                    let kind = match module.types[member.ty].inner {
                        TypeInner::Scalar(scalar) if scalar.width == 4 => scalar.kind,
                        ref other => panic!("{kernel:?}: {:?} is {other:?}", member.name),
                    };
                    let kind = match kind {
                        ScalarKind::Uint => "u32",
                        ScalarKind::Float => "f32",
                        other => panic!("{kernel:?}: {:?} is {other:?}", member.name),
                    };
                    (member.name.as_deref().unwrap(), kind, member.offset as usize)
                })
                .collect();
            let (want, size) = layout(kernel);
            assert_eq!(members, want, "{kernel:?}: the shader's members, the struct's");
            assert_eq!(*span as usize, size, "{kernel:?}: bytes");
            assert!(size <= PARAMS_BYTES, "{kernel:?}: {size} bytes");
        }
    }
}
