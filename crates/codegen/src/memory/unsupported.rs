//! Executable memory on machines without a code generator: an uninhabited type.

use std::convert::Infallible;
use std::io;

use anywarp_lanes::ir::Context;

/// Executable memory, of which no value exists.
#[derive(Debug)]
pub(crate) struct Executable(Infallible);

impl Executable {
    pub(crate) fn new(_: &[u8], _: usize, _: u8) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self.0 {}
    }

    /// # Safety
    ///
    /// There is nothing to call.
    pub(crate) unsafe fn call(&self, _: usize, _: *const Context, _: *mut u8, _: u32) -> u32 {
        match self.0 {}
    }
}
