//! Losses. Each kernel replaces logits by their gradient and writes parts of the loss, which are
//! then added up.

use std::ops::Range;

use super::super::matrix::groups;
use super::super::record::folded;
use super::super::{Gpu, GpuRows};
use super::params::{CrossEntropyParams, ElementwiseParams, GroupsParams};
use super::{Kernel, TrainKernel};
use crate::backend::train::{CrossEntropy, IGNORED};

/// [`IGNORED`] as the shaders represent it.
const IGNORED_TARGET: u32 = u32::MAX;

fn target(target: i32) -> u32 {
    u32::try_from(target).unwrap_or(IGNORED_TARGET)
}

/// Returns the rows of `0..end` that are outside all of these ranges.
fn gaps(ranges: &[Range<usize>], end: usize) -> Vec<Range<usize>> {
    let mut sorted: Vec<_> = ranges.iter().map(|rows| (rows.start, rows.end)).collect();
    sorted.sort_unstable();
    let mut gaps = Vec::new();
    let mut next = 0;
    for (start, end) in sorted.into_iter().chain([(end, end)]) {
        if next < start {
            gaps.push(next..start);
        }
        next = next.max(end);
    }
    gaps
}

/// Returns 1 / x, or 0 for 0, which means that no target counts.
fn inverse(x: f32) -> f32 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}

impl Gpu {
    /// Records the cross-entropy of rows.
    pub(super) fn record_cross_entropy(
        &mut self,
        logits: &GpuRows,
        targets: &[i32],
        how: &CrossEntropy<'_>,
        loss: &GpuRows,
    ) {
        let counted = targets.iter().filter(|&&target| target != IGNORED);
        let weight =
            |&class: &i32| how.class_weights.map_or(1.0, |weights| weights[class as usize]);
        let weights: f32 = counted.map(weight).sum();
        let list: Vec<u32> = targets.iter().map(|&n| target(n)).collect();
        let targets = self.list(&list);
        let class_weights =
            how.class_weights.map(|weights| self.list(bytemuck::cast_slice(weights)));
        let constants = [("WEIGHTED", f64::from(u8::from(class_weights.is_some())))];
        let params = CrossEntropyParams {
            rows: logits.rows as u32,
            classes: logits.cols as u32,
            smoothing: how.label_smoothing,
            inverse: inverse(weights),
            scale: how.scale,
        };
        let mut losses = GpuRows::default();
        let parts = self.shape(&mut losses, 1, logits.rows);
        let from = self.buffer(logits);
        let class_weights = class_weights.as_ref().unwrap_or(&targets);
        let buffers = [(1, &from), (2, &parts), (3, targets.buffer()), (4, class_weights.buffer())];
        let kernel = Kernel::Train(TrainKernel::CrossEntropy);
        self.run(kernel, &constants, &params, &buffers, folded(logits.rows));
        self.record_sum(&parts, logits.rows, false, loss);
    }

    /// Records the cross-entropy along the columns of groups of rows.
    pub(super) fn record_cross_entropy_of_groups(
        &mut self,
        logits: &GpuRows,
        rows: &[Range<usize>],
        targets: &[i32],
        scale: f32,
        loss: &GpuRows,
    ) {
        let cols = logits.cols;
        // Rows outside all groups form groups without targets, so their gradient becomes 0.
        let gaps = gaps(rows, logits.rows);
        let rows: Vec<_> = rows.iter().chain(&gaps).collect();
        let targets: Vec<i32> =
            targets.iter().copied().chain(gaps.iter().flat_map(|_| vec![IGNORED; cols])).collect();
        let counted = |column: usize| {
            let column = targets.iter().skip(column).step_by(cols);
            column.filter(|&&target| target != IGNORED).count() as f32
        };
        let mut list: Vec<u32> =
            rows.iter().flat_map(|rows| [rows.start as u32, rows.end as u32]).collect();
        list.extend(targets.iter().map(|&n| target(n)));
        list.extend((0..cols).map(|column| inverse(cols as f32 * counted(column)).to_bits()));
        let list = self.list(&list);
        let params = GroupsParams { count: rows.len() as u32, cols: cols as u32, scale };
        let mut losses = GpuRows::default();
        let parts = self.shape(&mut losses, 1, targets.len());
        let from = self.buffer(logits);
        let buffers = [(1, &from), (2, &parts), (3, list.buffer())];
        let kernel = Kernel::Train(TrainKernel::CrossEntropyOfGroups);
        self.run(kernel, &[], &params, &buffers, folded(targets.len()));
        self.record_sum(&parts, targets.len(), false, loss);
    }

    /// Records a loss that is the mean over all elements.
    pub(super) fn record_elementwise_loss(
        &mut self,
        kernel: TrainKernel,
        logits: &GpuRows,
        targets: &[f32],
        scale: f32,
        loss: &GpuRows,
    ) {
        let list = self.list(bytemuck::cast_slice(targets));
        let params = ElementwiseParams {
            rows: logits.rows as u32,
            cols: logits.cols as u32,
            inverse: inverse(targets.len() as f32),
            scale,
        };
        let count = logits.rows * groups(logits.cols);
        let mut losses = GpuRows::default();
        let parts = self.shape(&mut losses, 1, count);
        let from = self.buffer(logits);
        let buffers = [(1, &from), (2, &parts), (3, list.buffer())];
        self.run(Kernel::Train(kernel), &[], &params, &buffers, folded(count.div_ceil(64)));
        self.record_sum(&parts, count, false, loss);
    }
}

#[cfg(test)]
mod tests {
    use super::gaps;

    #[test]
    fn gaps_are_all_rows_outside_of_ranges() {
        assert_eq!(gaps(&[4..6, 1..3], 8), [0..1, 3..4, 6..8]);
        assert_eq!(gaps(&[0..5, 1..2], 5), Vec::new());
        let all = 0..2;
        assert_eq!(gaps(&[], 2), std::slice::from_ref(&all));
    }
}
