//! Memory that can be executed.
//!
//! It is written while it cannot be executed, then made executable and never written again.

#[cfg(not(all(unix, target_arch = "x86_64")))]
mod none;
#[cfg(all(unix, target_arch = "x86_64"))]
mod unix;

#[cfg(not(all(unix, target_arch = "x86_64")))]
pub(crate) use none::Executable;
#[cfg(all(unix, target_arch = "x86_64"))]
pub(crate) use unix::Executable;
