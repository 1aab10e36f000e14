//! Errors of dispatches: panics, divergent barriers, and resources that are not available.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::Mutex;

use glam::UVec3;

/// A source location in the kernel.
pub type SourceLocation = &'static Location<'static>;

/// The panic of an invocation: its message and its payload.
pub struct Panic {
    message: String,
    /// In a mutex, so that the error is `Sync`, which a payload is not.
    payload: Mutex<Box<dyn Any + Send>>,
}

impl Panic {
    pub(crate) fn new(payload: Box<dyn Any + Send>) -> Self {
        let literal = payload.downcast_ref::<&str>().copied();
        let text = literal.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Self {
            message: text.unwrap_or("a panic without a message").to_owned(),
            payload: Mutex::new(payload),
        }
    }

    /// The message, if the payload is a string, as it is for `panic!`.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The payload, for [`std::panic::resume_unwind`].
    pub fn into_payload(self) -> Box<dyn Any + Send> {
        let payload = self.payload.into_inner();
        payload.unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl fmt::Debug for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Panic").field(&self.message()).finish()
    }
}

/// Why a dispatch ended early. Writes before the failure are kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DispatchError {
    /// An invocation panicked.
    #[error("invocation {invocation} panicked: {}", .panic.message())]
    Panicked {
        /// The invocation: its `global_invocation_id`, or the pixel of a fragment.
        invocation: UVec3,
        /// Its panic.
        panic: Panic,
    },
    /// Barriers diverge: invocations of one workgroup wait at different barriers.
    #[error(
        "barriers diverge in workgroup {workgroup}: invocation {first} waits at {first_location}, invocation {second} at {second_location}"
    )]
    DifferentBarriers {
        /// `workgroup_id`.
        workgroup: UVec3,
        /// `local_invocation_index` of an invocation that waits.
        first: u32,
        /// The location of its barrier.
        first_location: SourceLocation,
        /// `local_invocation_index` of an invocation that reached another barrier.
        second: u32,
        /// The location of that other barrier.
        second_location: SourceLocation,
    },
    /// Some invocations of a workgroup ended while others wait for them.
    #[error(
        "barrier never reached in workgroup {workgroup}: invocation {waiting} waits at {location}, but invocation {ended} has ended (dispatched at {dispatched_at})"
    )]
    BarrierNotReached {
        /// `workgroup_id`.
        workgroup: UVec3,
        /// `local_invocation_index` of an invocation that waits.
        waiting: u32,
        /// The location of its barrier.
        location: SourceLocation,
        /// `local_invocation_index` of an invocation that has ended.
        ended: u32,
        /// The location of the dispatch call.
        dispatched_at: SourceLocation,
    },
    /// Fragments of one quad wait at different derivatives or quad operations.
    #[error(
        "quad operations diverge at pixel {pixel}: fragment {first} waits at {first_location}, fragment {second} at {second_location}"
    )]
    DifferentQuadOperations {
        /// The first pixel of the quad.
        pixel: UVec3,
        /// Index of a fragment of the quad, 0 to 3, that waits.
        first: u32,
        /// The location of its operation.
        first_location: SourceLocation,
        /// Index of a fragment that reached another operation.
        second: u32,
        /// The location of that other operation.
        second_location: SourceLocation,
    },
    /// The grid, or a size of it, exceeds a limit.
    #[error("{what} is too large: {size}")]
    TooLarge {
        /// The name of the size.
        what: &'static str,
        /// The given size and the limit.
        size: String,
    },
    /// The stack of an invocation could not be allocated.
    #[error("no memory for the stack of an invocation: {0}")]
    Stack(std::io::Error),
    /// No thread could be started for the watchdog, or for a caller that cannot run invocations
    /// itself.
    #[error("no thread for the dispatch: {0}")]
    Thread(std::io::Error),
}

impl DispatchError {
    /// Drops an error that is not reported. A panic's payload belongs to the user, and its
    /// destructor may panic too; that panic is ignored.
    pub(crate) fn discard(self) {
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(self)));
        // The new payload may have such a destructor too, so it is leaked.
        std::mem::forget(dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_panics() {
        let message = |payload| Panic::new(payload).message().to_owned();
        assert_eq!(message(Box::new("literal")), "literal");
        assert_eq!(message(Box::new("text".to_owned())), "text");
        assert_eq!(message(Box::new(5)), "a panic without a message");
        let payload = Panic::new(Box::new(5)).into_payload();
        assert_eq!(payload.downcast_ref(), Some(&5));
    }

    #[test]
    fn an_error_is_discarded_whatever_its_payload_does() {
        struct PanicsOnDrop;
        impl Drop for PanicsOnDrop {
            fn drop(&mut self) {
                std::panic::resume_unwind(Box::new(()));
            }
        }
        let panicked = |payload| DispatchError::Panicked {
            invocation: UVec3::ZERO,
            panic: Panic::new(payload),
        };
        panicked(Box::new(PanicsOnDrop)).discard();
        panicked(Box::new(())).discard();
    }
}
