//! The thread pool. Kernels return the same numbers for any number of threads.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use common::suite;
use webert::Result;
use webert::backend::cpu::{Cpu, Matrix, Rows};
use webert::backend::{
    Activation, Backend, Disentangled, Embeddings, Norm, Precision, Relative, Rotation,
};
use webert::batch::Batch;
use webert_kernels::threads::{allow_workers, ensure_workers, run, run_worker, stop_workers};

/// Only one test at a time may use the pool. A second caller would do its work alone.
static POOL: Mutex<()> = Mutex::new(());

/// Waits until `done`, for at most 20 s. Returns false after that.
fn within_seconds(done: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while !done() && start.elapsed() < Duration::from_secs(20) {
        std::thread::yield_now();
    }
    done()
}

/// Runs a region that ends only after all of its threads have joined.
fn all_join(threads: usize) -> bool {
    let joined = AtomicUsize::new(0);
    let seen = AtomicUsize::new(0);
    run(threads, &|_| {
        joined.fetch_add(1, SeqCst);
        if within_seconds(|| joined.load(SeqCst) == threads) {
            seen.fetch_add(1, SeqCst);
        }
    });
    seen.load(SeqCst) == threads
}

#[test]
fn all_threads_join_also_after_sleep() {
    let _mine = POOL.lock();
    for threads in [1, 2, 5, 3] {
        assert_eq!(ensure_workers(threads), threads);
        assert!(all_join(threads), "{threads} threads");
        std::thread::sleep(Duration::from_millis(20));
        assert!(all_join(threads), "{threads} threads that had slept");
    }
}

#[test]
fn every_item_once_in_many_regions() {
    let _mine = POOL.lock();
    ensure_workers(4);
    for region in 0..20_000 {
        let (threads, items) = (region % 4 + 1, region % 7);
        let next = AtomicUsize::new(0);
        let done: [AtomicUsize; 7] = std::array::from_fn(|_| AtomicUsize::new(0));
        run(threads, &|thread| {
            assert!(thread < threads);
            while let Some(count) = done[..items].get(next.fetch_add(1, SeqCst)) {
                count.fetch_add(1, SeqCst);
            }
        });
        let counts: Vec<_> = done.iter().map(|count| count.load(SeqCst)).collect();
        assert!(counts[..items].iter().all(|&count| count == 1), "region {region}: {counts:?}");
    }
}

#[test]
fn panics_reach_the_caller_and_leave_the_pool_usable() {
    let _mine = POOL.lock();
    ensure_workers(3);
    for panicking in 0..3 {
        let joined = AtomicUsize::new(0);
        let result = catch_unwind(AssertUnwindSafe(|| {
            run(3, &|thread| {
                joined.fetch_add(1, SeqCst);
                assert!(within_seconds(|| joined.load(SeqCst) == 3), "all joined");
                assert!(thread != panicking, "panics as arranged");
            });
        }));
        assert!(result.is_err(), "thread {panicking} panicked");
        assert!(all_join(3), "after thread {panicking} panicked");
    }
}

#[test]
fn concurrent_and_nested_calls() {
    let _mine = POOL.lock();
    ensure_workers(2);
    let total = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..1000 {
                    run(2, &|thread| {
                        if thread == 0 {
                            run(2, &|thread| {
                                total.fetch_add(usize::from(thread == 0), SeqCst);
                            });
                        }
                    });
                }
            });
        }
    });
    assert_eq!(total.load(SeqCst), 4000);
}

#[test]
fn workers_stop_also_while_regions_begin() {
    let _mine = POOL.lock();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(SeqCst) {
                run(2, &|_| ());
            }
        });
        let not_stopped = (0..1000).find(|_| {
            stop_workers();
            let worker = std::thread::spawn(|| run_worker(1, || ()));
            let stopped = within_seconds(|| worker.is_finished());
            allow_workers();
            !stopped
        });
        done.store(true, SeqCst);
        assert_eq!(not_stopped, None, "the try at which a worker went on");
    });
}

/// Runs each kernel with one thread and with several, and compares the results.
struct Compared {
    alone: Cpu,
    shared: Cpu,
}

fn same_bits(alone: &Rows, shared: &Rows) {
    assert_eq!((alone.rows, alone.cols), (shared.rows, shared.cols));
    let bits = |rows: &Rows| rows.data.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert!(bits(alone) == bits(shared), "other numbers with several threads");
}

fn copy(rows: &Rows) -> Rows {
    Rows { data: rows.data.clone(), ..*rows }
}

impl Backend for Compared {
    type Matrix = Matrix;
    type Vector = Vec<f32>;
    type Rows = Rows;
    type Batch = Batch;

