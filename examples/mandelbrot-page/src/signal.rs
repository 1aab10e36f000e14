//! A task sleeps until somebody has something for it.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

#[derive(Default)]
pub(crate) struct Signal {
    is_set: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Signal {
    /// Wakes the task, now or when it comes to sleep.
    pub(crate) fn set(&self) {
        self.is_set.set(true);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Whether somebody has something, which stays so.
    pub(crate) fn is_set(&self) -> bool {
        self.is_set.get()
    }

    /// Whether somebody had something, once.
    pub(crate) fn take(&self) -> bool {
        self.is_set.take()
    }

    /// Sleeps until somebody has something, which stays so.
    pub(crate) async fn wait(&self) {
        poll_fn(|context| {
            if self.is_set.get() {
                Poll::Ready(())
            } else {
                self.waker.replace(Some(context.waker().clone()));
                Poll::Pending
            }
        })
        .await;
    }
}
