//! Native implementations of the imports of module `gpu`, as [`crate::intrinsics`] calls them.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use crate::atomic::AtomicOp;
use crate::intrinsics::FileError;
use crate::types::vec4f;

use super::current::CallMode;
use super::{Host, current, files};

#[inline]
#[track_caller]
pub(crate) fn set_pixel(x: i32, y: i32, r: f32, g: f32, b: f32, a: f32) {
    current::with("set_pixel", |current| {
        let image = &current.host.shared.image;
        if let (Some(pixels), Some(position)) = (&image.pixels, image.position(x, y)) {
            pixels.store(position, vec4f(r, g, b, a));
        }
    });
}

#[inline]
#[track_caller]
pub(crate) fn get_thread_id() -> i32 {
    // The innermost dispatch counts, even if it has no host of its own.
    let Some(builtins) = anywarp_dispatch::compute_builtins() else {
        let mode = current::with("thread_id", |current| current.mode);
        assert!(mode == CallMode::Once, "a fragment has no thread_id");
        return 0;
    };
    let id = builtins.global_invocation_id;
    let grid = builtins.num_workgroups * anywarp_dispatch::workgroup_size();
    // Above 2^31 the number wraps to negative, as it does on wasm32.
    let row = id.z.wrapping_mul(grid.y).wrapping_add(id.y);
    row.wrapping_mul(grid.x).wrapping_add(id.x) as i32
}

#[inline]
#[track_caller]
pub(crate) fn get_time() -> f32 {
    current::with("time", |current| current.host.shared.time)
}

#[inline]
#[track_caller]
pub(crate) fn read_state(index: i32) -> i32 {
    current::with("read_state", |current| {
        current.host.shared.state.load(index)
    })
}

#[inline]
#[track_caller]
pub(crate) fn write_state(index: i32, value: i32) {
    current::with("write_state", |current| {
        current.host.shared.state.store(index, value);
    });
}

#[inline]
#[track_caller]
pub(crate) fn atomic_add(index: i32, value: i32) -> i32 {
    current::with("atomic_add", |current| {
        current.host.shared.state.atomic_add(index, value)
    })
}

#[inline]
#[track_caller]
pub(crate) fn read_input(index: i32) -> i32 {
    current::with("read_input", |current| {
        let index = usize::try_from(index).ok();
        let word = index.and_then(|index| current.host.shared.input.get(index));
        word.copied().unwrap_or(0)
    })
}

/// Calls `f` with a word of a buffer; zero if it is out of bounds.
#[inline]
#[track_caller]
fn word(what: &str, binding: u32, word: u32, f: impl FnOnce(&AtomicU32) -> u32) -> u32 {
    current::with(what, |current| {
        let buffer = current.host.shared.buffers.get(&binding);
        let word = buffer.and_then(|buffer| buffer.words().get(word as usize));
        word.map_or(0, f)
    })
}

#[inline]
#[track_caller]
pub(crate) fn buffer_len(binding: u32) -> u32 {
    current::with("Binding::len", |current| {
        let buffer = current.host.shared.buffers.get(&binding);
        buffer.map_or(0, |buffer| buffer.len() as u32)
    })
}

#[inline]
#[track_caller]
pub(crate) fn buffer_load(binding: u32, index: u32) -> u32 {
    word("Binding::load", binding, index, |word| word.load(Relaxed))
}

#[inline]
#[track_caller]
pub(crate) fn buffer_store(binding: u32, index: u32, value: u32) {
    word("Binding::store", binding, index, |word| {
        word.store(value, Relaxed);
        0
    });
}

#[inline]
#[track_caller]
pub(crate) fn buffer_atomic(operation: AtomicOp, binding: u32, index: u32, value: u32) -> u32 {
    word("an atomic operation", binding, index, |word| {
        operation.apply(word, value)
    })
}

#[inline]
#[track_caller]
pub(crate) fn buffer_compare_exchange(binding: u32, index: u32, old: u32, new: u32) -> u32 {
    word("an atomic operation", binding, index, |word| {
        let result = word.compare_exchange(old, new, Relaxed, Relaxed);
        let (Ok(old) | Err(old)) = result;
        old
    })
}

#[track_caller]
pub(crate) fn queue_pop() -> i32 {
    current::with("queue_pop", |current| {
        let mut queue = current.host.queue();
        queue.pop_front().map_or(-1, |item| item as i32)
    })
}

#[track_caller]
pub(crate) fn queue_push(item: i32) -> i32 {
    current::with("queue_push", |current| {
        current.host.queue().push_back(item as u32);
        1
    })
}

#[track_caller]
pub(crate) fn read_file(path: &str, buffer: &mut [u8]) -> i32 {
    let host = current::with("read_file", |current| current.host.clone());
    result(files::read(&host.shared.folders, path, buffer))
}

#[track_caller]
pub(crate) fn write_file(path: &str, bytes: &[u8]) -> i32 {
    let host = current::with("write_file", |current| current.host.clone());
    result(files::write(&host.shared.folders, path, bytes))
}

/// Encodes a result like the imports of wasm32.
fn result(result: Result<usize, FileError>) -> i32 {
    match result.map(i32::try_from) {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => FileError::Failed.code(),
        Err(error) => error.code(),
    }
}

pub(crate) fn print(text: &str) {
    // The action is user code, so no borrow may be held while it runs.
    let host: Option<Host> = current::get();
    match host.as_ref().and_then(|host| host.shared.on_print.as_ref()) {
        Some(action) => action(text),
        None => to_standard_output(text),
    }
}

#[expect(
    clippy::print_stdout,
    reason = "showing text is what the kernel asked for"
)]
fn to_standard_output(text: &str) {
    std::println!("{text}");
}
