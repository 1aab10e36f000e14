//! How parameters reach a slot: in a buffer that is part of the batch's own submission.
//!
//! `Queue::write_buffer` would put them into whichever submission comes next. What always holds: a
//! buffer is written only while it is mapped, that is, when the device is done with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A buffer that the host writes and a submission copies from, used again and again.
#[derive(Debug)]
pub(crate) struct Upload {
    buffer: wgpu::Buffer,
    is_mapped: Arc<AtomicBool>,
}

impl Upload {
    pub(crate) fn new(device: &wgpu::Device, size: u64) -> Self {
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("batch upload"),
            size,
            usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: true,
        });
        Self {
            buffer,
            is_mapped: Arc::new(AtomicBool::new(true)),
        }
    }

    /// The buffer with these bytes in it, ready to be copied from; `None` if it is not mapped or the
    /// device is lost.
    pub(crate) fn write(&self, bytes: &[u8]) -> Option<wgpu::Buffer> {
        if !self.is_mapped.swap(false, Ordering::AcqRel) {
            return None;
        }
        let mut view = self.buffer.get_mapped_range_mut(..).ok()?;
        view.copy_from_slice(bytes);
        drop(view);
        self.buffer.unmap();
        Some(self.buffer.clone())
    }

    /// After the submission that copies from it: maps it again when that is over.
    pub(crate) fn recycle(&self) {
        let is_mapped = Arc::clone(&self.is_mapped);
        let tell = move |result: Result<(), wgpu::BufferAsyncError>| {
            is_mapped.store(result.is_ok(), Ordering::Release);
        };
        self.buffer.map_async(wgpu::MapMode::Write, .., tell);
    }
}
