//! Symmetric quantization to 8 bits (zero point 0). Rows are rotated, which spreads outliers, and
//! rounded to -127..=127 with one scale per row.

mod matrix;
mod quantize;
mod rotate;

pub(crate) use matrix::{Group, Panel, QuantizedMatrix};
pub(crate) use quantize::{Quantizer, Scale};
pub(crate) use rotate::rotate;
