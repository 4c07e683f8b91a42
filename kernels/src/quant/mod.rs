//! Quantization to 8 bits, symmetric (the zero point is 0): rows are rotated, which spreads outliers,
//! and rounded to -127..=127 with one scale a row.

mod matrix;
mod quantize;
mod rotate;

pub(crate) use matrix::{Group, Panel, QuantizedMatrix};
pub(crate) use quantize::{Quantizer, Scale};
pub(crate) use rotate::rotate;
