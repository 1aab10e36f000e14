//! Converts panics of dependencies into errors.
//!
//! naga's writers panic on input that they do not support, and `wgpu::Device::poll` panics when its device is lost. A
//! user's program can trigger both, so calls into them go through [`catch_panic`]. [`quiet_caught_panics`] also suppresses
//! their messages on the terminal, which is a decision of the whole program.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::thread;

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`; a panic inside it is returned as its message.
///
/// State that `work` may have left inconsistent must not be used afterwards; the callers drop what it borrowed.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let outer = CONTAINED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(outer);
    result.map_err(|payload| first_line(payload.as_ref()))
}

/// The name of the threads on which `program` runs naga on deeply nested text; `program` catches their panics itself.
const PROGRAM_THREAD: &str = "anywarp program";

/// Installs a hook that keeps the usual panic message for panics outside [`catch_panic`]: those are bugs.
pub fn quiet_caught_panics() {
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
    let text = anywarp_program::panic_message(payload);
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_its_message_and_a_value_stays_a_value() {
        assert_eq!(catch_panic(|| 7), Ok(7));
        let result = catch_panic(|| panic!("index {} is out of range\nmore", 3));
        assert_eq!(result, Err::<(), _>("index 3 is out of range".to_owned()));
    }
}
