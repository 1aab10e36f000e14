//! Kernels in plain Rust. In a native build, a dispatch calls them as functions; for wasm32 they are the exports of a
//! module for the virtual machine and for any GPU. The results are equal.
//!
//! Pictures are drawn with one invocation for each pixel, numbered by `thread_id`.

#![no_std]
#![forbid(unsafe_code)]

mod gradient;
mod mandelbrot;
mod ray_tracer;
mod rings;
mod sha256;
mod sort;

pub use gradient::gradient;
pub use mandelbrot::mandelbrot;
pub use ray_tracer::ray_tracer;
pub use rings::{ring_colour, rings};
pub use sha256::{DIGESTS, LENGTHS, MESSAGES, Message, sha256};
pub use sort::{NUMBERS, TILE_LEN, sort};

gpu_sdk::panic_handler!();
