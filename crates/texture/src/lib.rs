//! Textures in memory: formats, memory layout, and conversion between texels and values.
//!
//! This crate is an internal part of `anywarp`: its interface changes in any release. Depend on `anywarp` instead.
//!
//! In: a [`Format`], a [`TextureShape`] and a slice of words. Out: the location of each texel ([`Layout`], [`View`])
//! and the value that a shader reads there. One table (`format`) describes all formats.
//!
//! What always holds:
//! - Conversions are exact: a decoded value is the 32-bit float nearest to what the format defines, and a value is
//!   encoded as the nearest texel, ties to even. Values out of range are clamped; NaN becomes zero in formats without
//!   NaN.
//! - A texel outside its texture reads as zeros, and a store there is discarded.
//! - LevelMemory lie in words of [`AtomicU32`](std::sync::atomic::AtomicU32) that threads share. A store to a texel that is
//!   smaller than a word leaves its neighbours unchanged, even if other threads store to them at the same time.
//!
//! Absent: compressed and multi-planar formats, filtering, and memory of its own.
//!
//! ```
//! use std::sync::atomic::AtomicU32;
//! use anywarp_texture::{Dimension, Extent, Format, Layout, TexelAddress, TextureShape};
//!
//! let layout = Layout::new(Format::Rgba8Unorm, TextureShape::new_2d(4, 2)).unwrap();
//! let words: Vec<AtomicU32> = (0..layout.bytes() / 4).map(|_| AtomicU32::new(0)).collect();
//! let view = layout.view(Dimension::D2);
//! let address = TexelAddress { position: Extent { x: 3, y: 1, z: 0 }, ..TexelAddress::default() };
//! let half = 0.5f32.to_bits();
//! view.store(&words, address, [half, 0, 0, half]);
//! assert_eq!(view.load(&words, address), [128.0 / 255.0, 0.0, 0.0, 128.0 / 255.0].map(f32::to_bits));
//! ```

#![forbid(unsafe_code)]

mod codec;
#[macro_use]
mod format;
mod layout;
mod level_memory;
mod view;

pub use codec::{ChannelEncoding, Channels, linear as srgb_to_linear};
pub use format::{Format, Kind};
pub use layout::{Dimension, Extent, Layout, Plane, Subresource, TextureShape};
pub use level_memory::LevelMemory;
pub use view::{Level, TexelAddress, View};
