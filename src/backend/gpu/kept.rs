//! The chosen variants as text, for callers and to be kept for the next load on the same device.
//!
//! ```text
//! 1f3870be 61250 840 5200                      table, µs measured, µs of a request, ns of a dispatch in it
//! linear_q8 large 20410 int8 64x64/4x4/1/4/1   operation, shape, ns of a measured call, variant
//! ~ linear_q8 short 9300 int8 32x32/4x4/1/4/1  the same of a default before anything is chosen
//! ! linear_q8 int8 64x64/4x4/1/4/1: this GPU … a variant that is not used, and why
//! ```

use super::Gpu;
use super::choice::{Class, Found, Op, Variant};
use super::kernels::{Kernel, OTHER_ACTIVATIONS};
use super::variants::TILE_32X32;
use crate::backend::Precision;

impl Gpu {
    /// Returns the variants in use, and those that are struck out.
    pub fn kernels(&self) -> String {
        let choice = &self.choice;
        let Found { request, dispatch, .. } =
            choice.default_times.as_ref().unwrap_or(&choice.found);
        let mut text = format!("{:x} {} {request} {dispatch}", Self::table(), choice.found.micros);
        let mut add =
            |prefix: &str, class @ (op, shape): Class, found: &Found, variant: Variant| {
                let (nanos, variant) = (found.nanos_of(class), variant.name());
                text += &format!("\n{prefix}{} {} {nanos} {variant}", op.name(), shape.name());
            };
        for class in self.classes() {
            add("", class, &choice.found, self.variant(class));
        }
        if let Some(found) = &choice.default_times {
            for (class, variant) in &found.chosen {
                add("~ ", *class, found, *variant);
            }
        }
        for (op, variant, why) in &choice.struck {
            text += &format!("\n! {} {}: {why}", op.name(), variant.name());
        }
        text
    }

    /// Uses the variants that [`Gpu::kernels`] returned in an earlier load, if the kernels are still
    /// the same. Lines that do not apply here are left out. Must be called before the warm-up.
    pub fn restore(&mut self, kept: &str) {
        let mut lines = kept.lines();
        let mut head = lines.next().unwrap_or_default().split(' ');
        let table = format!("{:x}", Self::table());
        if !self.measures || head.next() != Some(&table) {
            return;
        }
        let numbers: Vec<u32> = head.filter_map(|number| number.parse().ok()).collect();
        let [_, request, dispatch] = numbers[..] else { return };
        (self.choice.found.request, self.choice.found.dispatch) = (request, dispatch);
        for line in lines {
            self.restore_line(line);
        }
        self.pace_submissions();
    }

    fn restore_line(&mut self, line: &str) -> Option<()> {
        let mut words = line.splitn(4, ' ');
        let [op, shape, nanos, name] = [(); 4].map(|()| words.next().unwrap_or_default());
        let op = *OPS.iter().find(|known| known.name() == op)?;
        let shape = *op.shapes().iter().find(|known| known.name() == shape)?;
        let nanos: u32 = nanos.parse().ok().filter(|nanos| *nanos > 0)?;
        let variant = self.candidates((op, shape)).into_iter().find(|v| v.name() == name)?;
        self.choice.found.chosen.push(((op, shape), variant));
        self.choice.found.nanos.push(((op, shape), nanos));
        Some(())
    }

    /// Returns the classes in use and the chosen ones.
    fn classes(&self) -> Vec<Class> {
        let mut all: Vec<Class> = Vec::new();
        for op in self.ops() {
            all.extend(op.shapes().iter().map(|shape| (op, *shape)));
        }
        all.extend(self.choice.found.chosen.iter().map(|(class, _)| *class));
        let mut once = Vec::new();
        for class in all {
            if !once.contains(&class) {
                once.push(class);
            }
        }
        once
    }

    /// Returns a number that changes with the kernels that have variants, and with their
    /// measurement.
    fn table() -> u32 {
        table_of(MEASUREMENT)
    }
}

fn table_of(measurement: u32) -> u32 {
    let mut hash = 0x811c_9dc5_u32 ^ measurement;
    for kernel in KERNELS {
        // Smaller binaries have fewer activations in the same kernels.
        for byte in kernel.source().replace(OTHER_ACTIVATIONS, "").bytes() {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
    hash
}

/// The version of the measurement. It must change when measure.rs or what it calls times kernels
/// otherwise: earlier choices are then made again.
const MEASUREMENT: u32 = 4;

/// Every operation with variants.
const OPS: &[Op] = &[
    Op::Linear(Precision::F32),
    Op::Linear(Precision::F16),
    Op::Linear(Precision::Bf16),
    Op::Linear(Precision::I8),
    Op::Attention,
    Op::AttentionOutput(Precision::F32),
    Op::AttentionOutput(Precision::F16),
    Op::AttentionOutput(Precision::Bf16),
    #[cfg(feature = "train")]
    Op::BackwardInput,
    #[cfg(feature = "train")]
    Op::BackwardWeight,
];

/// Kernels whose text stands for that of all variants. Not every binary has
/// [`Kernel::AttentionOutput`].
const KERNELS: [Kernel; 11] = [
    Kernel::Linear(Precision::I8, TILE_32X32),
    Kernel::LinearF16(Precision::F16, TILE_32X32),
    Kernel::LinearSumParts,
    Kernel::LinearQuantized(TILE_32X32),
    Kernel::LinearRounded(TILE_32X32),
    Kernel::QuantizeRows,
    Kernel::LinearFewRows(Precision::F32),
    Kernel::LinearFewRowsInt8,
    Kernel::Attention,
    Kernel::AttentionWide,
    Kernel::AttentionBarrierFree,
];

#[cfg(test)]
mod tests {
    use super::{MEASUREMENT, table_of};

    #[test]
    fn choices_of_another_measurement_are_not_kept() {
        assert_ne!(table_of(MEASUREMENT), table_of(MEASUREMENT - 1));
    }
}
