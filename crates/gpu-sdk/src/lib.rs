//! What a GPU kernel written in plain stable Rust imports.

#![no_std]
#![cfg_attr(not(target_arch = "wasm32"), forbid(unsafe_code))]

#[cfg(not(target_arch = "wasm32"))]
extern crate std;

#[cfg(any(not(target_arch = "wasm32"), feature = "alloc"))]
extern crate alloc;

mod atomic;
#[cfg(any(not(target_arch = "wasm32"), feature = "alloc"))]
mod buffer;
pub mod layout;
pub mod math;
mod types;

pub use atomic::{Atomic, AtomicWord, CompareExchange};
#[cfg(any(not(target_arch = "wasm32"), feature = "alloc"))]
pub use buffer::{Index, StorageBuffer};
pub use layout::HostShareable;
pub use math::*;
pub use types::*;
