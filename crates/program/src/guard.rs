//! Room and a safety net for naga, which handles text from anybody.
//!
//! In: a call into naga and the nesting of the program it is about. Out: its result, or the message
//! of the panic it ended in. What always holds: the call has stack enough for that nesting,
//! whatever thread the caller is on, and a panic inside does not pass through.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::nesting::Nesting;

/// Nesting that a thread of ordinary size, 2 MiB, has room for in an unoptimised build.
const SHALLOW: Nesting = Nesting {
    depth: 48,
    deepest: 0,
    declarations: 200,
    operands: 0,
    longest: 0,
};

/// Stack for one level of nesting: five times what an optimised naga was seen to need, because
/// an unoptimised one needs more (the fuzz's deepest programs pass in both).
const BYTES_PER_LEVEL: usize = 8 << 10;

/// Stack for one link in a chain of declarations, with the same margin.
const BYTES_PER_DECLARATION: usize = 2 << 10;

/// Stack for what does not depend on the program, and for naga's own limit of nested brackets.
const BASE_STACK: usize = 4 << 20;

/// Runs `call` with room for a program of this nesting.
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
            .unwrap_or_else(|panic| Err(message(&*panic)))
    })
}

/// Turns a panic into a message.
///
/// naga promises no panics for validated modules, but its front end, which sees unvalidated text,
/// has had them. The closure owns or only reads what it works on, so nothing half-changed is seen
/// after a panic.
pub(crate) fn contained<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("no message").to_owned()
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
