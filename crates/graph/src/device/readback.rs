//! Bytes from a buffer to the host.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

/// The answer to a mapping, and who waits for it.
#[derive(Default)]
struct Answer {
    result: Option<Result<(), wgpu::BufferAsyncError>>,
    waker: Option<Waker>,
}

/// Maps a buffer, copies what is in it and unmaps it. On the web, where nobody can wait, the event
/// loop brings the answer.
pub(crate) async fn read(device: &wgpu::Device, buffer: &wgpu::Buffer) -> Result<Vec<u8>, String> {
    let answer = Arc::<Mutex<Answer>>::default();
    let told = Arc::clone(&answer);
    buffer.map_async(wgpu::MapMode::Read, .., move |result| {
        let mut answer = told.lock().unwrap_or_else(PoisonError::into_inner);
        answer.result = Some(result);
        if let Some(waker) = answer.waker.take() {
            waker.wake();
        }
    });
    let polled = device.poll(wgpu::PollType::wait_indefinitely());
    polled.map_err(|error| error.to_string())?;
    let mapped = poll_fn(|context| {
        let mut answer = answer.lock().unwrap_or_else(PoisonError::into_inner);
        match answer.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                answer.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    });
    mapped.await.map_err(|error| error.to_string())?;
    let view = buffer.get_mapped_range(..);
    let bytes = view
        .map(|view| view.to_vec())
        .map_err(|error| error.to_string());
    buffer.unmap();
    bytes
}
