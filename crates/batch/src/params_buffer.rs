//! The buffer with a batch's info words and parameters, and the upload path to it.
//!
//! In: byte ranges to write. Out: a buffer that the batch's shaders bind, written as part of the
//! batch's own submission. `Queue::write_buffer` is not used, because its data becomes part of
//! whichever submission comes next.
//!
//! What always holds: the host writes to a buffer only while it is mapped, that is, when the device
//! has finished with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wgpu::BufferUsages as Usage;

use crate::error::UploadError;

/// Usages in shaders: user passes read it as a uniform, the guard writes the `is_active` word.
const SHADERS: Usage = Usage::UNIFORM.union(Usage::STORAGE);

/// A write of some bytes at an offset.
pub(crate) type Part<'a> = (u64, &'a [u8]);

/// The info and parameter buffer of one slot.
#[derive(Debug)]
pub(crate) enum ParamsBuffer {
    /// The host writes a mapped upload buffer, and the submission copies it to `target`.
    Copied {
        upload: Upload,
        buffer: wgpu::Buffer,
    },
    /// The host maps and writes the buffer itself, on devices that can map any buffer.
    InPlace(Upload),
}

impl ParamsBuffer {
    pub(crate) fn copied(device: &wgpu::Device, size: u64) -> Self {
        Self::Copied {
            upload: Upload::source(device, size),
            buffer: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("batch params"),
                size,
                usage: SHADERS | Usage::COPY_DST,
                mapped_at_creation: false,
            }),
        }
    }

    pub(crate) fn in_place(device: &wgpu::Device, size: u64) -> Self {
        Self::InPlace(Upload::new(device, size, SHADERS))
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        match self {
            Self::Copied { buffer, .. } => buffer,
            Self::InPlace(upload) => &upload.buffer,
        }
    }

    /// Makes the encoder's submission read these parts. It fails if the device is lost; in place,
    /// also while the slot's last submission is still running.
    pub(crate) fn queue(
        &self,
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        parts: &[Part<'_>],
    ) -> Result<(), UploadError> {
        match self {
            Self::InPlace(upload) => upload.write(encoder, parts),
            Self::Copied { upload, buffer } => {
                let mut source = &upload.buffer;
                let fresh;
                if upload.write(encoder, parts).is_err() {
                    // A user with their own encoder may reuse the slot before the device has
                    // finished with it.
                    fresh = Upload::source(device, buffer.size());
                    fresh.write(encoder, parts)?;
                    source = &fresh.buffer;
                }
                encoder.copy_buffer_to_buffer(source, 0, buffer, 0, buffer.size());
                Ok(())
            }
        }
    }
}

/// A mappable buffer that the host writes and a submission reads, reused for every submission.
#[derive(Debug)]
pub(crate) struct Upload {
    buffer: wgpu::Buffer,
    is_mapped: Arc<AtomicBool>,
}

impl Upload {
    fn source(device: &wgpu::Device, size: u64) -> Self {
        Self::new(device, size, Usage::COPY_SRC)
    }

    fn new(device: &wgpu::Device, size: u64, usage: Usage) -> Self {
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("batch upload"),
            size,
            usage: usage | Usage::MAP_WRITE,
            mapped_at_creation: true,
        });
        Self {
            buffer,
            is_mapped: Arc::new(AtomicBool::new(true)),
        }
    }

    /// Writes these parts and maps the buffer again when the encoder's submission has finished.
    /// It fails if the buffer is not mapped now, or the device is lost.
    fn write(&self, encoder: &wgpu::CommandEncoder, parts: &[Part<'_>]) -> Result<(), UploadError> {
        if !self.is_mapped.swap(false, Ordering::AcqRel) {
            return Err(UploadError);
        }
        let view = self.buffer.get_mapped_range_mut(..);
        let mut view = view.map_err(|_| UploadError)?;
        for (begin, bytes) in parts.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            let begin = *begin as usize;
            let mut place = view.slice(begin..begin + bytes.len());
            place.copy_from_slice(bytes);
        }
        drop(view);
        self.buffer.unmap();
        let is_mapped = Arc::clone(&self.is_mapped);
        let tell = move |result: Result<(), wgpu::BufferAsyncError>| {
            is_mapped.store(result.is_ok(), Ordering::Release);
        };
        encoder.map_buffer_on_submit(&self.buffer, wgpu::MapMode::Write, .., tell);
        Ok(())
    }
}
