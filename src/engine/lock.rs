//! An asynchronous lock for a single thread.

use std::cell::{Cell, RefCell, RefMut};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::ops::{Deref, DerefMut};
use std::task::{Context, Poll, Waker};

/// A value for one call at a time, held across `await`. Calls get it in the order in which they
/// began to wait.
pub(super) struct Lock<T> {
    value: RefCell<T>,
    queue: Queue,
}

/// Access to the value, until dropped.
pub(super) struct Guard<'a, T> {
    value: RefMut<'a, T>,
    /// Declared after the value, so that the value is free when the next call is woken.
    _release: WakeOnDrop<'a>,
}

struct WakeOnDrop<'a>(&'a Queue);

impl Drop for WakeOnDrop<'_> {
    fn drop(&mut self) {
        self.0.wake_first();
    }
}

/// The waiting calls, each with its number and its last waker, in the order of the numbers.
#[derive(Default)]
struct Queue {
    calls: RefCell<VecDeque<(u64, Waker)>>,
    next: Cell<u64>,
}

impl Queue {
    /// Returns whether no other call comes first. A call without a number comes after all others.
    fn is_first(&self, number: Option<u64>) -> bool {
        self.calls.borrow().front().map(|(first, _)| *first) == number
    }

    /// Adds a call, or replaces its waker. Returns its number.
    fn wait(&self, number: Option<u64>, waker: &Waker) -> u64 {
        let mut calls = self.calls.borrow_mut();
        if let Some(call) = calls.iter_mut().find(|(other, _)| Some(*other) == number) {
            call.1.clone_from(waker);
            return call.0;
        }
        let number = self.next.get();
        self.next.set(number + 1);
        calls.push_back((number, waker.clone()));
        number
    }

    fn remove(&self, number: u64) {
        self.calls.borrow_mut().retain(|(other, _)| *other != number);
    }

    fn wake_first(&self) {
        // The waker may poll the call at once, so the queue must not be borrowed any more.
        let first = self.calls.borrow().front().map(|(_, waker)| waker.clone());
        if let Some(waker) = first {
            waker.wake();
        }
    }
}

/// A call that waits, or is about to. It leaves the queue when it is dropped.
struct Waiting<'a> {
    queue: &'a Queue,
    number: Option<u64>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let was_first = self.queue.is_first(self.number);
        self.queue.remove(number);
        // It may have been woken, and then nobody else wakes the next one.
        if was_first {
            self.queue.wake_first();
        }
    }
}

impl<T> Lock<T> {
    pub(super) fn new(value: T) -> Self {
        Self { value: RefCell::new(value), queue: Queue::default() }
    }

    /// Waits until the value is free and all earlier calls had it. A future that is dropped while
    /// it waits gives up its place.
    pub(super) async fn lock(&self) -> Guard<'_, T> {
        let mut waiting = Waiting { queue: &self.queue, number: None };
        poll_fn(|context| self.poll(&mut waiting, context)).await
    }

    fn poll(&self, waiting: &mut Waiting<'_>, context: &Context<'_>) -> Poll<Guard<'_, T>> {
        if self.queue.is_first(waiting.number)
            && let Some(guard) = self.try_lock()
        {
            if let Some(number) = waiting.number.take() {
                self.queue.remove(number);
            }
            return Poll::Ready(guard);
        }
        waiting.number = Some(self.queue.wait(waiting.number, context.waker()));
        Poll::Pending
    }

    /// Returns the value.
    pub(super) fn into_inner(self) -> T {
        self.value.into_inner()
    }

    /// Returns true if [`Lock::lock`] would have to wait.
    pub(super) fn is_busy(&self) -> bool {
        self.value.try_borrow_mut().is_err() || !self.queue.is_first(None)
    }

    /// Returns the value, or `None` if it is in use. The caller must drop it before it waits for
    /// anything, because it may come before calls that wait.
    pub(super) fn try_lock(&self) -> Option<Guard<'_, T>> {
        let value = self.value.try_borrow_mut().ok()?;
        Some(Guard { value, _release: WakeOnDrop(&self.queue) })
    }
}

