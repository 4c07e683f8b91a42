//! Tests of the pool and of the division of an output, small enough for Miri. Miri finds data
//! races, pointers that are used too long, and threads that are never woken. Workers are scoped
//! threads here, so that none is left at the end of a test.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{scope, yield_now};

use super::{
    Bands, MAX_THREADS, allow_workers, parallel_blocks, parallel_items, run, run_worker,
    stop_workers, workers,
};
use crate::{Sequence, ThreadWorkspace};

/// Regions per test.
const ROUNDS: usize = if cfg!(miri) { 12 } else { 2_000 };

/// Only one test at a time may use the pool.
static MINE: Mutex<()> = Mutex::new(());

fn mine() -> MutexGuard<'static, ()> {
    MINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `body` while `threads` threads, including this one, can join its regions.
fn with_threads<R>(threads: usize, body: impl FnOnce() -> R) -> R {
    let _mine = mine();
    scope(|scope| {
        let start = |thread| scope.spawn(move || run_worker(thread, || ()));
        let started: Vec<_> = (1..threads).map(start).collect();
        while workers() < threads - 1 {
            yield_now();
        }
        let result = catch_unwind(AssertUnwindSafe(body));
        stop_workers();
        let ended: Vec<_> = started.into_iter().map(|worker| worker.join()).collect();
        allow_workers();
        assert!(ended.iter().all(Result::is_ok));
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn workspaces(threads: usize) -> Vec<ThreadWorkspace> {
    (0..threads).map(|_| ThreadWorkspace::default()).collect()
}

#[test]
fn writes_each_item_once_in_every_region() {
    with_threads(3, || {
        for round in 0..ROUNDS {
            let threads = round % 3 + 1;
            // Memory of this region only, freed right after it.
            let mut numbers = vec![0; round % 7];
            parallel_items(&mut workspaces(threads), numbers.iter_mut(), &|_, number| {
                *number += round;
            });
            assert!(numbers.iter().all(|&number| number == round), "region {round}: {numbers:?}");
        }
    });
}

#[test]
fn covers_the_whole_output_with_blocks_for_any_division() {
    let sequence = |rows: std::ops::Range<usize>| Sequence { keys: rows.clone(), rows };
    let sequences = [0..2, 2..3, 3..7].map(sequence);
    with_threads(3, || {
        for bands in
            [Bands::Even(3), Bands::Tiles { tiles: 4, bands: 2 }, Bands::Sequences(&sequences)]
        {
            for (width, step) in [(5, 2), (8, 8), (1, 4)] {
                let mut y = vec![0.0; 7 * width];
                parallel_blocks(&mut workspaces(3), &mut y, width, bands, step, &|_, mut block| {
                    for row in 0..block.rows.len() {
                        block.row(row).iter_mut().for_each(|y| *y += 1.0);
                    }
                });
                assert!(y.iter().all(|&y| y == 1.0), "{width} columns in steps of {step}: {y:?}");
            }
        }
    });
}

#[test]
fn passes_a_panic_of_any_thread_to_the_caller() {
    with_threads(3, || {
        for round in 0..ROUNDS.min(20) {
            let panicking = round % 3;
            let panicked = AtomicBool::new(false);
            let result = catch_unwind(AssertUnwindSafe(|| {
                run(3, &|thread| {
                    if thread == panicking {
                        panicked.store(true, Relaxed);
                        std::panic::resume_unwind(Box::new("as arranged")); // without a message
                    }
                });
            }));
            // A worker may be too late to join.
            assert_eq!(result.is_err(), panicked.into_inner(), "round {round}");
        }
    });
}

#[test]
fn limits_the_number_of_threads_to_the_maximum() {
    with_threads(3, || {
        for threads in [MAX_THREADS - 1, MAX_THREADS, MAX_THREADS + 1] {
            let calls: [AtomicUsize; MAX_THREADS] = [const { AtomicUsize::new(0) }; MAX_THREADS];
            run(threads, &|thread| {
                calls[thread].fetch_add(1, SeqCst);
            });
            let calls = calls.map(AtomicUsize::into_inner);
            assert_eq!(calls[0], 1, "{threads} threads");
            // A worker may be too late to join.
            assert!(calls[1..3].iter().all(|&calls| calls <= 1), "{threads} threads: {calls:?}");
            assert_eq!(calls[3..], [0; MAX_THREADS - 3], "{threads} threads");
        }
    });
}

#[test]
fn runs_concurrent_and_nested_callers() {
    with_threads(2, || {
        scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 0..ROUNDS / 2 {
                        let mut outer = [0; 3];
                        let items = outer.iter_mut();
                        parallel_items(&mut workspaces(2), items, &|_, outer| {
                            let mut inner = [0; 3];
                            let items = inner.iter_mut();
                            parallel_items(&mut workspaces(2), items, &|_, inner| *inner += round);
                            *outer += inner.iter().sum::<usize>();
                        });
                        assert_eq!(outer, [3 * round; 3]);
                    }
                });
            }
        });
    });
}

#[test]
fn ends_workers_while_regions_begin() {
    let _mine = mine();
    let done = AtomicBool::new(false);
    scope(|scope| {
        scope.spawn(|| {
            while !done.load(SeqCst) {
                let mut numbers = [0; 2];
                parallel_items(&mut workspaces(2), numbers.iter_mut(), &|_, number| *number += 1);
                assert_eq!(numbers, [1; 2]);
            }
        });
        for _ in 0..ROUNDS.min(100) {
            let worker = scope.spawn(|| run_worker(1, || ()));
            yield_now();
            stop_workers();
            let ended = worker.join();
            allow_workers();
            assert!(ended.is_ok());
        }
        done.store(true, SeqCst);
    });
}
