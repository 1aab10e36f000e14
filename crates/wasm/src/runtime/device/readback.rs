//! Buffer readback without blocking the waiting task.
//!
//! In a browser the device wakes the task. Natively wgpu must be polled, so a helper thread does
//! that, unless the device is ready before starting a thread would pay off.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

#[derive(Debug, Default)]
struct Mapping {
    result: Option<Result<(), wgpu::BufferAsyncError>>,
    waker: Option<Waker>,
}

/// A wait that is too short for a task to notice.
#[cfg(not(target_family = "wasm"))]
const SHORT_WAIT: std::time::Duration = std::time::Duration::from_millis(1);

/// Completes when a buffer is mapped for reading.
pub(super) async fn mapped(
    device: &wgpu::Device,
    buffer: &wgpu::Buffer,
    bytes: Range<u64>,
) -> Result<(), wgpu::BufferAsyncError> {
    let mapping = Arc::new(Mutex::new(Mapping::default()));
    let completed = Arc::clone(&mapping);
    buffer.map_async(wgpu::MapMode::Read, bytes, move |result| {
        let mut mapping = completed.lock().unwrap_or_else(PoisonError::into_inner);
        mapping.result = Some(result);
        if let Some(waker) = mapping.waker.take() {
            waker.wake();
        }
    });
    let mut is_watched = false;
    std::future::poll_fn(|context| {
        // Nothing being finished is not an error.
        let _ = device.poll(wgpu::PollType::Poll);
        if !is_watched {
            wait_shortly(device, &mapping);
        }
        let mut state = mapping.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(result) = state.result.take() {
            return Poll::Ready(result);
        }
        state.waker = Some(context.waker().clone());
        drop(state);
        if !is_watched {
            is_watched = true;
            watch(device, context.waker());
        }
        Poll::Pending
    })
    .await
}

/// Polls for a short time. `PollType::Wait` with a timeout would do the same, but makes wgpu 30
/// panic if several threads use one device.
#[cfg(not(target_family = "wasm"))]
fn wait_shortly(device: &wgpu::Device, mapping: &Mutex<Mapping>) {
    let start = std::time::Instant::now();
    let is_ready = || {
        let mapping = mapping.lock().unwrap_or_else(PoisonError::into_inner);
        mapping.result.is_some()
    };
    while !is_ready() && start.elapsed() < SHORT_WAIT {
        std::thread::yield_now();
        let _ = device.poll(wgpu::PollType::Poll);
    }
}

#[cfg(target_family = "wasm")]
fn wait_shortly(_: &wgpu::Device, _: &Mutex<Mapping>) {}

#[cfg(not(target_family = "wasm"))]
fn watch(device: &wgpu::Device, waker: &Waker) {
    let device = device.clone();
    let wait = move || {
        // A lost device makes the callback report the error.
        let _ = device.poll(wgpu::PollType::wait_indefinitely());
    };
    let thread = std::thread::Builder::new().name("anywarp wasm wait".to_owned());
    if thread.spawn(wait).is_err() {
        // If no thread can be started, the task has to poll.
        waker.wake_by_ref();
    }
}

#[cfg(target_family = "wasm")]
fn watch(_: &wgpu::Device, _: &Waker) {}
