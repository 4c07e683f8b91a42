//! Asynchronous work for JavaScript. JavaScript runs every step of it. A trap then ends the step in
//! the caller's view, whereas a Promise created here would never settle.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::JsResult;

/// Work in progress.
#[wasm_bindgen]
pub struct Job {
    /// `None` when it is done.
    work: Option<Pin<Box<dyn Future<Output = JsResult<JsValue>>>>>,
    waker: Arc<JobWaker>,
}

#[wasm_bindgen]
impl Job {
    /// Runs until the work must wait or is done. Calls `wake` when it can continue, and `done` with
    /// the result. Throws if the work fails.
    pub fn step(&mut self, done: &Function, wake: Function) -> JsResult<()> {
        let Some(work) = &mut self.work else { return Ok(()) };
        self.waker.set(wake);
        let waker = Waker::from(Arc::clone(&self.waker));
        if let Poll::Ready(result) = work.as_mut().poll(&mut Context::from_waker(&waker)) {
            self.work = None;
            self.waker.clear(); // it holds this job, so neither would ever be freed
            done.call1(&JsValue::UNDEFINED, &result?)?;
        }
        Ok(())
    }
}

impl Job {
    pub(super) fn new(work: impl Future<Output = JsResult<JsValue>> + 'static) -> Self {
        Self { work: Some(Box::pin(work)), waker: Arc::new(JobWaker::new()) }
    }
}

thread_local! {
    /// The function that each waker calls, by the waker's number. A waker may cross threads; a
    /// JavaScript value may not.
    static CALLBACKS: RefCell<Vec<(u32, Function)>> = const { RefCell::new(Vec::new()) };
    static WAKERS: Cell<u32> = const { Cell::new(0) };
}

/// Wakes a job.
struct JobWaker(u32);

impl JobWaker {
    fn new() -> Self {
        WAKERS.set(WAKERS.get() + 1);
        Self(WAKERS.get())
    }

    fn set(&self, wake: Function) {
        self.clear();
        CALLBACKS.with_borrow_mut(|callbacks| callbacks.push((self.0, wake)));
    }

    fn clear(&self) {
        CALLBACKS.with_borrow_mut(|callbacks| callbacks.retain(|(waker, _)| *waker != self.0));
    }
}

impl Wake for JobWaker {
    fn wake(self: Arc<Self>) {
        let wake = CALLBACKS.with_borrow(|callbacks| {
            callbacks.iter().find(|(waker, _)| *waker == self.0).map(|(_, wake)| wake.clone())
        });
        // The function only queues the step, so its result does not matter.
        let _ = wake.map(|wake| wake.call0(&JsValue::UNDEFINED));
    }
}

impl Drop for JobWaker {
    fn drop(&mut self) {
        self.clear();
    }
}
