//! Lists the dispatches of a request instead of running them. Benchmarks compute from the list how
//! much work a device has to do.

use super::Gpu;
use super::kernels::{Constants, Kernel};
use super::record::{Grid, MULTIPLY_ADDS, is_full};

/// A dispatch that was listed, not run.
#[derive(Debug, Clone, PartialEq)]
pub struct Dispatch {
    /// Name of the kernel, as in [`super::sources`].
    pub kernel: String,
    /// Override constants that are set: names and values.
    pub constants: Vec<(&'static str, f64)>,
    /// Members of the uniform, in order. Floats are given as their bits.
    pub params: Vec<u32>,
    /// Workgroups in x, y and z.
    pub workgroups: [u32; 3],
    /// Number of the submission within the request, from 0.
    pub submission: usize,
}

/// The dispatches listed so far.
#[derive(Default)]
pub(super) struct Listing {
    dispatches: Vec<Dispatch>,
    submission: usize,
    /// Multiply-adds of this submission.
    multiply_adds: u64,
}

impl Listing {
    /// As [`super::record::Recording::add_cost`].
    pub(super) fn add_cost(&mut self, multiply_adds: u64) {
        if is_full(self.multiply_adds, multiply_adds, MULTIPLY_ADDS) {
            self.submission += 1;
            self.multiply_adds = 0;
        }
        self.multiply_adds += multiply_adds;
    }

    pub(super) fn push(
        &mut self,
        kernel: Kernel,
        constants: Constants<'_>,
        params: &[u8],
        workgroups: Grid,
    ) {
        self.dispatches.push(Dispatch {
            kernel: format!("{kernel:?}"),
            constants: constants.to_vec(),
            params: bytemuck::pod_collect_to_vec(params),
            workgroups,
            submission: self.submission,
        });
    }
}

#[doc(hidden)]
impl Gpu {
    /// Starts a list: from now on, calls compile and compute nothing, and their dispatches are
    /// listed. Matrices created meanwhile have a shape but no memory for values.
    pub fn begin_listing(&mut self) {
        self.warming_up = true;
        self.listing = Some(Listing::default());
    }

    /// Ends the list and returns it. Calls compute again.
    pub fn end_listing(&mut self) -> Vec<Dispatch> {
        self.finish();
        self.warming_up = false;
        self.held_lists.clear();
        self.listing.take().unwrap_or_default().dispatches
    }
}