/// Narrows a guard to a part of the value.
pub(super) fn map<'a, T, U: 'a>(
    guard: Guard<'a, T>,
    part: impl FnOnce(&mut T) -> &mut U,
) -> Guard<'a, U> {
    Guard { value: RefMut::map(guard.value, part), _release: guard._release }
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
    use std::pin::{Pin, pin};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::task::{Context, Poll, Wake, Waker};

    use super::Lock;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, SeqCst);
        }
    }

    /// A call that counts how often it was woken.
    struct Call<'a, T> {
        work: Pin<Box<dyn Future<Output = T> + 'a>>,
        woken: Arc<Count>,
    }

    impl<'a, T> Call<'a, T> {
        fn new(work: impl Future<Output = T> + 'a) -> Self {
            Self { work: Box::pin(work), woken: Arc::default() }
        }

        fn poll(&mut self) -> Poll<T> {
            let waker = Waker::from(Arc::clone(&self.woken));
            self.work.as_mut().poll(&mut Context::from_waker(&waker))
        }

        fn woken(&self) -> usize {
            self.woken.0.load(SeqCst)
        }
    }

    #[test]
    fn calls_get_the_value_in_the_order_in_which_they_began_to_wait() {
        let lock = Lock::new(1);
        let guard = lock.try_lock();
        assert!(guard.is_some() && lock.try_lock().is_none());
        let [mut first, mut second, mut third] = [0; 3].map(|_| Call::new(lock.lock()));
        assert!(first.poll().is_pending() && second.poll().is_pending());
        assert_eq!(first.woken(), 0);
        drop(guard);
        // Only the first is woken, and a later call does not overtake the second.
        assert_eq!([first.woken(), second.woken()], [1, 0]);
        assert!(third.poll().is_pending() && second.poll().is_pending());
        let guard = match first.poll() {
            Poll::Ready(guard) => Some(guard),
            Poll::Pending => None,
        };
        assert_eq!(guard.as_deref(), Some(&1));
        drop(guard);
        assert_eq!([second.woken(), third.woken()], [1, 0]);
        assert!(third.poll().is_pending());
        assert!(second.poll().is_ready());
        assert!(third.poll().is_ready());
        assert!(!lock.is_busy());
    }

    #[test]
    fn a_call_that_is_dropped_gives_up_its_place() {
        let lock = Lock::new(());
        let guard = lock.try_lock();
        let [mut first, mut second, mut third] = [0; 3].map(|_| Call::new(lock.lock()));
        for call in [&mut first, &mut second, &mut third] {
            assert!(call.poll().is_pending());
        }
        drop(second);
        drop(guard);
        assert_eq!([first.woken(), third.woken()], [1, 0]);
        // The first was woken, but never polled again.
        drop(first);
        assert_eq!(third.woken(), 1);
        assert!(third.poll().is_ready());
        assert!(lock.try_lock().is_some() && !lock.is_busy());
    }

    #[test]
    fn a_call_that_is_polled_again_has_one_place() {
        let lock = Lock::new(());
        let guard = lock.try_lock();
        let mut call = Call::new(lock.lock());
        for _ in 0..100 {
            assert!(call.poll().is_pending());
        }
        assert_eq!(lock.queue.calls.borrow().len(), 1);
        drop(guard);
        assert_eq!(call.woken(), 1);
        assert!(call.poll().is_ready());
    }

    #[test]
    fn an_error_releases_the_value() {
        let lock = Lock::new(0);
        let fail = async || -> Result<(), &str> {
            *lock.lock().await += 1;
            let _guard = lock.lock().await;
            Err("failed")
        };
        let guard = lock.try_lock();
        let mut failing = Call::new(fail());
        let mut next = Call::new(async { *lock.lock().await });
        assert!(failing.poll().is_pending() && next.poll().is_pending());
        drop(guard);
        // It waits a second time, behind the other call.
        assert!(failing.poll().is_pending());
        assert_eq!(next.poll(), Poll::Ready(1));
        assert_eq!(failing.poll(), Poll::Ready(Err("failed")));
        assert!(pin!(lock.lock()).poll(&mut Context::from_waker(Waker::noop())).is_ready());
    }
}
