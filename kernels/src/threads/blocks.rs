//! Divides an output into blocks, which threads claim one by one.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, TryLockError};

use super::{MAX_THREADS, item, pool, region};
use crate::{Sequence, ThreadWorkspace};

/// Some columns of some rows of a row-major matrix.
pub(crate) struct Block<'a> {
    /// Number of its band of rows.
    pub(crate) band: usize,
    /// Its rows within the matrix.
    pub(crate) rows: Range<usize>,
    /// Its columns within the matrix.
    pub(crate) columns: Range<usize>,
    /// Pointer to its first row and column.
    first: *mut f32,
    /// Distance from one row to the next, in numbers.
    stride: usize,
    of: PhantomData<&'a mut [f32]>,
}

impl<'a> Block<'a> {
    /// Returns the numbers of the panels that its columns belong to; a panel has `width` columns.
    pub(crate) fn panels(&self, width: usize) -> Range<usize> {
        self.columns.start / width..self.columns.end.div_ceil(width)
    }

    /// Returns columns of the matrix, counted from the first column of the block.
    pub(crate) fn within(&self, columns: &Range<usize>) -> Range<usize> {
        columns.start - self.columns.start..columns.end - self.columns.start
    }

    /// Returns the block's columns of row `row`, counted from its first row.
    #[inline]
    pub(crate) fn row(&mut self, row: usize) -> &mut [f32] {
        assert!(row < self.rows.len());
        // SAFETY: the block lies within a matrix that is borrowed for the same lifetime. No other
        // block has these columns of these rows.
        unsafe {
            std::slice::from_raw_parts_mut(self.first.add(row * self.stride), self.columns.len())
        }
    }

    /// Returns all numbers of the block, which must have all columns of the matrix.
    pub(crate) fn whole(&mut self) -> &mut [f32] {
        assert!(self.columns.len() == self.stride);
        // SAFETY: as in `row`. The block has all columns, so its rows are contiguous.
        unsafe { std::slice::from_raw_parts_mut(self.first, self.rows.len() * self.stride) }
    }
}

/// A pointer that threads share; each uses a part of its own.
struct Shared<T>(*mut T);

// SAFETY: `parallel_blocks` makes disjoint parts, each for one thread.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn at(&self, n: usize) -> *mut T {
        self.0.wrapping_add(n)
    }
}

/// How the rows of an output are divided into bands.
#[derive(Clone, Copy)]
pub(crate) enum Bands<'a> {
    /// `n` bands, as equal as possible.
    Even(usize),
    /// `bands` bands of whole tiles, as equal as possible; the rows are divided into `tiles` tiles.
    Tiles { tiles: usize, bands: usize },
    /// One band per sequence.
    Sequences(&'a [Sequence]),
}

impl Bands<'_> {
    fn count(self) -> usize {
        match self {
            Self::Even(bands) | Self::Tiles { bands, .. } => bands,
            Self::Sequences(sequences) => sequences.len(),
        }
    }

    /// Returns the rows of a band; `rows` is the number of all rows.
    fn rows(self, band: usize, rows: usize) -> Range<usize> {
        match self {
            Self::Even(bands) => even_part(rows, bands, band),
            Self::Tiles { tiles, bands } => {
                let own = even_part(tiles, bands, band);
                even_part(rows, tiles, own.start).start..even_part(rows, tiles, own.end).start
            }
            Self::Sequences(sequences) => sequences[band].rows.clone(),
        }
    }

    /// Returns whether every row is below `rows` and in at most one band.
    fn are_disjoint(self, rows: usize) -> bool {
        let Self::Sequences(sequences) = self else { return true };
        let mut last_end = 0;
        sequences.iter().all(|Sequence { rows, .. }| {
            let disjoint = last_end <= rows.start && rows.start <= rows.end;
            last_end = rows.end;
            disjoint
        }) && last_end <= rows
    }
}

/// Returns part `part` of `0..total`, divided into `parts` parts as equal as possible.
pub(crate) fn even_part(total: usize, parts: usize, part: usize) -> Range<usize> {
    let (each, more) = (total / parts, total % parts);
    let start = |part: usize| part * each + part.min(more);
    start(part)..start(part + 1)
}

/// Divides the rows of `y` into bands, and each band into blocks of `step` columns. A block has a
/// multiple of `step` if there would be more blocks than needed. `width` is the row length.
///
/// Calls `body` for every block, on one thread per workspace. A thread begins with the same blocks
/// in each call, because they are still in its cache; then it steals blocks of other threads.
///
/// Neither this function nor `body` is generic: each kernel would add a copy of it to the binary.
pub(crate) fn parallel_blocks(
    workspaces: &mut [ThreadWorkspace],
    y: &mut [f32],
    width: usize,
    bands: Bands<'_>,
    step: usize,
    body: &(dyn Fn(&mut ThreadWorkspace, Block<'_>) + Sync),
) {
    if y.is_empty() {
        return;
    }
    let rows = y.len() / width;
    assert!(bands.are_disjoint(rows));
    let (threads, steps) = (workspaces.len(), width.div_ceil(step));
    let wanted = if threads == 1 { 1 } else { threads * BLOCKS_PER_THREAD };
    let block_steps = (bands.count() * steps).div_ceil(wanted).min(steps);
    let across = steps.div_ceil(block_steps);
    let blocks = bands.count() * across;
    let next = [const { AtomicUsize::new(0) }; MAX_THREADS];
    let (workspaces, y) = (Shared(workspaces.as_mut_ptr()), Shared(y.as_mut_ptr()));
    let work = |thread: usize| {
        // SAFETY: `run` calls each thread with a different number below `threads`.
        let workspace = unsafe { &mut *workspaces.at(thread) };
        for part in (thread..threads).chain(0..thread) {
            let (all, claimed) = (even_part(blocks, threads, part), &next[part]);
            while let Some(block) = all.clone().nth(claimed.fetch_add(1, Relaxed)) {
                let (band, n) = (block / across, block % across);
                let rows = bands.rows(band, rows);
                let columns = n * block_steps * step..((n + 1) * block_steps * step).min(width);
                let first = y.at(rows.start * width + columns.start);
                let stride = width;
                item(|| {
                    body(workspace, Block { band, rows, columns, first, stride, of: PhantomData });
                });
            }
        }
    };
    region(threads, true, || pool::run(threads, &work));
}

/// Approximate number of blocks per thread. With several blocks no thread waits long for the last
/// one.
const BLOCKS_PER_THREAD: usize = 16;

/// Calls `body` for each of `bands` bands of `y`, with the number of the band's first row and its
/// numbers. `width` is the row length. Threads and workspaces are as in [`parallel_blocks`].
pub(crate) fn parallel_rows(
    workspaces: &mut [ThreadWorkspace],
    y: &mut [f32],
    width: usize,
    bands: usize,
    body: &(dyn Fn(&mut ThreadWorkspace, usize, &mut [f32]) + Sync),
) {
    parallel_blocks(workspaces, y, width, Bands::Even(bands), width, &|local, mut block| {
        body(local, block.rows.start, block.whole());
    });
}

/// A value that threads change one after another. A waiting thread spins, because a page's main
/// thread must not block.
pub(crate) struct SpinLock<T>(Mutex<T>);

impl<T> SpinLock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    pub(crate) fn with<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let mut guard = loop {
            match self.0.try_lock() {
                Ok(guard) => break guard,
                Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
            }
        };
        change(&mut guard)
    }
}
