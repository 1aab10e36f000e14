//! Functions that the host implements: pixels, state, input, work queue, time, files, messages.
//!
//! On wasm32 these are the imports of module `gpu`. Natively they call the
//! [`Host`](crate::host::Host) that runs the kernel, and panic if there is none.

use core::fmt;

#[cfg(target_arch = "wasm32")]
use crate::imports as backend;

#[cfg(not(target_arch = "wasm32"))]
use crate::host::intrinsics as backend;

use crate::text::Text;

/// Writes pixel (`x`, `y`) of the image: red, green, blue, alpha. Out of bounds it does nothing.
#[inline]
#[cfg_attr(not(target_arch = "wasm32"), track_caller)]
pub fn set_pixel(x: i32, y: i32, r: f32, g: f32, b: f32, a: f32) {
    backend::set_pixel(x, y, r, g, b, a);
}

/// The linear index of this invocation in the dispatch: x first, then y, then z.
#[inline]
#[must_use]
#[cfg_attr(not(target_arch = "wasm32"), track_caller)]
pub fn thread_id() -> i32 {
    backend::get_thread_id()
}

/// The time in seconds, the same for the whole dispatch.
#[inline]
#[must_use]
#[cfg_attr(not(target_arch = "wasm32"), track_caller)]
pub fn time() -> f32 {
    backend::get_time()
}

/// Reads a word of the state that all invocations share; zero out of bounds.
#[inline]
#[must_use]
#[cfg_attr(not(target_arch = "wasm32"), track_caller)]
pub fn read_state(index: i32) -> i32 {
    backend::read_state(index)
}

/// Writes a word of the state; out of bounds it does nothing.
#[inline]
#[cfg_attr(not(target_arch = "wasm32"), track_caller)]
pub fn write_state(index: i32, value: i32) {
    backend::write_state(index, value);
}

/// Atomically adds to a word of the state, wrapping, and returns the old value; zero out of bounds.
#[inline]
#[cfg_attr(not(target_arch = "wasm32"), track_caller)]
pub fn atomic_add(index: i32, value: i32) -> i32 {
    backend::atomic_add(index, value)
}

/// Reads a word of the input; zero out of bounds.
#[inline]
#[must_use]
#[cfg_attr(not(target_arch = "wasm32"), track_caller)]
pub fn read_input(index: i32) -> i32 {
    backend::read_input(index)
}

/// Takes an item from the work queue; `None` if there will be no more items.
///
/// On wasm32 it waits while other invocations may still push items. Natively an empty queue returns
/// `None` at once, since an invocation of a dispatch can wait only at barriers. All items are
/// processed either way if the invocations that push items pop until the queue is empty.
#[inline]
#[must_use]
#[cfg_attr(not(target_arch = "wasm32"), track_caller)]
pub fn queue_pop() -> Option<u32> {
    u32::try_from(backend::queue_pop()).ok()
}

/// Pushes an item to the work queue; `false` if the queue is full. Items are below 2^31.
#[inline]
#[cfg_attr(not(target_arch = "wasm32"), track_caller)]
pub fn queue_push(item: u32) -> bool {
    i32::try_from(item).is_ok_and(|item| backend::queue_push(item) != 0)
}

/// Reads the beginning of a file, up to the length of the buffer, and returns the number of bytes
/// read.
///
/// Paths are relative to the folder that the host allows, with `/` as separator.
///
/// # Errors
///
/// If the host refuses or fails.
#[cfg_attr(not(target_arch = "wasm32"), track_caller)]
pub fn read_file(path: &str, buffer: &mut [u8]) -> Result<usize, FileError> {
    FileError::check(backend::read_file(path, buffer))
}

/// Writes a file, replacing its content, and returns the number of bytes written.
///
/// # Errors
///
/// If the host refuses or fails.
#[cfg_attr(not(target_arch = "wasm32"), track_caller)]
pub fn write_file(path: &str, bytes: &[u8]) -> Result<usize, FileError> {
    FileError::check(backend::write_file(path, bytes))
}

/// Prints a line of text, for debugging. Natively this works without a host too.
#[inline]
pub fn print(text: &str) {
    backend::print(text);
}

/// Prints a line of formatted text, truncated to a fixed length in a kernel without allocator.
///
/// ```
/// gpu_sdk::print_args(format_args!("x is {}", 7));
/// ```
pub fn print_args(arguments: fmt::Arguments<'_>) {
    print(Text::of(arguments).as_str());
}

/// Why a file could not be read or written. On wasm32 these are the negative results of the imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileError {
    /// There is no such file: -1.
    NotFound,
    /// The host does not allow this path: -2.
    NotAllowed,
    /// Anything else: -3.
    Failed,
}

impl FileError {
    /// Converts the result of an import: a number of bytes, or an error code.
    fn check(result: i32) -> Result<usize, Self> {
        usize::try_from(result).map_err(|_| match result {
            -1 => Self::NotFound,
            -2 => Self::NotAllowed,
            _ => Self::Failed,
        })
    }

    /// The error code of the imports.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            Self::NotFound => -1,
            Self::NotAllowed => -2,
            Self::Failed => -3,
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound => "there is no such file",
            Self::NotAllowed => "the host does not allow this path",
            Self::Failed => "the host could not read or write the file",
        })
    }
}

impl core::error::Error for FileError {}
