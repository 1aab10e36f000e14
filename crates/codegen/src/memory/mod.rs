//! Executable memory for machine code and its constants (W^X).
//!
//! In: bytes, constants first, and the offset of the first instruction. Out: a mapping that can be called. Constants
//! and instructions lie in pages of their own. All pages are written while none is executable. Then pages of constants
//! become read-only, pages of instructions become readable and executable, and none is written again. So a program
//! cannot choose bytes of executable memory through its constants, except for immediate operands of instructions.

/// The page size in bytes. Instructions begin at a multiple of it. No operating system for x86-64 has smaller pages.
pub(crate) const PAGE: usize = 4096;

#[cfg(all(unix, target_arch = "x86_64"))]
mod unix;
#[cfg(not(all(unix, target_arch = "x86_64")))]
mod unsupported;

#[cfg(all(unix, target_arch = "x86_64"))]
pub(crate) use unix::Executable;
#[cfg(not(all(unix, target_arch = "x86_64")))]
pub(crate) use unsupported::Executable;
