//! An output divided into blocks, which threads claim one by one.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, TryLockError};

use super::{MAX_THREADS, pool};
use crate::{Sequence, ThreadWorkspace};

/// Some columns of some rows of a row-major matrix.
pub(crate) struct Block<'a> {
    /// Number of its band of rows.
    pub(crate) band: usize,
    /// Its rows of the matrix.
    pub(crate) rows: Range<usize>,
    /// Its columns of the matrix.
    pub(crate) columns: Range<usize>,
    /// Pointer to its first row and column.
    first: *mut f32,
    /// Numbers from a row to the next.
    stride: usize,
    of: PhantomData<&'a mut [f32]>,
}

impl<'a> Block<'a> {
    /// The numbers of the panels, `width` columns each, that its columns belong to.
    pub(crate) fn panels(&self, width: usize) -> Range<usize> {
        self.columns.start / width..self.columns.end.div_ceil(width)
    }

    /// Columns of the matrix, counted from the block's first.
    pub(crate) fn within(&self, columns: &Range<usize>) -> Range<usize> {
        columns.start - self.columns.start..columns.end - self.columns.start
    }

    /// The block's columns of row `row`, counted from the block's first.
    #[inline]
    pub(crate) fn row(&mut self, row: usize) -> &mut [f32] {
        assert!(row < self.rows.len());
        // SAFETY: the block was made within a matrix that is borrowed for as long, and it is the
        // only one with these columns of these rows.
        unsafe {
            std::slice::from_raw_parts_mut(self.first.add(row * self.stride), self.columns.len())
        }
    }

    /// All of it, where it has all columns of the matrix.
    pub(crate) fn whole(&mut self) -> &mut [f32] {
        assert!(self.columns.len() == self.stride);
        // SAFETY: as in `row`; without columns left out, rows follow each other.
        unsafe { std::slice::from_raw_parts_mut(self.first, self.rows.len() * self.stride) }
    }
}

/// A pointer that threads share, each for a part of its own.
struct Shared<T>(*mut T);

// SAFETY: `parallel_blocks` makes disjoint parts of it, each for one thread.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn at(&self, n: usize) -> *mut T {
        self.0.wrapping_add(n)
    }
}

/// How the rows of an output are divided into bands.
#[derive(Clone, Copy)]
pub(crate) enum Bands<'a> {
    /// This number of bands, as even as can be.
    Even(usize),
    /// `bands` bands of whole tiles, as even as can be; the rows are divided into `tiles` tiles.
    Tiles { tiles: usize, bands: usize },
    /// One band a sequence.
    Sequences(&'a [Sequence]),
}

impl Bands<'_> {
    fn count(self) -> usize {
        match self {
            Self::Even(bands) | Self::Tiles { bands, .. } => bands,
            Self::Sequences(sequences) => sequences.len(),
        }
    }

    /// The rows of a band, of `rows` in all.
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

    /// Whether no row is in two bands, and none beyond `rows`.
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

/// Part number `part` of `0..total` divided into `parts`, as even as can be.
pub(crate) fn even_part(total: usize, parts: usize, part: usize) -> Range<usize> {
    let (each, more) = (total / parts, total % parts);
    let start = |part: usize| part * each + part.min(more);
    start(part)..start(part + 1)
}

/// Divides `y`, rows of `width`, into bands of rows and each band into blocks of `step` columns, or a
/// multiple of it where there would be more blocks than needed. Calls `body` for every block, on as many
/// threads as there are `workspaces`, each with its own. A thread begins with the same blocks in each
/// call, so that it finds in its cache what it wrote before, and then steals blocks of other threads.
///
/// Neither this nor `body` is generic, or each kernel would bring a copy of it into the binary.
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
    pool::run(threads, &|thread| {
        // SAFETY: `run` gives each thread another number below `threads`.
        let workspace = unsafe { &mut *workspaces.at(thread) };
        for part in (thread..threads).chain(0..thread) {
            let (all, claimed) = (even_part(blocks, threads, part), &next[part]);
            while let Some(block) = all.clone().nth(claimed.fetch_add(1, Relaxed)) {
                let (band, n) = (block / across, block % across);
                let rows = bands.rows(band, rows);
                let columns = n * block_steps * step..((n + 1) * block_steps * step).min(width);
                let first = y.at(rows.start * width + columns.start);
                let stride = width;
                body(workspace, Block { band, rows, columns, first, stride, of: PhantomData });
            }
        }
    });
}

/// Blocks a thread, about: several, so that none waits long for the last one.
const BLOCKS_PER_THREAD: usize = 16;

/// Calls `body` for `bands` bands of `y`, rows of `width`, with the number of the band's first row and its
/// numbers. Threads and workspaces as in [`parallel_blocks`].
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

/// A value that threads change one after another. A waiting thread spins, as a page's main thread may
/// not block.
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
