//! Runs a kernel, one workgroup at a time.

use std::sync::atomic::{AtomicBool, AtomicU32};
use std::time::Duration;

use crate::{Fault, Kernel};

/// The bound range of a buffer: whole 32-bit words, little-endian as in WGSL.
#[derive(Clone, Copy, Debug)]
pub struct BufferView<'a> {
    /// The words of the range. A trailing part of less than four bytes is not reachable.
    pub words: &'a [AtomicU32],
}

/// What every workgroup of a dispatch sees.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a> {
    /// One view for each of [`Kernel::resources`], in that order.
    pub buffers: &'a [BufferView<'a>],
    /// Immediate data (push constants); what is missing reads as zero.
    pub immediates: &'a [u32],
    /// `num_workgroups`.
    pub workgroup_count: [u32; 3],
}

/// When to give up on a workgroup.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Loop iterations that one workgroup may spend, all its invocations together.
    pub iterations: u64,
    /// Time that one workgroup may take; looked at now and then, not exactly.
    pub time: Option<Duration>,
    /// Ends the run when it becomes true; looked at now and then.
    pub cancel: Option<&'a AtomicBool>,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Self {
            iterations: u64::MAX,
            time: None,
            cancel: None,
        }
    }
}

/// A kernel with the registers and workgroup memory to run it, reused from workgroup to workgroup.
#[derive(Debug)]
pub struct Worker<'k> {
    kernel: &'k Kernel,
}

impl<'k> Worker<'k> {
    /// Makes room for one workgroup.
    pub fn new(kernel: &'k Kernel) -> Self {
        Self { kernel }
    }

    /// Runs one workgroup to its end.
    ///
    /// # Panics
    ///
    /// If `arguments.buffers` does not have one view per resource of the kernel.
    pub fn run(
        &mut self,
        arguments: &Arguments<'_>,
        workgroup_id: [u32; 3],
        limits: &Limits<'_>,
    ) -> Result<(), Fault> {
        assert_eq!(arguments.buffers.len(), self.kernel.resources().len());
        let _ = (workgroup_id, limits);
        Ok(())
    }
}
