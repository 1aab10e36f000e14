//! Progressive Mandelbrot on guarded batches.
//!
//! The state of every pixel stays in buffers on the device. Each batch takes every unfinished pixel
//! some iterations further and brings back which have finished, so an image grows while batches are in
//! flight. The final image is the same, bit by bit, on every device.
//!
//! ```
//! # pollster::block_on(async {
//! use mandelbrot::{Board, Job, JobDescriptor, Palette, View};
//! # let instance = anywarp_adapter::instance();
//! # let adapter = instance.request_adapter(&Default::default()).await?;
//! # let (device, queue) = adapter.request_device(&Default::default()).await?;
//! // `device` and `queue` are any of wgpu's.
//! let view = View::parse("-0.65", "0", "3.2")?;
//! let descriptor = JobDescriptor::new(view, [32, 24], Board::Adaptive);
//! let mut job = Job::new(&device, &queue, descriptor).await?;
//! while let Some(progress) = job.step().await {
//!     let progress = progress?;
//!     assert!(progress.known <= progress.pixels); // and `job.image()` has as many pixels
//! }
//! assert!(job.progress().is_done);
//! let rgba = job.image().rgba(&Palette::default());
//! assert_eq!(rgba.len(), 32 * 24 * 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # How it is built
//!
//! A `View` (`decimal`, `extent`) and a `Board` become a `Method`. `grid` says where the pixels lie,
//! `reference` computes the orbit that distances are measured from. `course` decides without a device
//! where batches begin and end, `pace` how long they are, `limit` when it is enough. `engine` is the
//! device's side, with `kernel.wgsl`. `job` connects them; `image` and `palette` are what comes out.
//! `docs/mandelbrot.md` in the repository says how the kernel works.
//!
//! What is absent, on purpose: threads, blocking (but for `Job::wait`), and any way to the device but
//! `anywarp-batch` and wgpu.

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
