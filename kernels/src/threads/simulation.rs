//! Records the work of parallel regions as they are divided for several threads, while one thread
//! does all of it. `npm run bench -- threads` derives the speed-up of any number of threads.

use std::cell::RefCell;

/// A parallel region.
#[derive(Debug, Clone)]
pub struct Region {
    /// Number of threads that the work is divided for.
    pub threads: usize,
    /// Whether each thread begins with its own part of the items, and then takes items of other parts.
    /// Otherwise all threads take the items in order.
    pub has_parts: bool,
    /// Milliseconds from the first item to the last one.
    pub wall: f64,
    /// Milliseconds of each item.
    pub items: Vec<f64>,
}

struct Record {
    /// Returns milliseconds since some moment.
    clock: fn() -> f64,
    regions: Vec<Region>,
}

thread_local! {
    static RECORD: RefCell<Option<Record>> = const { RefCell::new(None) };
}

/// Begins a record of this thread's regions. `clock` returns milliseconds.
pub fn begin_record(clock: fn() -> f64) {
    RECORD.set(Some(Record { clock, regions: Vec::new() }));
}

/// Ends the record and returns it.
pub fn end_record() -> Vec<Region> {
    RECORD.take().map(|record| record.regions).unwrap_or_default()
}

/// Runs a region and records how long it takes.
pub(super) fn region(threads: usize, has_parts: bool, run: impl FnOnce()) {
    let now = |record: &Record| (record.clock)();
    let start = RECORD.with_borrow_mut(|record| {
        let record = record.as_mut()?;
        record.regions.push(Region { threads, has_parts, wall: 0.0, items: Vec::new() });
        Some(now(record))
    });
    run();
    RECORD.with_borrow_mut(|record| {
        if let Some((record, start)) = record.as_mut().zip(start) {
            let wall = now(record) - start;
            record.regions.last_mut().into_iter().for_each(|region| region.wall = wall);
        }
    });
}

/// Runs an item of the last region and records how long it takes.
pub(super) fn item<R>(run: impl FnOnce() -> R) -> R {
    let clock = RECORD.with_borrow(|record| record.as_ref().map(|record| record.clock));
    let Some(clock) = clock else { return run() };
    let start = clock();
    let result = run();
    let time = clock() - start;
    RECORD.with_borrow_mut(|record| {
        let last = record.as_mut().and_then(|record| record.regions.last_mut());
        last.into_iter().for_each(|region| region.items.push(time));
    });
    result
}
