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

    /// Writes these parts, each at its byte, and has the encoder copy the whole to the target, which
    /// is as large. `None` if the buffer is not mapped, or the device is lost. When the submission is
    /// over, it will be mapped again.
    pub(crate) fn queue(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::Buffer,
        parts: &[(usize, &[u8])],
    ) -> Option<()> {
        if !self.is_mapped.swap(false, Ordering::AcqRel) {
            return None;
        }
        let mut view = self.buffer.get_mapped_range_mut(..).ok()?;
        for (begin, bytes) in parts.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            view.slice(*begin..*begin + bytes.len())
                .copy_from_slice(bytes);
        }
        drop(view);
        self.buffer.unmap();
        encoder.copy_buffer_to_buffer(&self.buffer, 0, target, 0, target.size());
        let is_mapped = Arc::clone(&self.is_mapped);
        let tell = move |result: Result<(), wgpu::BufferAsyncError>| {
            is_mapped.store(result.is_ok(), Ordering::Release);
        };
        encoder.map_buffer_on_submit(&self.buffer, wgpu::MapMode::Write, .., tell);
        Some(())
    }
}
