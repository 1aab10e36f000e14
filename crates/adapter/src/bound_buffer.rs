//! Extracts the buffer from a [`hal::BufferBinding`].
//!
//! The field that holds it is private to wgpu-hal up to 30.0.1, and there is no accessor. The type does derive `Debug`,
//! though, so formatting it calls the `Debug` of *our* buffer, which stores a clone of itself in a thread-local if a
//! capture is in progress. This assumes no layout and needs no unsafe code. A newer wgpu has an accessor; then this
//! module can be deleted.

use std::cell::RefCell;
use std::fmt::{self, Write};

use wgpu::hal;

use crate::resources::Buffer;

enum Request {
    /// No capture: `Debug` prints.
    None,
    /// `Debug` is to store the buffer here.
    Open,
    Answered(Buffer),
}

thread_local! {
    static REQUEST: RefCell<Request> = const { RefCell::new(Request::None) };
}

/// The buffer that is bound.
pub(crate) fn bound_buffer(binding: &hal::BufferBinding<'_, Buffer>) -> Buffer {
    REQUEST.set(Request::Open);
    // The text around the buffer is discarded.
    let _ = write!(Nowhere, "{binding:?}");
    match REQUEST.replace(Request::None) {
        Request::Answered(buffer) => buffer,
        Request::None | Request::Open => {
            unreachable!("the derived Debug of a buffer binding formats its buffer")
        }
    }
}

/// Stores the buffer if a capture is in progress; returns whether it was.
fn answer(buffer: &Buffer) -> bool {
    REQUEST.with_borrow_mut(|request| {
        let open = matches!(request, Request::Open);
        if open {
            *request = Request::Answered(buffer.clone());
        }
        open
    })
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if answer(self) {
            return Ok(());
        }
        fmt::Debug::fmt(&self.memory, f)
    }
}

struct Nowhere;

impl Write for Nowhere {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}
