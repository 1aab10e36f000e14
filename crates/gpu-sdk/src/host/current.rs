//! The current host of a thread.
//!
//! Invocations of a dispatch interleave on a thread: one that waits at a barrier lets others run
//! before it is resumed. So this state belongs to all invocations of a dispatch, not to one, and is
//! not restored when an invocation ends, because others may still need it.

use std::cell::RefCell;

use super::Host;

/// How a host runs its kernel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CallMode {
    /// One call, outside a dispatch.
    Once,
    /// One call for each invocation of a dispatch.
    Dispatched,
}

/// A host and how it runs its kernel.
#[derive(Clone)]
pub(super) struct Current {
    pub(super) host: Host,
    pub(super) mode: CallMode,
}

std::thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

/// Restores the previous host on drop, even if a kernel panics.
struct RestoreOnDrop(Option<Current>);

impl Drop for RestoreOnDrop {
    fn drop(&mut self) {
        CURRENT.replace(self.0.take());
    }
}

/// Calls `f`, which may make other hosts current, and restores the current host afterwards.
pub(super) fn preserving<R>(f: impl FnOnce() -> R) -> R {
    let _restore = RestoreOnDrop(CURRENT.with_borrow(Clone::clone));
    f()
}

impl Current {
    /// Makes this the host of the thread for an invocation that begins. Only inside [`preserving`].
    #[inline]
    pub(super) fn enter(&self) {
        CURRENT.with_borrow_mut(|current| {
            let is_same = current.as_ref().is_some_and(|current| {
                std::ptr::eq(&*current.host.shared, &*self.host.shared) && current.mode == self.mode
            });
            if !is_same {
                *current = Some(self.clone());
            }
        });
    }
}

/// Calls `f` with the current host. It must not call back into a kernel.
#[inline]
#[track_caller]
pub(super) fn with<R>(what: &str, f: impl FnOnce(&Current) -> R) -> R {
    CURRENT.with_borrow(|current| f(current.as_ref().unwrap_or_else(|| missing(what))))
}

/// The current host, if there is one.
pub(super) fn get() -> Option<Host> {
    CURRENT.with_borrow(|current| current.as_ref().map(|current| current.host.clone()))
}

#[cold]
#[track_caller]
fn missing(what: &str) -> ! {
    panic!("`{what}` was called outside of a host: run the kernel with `gpu_sdk::host::Host`")
}
