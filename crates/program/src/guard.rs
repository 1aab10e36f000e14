//! Runs calls into naga with enough stack, and catches their panics.
//!
//! In: a call into naga and the nesting of the program. Out: its result, or the message of its panic. What always
//! holds: the call has enough stack for that nesting on any thread of the caller, and panics do not propagate.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::nesting::Nesting;

/// Nesting for which an ordinary thread (2 MiB of stack) suffices in an unoptimised build.
const SHALLOW: Nesting = Nesting {
    depth: 48,
    deepest: 0,
    declarations: 200,
    operands: 0,
    longest: 0,
};

/// Stack per level of nesting: five times the need measured for an optimised naga, because unoptimised builds need more
/// (the deepest programs of the fuzzer pass in both).
const BYTES_PER_LEVEL: usize = 8 << 10;

/// Stack per link in a chain of declarations, with the same margin.
const BYTES_PER_DECLARATION: usize = 2 << 10;

/// Stack that does not depend on the program, and for naga's own limit of nested brackets.
const BASE_STACK: usize = 4 << 20;

/// Runs `call` with enough stack for a program of this nesting, and catches panics.
pub(crate) fn run<T: Send>(
    nesting: &Nesting,
    call: impl FnOnce() -> T + Send,
) -> Result<T, String> {
    if nesting.depth <= SHALLOW.depth && nesting.declarations <= SHALLOW.declarations {
        return contained(call);
    }
    let stack =
        BASE_STACK + nesting.depth * BYTES_PER_LEVEL + nesting.declarations * BYTES_PER_DECLARATION;
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("anywarp program".to_owned())
            .stack_size(stack)
            .spawn_scoped(scope, || contained(call))
            .map_err(|error| format!("no thread for a deeply nested program: {error}"))?
            .join()
            .unwrap_or_else(|panic| Err(panic_message(&*panic)))
    })
}

/// Converts a panic into an error message.
///
/// naga does not panic on validated modules, but its front end, which reads unvalidated text, has panicked. The closure
/// owns or only reads its data, so no half-modified state is visible after a panic.
pub(crate) fn contained<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| panic_message(&*panic))
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
            assert_eq!(result, Err(format!("on purpose {depth}")));
        }
    }

    #[test]
    fn only_deep_programs_get_their_own_thread() {
        let here = std::thread::current().id();
        assert_eq!(run(&nested(1), || std::thread::current().id()), Ok(here));
        assert_ne!(run(&nested(400), || std::thread::current().id()), Ok(here));
    }
}
