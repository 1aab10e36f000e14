//! Executable memory by `mmap` and `mprotect`, on x86-64 Unix.

use std::io;
use std::ops::Range;
use std::ptr::NonNull;

use anywarp_lanes::ir::Context;

use super::PAGE;

/// A mapping of constants and machine code.
///
/// The first pages hold constants and are read-only. The others hold instructions and are readable and executable.
#[derive(Debug)]
pub(crate) struct Executable {
    start: NonNull<u8>,
    mapped: usize,
    len: usize,
}

// SAFETY: nothing writes the memory after `new`, and it is unmapped only by its owner.
unsafe impl Send for Executable {}
// SAFETY: as above.
unsafe impl Sync for Executable {}

impl Executable {
    /// Maps a copy of the bytes. Instructions begin at `entry`, which is a multiple of [`PAGE`]; there must be some.
    /// `filler` fills the rest of the last page.
    pub(crate) fn new(bytes: &[u8], entry: usize, filler: u8) -> io::Result<Self> {
        if !entry.is_multiple_of(PAGE) || entry >= bytes.len() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mapped = bytes.len().next_multiple_of(PAGE);
        // SAFETY: a fresh private mapping is asked for, at no given place.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let executable = Self {
            start,
            mapped,
            len: bytes.len(),
        };
        // SAFETY: the mapping is writable, ours alone, and at least as long as the bytes.
        unsafe {
            start
                .as_ptr()
                .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        };
        // SAFETY: the mapping is that much longer than the bytes, and still ours alone.
        unsafe {
            let rest = start.as_ptr().add(bytes.len());
            rest.write_bytes(filler, mapped - bytes.len());
        }
        executable.protect(0..entry, libc::PROT_READ)?;
        executable.protect(entry..mapped, libc::PROT_READ | libc::PROT_EXEC)?;
        Ok(executable)
    }

    /// Sets the protection of some pages.
    fn protect(&self, pages: Range<usize>, protection: libc::c_int) -> io::Result<()> {
        if pages.is_empty() {
            return Ok(());
        }
        // SAFETY: the pages are part of the mapping, which is ours; they are not written from here on.
        let result = unsafe {
            let first = self.start.as_ptr().add(pages.start);
            libc::mprotect(first.cast(), pages.len(), protection)
        };
        match result {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// The mapped bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping lives as long as `self`, is readable and never written.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing borrows it any longer.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.mapped) };
    }
}

impl Executable {
    /// Calls the function at the offset `entry`.
    ///
    /// # Safety
    ///
    /// A function of this type must begin there, and the arguments must be what it expects.
    pub(crate) unsafe fn call(
        &self,
        entry: usize,
        context: *const Context,
        frame: *mut u8,
        resume: u32,
    ) -> u32 {
        type Entry = unsafe extern "sysv64" fn(*const Context, *mut u8, u32) -> u32;
        // SAFETY: the caller vouches that there is a function of this type.
        let entry: Entry = unsafe { std::mem::transmute(self.start.as_ptr().add(entry)) };
        // SAFETY: the caller vouches for the arguments.
        unsafe { entry(context, frame, resume) }
    }
}