    fn matrix(&mut self, rows: usize, cols: usize, precision: Precision) -> Result<Matrix> {
        self.alone.matrix(rows, cols, precision)
    }

    fn vector(&mut self, len: usize) -> Result<Vec<f32>> {
        self.alone.vector(len)
    }

    fn write(&mut self, matrix: &mut Matrix, first_row: usize, values: &[f32]) {
        self.alone.write(matrix, first_row, values);
    }

    fn write_vector(&mut self, vector: &mut Vec<f32>, first: usize, values: &[f32]) {
        self.alone.write_vector(vector, first, values);
    }

    fn upload(&mut self, batch: Batch) -> Result<Batch> {
        self.shared.upload(batch)
    }

    fn embed(&mut self, tables: &Embeddings<Matrix, Vec<f32>>, batch: &Batch, y: &mut Rows) {
        let mut want = Rows::default();
        self.alone.embed(tables, batch, &mut want);
        self.shared.embed(tables, batch, y);
        same_bits(&want, y);
    }

    fn linear(
        &mut self,
        x: &Rows,
        weight: &Matrix,
        bias: &Vec<f32>,
        activation: Activation,
        y: &mut Rows,
    ) {
        let mut want = Rows::default();
        self.alone.linear(x, weight, bias, activation, &mut want);
        self.shared.linear(x, weight, bias, activation, y);
        same_bits(&want, y);
    }

    fn attention(
        &mut self,
        qkv: &Rows,
        batch: &Batch,
        heads: usize,
        y: &mut Rows,
        probabilities: Option<&mut Rows>,
    ) {
        let (mut want, mut shares) = (Rows::default(), Rows::default());
        self.alone.attention(qkv, batch, heads, &mut want, Some(&mut shares));
        let mut unused = Rows::default();
        let probabilities = probabilities.unwrap_or(&mut unused);
        self.shared.attention(qkv, batch, heads, y, Some(probabilities));
        same_bits(&want, y);
        same_bits(&shares, probabilities);
    }

    fn attention_relative(
        &mut self,
        qkv: &Rows,
        batch: &Batch,
        heads: usize,
        relative: &Relative<'_, Vec<f32>>,
        y: &mut Rows,
        probabilities: Option<&mut Rows>,
    ) {
        let (mut want, mut shares) = (Rows::default(), Rows::default());
        self.alone.attention_relative(qkv, batch, heads, relative, &mut want, Some(&mut shares));
        let mut unused = Rows::default();
        let probabilities = probabilities.unwrap_or(&mut unused);
        self.shared.attention_relative(qkv, batch, heads, relative, y, Some(probabilities));
        same_bits(&want, y);
        same_bits(&shares, probabilities);
    }

    fn embed_sum(&mut self, tables: &Embeddings<Matrix, Vec<f32>>, batch: &Batch, y: &mut Rows) {
        let mut want = Rows::default();
        self.alone.embed_sum(tables, batch, &mut want);
        self.shared.embed_sum(tables, batch, y);
        same_bits(&want, y);
    }

    fn lookup(&mut self, table: &Matrix, rows: &[u32], y: &mut Rows) {
        let mut want = Rows::default();
        self.alone.lookup(table, rows, &mut want);
        self.shared.lookup(table, rows, y);
        same_bits(&want, y);
    }

    fn attention_disentangled(
        &mut self,
        qkv: &Rows,
        batch: &Batch,
        heads: usize,
        disentangled: &Disentangled<'_, Rows>,
        y: &mut Rows,
        probabilities: Option<&mut Rows>,
    ) {
        let (mut want, mut shares) = (Rows::default(), Rows::default());
        let (alone, kept) = (&mut self.alone, Some(&mut shares));
        alone.attention_disentangled(qkv, batch, heads, disentangled, &mut want, kept);
        let mut unused = Rows::default();
        let probabilities = probabilities.unwrap_or(&mut unused);
        let (shared, kept) = (&mut self.shared, Some(&mut *probabilities));
        shared.attention_disentangled(qkv, batch, heads, disentangled, y, kept);
        same_bits(&want, y);
        same_bits(&shares, probabilities);
    }

    fn unfold(&mut self, x: &Rows, batch: &Batch, taps: usize, masked: bool, y: &mut Rows) {
        let mut want = Rows::default();
        self.alone.unfold(x, batch, taps, masked, &mut want);
        self.shared.unfold(x, batch, taps, masked, y);
        same_bits(&want, y);
    }

