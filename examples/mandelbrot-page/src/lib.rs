//! Progressive Mandelbrot renderer in a browser, with pan and zoom while batches are in flight.
//!
//! In: the address, pointer, wheel and keyboard events. Out: the picture, repainted as it progresses, and the state of
//! the computation. The settings in the address (`settings`), the transformation by a gesture (`gesture`) and the rate
//! of batches (`rate`) are platform-independent and tested natively; the other modules use the DOM.
//!
//! What always holds: nothing blocks; one task owns the job, and input handlers only tell it what to show next; the
//! address describes exactly what is shown, so it can be shared.
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
