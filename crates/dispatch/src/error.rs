//! How a dispatch can fail.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::Mutex;

use glam::UVec3;

/// A line of the kernel.
pub type Place = &'static Location<'static>;

/// What a panicking invocation said.
pub struct Panic {
    message: String,
    /// Locked so that errors can be shared between threads, which a payload cannot.
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

    /// The message, if it is text, as it is for `panic!`.
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

/// Why a dispatch ended early. What was written until then stays written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DispatchError {
    /// An invocation panicked.
    #[error("invocation {invocation} panicked: {}", .panic.message())]
    Panicked {
        /// Which one: `global_invocation_id`, or the pixel of a fragment.
        invocation: UVec3,
        /// What it said.
        panic: Panic,
    },
    /// Invocations of one workgroup wait at different barriers.
    #[error(
        "barriers diverge in workgroup {workgroup}: invocation {first} waits at {first_place}, invocation {second} at {second_place}"
    )]
    DifferentBarriers {
        /// `workgroup_id`.
        workgroup: UVec3,
        /// `local_invocation_index` of an invocation that waits.
        first: u32,
        /// Its barrier.
        first_place: Place,
        /// `local_invocation_index` of an invocation that came to another one.
        second: u32,
        /// That other barrier.
        second_place: Place,
    },
    /// Some invocations of a workgroup ended while others wait for them.
    #[error(
        "barrier never reached in workgroup {workgroup}: invocation {waiting} waits at {place}, but invocation {ended} has ended (dispatched at {dispatched_at})"
    )]
    BarrierNotReached {
        /// `workgroup_id`.
        workgroup: UVec3,
        /// `local_invocation_index` of an invocation that waits.
        waiting: u32,
        /// Its barrier.
        place: Place,
        /// `local_invocation_index` of an invocation that has ended.
        ended: u32,
        /// Where the dispatch was called.
        dispatched_at: Place,
    },
    /// Fragments of one quad wait at different derivatives or quad operations.
    #[error(
        "quad operations diverge at pixel {pixel}: fragment {first} waits at {first_place}, fragment {second} at {second_place}"
    )]
    DifferentQuadOperations {
        /// The first pixel of the quad.
        pixel: UVec3,
        /// A fragment of the quad, 0 to 3, that waits.
        first: u32,
        /// Its derivative.
        first_place: Place,
        /// A fragment that came to another one.
        second: u32,
        /// That other derivative.
        second_place: Place,
    },
    /// The grid is too large to count.
    #[error("{what} is too large: {size}")]
    TooLarge {
        /// Which size.
        what: &'static str,
        /// As it was given, and the limit.
        size: String,
    },
    /// A stack could not be had for an invocation.
    #[error("no memory for the stack of an invocation: {0}")]
    Stack(std::io::Error),
    /// No thread could be had for the watchdog, or for a caller that cannot run invocations itself.
    #[error("no thread for the dispatch: {0}")]
    Thread(std::io::Error),
}

impl DispatchError {
    /// Drops an error that nobody will see. A panic's payload is the user's, and so is its
    /// destructor: if that panics too, there is nobody left to tell.
    pub(crate) fn discard(self) {
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(self)));
        // The new payload may be of the same kind, so it is left alone.
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
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                std::panic::resume_unwind(Box::new(()));
            }
        }
        let panicked = |payload| DispatchError::Panicked {
            invocation: UVec3::ZERO,
            panic: Panic::new(payload),
        };
        panicked(Box::new(Bomb)).discard();
        panicked(Box::new(())).discard();
    }
}
