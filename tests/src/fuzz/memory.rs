//! A global allocator that counts allocated bytes.
//!
//! In: the allocations of a whole process, if [`CountingAllocator`] is its global allocator. Out: the bytes that are allocated
//! now, and the peak since the last reset. Mapped memory (buffers, stacks, code) is not counted; the monitor of a
//! worker sees it as resident memory ([`resident`]).

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static CAP: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The system allocator with counters.
#[derive(Clone, Copy, Debug)]
pub struct CountingAllocator;

/// Counts bytes before they are allocated; returns false and counts nothing if that would exceed the cap.
fn add(bytes: usize) -> bool {
    let cap = CAP.load(Ordering::Relaxed);
    let within = |live: usize| live.checked_add(bytes).filter(|live| *live <= cap);
    let counted = LIVE.fetch_update(Ordering::Relaxed, Ordering::Relaxed, within);
    if let Ok(before) = counted {
        PEAK.fetch_max(before + bytes, Ordering::Relaxed);
    }
    counted.is_ok()
}

fn remove(bytes: usize) {
    LIVE.fetch_sub(bytes, Ordering::Relaxed);
}

/// Reverts the count of an allocation that failed.
fn counted(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() {
        remove(bytes);
    }
    pointer
}

// SAFETY: every call is passed on to `System` with the same arguments, or answered with null, which is always allowed.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !add(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promises are those that `System` needs.
        counted(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !add(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        counted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        remove(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) };
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let more = size.saturating_sub(layout.size());
        if !add(more) {
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        let moved = counted(unsafe { System.realloc(pointer, layout, size) }, more);
        if !moved.is_null() {
            remove(layout.size().saturating_sub(size));
        }
        moved
    }
}

/// Bytes that are allocated now; zero if another global allocator is used.
pub fn live() -> usize {
    LIVE.load(Ordering::Relaxed)
}

/// The largest number of bytes allocated at once since [`reset_peak`].
pub fn peak() -> usize {
    PEAK.load(Ordering::Relaxed)
}

/// Resets the peak; returns the bytes that are allocated now.
pub fn reset_peak() -> usize {
    let live = live();
    PEAK.store(live, Ordering::Relaxed);
    live
}

/// Makes allocations fail that would exceed this total, so that one input cannot exhaust the machine's memory.
pub fn set_cap(bytes: usize) {
    CAP.store(bytes, Ordering::Relaxed);
}

/// Resident bytes of the process, if the system provides them (Linux).
pub fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// Resets the peak of resident bytes to the current value, and returns that, if the system supports it (Linux).
pub(crate) fn reset_peak_resident() -> Option<u64> {
    // If this fails, the peak covers the whole life of the process.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}
