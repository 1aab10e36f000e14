//! Runs calls into naga with enough stack, and catches their panics.
//!
//! In: a call into naga and the nesting of the program. Out: its result, or a [`NagaCallError`]. What always
//! holds: the call has enough stack for that nesting on any thread of the caller, and panics do not propagate.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::ProgramError;
use crate::nesting::Nesting;

/// Nesting for which an ordinary thread (2 MiB of stack) suffices in an unoptimized build.
const SHALLOW: Nesting = Nesting {
    depth: 48,
    deepest: 0,
    declarations: 200,
    operands: 0,
    longest: 0,
};

/// Stack per level of nesting: five times the need measured for an optimized naga, because unoptimized builds need more
/// (the deepest programs of the fuzzer pass in both).
const BYTES_PER_LEVEL: usize = 8 << 10;

/// Stack per link in a chain of declarations, with the same margin.
const BYTES_PER_DECLARATION: usize = 2 << 10;

/// Stack that does not depend on the program, and for naga's own limit of nested brackets.
const BASE_STACK: usize = 4 << 20;

/// Why a call into naga has no result. It is a bug, or the system is out of threads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NagaCallError {
    /// It panicked with this message.
    #[error("{0}")]
    Panic(String),
    /// The system gave no thread with enough stack, for this reason.
    #[error("no thread for a deeply nested program: {0}")]
    NoThread(String),
}

impl NagaCallError {
    fn of_panic(payload: &(dyn Any + Send)) -> Self {
        Self::Panic(panic_message(payload))
    }
}

impl From<NagaCallError> for ProgramError {
    fn from(error: NagaCallError) -> Self {
        Self::Internal(error.to_string())
    }
}

/// Runs `call` with enough stack for a program of this nesting, and catches panics.
pub(crate) fn run<T: Send>(
    nesting: &Nesting,
    call: impl FnOnce() -> T + Send,
) -> Result<T, NagaCallError> {
    if nesting.depth <= SHALLOW.depth && nesting.declarations <= SHALLOW.declarations {
        return catch_panic(call);
    }
    let stack =
        BASE_STACK + nesting.depth * BYTES_PER_LEVEL + nesting.declarations * BYTES_PER_DECLARATION;
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("anywarp program".to_owned())
            .stack_size(stack)
            .spawn_scoped(scope, || catch_panic(call))
            .map_err(|error| NagaCallError::NoThread(error.to_string()))?
            .join()
            .unwrap_or_else(|panic| Err(NagaCallError::of_panic(&*panic)))
    })
}

/// Converts a panic into an error message.
///
/// naga does not panic on validated modules, but its front end, which reads unvalidated text, has panicked. The closure
/// owns or only reads its data, so no half-modified state is visible after a panic.
pub(crate) fn catch_panic<T>(call: impl FnOnce() -> T) -> Result<T, NagaCallError> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| NagaCallError::of_panic(&*panic))
}

/// The message of a caught panic.
pub fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> Nesting {
        Nesting {
            depth,
            ..Nesting::default()
        }
    }

    #[test]
    fn results_pass_through() {
        assert_eq!(run(&nested(1), || 7), Ok(7));
        assert_eq!(run(&nested(400), || 7), Ok(7));
    }

    #[test]
    fn panics_become_messages() {
        for depth in [1, 400] {
            let result: Result<(), _> = run(&nested(depth), || panic!("on purpose {depth}"));
            let message = format!("on purpose {depth}");
            assert_eq!(result, Err(NagaCallError::Panic(message)));
        }
    }

    #[test]
    fn only_deep_programs_get_their_own_thread() {
        let here = std::thread::current().id();
        assert_eq!(run(&nested(1), || std::thread::current().id()), Ok(here));
        assert_ne!(run(&nested(400), || std::thread::current().id()), Ok(here));
    }
}
