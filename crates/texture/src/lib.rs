//! Textures as memory: which formats there are, how texels lie in words, and what a texel means.
//!
//! In: a [`Format`], a [`Shape`] and words. Out: where each texel is ([`Layout`], [`View`]), and the
//! value that a shader sees there. One table (`format`) says everything about a format.
//!
//! What always holds:
//! - Conversion is exact: a texel's value is the nearest 32-bit float to what the format defines, and
//!   a value goes to the nearest texel, ties to even. Values out of range are clamped; NaN becomes
//!   zero where a format has none.
//! - A texel outside of its texture reads as zeros, and a store there vanishes.
//! - Texels lie in words of [`AtomicU32`](std::sync::atomic::AtomicU32) that threads share. A store to
//!   a texel that is smaller than a word leaves its neighbours alone, whoever stores there meanwhile.
//!
//! What is absent: compressed and multi-planar formats, filtering, and any memory of its own.
//!
//! ```
//! use std::sync::atomic::AtomicU32;
//! use anywarp_texture::{Dimension, Extent, Format, Layout, Place, Shape};
//!
//! let layout = Layout::new(Format::Rgba8Unorm, Shape::flat(4, 2)).unwrap();
//! let words: Vec<AtomicU32> = (0..layout.bytes() / 4).map(|_| AtomicU32::new(0)).collect();
//! let view = layout.view(Dimension::D2);
//! let place = Place { position: Extent { x: 3, y: 1, z: 0 }, ..Place::default() };
//! let half = 0.5f32.to_bits();
//! view.store(&words, place, [half, 0, 0, half]);
//! assert_eq!(view.load(&words, place), [128.0 / 255.0, 0.0, 0.0, 128.0 / 255.0].map(f32::to_bits));
//! ```

#![forbid(unsafe_code)]

mod codec;
#[macro_use]
mod format;
mod layout;
mod texels;
mod view;

pub use codec::{Channels, Coding, linear as srgb_to_linear};
pub use format::{Format, Kind};
pub use layout::{Dimension, Extent, Layout, Plane, Shape, Subresource};
pub use texels::Texels;
pub use view::{Level, Place, View};
