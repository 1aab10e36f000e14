//! Copies buffers to and from a device.

use super::resource::rounded_up;
use crate::{Device, DeviceError};

/// Large data is written in pieces, so that wgpu's staging copy stays small.
const PIECE: usize = 64 << 20;

/// Creates a buffer of zeros.
pub(super) fn create_buffer(
    device: &Device,
    bytes: u64,
    label: &str,
) -> Result<wgpu::Buffer, DeviceError> {
    device.capture(&format!("binding {label}, {bytes} bytes"), || {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: rounded_up(bytes),
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::UNIFORM
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    })
}

/// Writes bytes to a buffer, from an offset that is a multiple of 4. A trailing part of less than a word is padded with
/// zeros.
pub(super) fn write_buffer(
    device: &Device,
    buffer: &wgpu::Buffer,
    offset: u64,
    bytes: &[u8],
) -> Result<(), DeviceError> {
    device.capture("", || {
        let mut at = offset;
        for piece in bytes.chunks(PIECE) {
            let (whole, rest) = piece.split_at(piece.len() & !3);
            device.queue().write_buffer(buffer, at, whole);
            if !rest.is_empty() {
                let mut word = [0; 4];
                word[..rest.len()].copy_from_slice(rest);
                let end = at + whole.len() as u64;
                device.queue().write_buffer(buffer, end, &word);
            }
            if bytes.len() > PIECE {
                device.queue().submit([]);
            }
            at += piece.len() as u64;
        }
    })
}

/// Reads the first `bytes` bytes of a buffer.
pub fn read_buffer(
    device: &Device,
    buffer: &wgpu::Buffer,
    bytes: u64,
) -> Result<Vec<u8>, DeviceError> {
    if bytes == 0 {
        return Ok(Vec::new());
    }
    let staging = device.capture("", || {
        let staging = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size: rounded_up(bytes),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, rounded_up(bytes));
        device.queue().submit([encoder.finish()]);
        staging
    })?;
    let (sender, receiver) = std::sync::mpsc::channel();
    staging.map_async(wgpu::MapMode::Read, .., move |result| {
        // The receiver exists unless waiting failed, and that error is reported already.
        let _ = sender.send(result);
    });
    device.wait(|| ())?;
    match receiver.recv() {
        Ok(Ok(())) => {
            let mut found = device.mapped_bytes(&staging)?;
            found.truncate(bytes as usize);
            Ok(found)
        }
        Ok(Err(error)) => Err(device.refused_because(error.to_string(), error)),
        Err(_) => Err(device.refused("a buffer was never mapped".to_owned())),
    }
}
