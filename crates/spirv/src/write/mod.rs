//! Programs written out.
//!
//! In: a validated [`Program`](anywarp_program::Program). Out: text. What always holds: what is
//! written means what the program means, or an error says what cannot be said and where.

mod error;
mod spirv;
mod threads;
mod wgsl;

use anywarp_program::operands;
pub use error::WriteError;
pub(crate) use spirv::survey;
pub use spirv::{Discard, SpirvError, SpirvOptions, write_spirv};
pub use wgsl::{Dialect, WgslOptions, write_wgsl};
