//! Progressive Mandelbrot renderer on guarded batches.
//!
//! The state of all pixels stays in buffers on the device. Each batch iterates all unfinished pixels further and
//! returns those that finished, so the image is refined while batches are in flight. The final image is bitwise equal
//! on all devices.
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
//! # Structure
//!
//! A `View` (`decimal`, `extent`) and a `Board` determine a `Method`. `grid` computes the pixel coordinates,
//! `reference` the reference orbit. `course` schedules batches without a device, `pace` adapts their length, `limit`
//! raises the iteration limit. `engine` contains the device resources, with the shader `kernel.wgsl`. `job` connects
//! these; `image` and `palette` are the output. `docs/mandelbrot.md` in the repository explains the kernel.
//!
//! Not used, on purpose: threads, blocking (except `Job::wait`), and access to the device other than by `anywarp-batch`
//! and wgpu.

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
