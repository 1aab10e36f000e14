//! Reads a buffer back to the host.
//!
//! In: a mappable buffer. Out: its bytes. What always holds: afterwards the buffer is neither
//! mapped nor pending a mapping, even if the future was dropped while it waited, so that the next
//! submission may write to it.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// Why a buffer could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadbackError {
    /// Waiting for the device failed.
    #[error(transparent)]
    Poll(#[from] wgpu::PollError),
    /// The buffer could not be mapped.
    #[error(transparent)]
    Map(#[from] wgpu::BufferAsyncError),
    /// The mapped bytes could not be read.
    #[error(transparent)]
    Range(#[from] wgpu::MapRangeError),
}

/// The result of a mapping, and the waker of the task that waits for it.
#[derive(Default)]
struct MapState {
    result: Option<Result<(), wgpu::BufferAsyncError>>,
    waker: Option<Waker>,
}

/// A buffer that is mapped or pending a mapping; unmaps it on drop.
struct Mapping<'a> {
    buffer: &'a wgpu::Buffer,
    state: Arc<Mutex<MapState>>,
}

fn lock(state: &Mutex<MapState>) -> MutexGuard<'_, MapState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Mapping<'a> {
    fn begin(buffer: &'a wgpu::Buffer) -> Self {
        let state = Arc::<Mutex<MapState>>::default();
        let in_callback = Arc::clone(&state);
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            let mut state = lock(&in_callback);
            state.result = Some(result);
            if let Some(waker) = state.waker.take() {
                waker.wake();
            }
        });
        Self { buffer, state }
    }

    async fn done(&self) -> Result<(), wgpu::BufferAsyncError> {
        let mapped = poll_fn(|context| {
            let mut state = lock(&self.state);
            match state.result.clone() {
                Some(result) => Poll::Ready(result),
                None => {
                    state.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        });
        mapped.await
    }
}

impl Drop for Mapping<'_> {
    fn drop(&mut self) {
        // A buffer that failed to map must not be unmapped. The lock is released first, because
        // unmapping a pending buffer calls the callback.
        let has_failed = matches!(lock(&self.state).result, Some(Err(_)));
        if !has_failed {
            self.buffer.unmap();
        }
    }
}

/// Maps a buffer, copies its bytes and unmaps it. In a browser, which cannot block, the event loop
/// completes the mapping.
pub(crate) async fn read(
    device: &wgpu::Device,
    buffer: &wgpu::Buffer,
) -> Result<Vec<u8>, ReadbackError> {
    let mapping = Mapping::begin(buffer);
    device.poll(wgpu::PollType::wait_indefinitely())?;
    mapping.done().await?;
    Ok(buffer.get_mapped_range(..)?.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_that_is_dropped_leaves_the_buffer_free() {
        let adapter = anywarp_adapter::adapter(Default::default());
        let request = adapter.request_device(&wgpu::DeviceDescriptor::default());
        let (device, queue) = pollster::block_on(request).unwrap();
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 4,
                usage: usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        let from = buffer(wgpu::BufferUsages::COPY_SRC);
        let to = buffer(wgpu::BufferUsages::MAP_READ);
        // A wgpu error is a panic here.
        let copy = |word: u32| {
            queue.write_buffer(&from, 0, &word.to_le_bytes());
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&from, 0, &to, 0, 4);
            queue.submit([encoder.finish()]);
        };
        copy(1);
        let pending = Mapping::begin(&to);
        assert_eq!(lock(&pending.state).result, None);
        drop(pending);
        copy(2);
        let mapped = Mapping::begin(&to);
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        assert_eq!(lock(&mapped.state).result, Some(Ok(())));
        drop(mapped);
        copy(3);
        let bytes = pollster::block_on(read(&device, &to)).unwrap();
        assert_eq!(bytes, 3u32.to_le_bytes());
        // If it fails because the buffer is mapped already, it must leave the other mapping alone.
        let first = Mapping::begin(&to);
        assert!(pollster::block_on(read(&device, &to)).is_err());
        drop(first);
        copy(4);
        let bytes = pollster::block_on(read(&device, &to)).unwrap();
        assert_eq!(bytes, 4u32.to_le_bytes());
    }
}
