//! Copies textures to and from a device: creates and fills them, and reads them back without row padding.

use anywarp_texture::{Dimension, Extent, Format, Kind};

use super::buffer_transfer::read_buffer;
use super::resource::TextureDescriptor;
use crate::texture_format::{is_uploaded, wgpu_format};
use crate::{Device, DeviceError};

/// Texels are copied in pieces of about this size, so that wgpu's staging copy stays small.
const PIECE: u64 = 64 << 20;

/// Creates a texture of zeros.
pub(super) fn create_texture(
    device: &Device,
    texture: &TextureDescriptor,
    usage: wgpu::TextureUsages,
    label: &str,
) -> Result<wgpu::Texture, DeviceError> {
    let mut usage = usage;
    let is_copied = texture.shape.samples == 1;
    if is_copied {
        usage |= wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST;
    }
    if is_cleared(texture) {
        usage |= wgpu::TextureUsages::RENDER_ATTACHMENT;
    }
    let about = format!("binding {label}, {}", texture.text());
    device.capture(&about, || {
        device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: size(texture.shape.extent, texture.shape.layers),
            mip_level_count: texture.shape.levels,
            sample_count: texture.shape.samples,
            dimension: match texture.dimension {
                Dimension::D1 => wgpu::TextureDimension::D1,
                Dimension::D3 => wgpu::TextureDimension::D3,
                _ => wgpu::TextureDimension::D2,
            },
            format: wgpu_format(texture.format),
            usage,
            view_formats: &[],
        })
    })
}

/// Whether texels cannot be copied to a texture, so that it is filled by clearing it.
fn is_cleared(texture: &TextureDescriptor) -> bool {
    texture.shape.samples > 1 || !is_uploaded(texture.format)
}

/// Sets all texels to a value.
pub(super) fn fill_texture(
    device: &Device,
    descriptor: &TextureDescriptor,
    texture: &wgpu::Texture,
    color: [f64; 4],
) -> Result<(), DeviceError> {
    if is_cleared(descriptor) {
        return device.capture("", || clear(device, descriptor, texture, color));
    }
    let texel = texel(descriptor.format, color);
    upload(device, descriptor, texture, |_, length| {
        texel.iter().copied().cycle().take(length).collect()
    })
}

fn size(extent: Extent, layers: u32) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width: extent.x,
        height: extent.y,
        // One of the two is 1.
        depth_or_array_layers: extent.z.max(layers),
    }
}

/// Writes all texels by rows; `take` returns the bytes of a range of texels.
pub(super) fn upload(
    device: &Device,
    planned: &TextureDescriptor,
    texture: &wgpu::Texture,
    take: impl Fn(u64, usize) -> Vec<u8>,
) -> Result<(), DeviceError> {
    device.capture("", || write_rows(device, planned, texture, take))
}

fn write_rows(
    device: &Device,
    planned: &TextureDescriptor,
    texture: &wgpu::Texture,
    take: impl Fn(u64, usize) -> Vec<u8>,
) {
    let is_large = planned.bytes() > PIECE;
    let mut offset = 0;
    for level in 0..planned.shape.levels {
        let extent = planned.shape.level(level);
        let row = u64::from(extent.x) * u64::from(planned.format.bytes());
        let rows_at_once = (PIECE / row).clamp(1, u64::from(extent.y)) as u32;
        for slice in 0..extent.z.max(planned.shape.layers) {
            for y in (0..extent.y).step_by(rows_at_once as usize) {
                let rows = rows_at_once.min(extent.y - y);
                let length = row * u64::from(rows);
                let target = wgpu::TexelCopyTextureInfo {
                    mip_level: level,
                    origin: wgpu::Origin3d { x: 0, y, z: slice },
                    ..texture.as_image_copy()
                };
                let layout = wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(row as u32),
                    rows_per_image: None,
                };
                let piece = wgpu::Extent3d {
                    width: extent.x,
                    height: rows,
                    depth_or_array_layers: 1,
                };
                let bytes = take(offset, length as usize);
                device.queue().write_texture(target, &bytes, layout, piece);
                offset += length;
                if is_large {
                    device.queue().submit([]);
                }
            }
        }
    }
}

