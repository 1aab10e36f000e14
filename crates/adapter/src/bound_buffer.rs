//! Takes the buffer out of a [`hal::BufferBinding`].
//!
//! The field that holds it is private to wgpu-hal up to 30.0.1, and there is no accessor. The type
//! does derive `Debug`, though, and so formatting it calls the `Debug` of *our* buffer: that one
//! leaves a clone of itself in a thread-local when it is asked to. No layout is assumed and nothing is
//! unsafe. A newer wgpu has an accessor; then this file goes.

use std::cell::RefCell;
use std::fmt::{self, Write};

use wgpu::hal;

use crate::resources::Buffer;

enum Request {
    /// Nobody asks: `Debug` prints.
    None,
    /// `Debug` should leave the buffer here.
    Open,
    Answered(Buffer),
}

thread_local! {
    static REQUEST: RefCell<Request> = const { RefCell::new(Request::None) };
}

/// The buffer that is bound.
pub(crate) fn bound_buffer(binding: &hal::BufferBinding<'_, Buffer>) -> Buffer {
    REQUEST.set(Request::Open);
    // What is printed around the buffer goes nowhere.
    let _ = write!(Nowhere, "{binding:?}");
    match REQUEST.replace(Request::None) {
        Request::Answered(buffer) => buffer,
        Request::None | Request::Open => {
            unreachable!("the derived Debug of a buffer binding formats its buffer")
        }
    }
}

/// Answers an open request with the buffer; says whether there was one.
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
