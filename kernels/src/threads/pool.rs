//! Workers that take part in regions of work, one region at a time.
//!
//! A forward pass over 16 tokens is some 70 regions of 5 to 100 µs. So a worker that has done its
//! part looks out for the next region for a while before it sleeps; and nobody waits for a worker
//! that has not begun. A region is open, workers join it, and the caller, who works too, closes it
//! once nothing is left to be claimed and waits for those inside alone: a worker that is still
//! waking up, or has lost its core to another program, costs nothing.

use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32};

use super::{MOST_THREADS, futex};

/// Turns of a waiting loop before it sleeps; about 50 µs.
const PATIENCE: u32 = if cfg!(target_arch = "wasm32") { 40_000 } else { 1_000 };

/// What all threads of a region call, with their number.
type Body<'a> = dyn Fn(usize) + Sync + 'a;

/// The workers of this process, or of this instance of the WebAssembly module.
static POOL: Pool = Pool {
    state: AtomicU32::new(0),
    body: UnsafeCell::new(None),
    busy: AtomicBool::new(false),
    caller: AtomicI32::new(AWAKE),
    caller_may_sleep: AtomicBool::new(true),
    failed: AtomicBool::new(false),
    seats: [const { Seat { taken: AtomicBool::new(false), sleep: AtomicI32::new(AWAKE) } };
        MOST_THREADS - 1],
};

thread_local! {
    /// Whether this worker is in a region.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

struct Pool {
    /// See [`State`].
    state: AtomicU32,
    /// Of the region that is open.
    body: UnsafeCell<Option<&'static Body<'static>>>,
    /// Whether some thread is calling.
    busy: AtomicBool,
    /// Where the caller sleeps.
    caller: AtomicI32,
    /// A page's main thread may not.
    caller_may_sleep: AtomicBool,
    /// Whether a worker panicked inside the region.
    failed: AtomicBool,
    seats: [Seat; MOST_THREADS - 1],
}

/// A worker's place; worker n is thread n + 1 of a region.
struct Seat {
    taken: AtomicBool,
    sleep: AtomicI32,
}

const AWAKE: i32 = 0;
const ASLEEP: i32 = 1;

// SAFETY: `body` is the only field that is not atomic. It is written by the one caller that holds
// `busy`, while no region is open and nobody is inside; it is read by workers inside alone.
unsafe impl Sync for Pool {}

/// A value of `Pool::state`: from the lowest bit on, how many workers are inside (8 bits), how many
/// threads may take part (8 bits), whether workers may join, whether they are to go home, and the
/// number of the region, counted around.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State(u32);

const OPEN: u32 = 1 << 16;
const OVER: u32 = 1 << 17;
const REGION: u32 = 1 << 18;

impl State {
    fn inside(self) -> u32 {
        self.0 & 0xff
    }

    fn number(self) -> u32 {
        self.0 / REGION
    }

    /// Whether thread `thread`, which was in region `last` before, is wanted.
    fn wants(self, thread: usize, last: Option<u32>) -> bool {
        let allowed = (self.0 >> 8 & 0xff) as usize;
        self.0 & OVER != 0 || self.0 & OPEN != 0 && thread < allowed && Some(self.number()) != last
    }
}

/// Runs `body(n)` for thread numbers n below `threads`, each on a thread of its own: `body(0)` in
/// this one, others where a worker comes in time. So each call has to claim what it does.
/// Where another thread uses the pool, this one runs alone.
pub fn run(threads: usize, body: &Body<'_>) {
    if threads < 2 || POOL.busy.swap(true, Acquire) {
        return body(0);
    }
    let region = Region::open(threads.min(MOST_THREADS), body);
    body(0);
    drop(region);
}

/// A region while it lasts; dropping it ends it, in a panic, too.
struct Region;

impl Region {
    fn open(threads: usize, body: &Body<'_>) -> Self {
        // SAFETY: the lifetime is made longer than it is, but workers read the reference only while
        // inside, and `close`, which `drop` calls, returns only once nobody is.
        let body = unsafe { std::mem::transmute::<&Body<'_>, &'static Body<'static>>(body) };
        // SAFETY: see `Sync for Pool`.
        unsafe { *POOL.body.get() = Some(body) };
        let opened = |before: u32| {
            let number = (before & !(REGION - 1)).wrapping_add(REGION);
            number | before & OVER | OPEN | (threads as u32) << 8
        };
        // not a store: another thread may send the workers home meanwhile
        let _ = POOL.state.fetch_update(SeqCst, Relaxed, |before| Some(opened(before)));
        for seat in &POOL.seats[..threads - 1] {
            seat.rouse();
        }
        Self
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        POOL.state.fetch_and(!OPEN, SeqCst);
        let gone = || State(POOL.state.load(SeqCst)).inside() == 0;
        let patient = (0..PATIENCE).any(|_| gone() || pause());
        while !patient && !gone() {
            if POOL.caller_may_sleep.load(Relaxed) {
                sleep_unless(&POOL.caller, gone);
            }
        }
        let failed = POOL.failed.swap(false, Relaxed);
        POOL.busy.store(false, Release);
        if failed && !std::thread::panicking() {
            std::panic::resume_unwind(Box::new("a thread of the pool panicked"));
        }
    }
}

/// How many threads a caller who wants `threads` gets, itself included: those that were started
/// (by JavaScript, which alone can).
#[cfg(target_arch = "wasm32")]
pub fn team(threads: usize) -> usize {
    threads.clamp(1, workers() + 1)
}

/// How many threads a caller who wants `threads` gets, itself included; starts what is missing.
#[cfg(not(target_arch = "wasm32"))]
pub fn team(threads: usize) -> usize {
    let threads = threads.clamp(1, MOST_THREADS);
    for thread in 1..threads {
        let free = !POOL.seats[thread - 1].taken.load(SeqCst);
        if free && std::thread::Builder::new().spawn(move || work(thread, || ())).is_err() {
            return thread;
        }
    }
    threads
}

/// Sends all workers home: each ends its [`work`] once it has left the region it is in.
pub fn dismiss() {
    POOL.state.fetch_or(OVER, SeqCst);
    POOL.seats.iter().for_each(Seat::rouse);
}

/// Lets workers come again, which [`dismiss`] had sent home.
pub fn admit() {
    POOL.state.fetch_and(!OVER, SeqCst);
}

/// How many workers there are, from thread 1 on.
pub fn workers() -> usize {
    POOL.seats.iter().take_while(|seat| seat.taken.load(SeqCst)).count()
}

/// Says that the calling thread may not sleep, which a page's main thread may not: it waits awake.
pub fn stay_awake() {
    POOL.caller_may_sleep.store(false, Relaxed);
}

/// A worker's life, as thread `thread` of every region that has so many; ends after
/// [`dismiss`]. `ready` is called when it has begun.
pub fn work(thread: usize, ready: impl FnOnce()) {
    let Some(seat) = thread.checked_sub(1).and_then(|n| POOL.seats.get(n)) else { return };
    if seat.taken.swap(true, SeqCst) {
        return;
    }
    ready();
    let mut last = None; // so that a region that is open already is joined
    loop {
        let state = seat.next_region(thread, last);
        if state.0 & OVER != 0 {
            break;
        }
        let joined = POOL.state.compare_exchange(state.0, state.0 + 1, SeqCst, Relaxed).is_ok();
        if joined {
            last = Some(state.number());
            INSIDE.set(true);
            // SAFETY: this thread is inside, so the body stays what it is; see `Sync for Pool`.
            if let Some(body) = unsafe { *POOL.body.get() } {
                guarded(body, thread);
            }
            leave();
        }
    }
    seat.taken.store(false, SeqCst);
}

/// Calls `body`; where it panics, the caller is to panic.
fn guarded(body: &Body<'_>, thread: usize) {
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(thread)));
    if result.is_err() {
        POOL.failed.store(true, Relaxed);
    }
}

