//! The dispatches of a request, listed in place of being run. For benchmarks, which reckon from them what a device
//! has to do.

use super::Gpu;
use super::kernels::{Constants, Kernel};
use super::record::{Grid, MULTIPLY_ADDS, is_full};

/// A dispatch that was not run.
#[derive(Debug, Clone, PartialEq)]
pub struct Dispatch {
    /// The kernel's name, as in [`super::sources`].
    pub kernel: String,
    /// The override constants that are given: names and values.
    pub constants: Vec<(&'static str, f64)>,
    /// The members of its uniform, in their order; of floats the bits.
    pub params: Vec<u32>,
    /// Workgroups in x, y and z.
    pub workgroups: [u32; 3],
    /// Which submission of the request it belongs to, from 0 on.
    pub submission: usize,
}

/// What is listed so far.
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
    /// Begins a list: from now on calls compute nothing and compile nothing, and what they would dispatch is listed.
    /// Matrices created meanwhile have a shape and no memory for numbers.
    pub fn begin_listing(&mut self) {
        self.warming_up = true;
        self.listing = Some(Listing::default());
    }

    /// Ends the list and gives it: calls compute again.
    pub fn end_listing(&mut self) -> Vec<Dispatch> {
        self.warming_up = false;
        self.held_lists.clear();
        self.listing.take().unwrap_or_default().dispatches
    }
}
