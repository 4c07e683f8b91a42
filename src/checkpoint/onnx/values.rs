//! The numbers of a parameter, from the tensors that hold them.

use super::source::{Form, Shared, Source};
use super::tensor::{Dtype, Held};
use crate::checkpoint::fault::{Outcome, bad, unsupported};
use crate::checkpoint::rows::{Stored, decode};

/// The rows of a parameter that are computed at a time. In a transposed tensor they lie side by
/// side.
const TILE: usize = 16;

/// The 16 numbers of NF4, the quantiles of a normal distribution (QLoRA, Dettmers et al. 2023,
/// appendix E).
const NF4: [f32; 16] = [
    -1.0,
    -0.696_192_8,
    -0.525_073_05,
    -0.394_917_5,
    -0.284_441_38,
    -0.184_773_43,
    -0.091_050_036,
    0.0,
    0.079_580_3,
    0.160_930_2,
    0.246_112_3,
    0.337_915_24,
    0.440_709_83,
    0.562_617,
    0.722_956_84,
    1.0,
];

/// The tensors of a parameter, with their names.
pub(super) struct Parts<'a> {
    pub(super) source: &'a Source,
    pub(super) data: (&'a str, &'a Held),
    pub(super) scale: Option<(&'a str, &'a Held)>,
    pub(super) zero: Option<(&'a str, &'a Held)>,
}

/// Returns the shape of the parameter that a tensor of this shape holds.
pub(super) fn shape(source: &Source, name: &str, dims: &[usize]) -> Outcome<Vec<usize>> {
    match (&source.form, dims) {
        (Form::Blocks { rows, cols, .. } | Form::Bnb4 { rows, cols, .. }, _) => {
            Ok(vec![*rows, *cols])
        }
        (_, &[rows, cols]) if source.transposed => Ok(vec![cols, rows]),
        _ if source.transposed => bad(format!(
            "tensor \"{name}\" has shape {dims:?}, expected a matrix, because it is transposed"
        )),
        _ => Ok(dims.to_vec()),
    }
}

/// Scales and zero points of 8-bit numbers that arrive row by row.
pub(super) struct Scales {
    scale: Vec<f32>,
    /// Empty if all are 0.
    zero: Vec<f32>,
    is_signed: bool,
    cols: usize,
    /// Which numbers share a scale; `None`: all.
    axis: Option<usize>,
    /// The next number.
    next: usize,
}

impl Scales {
    /// Returns the scales of a tensor of 8-bit numbers; `None` if it must be in memory as a whole.
    pub(super) fn of(
        source: &Source,
        dims: &[usize],
        dtype: Dtype,
        scale: &(&str, &Held),
        zero: Option<&(&str, &Held)>,
    ) -> Outcome<Option<Self>> {
        let Form::Linear { shared: Shared::Axis(axis), .. } = source.form else { return Ok(None) };
        let &[rows, cols] = dims else { return Ok(None) };
        if source.transposed || !matches!(dtype, Dtype::U8 | Dtype::I8) {
            return Ok(None);
        }
        let (scale, zero) = (
            floats(scale.1, scale.0)?,
            match zero {
                Some((name, zero)) => floats(zero, name)?,
                None => Vec::new(),
            },
        );
        let along = if axis == 0 { rows } else { cols };
        let fits = |of: &[f32]| of.len() == scale.len();
        if scale.len() != 1 && scale.len() != along || !zero.is_empty() && !fits(&zero) {
            return Ok(None);
        }
        let axis = (scale.len() > 1).then_some(axis);
        Ok(Some(Self { is_signed: dtype == Dtype::I8, cols, axis, next: 0, scale, zero }))
    }

    /// Returns the next numbers, as the bytes of f32.
    pub(super) fn convert(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() * 4);
        for &byte in bytes {
            let n = match self.axis {
                None => 0,
                Some(0) => self.next / self.cols.max(1),
                Some(_) => self.next % self.cols.max(1),
            };
            self.next += 1;
            let number = if self.is_signed { f32::from(byte as i8) } else { f32::from(byte) };
            let zero = self.zero.get(n).copied().unwrap_or_default();
            let scale = self.scale.get(n).copied().unwrap_or(f32::NAN);
            out.extend(((number - zero) * scale).to_le_bytes());
        }
        out
    }
}

