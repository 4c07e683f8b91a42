//! Work that waits now and then, as JavaScript sees it. JavaScript takes every step of it: a trap
//! ends the step where somebody listens, while a Promise made in here would never be settled.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::JsResult;

/// A piece of work under way.
#[wasm_bindgen]
pub struct Job {
    /// `None` once it is done.
    work: Option<Pin<Box<dyn Future<Output = JsResult<JsValue>>>>>,
    waker: Arc<JobWaker>,
}

#[wasm_bindgen]
impl Job {
    /// Goes on until the work has to wait or is done. `wake` is called when it can go on, `done`
    /// with its result; an error is thrown.
    pub fn step(&mut self, done: &Function, wake: Function) -> JsResult<()> {
        let Some(work) = &mut self.work else { return Ok(()) };
        self.waker.set(wake);
        let waker = Waker::from(Arc::clone(&self.waker));
        if let Poll::Ready(result) = work.as_mut().poll(&mut Context::from_waker(&waker)) {
            self.work = None;
            self.waker.clear(); // which holds this job: neither would ever go
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
    /// What each waker calls, by its number. A waker may cross threads, a JavaScript value may not.
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
        // what it calls only puts the step on a queue
        let _ = wake.map(|wake| wake.call0(&JsValue::UNDEFINED));
    }
}

impl Drop for JobWaker {
    fn drop(&mut self) {
        self.clear();
    }
}