/// The bytes of a texel with a given value.
fn texel(format: Format, color: [f64; 4]) -> Vec<u8> {
    if format == Format::R64Uint {
        return (color[0] as u64).to_le_bytes().to_vec();
    }
    let value = color.map(|channel| match format.kind() {
        Kind::Float | Kind::Depth => (channel as f32).to_bits(),
        Kind::Sint => channel as i32 as u32,
        Kind::Uint => channel as u32,
    });
    let bytes = format.encode(value).into_iter().flat_map(u32::to_le_bytes);
    bytes.take(format.bytes() as usize).collect()
}

/// Fills a texture whose format does not support copies of texels.
fn clear(
    device: &Device,
    planned: &TextureDescriptor,
    texture: &wgpu::Texture,
    [r, g, b, a]: [f64; 4],
) {
    let mut encoder = device.create_command_encoder(&Default::default());
    let levels = 0..planned.shape.levels;
    let parts = levels.flat_map(|level| (0..planned.shape.layers).map(move |layer| (level, layer)));
    let ops = |value: f32| wgpu::Operations {
        load: wgpu::LoadOp::Clear(value),
        store: wgpu::StoreOp::Store,
    };
    for (base_mip_level, base_array_layer) in parts {
        let view = texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2),
            base_mip_level,
            mip_level_count: Some(1),
            base_array_layer,
            array_layer_count: Some(1),
            ..Default::default()
        });
        let is_depth = planned.format.is_depth_or_stencil();
        let has_depth = planned.format.kind() == Kind::Depth;
        let has_stencil = planned.format.planes().contains(&Format::Stencil8);
        let color = wgpu::RenderPassColorAttachment {
            view: &view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a }),
                store: wgpu::StoreOp::Store,
            },
        };
        let depth_stencil = wgpu::RenderPassDepthStencilAttachment {
            view: &view,
            // Both aspects get the same number, as far as the format has them.
            depth_ops: has_depth.then(|| ops((r as f32).clamp(0.0, 1.0))),
            stencil_ops: has_stencil.then_some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(r as u32),
                store: wgpu::StoreOp::Store,
            }),
        };
        let colors = [(!is_depth).then_some(color)];
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &colors[..usize::from(!is_depth)],
            depth_stencil_attachment: is_depth.then_some(depth_stencil),
            ..Default::default()
        });
    }
    device.queue().submit([encoder.finish()]);
}

/// The texels of a texture, without the row padding of a copy.
pub fn read_texture(device: &Device, texture: &wgpu::Texture) -> Result<Vec<u8>, DeviceError> {
    let pixel = texture.format().block_copy_size(None).unwrap_or(4);
    let mut texels = Vec::new();
    for mip_level in 0..texture.mip_level_count() {
        let size = wgpu::Extent3d {
            depth_or_array_layers: match texture.dimension() {
                wgpu::TextureDimension::D3 => (texture.depth_or_array_layers() >> mip_level).max(1),
                _ => texture.depth_or_array_layers(),
            },
            width: (texture.width() >> mip_level).max(1),
            height: match texture.dimension() {
                wgpu::TextureDimension::D1 => 1,
                _ => (texture.height() >> mip_level).max(1),
            },
        };
        let row = size.width * pixel;
        let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let rows = u64::from(size.height) * u64::from(size.depth_or_array_layers);
        let bytes = u64::from(padded) * rows;
        let buffer = device.capture("", || {
            let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("texels"),
                size: bytes,
                usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let target = wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(padded),
                    rows_per_image: Some(size.height),
                },
            };
            let source = wgpu::TexelCopyTextureInfo {
                mip_level,
                ..texture.as_image_copy()
            };
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.copy_texture_to_buffer(source, target, size);
            device.queue().submit([encoder.finish()]);
            buffer
        })?;
        let bytes = read_buffer(device, &buffer, bytes)?;
        let rows = bytes.chunks_exact(padded as usize);
        texels.extend(rows.flat_map(|bytes| &bytes[..row as usize]));
    }
    Ok(texels)
}
