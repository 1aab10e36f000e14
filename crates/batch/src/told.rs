//! What a batch is told: a buffer with its info and its parameters, and how they get there.
//!
//! They are part of the batch's own submission; `Queue::write_buffer` would put them into whichever
//! comes next. What always holds: the host writes to a buffer only while it is mapped, that is, when
//! the device is done with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wgpu::BufferUsages as Usage;

/// What shaders do with it: the guard writes its answer.
const SHADERS: Usage = Usage::UNIFORM.union(Usage::STORAGE);

/// Bytes and where they belong.
pub(crate) type Part<'a> = (u64, &'a [u8]);

/// The buffer of a slot that tells its batch.
#[derive(Debug)]
pub(crate) enum Told {
    /// Another buffer is written and copied to it.
    Copied { upload: Upload, told: wgpu::Buffer },
    /// It is written itself, on devices that can map any buffer.
    InPlace(Upload),
}

impl Told {
    pub(crate) fn copied(device: &wgpu::Device, size: u64) -> Self {
        Self::Copied {
            upload: Upload::source(device, size),
            told: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("batch told"),
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
            Self::Copied { told, .. } => told,
            Self::InPlace(upload) => &upload.buffer,
        }
    }

    /// Has the encoder's submission see these parts; `None` if the device is lost. In place it also is
    /// `None` while the slot's last submission is not over.
    pub(crate) fn queue(
        &self,
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        parts: &[Part<'_>],
    ) -> Option<()> {
        match self {
            Self::InPlace(upload) => upload.write(encoder, parts),
            Self::Copied { upload, told } => {
                let mut source = &upload.buffer;
                let fresh;
                if upload.write(encoder, parts).is_none() {
                    // Whoever has an encoder of their own may be here again before the device is done.
                    fresh = Upload::source(device, told.size());
                    fresh.write(encoder, parts)?;
                    source = &fresh.buffer;
                }
                encoder.copy_buffer_to_buffer(source, 0, told, 0, told.size());
                Some(())
            }
        }
    }
}

/// A buffer that the host writes and a submission reads, used again and again.
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

    /// Writes these parts, and has the buffer mapped again when the encoder's submission is over.
    /// `None` if it is not mapped now, or the device is lost.
    fn write(&self, encoder: &wgpu::CommandEncoder, parts: &[Part<'_>]) -> Option<()> {
        if !self.is_mapped.swap(false, Ordering::AcqRel) {
            return None;
        }
        let mut view = self.buffer.get_mapped_range_mut(..).ok()?;
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
        Some(())
    }
}
