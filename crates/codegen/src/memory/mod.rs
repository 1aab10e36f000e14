//! Memory of machine code and its constants.
//!
//! In: bytes, constants first, and where instructions begin. Out: a mapping that can be called. Constants and instructions
//! lie in pages of their own. All pages are written while none can be executed; then pages of constants become read-only
//! and pages of instructions become readable and executable, and none is ever written again. So a program cannot choose
//! bytes of executable memory by its constants, except for those that are immediate operands of instructions.

/// Bytes of a page: where constants end and instructions begin, a multiple of this many bytes from the beginning. Systems
/// with code for x86-64 have no smaller pages.
pub(crate) const PAGE: usize = 4096;

#[cfg(not(all(unix, target_arch = "x86_64")))]
mod none;
#[cfg(all(unix, target_arch = "x86_64"))]
mod unix;

#[cfg(not(all(unix, target_arch = "x86_64")))]
pub(crate) use none::Executable;
#[cfg(all(unix, target_arch = "x86_64"))]
pub(crate) use unix::Executable;
