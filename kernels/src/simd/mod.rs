//! Vectors of four f32, four i32 or u32 and eight i16 lanes, functions on them, and aligned memory.

mod aligned;
mod f32x4;
#[cfg(feature = "families")]
mod families;
mod int;
mod math;
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod relaxed;
mod u32x4;

pub(crate) use aligned::Aligned;
pub(crate) use f32x4::F32x4;
pub use f32x4::NAME;
pub(crate) use int::{I16x8, I32x4};
pub(crate) use math::{MAGIC_BIAS, Math};
pub(crate) use u32x4::U32x4;
