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
    bell: Arc<Bell>,
}

#[wasm_bindgen]
impl Job {
    /// Goes on until the work has to wait or is done. `wake` is called when it can go on, `done`
    /// with its result; an error is thrown.
    pub fn step(&mut self, done: &Function, wake: Function) -> JsResult<()> {
        let Some(work) = &mut self.work else { return Ok(()) };
        self.bell.hang(wake);
        let waker = Waker::from(Arc::clone(&self.bell));
        if let Poll::Ready(result) = work.as_mut().poll(&mut Context::from_waker(&waker)) {
            self.work = None;
            done.call1(&JsValue::UNDEFINED, &result?)?;
        }
        Ok(())
    }
}

impl Job {
    pub(super) fn new(work: impl Future<Output = JsResult<JsValue>> + 'static) -> Self {
        Self { work: Some(Box::pin(work)), bell: Arc::new(Bell::new()) }
    }
}

thread_local! {
    /// What each bell calls, by its number. A waker may cross threads, a JavaScript value may not.
    static CALLED: RefCell<Vec<(u32, Function)>> = const { RefCell::new(Vec::new()) };
    static BELLS: Cell<u32> = const { Cell::new(0) };
}

/// Wakes a job.
struct Bell(u32);

impl Bell {
    fn new() -> Self {
        BELLS.set(BELLS.get() + 1);
        Self(BELLS.get())
    }

    fn hang(&self, wake: Function) {
        self.take_down();
        CALLED.with_borrow_mut(|called| called.push((self.0, wake)));
    }

    fn take_down(&self) {
        CALLED.with_borrow_mut(|called| called.retain(|(bell, _)| *bell != self.0));
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        let wake = CALLED.with_borrow(|called| {
            called.iter().find(|(bell, _)| *bell == self.0).map(|(_, wake)| wake.clone())
        });
        // what it calls only puts the step on a queue
        let _ = wake.map(|wake| wake.call0(&JsValue::UNDEFINED));
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        self.take_down();
    }
}
