//! An event that wakes a waiting task.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

#[derive(Default)]
pub(crate) struct Signal {
    is_set: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Signal {
    /// Sets the event and wakes the task; if the task is not waiting, its next wait returns immediately.
    pub(crate) fn set(&self) {
        self.is_set.set(true);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Whether the event is set. Does not clear it.
    pub(crate) fn is_set(&self) -> bool {
        self.is_set.get()
    }

    /// Whether the event is set. Clears it.
    pub(crate) fn take(&self) -> bool {
        self.is_set.take()
    }

    /// Waits until the event is set. Does not clear it.
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
