//! A device with its queue: buffers, and reading them back.

mod readback;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wgpu::BufferUsages as Usage;

use super::LaunchError;
use readback::mapped;

/// Minimum bytes of a staging buffer.
const MIN_STAGING: u64 = 1 << 12;
/// Maximum bytes of a staging buffer that is kept for reuse.
const MAX_KEPT_STAGING: u64 = 1 << 20;

/// A device and its queue.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    /// A limit that may be lower than the device's own.
    pub(crate) max_buffer_bytes: u64,
    /// A staging buffer for reuse, if it is not in use.
    pub(crate) staging: Arc<Mutex<Option<wgpu::Buffer>>>,
}

impl Gpu {
    /// The maximum size of a storage buffer.
    pub(crate) fn max_buffer_bytes(&self) -> u64 {
        let limits = self.device.limits();
        // WGSL indices are 32-bit words, and sizes must be a multiple of four bytes.
        let binding = limits.max_storage_buffer_binding_size & !3;
        binding
            .min(limits.max_buffer_size & !3)
            .min(u64::from(u32::MAX) * 4)
            .min(self.max_buffer_bytes & !3)
    }

    pub(crate) fn buffer(
        &self,
        label: &'static str,
        words: u64,
        usage: Usage,
    ) -> Result<wgpu::Buffer, LaunchError> {
        let size = words.max(4).saturating_mul(4);
        let max = self.max_buffer_bytes();
        if size > max {
            return Err(too_large(label, size, max));
        }
        Ok(self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: false,
        }))
    }

    pub(crate) fn storage(
        &self,
        label: &'static str,
        words: u64,
    ) -> Result<wgpu::Buffer, LaunchError> {
        self.buffer(
            label,
            words,
            Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC,
        )
    }

    pub(crate) fn write(&self, buffer: &wgpu::Buffer, word: u64, words: &[u32]) {
        self.queue
            .write_buffer(buffer, word * 4, bytemuck::cast_slice(words));
    }

    /// Reads ranges of buffers, each given by its first word and its length, concatenated.
    pub(crate) async fn read(
        &self,
        mut encoder: wgpu::CommandEncoder,
        ranges: &[(&wgpu::Buffer, u64, u64)],
    ) -> Result<Vec<u32>, LaunchError> {
        let total: u64 = ranges.iter().map(|range| range.2).sum();
        let staging = self.staging(total * 4);
        let mut at = 0;
        for &(buffer, first, words) in ranges {
            if words > 0 {
                encoder.copy_buffer_to_buffer(buffer, first * 4, &staging, at * 4, words * 4);
            }
            at += words;
        }
        self.queue.submit([encoder.finish()]);
        let lost = |error: wgpu::BufferAsyncError| LaunchError::Device {
            what: format!("the results cannot be read: {error}"),
        };
        let bytes = 0..total.max(1) * 4;
        let mapping = mapped(&self.device, &staging, bytes.clone());
        mapping.await.map_err(lost)?;
        let view = staging.get_mapped_range(bytes);
        let lost = |error: wgpu::MapRangeError| LaunchError::Device {
            what: format!("the results cannot be read: {error}"),
        };
        let view = view.map_err(lost)?;
        let mut words: Vec<u32> = bytemuck::pod_collect_to_vec(&view);
        words.truncate(total as usize);
        drop(view);
        staging.unmap();
        if staging.size() <= MAX_KEPT_STAGING {
            *self.kept() = Some(staging);
        }
        Ok(words)
    }

    fn kept(&self) -> MutexGuard<'_, Option<wgpu::Buffer>> {
        self.staging.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A staging buffer of at least that many bytes.
    fn staging(&self, bytes: u64) -> wgpu::Buffer {
        let kept = self.kept().take();
        if let Some(kept) = kept.filter(|kept| kept.size() >= bytes) {
            return kept;
        }
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("wasm reading"),
            size: bytes.max(MIN_STAGING),
            usage: Usage::MAP_READ | Usage::COPY_DST,
            mapped_at_creation: false,
        })
    }

    pub(crate) fn encoder(&self) -> wgpu::CommandEncoder {
        let label = Some("wasm");
        self.device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label })
    }
}

/// The error for data that exceeds the size of a buffer.
pub(crate) fn too_large(what: &str, bytes: u64, max: u64) -> LaunchError {
    LaunchError::Device {
        what: format!("{what} needs {bytes} bytes, but the device's buffers have at most {max}"),
    }
}
