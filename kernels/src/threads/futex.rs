//! Sleeping until a number in memory changes.

use std::sync::atomic::AtomicI32;

/// Sleeps while `word` is `value`; may also return for no reason.
#[cfg(target_arch = "wasm32")]
pub(super) fn wait(word: &AtomicI32, value: i32) {
    const FOREVER: i64 = -1;
    // SAFETY: `word` is an aligned number in this module's own, shared memory.
    unsafe { core::arch::wasm32::memory_atomic_wait32(word.as_ptr(), value, FOREVER) };
}

/// Wakes all that sleep at `word`.
#[cfg(target_arch = "wasm32")]
pub(super) fn wake(word: &AtomicI32) {
    // SAFETY: as in `wait`.
    unsafe { core::arch::wasm32::memory_atomic_notify(word.as_ptr(), u32::MAX) };
}

#[cfg(not(target_arch = "wasm32"))]
pub(super) use native::{wait, wake};

/// One bed for all: native builds are for tests, where a needless waking harms nobody.
#[cfg(not(target_arch = "wasm32"))]
mod native {
    use super::AtomicI32;
    use std::sync::atomic::Ordering::SeqCst;
    use std::sync::{Condvar, Mutex, PoisonError};

    static DOOR: Mutex<()> = Mutex::new(());
    static BELL: Condvar = Condvar::new();

    pub(in super::super) fn wait(word: &AtomicI32, value: i32) {
        let guard = DOOR.lock().unwrap_or_else(PoisonError::into_inner);
        if word.load(SeqCst) == value {
            let _guard = BELL.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(in super::super) fn wake(_word: &AtomicI32) {
        // taken, lest the bell rings between a sleeper's last look and its falling asleep
        drop(DOOR.lock().unwrap_or_else(PoisonError::into_inner));
        BELL.notify_all();
    }
}
