//! Guarded batches where nothing may block: experiments that run natively and in a browser.
//!
//! In: a device. Out: a report, the same text on every device. In a browser the page runs them,
//! puts the report, or what failed, into the document and sets `data-state` to `done` or `failed`.

#![forbid(unsafe_code)]

mod digits;
mod experiments;
#[cfg(target_family = "wasm")]
mod page;

pub use experiments::report;