/// Passes the bytes of a parameter to `push`, some rows at a time: floats as they are, other
/// numbers as f32.
pub(super) fn emit(
    parts: &Parts<'_>,
    shape: &[usize],
    mut push: impl FnMut(&[u8]) -> Outcome<()>,
) -> Outcome<()> {
    let Parts { source, data: (name, data), .. } = parts;
    let (rows, cols) = (shape[0], shape[1..].iter().product::<usize>());
    match (&source.form, data.dtype.float()) {
        (Form::Plain, Some(_)) => {
            if !source.transposed {
                return push(&data.bytes);
            }
            let width = data.bytes.len() / (rows * cols).max(1);
            for first in (0..rows).step_by(TILE) {
                push(&transposed(&data.bytes, width, first..rows.min(first + TILE), rows, cols))?;
            }
            Ok(())
        }
        (Form::Plain, None) => {
            unsupported(format!("tensor \"{name}\" has integers without a scale, expected floats"))
        }
        (Form::Linear { shared, .. }, _) => {
            let linear = Linear::of(parts, *shared, rows, cols)?;
            tiles(rows, cols, &mut push, |row, values| linear.row(row, values))
        }
        (Form::Blocks { bits, block, .. }, _) => {
            let blocks = Blocks::of(parts, (rows, cols), *bits, *block)?;
            tiles(rows, cols, &mut push, |row, values| blocks.row(row, values))
        }
        (Form::Bnb4 { block, .. }, _) => {
            let absmax = scales_of(parts)?;
            let numbers = rows * cols;
            expect(name, data.bytes.len(), numbers.div_ceil(2), "bytes")?;
            expect(name, absmax.len(), numbers.div_ceil((*block).max(1)), "scales")?;
            tiles(rows, cols, &mut push, |row, values| {
                values.extend((row * cols..(row + 1) * cols).map(|n| {
                    let byte = data.bytes[n / 2];
                    let number = if n % 2 == 0 { byte >> 4 } else { byte & 15 };
                    NF4[usize::from(number)] * absmax[n / block]
                }));
            })
        }
    }
}

/// Passes rows of f32 to `push`.
fn tiles(
    rows: usize,
    cols: usize,
    push: &mut impl FnMut(&[u8]) -> Outcome<()>,
    mut row: impl FnMut(usize, &mut Vec<f32>),
) -> Outcome<()> {
    let mut values = Vec::with_capacity(TILE * cols);
    for first in (0..rows).step_by(TILE) {
        values.clear();
        for n in first..rows.min(first + TILE) {
            row(n, &mut values);
        }
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        push(&bytes)?;
    }
    Ok(())
}

/// Returns some rows of a parameter `[rows, cols]` whose transposed is in `bytes`.
fn transposed(
    bytes: &[u8],
    width: usize,
    some: std::ops::Range<usize>,
    rows: usize,
    cols: usize,
) -> Vec<u8> {
    let mut out = vec![0; some.len() * cols * width];
    for col in 0..cols {
        for (n, row) in some.clone().enumerate() {
            let (to, from) = ((n * cols + col) * width, (col * rows + row) * width);
            out[to..to + width].copy_from_slice(&bytes[from..from + width]);
        }
    }
    out
}

/// Numbers with scales and zero points.
struct Linear<'a> {
    data: &'a Held,
    scale: Vec<f32>,
    zero: Vec<f32>,
    transposed: bool,
    shared: Shared,
    /// Shape of the stored tensor.
    stored: (usize, usize),
}

impl<'a> Linear<'a> {
    fn of(parts: &Parts<'a>, shared: Shared, rows: usize, cols: usize) -> Outcome<Self> {
        let transposed = parts.source.transposed;
        let stored = if transposed { (cols, rows) } else { (rows, cols) };
        let scale = scales_of(parts)?;
        let along = match shared {
            Shared::All => 1,
            Shared::Axis(0) => stored.0,
            Shared::Axis(_) => stored.1,
            Shared::Blocks { axis: 0, block } => stored.0.div_ceil(block.max(1)) * stored.1,
            Shared::Blocks { block, .. } => stored.0 * stored.1.div_ceil(block.max(1)),
        };
        let is_single = scale.len() == 1 && matches!(shared, Shared::Axis(_));
        let name = parts.data.0;
        if !is_single {
            expect(name, scale.len(), along, "scales")?;
        }
        let zero = zeros_of(parts)?;
        if !zero.is_empty() {
            expect(name, zero.len(), scale.len(), "zero points")?;
        }
        let data = parts.data.1;
        if number(data, 0).is_none() && rows * cols > 0 {
            return unsupported(format!(
                "tensor \"{name}\" is {:?}, expected integers of 4, 8 or 32 bits",
                data.dtype
            ));
        }
        Ok(Self { data, scale, zero, transposed, shared, stored })
    }

    fn row(&self, row: usize, values: &mut Vec<f32>) {
        let cols = if self.transposed { self.stored.0 } else { self.stored.1 };
        values.extend((0..cols).map(|col| {
            let (r, c) = if self.transposed { (col, row) } else { (row, col) };
            let n = match self.shared {
                Shared::All => 0,
                Shared::Axis(_) if self.scale.len() == 1 => 0,
                Shared::Axis(0) => r,
                Shared::Axis(_) => c,
                Shared::Blocks { axis: 0, block } => r / block * self.stored.1 + c,
                Shared::Blocks { block, .. } => r * self.stored.1.div_ceil(block) + c / block,
            };
            let zero = self.zero.get(n).copied().unwrap_or_default();
            let number = number(self.data, r * self.stored.1 + c).unwrap_or(f32::NAN);
            (number - zero) * self.scale[n]
        }));
    }
}

