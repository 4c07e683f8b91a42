//! The compute shaders: which fragments of shaders/ make which kernel.

use super::wgsl::{strip, stripped_len};
use crate::backend::Precision;

/// A kernel; its binding 0 is the uniform `Params`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kernel {
    /// Rows of a matrix by number.
    Gather(Precision),
    /// LayerNorm, with a residual or without.
    Norm,
    /// The same on an adapter that is a program.
    NormDirect,
    /// A linear layer over five rows or more.
    Linear(Precision),
    /// The same in 16-bit floats.
    LinearHalf(Precision),
    /// The same in 8-bit integers.
    LinearInt8,
    /// A linear layer over one to four rows.
    LinearFew(Precision),
    /// The same in 8-bit integers.
    LinearFewInt8,
    /// A linear layer on an adapter that is a program.
    LinearDirect(Precision),
    /// The same from rows in 8 bits.
    LinearDirectInt8,
    /// Rows in 8 bits.
    Round,
    /// Attention without its probabilities.
    Attention,
    /// The same on an adapter that is a program.
    AttentionDirect,
    /// Attention's probabilities alone.
    Probabilities,
    /// The best of each row.
    Top,
}

/// A shader's override constants.
pub(super) type Constants<'a> = &'a [(&'static str, f64)];

/// A fragment of shaders/, without its comments.
macro_rules! shader {
    ($name:literal) => {{
        const SOURCE: &str = include_str!(concat!("../../shaders/", $name, ".wgsl"));
        const STRIPPED: [u8; stripped_len(SOURCE)] = strip(SOURCE);
        const TEXT: &str = match str::from_utf8(&STRIPPED) {
            Ok(text) => text,
            Err(_) => panic!("a shader is text"),
        };
        TEXT
    }};
}

/// What linear.wgsl multiplies, and how it becomes that: 16 bits end at 65,504.
const SINGLE: &str = "alias Part = vec4<f32>; alias Four = mat4x4<f32>;
fn narrow(v: vec4<f32>) -> Part { return v; }";
const HALF: &str = "enable f16; alias Part = vec4<f16>; alias Four = mat4x4<f16>;
fn narrow(v: vec4<f32>) -> Part { return Part(clamp(v, vec4<f32>(-65504.0), vec4<f32>(65504.0))); }";

impl Kernel {
    /// The WGSL: fragments one after another.
    pub(super) fn source(self) -> String {
        let weight = |precision| match precision {
            Precision::F32 => shader!("weight_f32"),
            Precision::F16 => shader!("weight_f16"),
            Precision::Bf16 => shader!("weight_bf16"),
            Precision::I8 => shader!("weight_i8"),
        };
        let (layer, activation) = (shader!("layer"), shader!("activation"));
        let (tile, four, direct) = (shader!("tile"), shader!("four"), shader!("direct"));
        let (int8, rows, products) = (shader!("int8"), shader!("rows"), shader!("products"));
        let linear = shader!("linear");
        let fragments: &[&str] = match self {
            Self::Gather(precision) => &[weight(precision), shader!("gather")],
            Self::Norm => &[shader!("layer_norm"), shader!("norm")],
            Self::NormDirect => &[shader!("layer_norm"), shader!("norm_direct")],
            Self::Linear(precision) => {
                &[SINGLE, layer, weight(precision), activation, tile, linear]
            }
            Self::LinearHalf(precision) => {
                &[HALF, layer, weight(precision), activation, tile, linear]
            }
            Self::LinearInt8 => {
                let kernel = shader!("linear_int8");
                &[layer, int8, rows, products, activation, tile, kernel]
            }
            Self::LinearFew(precision) => {
                &[layer, weight(precision), activation, shader!("linear_few")]
            }
            Self::LinearFewInt8 => {
                let kernel = shader!("linear_few_int8");
                &[layer, int8, rows, products, activation, four, kernel]
            }
            Self::LinearDirect(precision) => {
                &[layer, weight(precision), activation, four, direct, shader!("linear_direct")]
            }
            Self::LinearDirectInt8 => {
                &[layer, activation, four, direct, shader!("linear_direct_int8")]
            }
            Self::Round => &[layer, int8, rows, shader!("round")],
            Self::Attention => &[shader!("heads"), shader!("attention")],
            Self::AttentionDirect => &[shader!("heads"), shader!("attention_direct")],
            Self::Probabilities => &[shader!("heads"), shader!("probabilities")],
            Self::Top => &[shader!("top")],
        };
        // directives come first
        [fragments, &[shader!("prelude")]].concat().concat()
    }
}

/// Every kernel's name and WGSL, for tests.
pub fn sources() -> Vec<(String, String)> {
    let precisions = [Precision::F32, Precision::F16, Precision::Bf16, Precision::I8];
    let with = |kernel: fn(Precision) -> Kernel| precisions.map(kernel);
    let kernels = [
        with(Kernel::Gather).as_slice(),
        &with(Kernel::Linear),
        &with(Kernel::LinearHalf),
        &with(Kernel::LinearFew),
        &with(Kernel::LinearDirect),
        &[Kernel::LinearInt8, Kernel::LinearFewInt8],
        &[
            Kernel::LinearDirectInt8,
            Kernel::Round,
            Kernel::Norm,
            Kernel::NormDirect,
            Kernel::Attention,
        ],
        &[Kernel::AttentionDirect, Kernel::Probabilities, Kernel::Top],
    ]
    .concat();
    kernels.into_iter().map(|kernel| (format!("{kernel:?}"), kernel.source())).collect()
}