fn leave() {
    INSIDE.set(false);
    let before = State(POOL.state.fetch_sub(1, SeqCst));
    if before.inside() == 1 && before.0 & OPEN == 0 {
        rouse(&POOL.caller);
    }
}

/// To be called by a worker whose [`work`] has trapped, which in WebAssembly nothing can catch but
/// JavaScript: the caller of the region would wait for it forever. It is to panic, too.
pub fn fail() {
    if INSIDE.get() {
        POOL.failed.store(true, Relaxed);
        leave();
    }
}

impl Seat {
    /// Waits for a region that wants `thread`, or for the end.
    fn next_region(&self, thread: usize, last: Option<u32>) -> State {
        let state = || State(POOL.state.load(SeqCst));
        let wanted = || state().wants(thread, last);
        loop {
            for _ in 0..PATIENCE {
                let state = state();
                if state.wants(thread, last) {
                    return state;
                }
                pause();
            }
            sleep_unless(&self.sleep, wanted);
        }
    }

    fn rouse(&self) {
        rouse(&self.sleep);
    }
}

/// Sleeps at `place` unless `awaited` has happened; who makes it happen then calls [`rouse`].
fn sleep_unless(place: &AtomicI32, awaited: impl Fn() -> bool) {
    place.store(ASLEEP, SeqCst);
    if !awaited() {
        futex::wait(place, ASLEEP);
    }
    place.store(AWAKE, SeqCst);
}

fn rouse(place: &AtomicI32) {
    // only read where nobody sleeps: writing would take the line from the sleeper's core
    if place.load(SeqCst) == ASLEEP && place.swap(AWAKE, SeqCst) == ASLEEP {
        futex::wake(place);
    }
}

/// Says to the processor that this is a waiting loop, where it can be said. Always false.
fn pause() -> bool {
    std::hint::spin_loop();
    false
}
