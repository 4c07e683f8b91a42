//! A pool of worker threads that take part in parallel regions, one region at a time.
//!
//! A forward pass over 16 tokens has about 70 regions of 5 to 100 µs. A worker that has finished
//! its part therefore spins for a while before it sleeps. Nobody waits for a worker that has not
//! begun: workers join an open region, and the caller works too. When no work is left to claim, the
//! caller closes the region and waits only for the workers that joined. A worker that is still
//! waking up, or whose core runs another program, costs nothing.

use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32};

use super::MAX_THREADS;

/// Iterations of a spin loop before it sleeps, about 50 µs. Few under Miri, so that threads do
/// sleep.
const SPINS: u32 = if cfg!(target_arch = "wasm32") {
    40_000
} else if cfg!(miri) {
    3
} else {
    1_000
};

/// Function that each thread of a region calls with its number.
type Body<'a> = dyn Fn(usize) + Sync + 'a;

/// Workers of this process, or of this instance of the WebAssembly module.
static POOL: Pool = Pool {
    state: AtomicU32::new(0),
    body: UnsafeCell::new(None),
    busy: AtomicBool::new(false),
    caller: AtomicI32::new(AWAKE),
    caller_may_block: AtomicBool::new(true),
    failed: AtomicBool::new(false),
    workers: [const { Worker { running: AtomicBool::new(false), sleep: AtomicI32::new(AWAKE) } };
        MAX_THREADS - 1],
};

thread_local! {
    /// Whether this worker has joined a region and not yet left it.
    static JOINED: Cell<bool> = const { Cell::new(false) };
}

struct Pool {
    /// See [`State`].
    state: AtomicU32,
    /// Body of the open region.
    body: UnsafeCell<Option<&'static Body<'static>>>,
    /// Whether a thread runs a region.
    busy: AtomicBool,
    /// Futex on which the caller sleeps.
    caller: AtomicI32,
    /// Whether the caller may sleep. A page's main thread must not.
    caller_may_block: AtomicBool,
    /// Whether a worker panicked in the region.
    failed: AtomicBool,
    workers: [Worker; MAX_THREADS - 1],
}

/// State of worker n, which is thread n + 1 of a region.
struct Worker {
    running: AtomicBool,
    /// Futex on which it sleeps.
    sleep: AtomicI32,
}

const AWAKE: i32 = 0;
const ASLEEP: i32 = 1;

// SAFETY: `body` is the only field that is not atomic. Only the caller that holds `busy` writes it,
// while no region is open and no worker has joined. Only workers that have joined read it.
unsafe impl Sync for Pool {}

/// A value of `Pool::state`. From the lowest bit on it holds the number of joined workers (8 bits),
/// the number of threads that may take part (8 bits), whether workers may join, whether workers
/// must end, and the number of the region, which wraps around.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State(u32);

const OPEN: u32 = 1 << 16;
const STOP: u32 = 1 << 17;
const REGION: u32 = 1 << 18;

impl State {
    fn joined(self) -> u32 {
        self.0 & 0xff
    }

    fn number(self) -> u32 {
        self.0 / REGION
    }

    /// Returns whether thread `thread` must join a region or end. `last` is the number of its last
    /// region.
    fn wants(self, thread: usize, last: Option<u32>) -> bool {
        let threads = (self.0 >> 8 & 0xff) as usize;
        self.0 & STOP != 0 || self.0 & OPEN != 0 && thread < threads && Some(self.number()) != last
    }
}

/// Runs `body(n)` for thread numbers n below `threads`. `body(0)` runs on this thread; the others
/// run on workers that join in time. Each call must therefore claim its work. If another thread
/// already runs a region, only `body(0)` is called.
///
/// # Panics
/// Panics if `body` panics on any thread.
pub fn run(threads: usize, body: &Body<'_>) {
    // A second region waits for nobody: its caller does all the work alone.
    if threads < 2 || POOL.busy.swap(true, Acquire) {
        return body(0);
    }
    let region = Region::open(threads.min(MAX_THREADS), body);
    body(0);
    drop(region);
}