    fn depthwise(&mut self, x: &Rows, weights: &Vec<f32>, batch: &Batch, y: &mut Rows) {
        let mut want = Rows::default();
        self.alone.depthwise(x, weights, batch, &mut want);
        self.shared.depthwise(x, weights, batch, y);
        same_bits(&want, y);
    }

    fn span_convolution(
        &mut self,
        x: &Rows,
        kernels: &Rows,
        batch: &Batch,
        heads: usize,
        y: &mut Rows,
    ) {
        let mut want = Rows::default();
        self.alone.span_convolution(x, kernels, batch, heads, &mut want);
        self.shared.span_convolution(x, kernels, batch, heads, y);
        same_bits(&want, y);
    }

    fn columns(&mut self, x: [&Rows; 2], ranges: [Range<usize>; 2], y: &mut Rows) {
        let mut want = Rows::default();
        self.alone.columns(x, ranges.clone(), &mut want);
        self.shared.columns(x, ranges, y);
        same_bits(&want, y);
    }

    fn add(&mut self, x: &Rows, y: &mut Rows) {
        let mut want = copy(y);
        self.alone.add(x, &mut want);
        self.shared.add(x, y);
        same_bits(&want, y);
    }

    fn clear_rows(&mut self, x: &mut Rows, rows: &[u32]) {
        self.alone.clear_rows(x, rows);
    }

    fn rotary(
        &mut self,
        qkv: &mut Rows,
        batch: &Batch,
        heads: usize,
        rotation: &Rotation,
        table: Option<&Vec<f32>>,
    ) {
        let mut want = copy(qkv);
        self.alone.rotary(&mut want, batch, heads, rotation, table);
        self.shared.rotary(qkv, batch, heads, rotation, table);
        same_bits(&want, qkv);
    }

    fn gate(&mut self, x: &Rows, activation: Activation, y: &mut Rows) {
        let mut want = Rows::default();
        self.alone.gate(x, activation, &mut want);
        self.shared.gate(x, activation, y);
        same_bits(&want, y);
    }

    fn residual_norm(&mut self, x: &mut Rows, residual: &mut Rows, norm: &Norm<Vec<f32>>) {
        let (mut want, mut sums) = (copy(x), copy(residual));
        self.alone.residual_norm(&mut want, &mut sums, norm);
        self.shared.residual_norm(x, residual, norm);
        same_bits(&want, x);
        same_bits(&sums, residual);
    }

    fn scale_rows(&mut self, x: &mut Rows, factors: &[f32]) {
        let mut want = copy(x);
        self.alone.scale_rows(&mut want, factors);
        self.shared.scale_rows(x, factors);
        same_bits(&want, x);
    }

    fn mean(&mut self, x: &Rows, batch: &Batch, y: &mut Rows) {
        let mut want = Rows::default();
        self.alone.mean(x, batch, &mut want);
        self.shared.mean(x, batch, y);
        same_bits(&want, y);
    }

    fn add_norm(&mut self, x: &mut Rows, residual: &Rows, norm: &Norm<Vec<f32>>) {
        let mut want = copy(x);
        self.alone.add_norm(&mut want, residual, norm);
        self.shared.add_norm(x, residual, norm);
        same_bits(&want, x);
    }

    fn norm(&mut self, x: &mut Rows, norm: &Norm<Vec<f32>>) {
        let mut want = copy(x);
        self.alone.norm(&mut want, norm);
        self.shared.norm(x, norm);
        same_bits(&want, x);
    }

    fn gather(&mut self, x: &Rows, rows: &[u32], y: &mut Rows) {
        self.alone.gather(x, rows, y);
    }

    fn top(&mut self, x: &Rows, k: usize, y: &mut Rows) {
        self.alone.top(x, k, y);
    }

    async fn read(&mut self, rows: &[&Rows]) -> Result<Vec<Vec<f32>>> {
        self.alone.read(rows).await
    }
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    let _mine = POOL.lock();
    for threads in [2, 3, 7] {
        let mut compared = Compared { alone: Cpu::default(), shared: Cpu::default() };
        assert_eq!(compared.shared.set_threads(threads), threads);
        for precision in suite::PRECISIONS {
            suite::linear(&mut compared, precision);
            suite::embed(&mut compared, precision, false);
        }
        suite::norm(&mut compared);
        suite::attention(&mut compared);
        suite::attention_relative(&mut compared);
        suite::attention_disentangled(&mut compared);
        suite::unfold(&mut compared);
        suite::depthwise(&mut compared);
        suite::columns(&mut compared);
        suite::some_rows(&mut compared);
        suite::rotary(&mut compared);
        suite::gate(&mut compared);
        suite::residual_norm(&mut compared);
        suite::scale_rows(&mut compared);
        suite::mean(&mut compared);
    }
}
