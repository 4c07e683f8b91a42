//! Element-wise functions, shared among threads.

use std::array::from_fn;

use crate::simd::F32x4;
use crate::threads::parallel_items;
use crate::{Rows, Workspace};

/// Numbers per work item: about 5 µs of work.
const BAND: usize = 1 << 13;

/// Computes y = f(x, y) for each element; both have the same shape.
pub(super) fn update(
    x: &Rows,
    y: &mut Rows,
    workspace: &mut Workspace,
    f: impl Fn(F32x4, F32x4) -> F32x4 + Sync,
) {
    let bands = x.data.chunks(BAND).zip(y.data.chunks_mut(BAND));
    parallel_items(&mut workspace.threads, bands, &|_, (x, y)| update_slice(x, y, &f));
}

/// Computes y = f(x, y) for each element of two slices of equal length.
#[inline(always)]
pub(super) fn update_slice(x: &[f32], y: &mut [f32], f: impl Fn(F32x4, F32x4) -> F32x4) {
    let (xs, x_rest) = x.as_chunks::<4>();
    let (ys, y_rest) = y.as_chunks_mut::<4>();
    for (x, y) in xs.iter().zip(ys) {
        f(F32x4::load(x), F32x4::load(y)).store(y);
    }
    if !y_rest.is_empty() {
        let last = |rest: &[f32]| F32x4::load(&from_fn(|n| rest.get(n).copied().unwrap_or(0.0)));
        let last = f(last(x_rest), last(y_rest)).to_array();
        y_rest.copy_from_slice(&last[..y_rest.len()]);
    }
}