/// An open region. Dropping it closes the region, also during a panic.
struct Region;

impl Region {
    fn open(threads: usize, body: &Body<'_>) -> Self {
        // SAFETY: the reference gets a longer lifetime than it has. Only workers that have joined
        // read it, and `drop` returns after all of them have left.
        let body = unsafe { std::mem::transmute::<&Body<'_>, &'static Body<'static>>(body) };
        // SAFETY: see `Sync for Pool`.
        unsafe { *POOL.body.get() = Some(body) };
        let opened = |before: u32| {
            let number = (before & !(REGION - 1)).wrapping_add(REGION);
            number | before & STOP | OPEN | (threads as u32) << 8
        };
        // Not a plain store: another thread may set STOP at the same time.
        let _ = POOL.state.fetch_update(SeqCst, Relaxed, |before| Some(opened(before)));
        for worker in &POOL.workers[..threads - 1] {
            wake(&worker.sleep);
        }
        Self
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        POOL.state.fetch_and(!OPEN, SeqCst);
        let all_left = || State(POOL.state.load(SeqCst)).joined() == 0;
        let in_time = (0..SPINS).any(|_| all_left() || pause());
        while !in_time && !all_left() {
            // A page's main thread must not sleep, so it spins until the workers have left.
            if POOL.caller_may_block.load(Relaxed) {
                sleep_unless(&POOL.caller, all_left);
            }
        }
        let failed = POOL.failed.swap(false, Relaxed);
        POOL.busy.store(false, Release);
        if failed && !std::thread::panicking() {
            std::panic::resume_unwind(Box::new("a thread of the pool panicked"));
        }
    }
}

/// Returns how many threads a caller gets that asks for `threads`, including itself: those whose
/// workers run. WebAssembly cannot start threads; JavaScript does.
#[cfg(target_arch = "wasm32")]
pub fn ensure_workers(threads: usize) -> usize {
    threads.clamp(1, workers() + 1)
}

/// Returns how many threads a caller gets that asks for `threads`, including itself. Starts missing
/// workers.
#[cfg(not(target_arch = "wasm32"))]
pub fn ensure_workers(threads: usize) -> usize {
    let threads = threads.clamp(1, MAX_THREADS);
    for thread in 1..threads {
        let missing = !POOL.workers[thread - 1].running.load(SeqCst);
        let start = || std::thread::Builder::new().spawn(move || run_worker(thread, || ()));
        if missing && start().is_err() {
            return thread;
        }
    }
    threads
}

/// Ends all workers. Each returns from [`run_worker`] after it has left its region.
pub fn stop_workers() {
    POOL.state.fetch_or(STOP, SeqCst);
    POOL.workers.iter().for_each(|worker| wake(&worker.sleep));
}

/// Allows workers to run again after [`stop_workers`].
pub fn allow_workers() {
    POOL.state.fetch_and(!STOP, SeqCst);
}

/// Returns the number of workers that run, counted from thread 1.
pub fn workers() -> usize {
    POOL.workers.iter().take_while(|worker| worker.running.load(SeqCst)).count()
}

/// Makes the thread that runs regions spin instead of sleep. A page's main thread must not block.
pub fn spin_in_caller() {
    POOL.caller_may_block.store(false, Relaxed);
}

/// Runs a worker on this thread. It is thread `thread`, at least 1, of every region with enough
/// threads.
///
/// Calls `ready` when the worker can join a region, and returns after [`stop_workers`]. Returns at
/// once if this worker already runs, or if `thread` is not below [`MAX_THREADS`].
pub fn run_worker(thread: usize, ready: impl FnOnce()) {
    let Some(worker) = thread.checked_sub(1).and_then(|n| POOL.workers.get(n)) else { return };
    if worker.running.swap(true, SeqCst) {
        return;
    }
    ready();
    let mut last = None; // A region that is already open may be joined.
    loop {
        let state = worker.next_region(thread, last);
        if state.0 & STOP != 0 {
            break;
        }
        let joined = POOL.state.compare_exchange(state.0, state.0 + 1, SeqCst, Relaxed).is_ok();
        if joined {
            last = Some(state.number());
            JOINED.set(true);
            // SAFETY: this thread has joined, so nobody writes to `body`; see `Sync for Pool`.
            if let Some(body) = unsafe { *POOL.body.get() } {
                call(body, thread);
            }
            leave();
        }
    }
    worker.running.store(false, SeqCst);
}

/// Calls `body`. If it panics, the thread that runs the region panics too.
fn call(body: &Body<'_>, thread: usize) {
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(thread)));
    if result.is_err() {
        POOL.failed.store(true, Relaxed);
    }
}

