//! Tests of guarded batches without blocking, natively and in a browser.
//!
//! In: a device. Out: a report, the same text on every device. In a browser the page runs the experiments, writes the
//! report or the error to the document, and sets `data-state` to `done` or `failed`.

#![forbid(unsafe_code)]

mod digits;
mod experiments;
#[cfg(target_family = "wasm")]
mod page;

pub use experiments::report;