/// Blocks of MatMulNBits.
struct Blocks<'a> {
    data: &'a [u8],
    scale: Vec<f32>,
    zero: Vec<f32>,
    bits: usize,
    block: usize,
    /// Blocks of a row.
    per_row: usize,
    cols: usize,
}

impl<'a> Blocks<'a> {
    fn of(
        parts: &Parts<'a>,
        (rows, cols): (usize, usize),
        bits: usize,
        block: usize,
    ) -> Outcome<Self> {
        let (name, data) = parts.data;
        if !matches!(data.dtype, Dtype::U8) {
            return unsupported(format!("tensor \"{name}\" is {:?}, expected uint8", data.dtype));
        }
        let per_row = cols.div_ceil(block);
        let scale = scales_of(parts)?;
        let named = parts.scale.map_or(name, |(name, _)| name);
        expect(name, data.bytes.len(), rows.saturating_mul(per_row * (block * bits / 8)), "bytes")?;
        expect(named, scale.len(), rows * per_row, "scales")?;
        let zero = match parts.zero {
            None => Vec::new(),
            Some((_, zero)) if zero.dtype.float().is_some() => zeros_of(parts)?,
            Some((zero_name, zero)) => {
                let row_bytes = (per_row * bits).div_ceil(8);
                expect(zero_name, zero.bytes.len(), rows * row_bytes, "bytes")?;
                let rows = zero.bytes.chunks(row_bytes.max(1));
                rows.flat_map(|row| (0..per_row).map(|n| f32::from(unpacked(row, bits, n))))
                    .collect()
            }
        };
        if !zero.is_empty() {
            expect(name, zero.len(), scale.len(), "zero points")?;
        }
        Ok(Self { data: &data.bytes, scale, zero, bits, block, per_row, cols })
    }

    fn row(&self, row: usize, values: &mut Vec<f32>) {
        let Self { bits, block, per_row, .. } = *self;
        let block_bytes = block * bits / 8;
        let middle = f32::from(1_u8 << (bits - 1));
        values.extend((0..self.cols).map(|col| {
            let n = row * per_row + col / block;
            let bytes = &self.data[n * block_bytes..][..block_bytes];
            let zero = self.zero.get(n).copied().unwrap_or(middle);
            (f32::from(unpacked(bytes, bits, col % block)) - zero) * self.scale[n]
        }));
    }
}

/// Returns an integer of a tensor; `None` for other types.
fn number(held: &Held, n: usize) -> Option<f32> {
    let Held { dtype, bytes, .. } = held;
    match dtype {
        Dtype::U8 => bytes.get(n).map(|&byte| f32::from(byte)),
        Dtype::I8 => bytes.get(n).map(|&byte| f32::from(byte as i8)),
        Dtype::I32 => bytes.as_chunks::<4>().0.get(n).map(|b| i32::from_le_bytes(*b) as f32),
        Dtype::U4 => Some(f32::from(unpacked(bytes, 4, n))),
        Dtype::I4 => Some(f32::from(((unpacked(bytes, 4, n) << 4) as i8) >> 4)),
        _ => None,
    }
}

/// Returns a packed number of 2, 4 or 8 bits. The first number is in a byte's low bits.
fn unpacked(bytes: &[u8], bits: usize, n: usize) -> u8 {
    let per_byte = 8 / bits;
    let byte = bytes.get(n / per_byte).copied().unwrap_or_default();
    let mask = (0xff_u16 >> (8 - bits)) as u8;
    (byte >> (n % per_byte * bits)) & mask
}

fn scales_of(parts: &Parts<'_>) -> Outcome<Vec<f32>> {
    match parts.scale {
        Some((name, scale)) => floats(scale, name),
        None => Ok(Vec::new()),
    }
}

fn zeros_of(parts: &Parts<'_>) -> Outcome<Vec<f32>> {
    match parts.zero {
        Some((name, zero)) => floats(zero, name),
        None => Ok(Vec::new()),
    }
}

fn expect(name: &str, found: usize, expected: usize, what: &str) -> Outcome<()> {
    if found == expected {
        return Ok(());
    }
    bad(format!("tensor \"{name}\" has {found} {what}, expected {expected}"))
}

/// Returns the numbers of a tensor.
fn floats(held: &Held, name: &str) -> Outcome<Vec<f32>> {
    let Held { dtype, bytes, dims } = held;
    if let Some(stored) = dtype.float().and_then(Stored::floats) {
        let mut values = Vec::new();
        decode(stored, bytes, &mut values);
        return Ok(values);
    }
    Ok(match dtype {
        Dtype::U8 | Dtype::I8 | Dtype::I32 | Dtype::U4 | Dtype::I4 => {
            let count = dims.iter().product();
            (0..count).filter_map(|n| number(held, n)).collect()
        }
        _ => {
            return unsupported(format!(
                "tensor \"{name}\" is {dtype:?}, expected numbers of a weight"
            ));
        }
    })
}