fn leave() {
    JOINED.set(false);
    let before = State(POOL.state.fetch_sub(1, SeqCst));
    if before.joined() == 1 && before.0 & OPEN == 0 {
        wake(&POOL.caller);
    }
}

/// Leaves the region of a worker that has trapped, and makes its caller panic; the region would
/// otherwise wait forever. Call it on the worker's thread after [`run_worker`] has trapped, which
/// only JavaScript can catch in WebAssembly.
pub fn leave_after_trap() {
    if JOINED.get() {
        POOL.failed.store(true, Relaxed);
        leave();
    }
}

impl Worker {
    /// Waits for a region that thread `thread` must join, or for [`STOP`].
    fn next_region(&self, thread: usize, last: Option<u32>) -> State {
        let state = || State(POOL.state.load(SeqCst));
        let wanted = || state().wants(thread, last);
        loop {
            for _ in 0..SPINS {
                let state = state();
                if state.wants(thread, last) {
                    return state;
                }
                pause();
            }
            sleep_unless(&self.sleep, wanted);
        }
    }
}

/// Sleeps on `word` unless `condition` holds. A thread that makes it hold then calls [`wake`].
fn sleep_unless(word: &AtomicI32, condition: impl Fn() -> bool) {
    word.store(ASLEEP, SeqCst);
    if !condition() {
        futex::wait(word, ASLEEP);
    }
    word.store(AWAKE, SeqCst);
}

/// Wakes the thread that sleeps on `word`.
fn wake(word: &AtomicI32) {
    // Only reads if nobody sleeps: a write would take the cache line from the other core.
    if word.load(SeqCst) == ASLEEP && word.swap(AWAKE, SeqCst) == ASLEEP {
        futex::wake(word);
    }
}

/// Hints to the processor that this is a spin loop. Always returns false.
fn pause() -> bool {
    std::hint::spin_loop();
    false
}

/// Sleeps until a number in memory changes.
mod futex {
    use std::sync::atomic::AtomicI32;

    /// Sleeps while `word` is `value`. May also return for no reason.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn wait(word: &AtomicI32, value: i32) {
        const FOREVER: i64 = -1;
        // SAFETY: `word` is an aligned number in the module's own shared memory.
        unsafe { core::arch::wasm32::memory_atomic_wait32(word.as_ptr(), value, FOREVER) };
    }

    /// Wakes all threads that sleep on `word`.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn wake(word: &AtomicI32) {
        // SAFETY: as in `wait`.
        unsafe { core::arch::wasm32::memory_atomic_notify(word.as_ptr(), u32::MAX) };
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(super) use native::{wait, wake};

    /// One condition variable for all words. Native builds are for tests, where a needless wake-up
    /// does no harm.
    #[cfg(not(target_arch = "wasm32"))]
    mod native {
        use super::AtomicI32;
        use std::sync::atomic::Ordering::SeqCst;
        use std::sync::{Condvar, Mutex, PoisonError};

        static LOCK: Mutex<()> = Mutex::new(());
        static CHANGED: Condvar = Condvar::new();

        pub(in super::super) fn wait(word: &AtomicI32, value: i32) {
            let guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
            if word.load(SeqCst) == value {
                let _guard = CHANGED.wait(guard).unwrap_or_else(PoisonError::into_inner);
            }
        }

        pub(in super::super) fn wake(_word: &AtomicI32) {
            // Locks once, so that no waiter is between its check of the word and its wait.
            drop(LOCK.lock().unwrap_or_else(PoisonError::into_inner));
            CHANGED.notify_all();
        }
    }
}
