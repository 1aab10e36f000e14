//! Progressive Mandelbrot in a browser: a page to pan and zoom in while batches come back.
//!
//! In: the address, fingers, mouse, wheel and keys. Out: the picture as it grows, and how the work
//! stands. What the address says (`settings`), what a gesture does to a view (`gesture`) and how
//! fast batches come (`rate`) are plain Rust and tested natively; the rest is the page.
//!
//! What always holds: nothing blocks; one task owns the job, and everybody else only tells it what
//! to show next; what is shown is exactly what the address says, so an address can be shared.
//!
//! Tests read the attributes of the document's root: `data-state` is `running`, `done` or `failed`,
//! and with `done` comes `data-checksum`.

#![forbid(unsafe_code)]

pub mod gesture;
pub mod rate;
pub mod settings;

#[cfg(target_family = "wasm")]
mod device;
#[cfg(target_family = "wasm")]
mod dom;
#[cfg(target_family = "wasm")]
mod explorer;
#[cfg(target_family = "wasm")]
mod input;
#[cfg(target_family = "wasm")]
mod page;
#[cfg(target_family = "wasm")]
mod panel;
#[cfg(target_family = "wasm")]
mod screen;
#[cfg(target_family = "wasm")]
mod signal;
