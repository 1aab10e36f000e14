//! The imports of module `gpu`: the functions that the host provides to a kernel on wasm32.
//!
//! This is the only unsafe code of the crate, apart from C's math functions. The names and types of
//! the imports are a contract with every host that runs kernels.

use core::panic::{Location, PanicInfo};
use core::sync::atomic::AtomicU32;

use crate::atomic::AtomicOp;
use crate::text::Text;

mod gpu {
    // SAFETY: the host provides these functions with these types; a module whose imports differ is
    // refused when it is loaded.
    #[link(wasm_import_module = "gpu")]
    unsafe extern "C" {
        pub(crate) safe fn set_pixel(x: i32, y: i32, r: f32, g: f32, b: f32, a: f32);
        pub(crate) safe fn get_thread_id() -> i32;
        pub(crate) safe fn get_time() -> f32;
        pub(crate) safe fn read_state(index: i32) -> i32;
        pub(crate) safe fn write_state(index: i32, value: i32);
        pub(crate) safe fn atomic_add(index: i32, value: i32) -> i32;
        pub(crate) safe fn read_input(index: i32) -> i32;
        pub(crate) safe fn global_invocation_id(component: u32) -> u32;
        pub(crate) safe fn local_invocation_id(component: u32) -> u32;
        pub(crate) safe fn workgroup_id(component: u32) -> u32;
        pub(crate) safe fn num_workgroups(component: u32) -> u32;
        pub(crate) safe fn workgroup_size(component: u32) -> u32;
        pub(crate) safe fn local_invocation_index() -> u32;
        pub(crate) safe fn workgroup_barrier();
        pub(crate) safe fn storage_barrier();
        pub(crate) safe fn workgroup_load(address: u32) -> u32;
        pub(crate) safe fn workgroup_store(address: u32, value: u32);
        pub(super) safe fn workgroup_atomic(operation: u32, address: u32, value: u32) -> u32;
        pub(crate) safe fn workgroup_compare_exchange(address: u32, old: u32, new: u32) -> u32;
        pub(crate) safe fn buffer_len(binding: u32) -> u32;
        pub(crate) safe fn buffer_load(binding: u32, word: u32) -> u32;
        pub(crate) safe fn buffer_store(binding: u32, word: u32, value: u32);
        pub(super) safe fn buffer_atomic(
            operation: u32,
            binding: u32,
            word: u32,
            value: u32,
        ) -> u32;
        pub(crate) safe fn buffer_compare_exchange(
            binding: u32,
            word: u32,
            old: u32,
            new: u32,
        ) -> u32;
        pub(crate) safe fn queue_pop() -> i32;
        pub(crate) safe fn queue_push(item: i32) -> i32;
        pub(super) fn memory_atomic(operation: u32, address: *mut u32, value: u32) -> u32;
        pub(super) fn memory_compare_exchange(address: *mut u32, old: u32, new: u32) -> u32;
        pub(super) fn read_file(
            path: *const u8,
            path_len: usize,
            buffer: *mut u8,
            len: usize,
        ) -> i32;
        pub(super) fn write_file(
            path: *const u8,
            path_len: usize,
            bytes: *const u8,
            len: usize,
        ) -> i32;
        pub(super) fn print(text: *const u8, len: usize);
        pub(super) fn panic(message: *const u8, len: usize) -> !;
    }
}

pub(crate) use gpu::{
    atomic_add, buffer_compare_exchange, buffer_len, buffer_load, buffer_store, get_thread_id,
    get_time, global_invocation_id, local_invocation_id, local_invocation_index, num_workgroups,
    queue_pop, queue_push, read_input, read_state, set_pixel, storage_barrier, workgroup_barrier,
    workgroup_compare_exchange, workgroup_id, workgroup_load, workgroup_size, workgroup_store,
    write_state,
};

#[inline]
pub(crate) fn buffer_atomic(operation: AtomicOp, binding: u32, word: u32, value: u32) -> u32 {
    gpu::buffer_atomic(operation as u32, binding, word, value)
}

#[inline]
pub(crate) fn workgroup_atomic(operation: AtomicOp, address: u32, value: u32) -> u32 {
    gpu::workgroup_atomic(operation as u32, address, value)
}

#[inline]
pub(crate) fn memory_atomic(operation: AtomicOp, word: &AtomicU32, value: u32) -> u32 {
    // SAFETY: the host accesses only this word, and atomically.
    unsafe { gpu::memory_atomic(operation as u32, word.as_ptr(), value) }
}

#[inline]
pub(crate) fn memory_compare_exchange(word: &AtomicU32, old: u32, new: u32) -> u32 {
    // SAFETY: the host accesses only this word, and atomically.
    unsafe { gpu::memory_compare_exchange(word.as_ptr(), old, new) }
}

pub(crate) fn read_file(path: &str, buffer: &mut [u8]) -> i32 {
    // SAFETY: the host reads the path and writes the buffer within the lengths given.
    unsafe { gpu::read_file(path.as_ptr(), path.len(), buffer.as_mut_ptr(), buffer.len()) }
}

pub(crate) fn write_file(path: &str, bytes: &[u8]) -> i32 {
    // SAFETY: the host reads the path and the bytes within the lengths given.
    unsafe { gpu::write_file(path.as_ptr(), path.len(), bytes.as_ptr(), bytes.len()) }
}

pub(crate) fn print(text: &str) {
    // SAFETY: the host reads the text within the length given.
    unsafe { gpu::print(text.as_ptr(), text.len()) }
}

/// Passes a panic's message to the host, which ends the invocation. For [`panic_handler!`].
///
/// To the compiler, the functions it calls may panic. They must not be inlined here: this function
/// ends only in the host's panic, so that hosts can tell it from recursion.
///
/// [`panic_handler!`]: crate::panic_handler
#[inline(never)]
pub fn report_panic(info: &PanicInfo<'_>) -> ! {
    let text = message(info);
    panic_with(&text)
}

/// The location and the message, in one line.
#[inline(never)]
fn message(info: &PanicInfo<'_>) -> Text {
    let message = info.message();
    match info.location() {
        Some(location) => Text::of(format_args!("panicked at {location}: {message}")),
        None => Text::of(format_args!("panicked: {message}")),
    }
}

/// The same for the panic hook of a crate with `std`, which formats the message by itself.
#[inline(never)]
pub fn report_hook(location: Option<&Location<'_>>, message: Option<&str>) -> ! {
    let text = hook_message(location, message);
    panic_with(&text)
}

#[inline(never)]
fn hook_message(location: Option<&Location<'_>>, message: Option<&str>) -> Text {
    let message = message.unwrap_or("a value that is no text");
    match location {
        Some(location) => Text::of(format_args!("panicked at {location}: {message}")),
        None => Text::of(format_args!("panicked: {message}")),
    }
}

/// The same without formatting: the location, and the message if it is a literal.
#[inline(never)]
pub fn report_panic_briefly(info: &PanicInfo<'_>) -> ! {
    let mut text = Text::default();
    text.push("panicked");
    if let Some(location) = info.location() {
        text.push(" at ");
        text.push(location.file());
        text.push(":");
        text.push_number(location.line());
    }
    if let Some(message) = info.message().as_str() {
        text.push(": ");
        text.push(message);
    }
    panic_with(&text)
}

#[inline(never)]
fn panic_with(text: &Text) -> ! {
    let (message, len) = text.parts();
    // SAFETY: the host reads the message within the length given and does not return.
    unsafe { gpu::panic(message, len) }
}
