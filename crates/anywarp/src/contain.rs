//! Panics of the libraries below us become errors.
//!
//! naga's writers panic on what they do not handle, and `wgpu::Device::poll` panics when its
//! device is lost. A user's program can provoke both, so a call into them goes through
//! [`contain`], which also keeps the panic's own report off the terminal.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::thread;

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`; a panic in it is returned as its message.
///
/// What `work` leaves half done must not be used again; the callers give up what it borrowed.
pub(crate) fn contain<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    silence_contained_panics();
    let outer = CONTAINED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(outer);
    result.map_err(|payload| first_line(payload.as_ref()))
}

/// The threads on which `program` lets naga read deeply nested text; it contains their panics itself.
const PROGRAM_THREAD: &str = "anywarp program";

/// The usual report stays for panics outside [`contain`]: those are our bugs.
fn silence_contained_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !CONTAINED.get() && thread::current().name() != Some(PROGRAM_THREAD) {
                usual(info);
            }
        }));
    });
}

fn first_line(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("unknown panic");
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_its_message_and_a_value_stays_a_value() {
        assert_eq!(contain(|| 7), Ok(7));
        let result = contain(|| panic!("index {} is out of range\nmore", 3));
        assert_eq!(result, Err::<(), _>("index 3 is out of range".to_owned()));
    }
}
