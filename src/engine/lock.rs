//! An asynchronous lock for a single thread.

use std::cell::{RefCell, RefMut};
use std::future::poll_fn;
use std::ops::{Deref, DerefMut};
use std::task::{Poll, Waker};

/// A value for one call at a time, held across `await`.
pub(super) struct Lock<T> {
    value: RefCell<T>,
    /// Wakers of the calls that wait for the value.
    waiting: RefCell<Vec<Waker>>,
}

/// Access to the value, until dropped.
pub(super) struct Guard<'a, T> {
    value: RefMut<'a, T>,
    /// Declared after the value, so that the value is free when the waiting calls are woken.
    _waiting: WakeOnDrop<'a>,
}

struct WakeOnDrop<'a>(&'a RefCell<Vec<Waker>>);

impl Drop for WakeOnDrop<'_> {
    fn drop(&mut self) {
        // One of the woken calls gets the value; the others wait again.
        self.0.take().into_iter().for_each(Waker::wake);
    }
}

impl<T> Lock<T> {
    pub(super) fn new(value: T) -> Self {
        Self { value: RefCell::new(value), waiting: RefCell::default() }
    }

    /// Waits until the value is free.
    pub(super) async fn lock(&self) -> Guard<'_, T> {
        poll_fn(|context| match self.try_lock() {
            Some(guard) => Poll::Ready(guard),
            None => {
                self.waiting.borrow_mut().push(context.waker().clone());
                Poll::Pending
            }
        })
        .await
    }

    /// Returns the value, or `None` if it is in use.
    pub(super) fn try_lock(&self) -> Option<Guard<'_, T>> {
        let value = self.value.try_borrow_mut().ok()?;
        Some(Guard { value, _waiting: WakeOnDrop(&self.waiting) })
    }
}

/// Narrows a guard to a part of the value.
pub(super) fn map<'a, T, U: 'a>(
    guard: Guard<'a, T>,
    part: impl FnOnce(&mut T) -> &mut U,
) -> Guard<'a, U> {
    Guard { value: RefMut::map(guard.value, part), _waiting: guard._waiting }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::task::{Context, Poll, Wake, Waker};

    use super::Lock;

    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, SeqCst);
        }
    }

    #[test]
    fn who_waits_is_woken_when_the_value_is_free() {
        let lock = Lock::new(1);
        let woken = Arc::new(Count(AtomicUsize::new(0)));
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        let guard = lock.try_lock();
        assert!(guard.is_some() && lock.try_lock().is_none());
        let mut waiting = pin!(lock.lock());
        assert!(waiting.as_mut().poll(&mut context).is_pending());
        assert_eq!(woken.0.load(SeqCst), 0);
        drop(guard);
        assert_eq!(woken.0.load(SeqCst), 1);
        assert!(matches!(waiting.as_mut().poll(&mut context), Poll::Ready(value) if *value == 1));
    }
}
