//! Guarded batches where nothing may block: experiments that run natively and in a browser.
//!
//! In: a device. Out: a report, the same text on every device. In a browser the page runs them,
//! puts the report into the document and sets its title to `done`, or to `failed` with a reason.

#![forbid(unsafe_code)]

mod digits;
mod experiments;
#[cfg(target_family = "wasm")]
mod page;

pub use experiments::report;
