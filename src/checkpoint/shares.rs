//! Matrices that several encoders share: those that the adapters of none of them change.

use super::loader::Loader;
use super::parameter_slots::Kind;
use crate::backend::{Precision, Processor};

/// A matrix of an encoder that no adapter changes.
pub struct Share<B: Processor> {
    pub(super) slot: usize,
    pub(super) rows: usize,
    pub(super) matrix: B::Matrix,
    pub(super) precision: Precision,
}

impl<B: Processor> Share<B> {
    /// Adds the matrices in `from` that are not in `to`.
    pub fn add_to(to: &mut Vec<Self>, from: &[Self]) {
        for &Self { slot, rows, ref matrix, precision } in from {
            if to.iter().all(|share| share.slot != slot) {
                to.push(Self { slot, rows, matrix: B::share(matrix), precision });
            }
        }
    }
}

impl<B: Processor> Loader<B> {
    /// Takes the matrices of other encoders that the model's own files do not change. The own files
    /// are the adapter of a PEFT folder, or those that are not in another folder (`../`). They must
    /// come first.
    pub fn over(&mut self, shares: Vec<Share<B>>) {
        self.shares = Some(shares);
    }

    /// Takes the shared matrices before `file`, if it is not the model's own. Their tensors are then
    /// skipped.
    pub(super) fn take_shares(&mut self, file: &str) {
        let is_own = self.options.adapter != 0 && !file.starts_with("../");
        #[cfg(feature = "families")]
        let is_own = is_own && (!self.peft.is_read() || file == super::peft::FILE);
        let Some(plan) = self.plan.as_mut().filter(|_| !is_own) else { return };
        let Some(shares) = self.shares.take() else { return };
        for (name, target) in &plan.targets.0 {
            let slot = &mut self.slots[target.slot];
            slot.is_changed |= target.filled || self.adapters.has(name);
        }
        for Share { slot: number, rows, matrix, precision } in shares {
            let slot = &mut self.slots[number];
            if !slot.is_changed && slot.rows == rows {
                slot.is_shared = true;
                slot.kind = Kind::Matrix(Some((matrix, precision)));
            }
        }
        for (_, target) in &mut plan.targets.0 {
            target.filled |= self.slots[target.slot].is_shared;
        }
    }
}
