//! Sums of rows that share a target row, always in the same order: the gradients of embeddings,
//! gather and mean_pool, and mean_pool itself.

use wgpu::Buffer;

use super::super::matrix::groups;
use super::super::record::folded;
use super::super::{Gpu, GpuRows};
use super::params::SegmentSumsParams;
use super::{Kernel, TrainKernel};

/// Largest number of rows that one invocation adds up. Without a limit, one invocation would add up
/// all rows of a batch for a token type, because only two types exist.
const MAX_ENTRIES: usize = 64;

/// A row of x that is added to a row of y.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// The row of y.
    pub(super) to: u32,
    /// The row of x.
    pub(super) from: u32,
    /// Factor of the row of x.
    pub(super) weight: f32,
}

/// Consecutive entries with the same target row.
struct Segment {
    to: u32,
    begin: usize,
    end: usize,
}

/// Sorts entries by target row and cuts them into segments of at most `max` entries.
fn segments(entries: &mut [Entry], max: usize) -> Vec<Segment> {
    entries.sort_unstable_by_key(|entry| (entry.to, entry.from));
    let mut segments: Vec<Segment> = Vec::new();
    for (n, entry) in entries.iter().enumerate() {
        match segments.last_mut() {
            Some(last) if last.to == entry.to && n - last.begin < max => last.end = n + 1,
            _ => segments.push(Segment { to: entry.to, begin: n, end: n + 1 }),
        }
    }
    segments
}

impl Gpu {
    /// Records y\[to\] += Σ weight · x\[from\] over these entries, or without `add` y\[to\] = Σ
    /// weight · x\[from\]. x and y have the same number of columns.
    pub(super) fn record_segment_sums(
        &mut self,
        x: &Buffer,
        mut entries: Vec<Entry>,
        add: bool,
        y: &GpuRows,
    ) {
        if entries.is_empty() {
            return;
        }
        let to = self.buffer(y);
        let pieces = segments(&mut entries, MAX_ENTRIES);
        if pieces.windows(2).all(|pair| pair[0].to != pair[1].to) {
            return self.record_segments(x, &pieces, &entries, add, y.cols, &to);
        }
        // Two segments share a row of y, which would be a race. Each segment is summed on its own
        // first, then the sums.
        let bytes = 16 * (pieces.len() * groups(y.cols)) as u64;
        let partial = self.scratch(bytes);
        let numbered: Vec<_> = (0..)
            .zip(&pieces)
            .map(|(n, piece)| Segment { to: n, begin: piece.begin, end: piece.end })
            .collect();
        self.record_segments(x, &numbered, &entries, false, y.cols, partial.buffer());
        let mut sums: Vec<_> = (0..)
            .zip(&pieces)
            .map(|(from, piece)| Entry { to: piece.to, from, weight: 1.0 })
            .collect();
        let whole = segments(&mut sums, usize::MAX);
        self.record_segments(partial.buffer(), &whole, &sums, add, y.cols, &to);
    }

    fn record_segments(
        &mut self,
        x: &Buffer,
        segments: &[Segment],
        entries: &[Entry],
        add: bool,
        cols: usize,
        y: &Buffer,
    ) {
        let mut list: Vec<u32> = Vec::with_capacity(3 * segments.len() + 2 * entries.len());
        list.extend(segments.iter().flat_map(|s| [s.to, s.begin as u32, s.end as u32]));
        let entries_start = list.len() as u32;
        list.extend(entries.iter().flat_map(|entry| [entry.from, entry.weight.to_bits()]));
        let list = self.list(&list);
        let params = SegmentSumsParams {
            segments: segments.len() as u32,
            groups: groups(cols) as u32,
            entries_start,
        };
        let constants = [("ADD", f64::from(u8::from(add)))];
        let buffers = [(1, y), (2, x), (3, list.buffer())];
        let grid = folded((segments.len() * groups(cols)).div_ceil(64));
        self.run(Kernel::Train(TrainKernel::SegmentSums), &constants, &params, &buffers, grid);
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, segments};

    #[test]
    fn entries_are_cut_by_row_and_length_in_their_order() {
        let to = [2, 0, 2, 2, 5, 2];
        let mut entries: Vec<_> =
            (0..).zip(to).map(|(from, to)| Entry { to, from, weight: 1.0 }).collect();
        let cut: Vec<_> =
            segments(&mut entries, 3).iter().map(|s| (s.to, s.begin, s.end)).collect();
        assert_eq!(cut, [(0, 0, 1), (2, 1, 4), (2, 4, 5), (5, 5, 6)]);
        let from: Vec<_> = entries.iter().map(|entry| entry.from).collect();
        assert_eq!(from, [1, 0, 2, 3, 5, 4]);
    }
}
