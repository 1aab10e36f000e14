//! Progressive Mandelbrot on guarded batches: state per pixel stays on the device, each batch takes
//! every unfinished pixel some iterations further, and what finished arrives after each batch.

#![forbid(unsafe_code)]

mod board;
mod course;
mod decimal;
mod engine;
mod error;
mod extent;
mod grid;
mod image;
mod job;
mod limit;
mod method;
mod pace;
mod palette;
mod progress;
mod reference;
mod view;

pub use board::{Board, UnknownBoard};
pub use error::JobError;
pub use image::Image;
pub use job::{Job, JobDescriptor};
pub use limit::Limit;
pub use method::Method;
pub use palette::{Palette, UnknownPalette};
pub use progress::Progress;
pub use view::{View, ViewError};
