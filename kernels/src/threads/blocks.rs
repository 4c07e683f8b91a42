//! Outputs cut into blocks that threads claim one by one.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, TryLockError};

use super::{MOST_THREADS, pool};
use crate::{OneThread, Sequence};

/// Some columns of some rows of a row-major matrix.
pub(crate) struct Block<'a> {
    /// The number of the band that it is of.
    pub(crate) band: usize,
    /// Which rows of the matrix.
    pub(crate) rows: Range<usize>,
    /// Which columns.
    pub(crate) columns: Range<usize>,
    /// Of the block's first row and column.
    first: *mut f32,
    /// From a row to the next.
    stride: usize,
    of: PhantomData<&'a mut [f32]>,
}

impl<'a> Block<'a> {
    /// The numbers of the panels, `wide` columns each, that its columns are of.
    pub(crate) fn panels(&self, wide: usize) -> Range<usize> {
        self.columns.start / wide..self.columns.end.div_ceil(wide)
    }

    /// Columns of the matrix as they are counted within the block.
    pub(crate) fn within(&self, columns: &Range<usize>) -> Range<usize> {
        columns.start - self.columns.start..columns.end - self.columns.start
    }

    /// The block's columns in its row `row`.
    #[inline]
    pub(crate) fn row(&mut self, row: usize) -> &mut [f32] {
        assert!(row < self.rows.len());
        // SAFETY: the block was made within a matrix that is borrowed for as long, and it is the
        // only one with these columns of these rows.
        unsafe {
            std::slice::from_raw_parts_mut(self.first.add(row * self.stride), self.columns.len())
        }
    }

    /// All of it, where it has all columns.
    fn whole(&mut self) -> &mut [f32] {
        assert!(self.columns.len() == self.stride);
        // SAFETY: as in `row`; without columns left out, rows follow each other.
        unsafe { std::slice::from_raw_parts_mut(self.first, self.rows.len() * self.stride) }
    }
}

/// A pointer that threads may have, each to a part of its own.
struct Shared<T>(*mut T);

// SAFETY: what is made of it in `for_blocks` is apart for every thread.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn at(&self, n: usize) -> *mut T {
        self.0.wrapping_add(n)
    }
}

/// How the rows of an output are cut into bands.
#[derive(Clone, Copy)]
pub(crate) enum Bands<'a> {
    /// So many bands, as even as can be.
    Even(usize),
    /// So many bands (the second), each of as many of the tiles (the first) that the rows are cut
    /// into, as even as can be.
    Tiles(usize, usize),
    /// A band a sequence. They lie one after another.
    Sequences(&'a [Sequence]),
}

impl Bands<'_> {
    fn count(self) -> usize {
        match self {
            Self::Even(bands) | Self::Tiles(_, bands) => bands,
            Self::Sequences(sequences) => sequences.len(),
        }
    }

    /// The rows of a band, of `rows` in all.
    fn rows(self, band: usize, rows: usize) -> Range<usize> {
        match self {
            Self::Even(bands) => even(rows, bands, band),
            Self::Tiles(tiles, bands) => {
                let of = even(tiles, bands, band);
                even(rows, tiles, of.start).start..even(rows, tiles, of.end).start
            }
            Self::Sequences(sequences) => sequences[band].rows.clone(),
        }
    }

    /// Whether no row is in two bands, nor beyond the `rows` there are.
    fn are_apart(self, rows: usize) -> bool {
        let Self::Sequences(sequences) = self else { return true };
        let mut free = 0;
        sequences.iter().all(|Sequence { rows, .. }| {
            let apart = free <= rows.start && rows.start <= rows.end;
            free = rows.end;
            apart
        }) && free <= rows
    }
}

/// Part `part` of `total` things in `parts`, as even as can be.
pub(crate) fn even(total: usize, parts: usize, part: usize) -> Range<usize> {
    let (each, more) = (total / parts, total % parts);
    let start = |part: usize| part * each + part.min(more);
    start(part)..start(part + 1)
}

/// Cuts `y`, rows of `width`, into bands and each band into blocks of `step` columns, some of them
/// joined where there are more than enough for all threads. Calls `body` for every block; as many
/// threads take part as there are `scratch`es, each with its own. Each begins with a part of the
/// blocks that is its own from call to call, so that it finds in its cache what it wrote before,
/// and then helps with the others' parts.
///
/// Neither this nor `body` is generic, or each kernel would bring a copy of it into the binary.
pub(crate) fn for_blocks(
    scratch: &mut [OneThread],
    y: &mut [f32],
    width: usize,
    bands: Bands<'_>,
    step: usize,
    body: &(dyn Fn(&mut OneThread, Block<'_>) + Sync),
) {
    if y.is_empty() {
        return;
    }
    let rows = y.len() / width;
    assert!(bands.are_apart(rows));
    let (threads, steps) = (scratch.len(), width.div_ceil(step));
    let enough = if threads == 1 { 1 } else { threads * CLAIMS };
    let claim = (bands.count() * steps).div_ceil(enough).min(steps);
    let across = steps.div_ceil(claim);
    let claims = bands.count() * across;
    let next = [const { AtomicUsize::new(0) }; MOST_THREADS];
    let (scratch, y) = (Shared(scratch.as_mut_ptr()), Shared(y.as_mut_ptr()));
    pool::run(threads, &|thread| {
        // SAFETY: `run` gives each thread another number below `threads`.
        let scratch = unsafe { &mut *scratch.at(thread) };
        for part in (thread..threads).chain(0..thread) {
            let (all, taken) = (even(claims, threads, part), &next[part]);
            while let Some(mine) = all.clone().nth(taken.fetch_add(1, Relaxed)) {
                let (band, n) = (mine / across, mine % across);
                let rows = bands.rows(band, rows);
                let columns = n * claim * step..((n + 1) * claim * step).min(width);
                let first = y.at(rows.start * width + columns.start);
                let stride = width;
                body(scratch, Block { band, rows, columns, first, stride, of: PhantomData });
            }
        }
    });
}

/// Blocks a thread, about: several, that none waits long for the last to be done.
const CLAIMS: usize = 16;

/// Calls `body` for `bands` bands of `y`, rows of `width`, with the number of the first row.
pub(crate) fn for_rows(
    scratch: &mut [OneThread],
    y: &mut [f32],
    width: usize,
    bands: usize,
    body: &(dyn Fn(&mut OneThread, usize, &mut [f32]) + Sync),
) {
    for_blocks(scratch, y, width, Bands::Even(bands), width, &|own, mut block| {
        body(own, block.rows.start, block.whole());
    });
}

/// What threads change one after another. Who waits stays awake, as a page's main thread has to.
pub(crate) struct InTurn<T>(Mutex<T>);

impl<T> InTurn<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut T)) {
        let mut guard = loop {
            match self.0.try_lock() {
                Ok(guard) => break guard,
                Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
            }
        };
        change(&mut guard);
    }
}
