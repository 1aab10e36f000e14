//! The picture of a graph: a buffer or a texture, as a PNG file.

use std::path::Path;

use anywarp_graph::{FileImage, GraphFile, ImageSource, Pixels};

use super::open::OpenGraph;
use super::run::cannot_write;
use crate::device::Session;
use crate::error::Error;
use crate::image;
use crate::run::read_buffer;
use crate::specs::{ElementType, Pixels as PngPixels, PngPicture};

/// The picture to write and what it is made of.
pub(super) fn picture<'a>(
    file: &'a GraphFile,
    name: &Path,
    path: Option<&Path>,
) -> Result<Option<(PngPicture, &'a FileImage)>, Error> {
    let Some(path) = path else {
        return Ok(None);
    };
    let image = file.image().ok_or_else(|| Error::Argument {
        option: "--image",
        reason: format!("{} has no [image]", name.display()),
    })?;
    let picture = PngPicture {
        path: path.to_owned(),
        width: image.width,
        height: image.height,
        pixels: match image.pixels {
            Pixels::Rgba8 => PngPixels::Rgba8,
            Pixels::F32x4 => PngPixels::F32x4,
            Pixels::HeatU32 | Pixels::HeatI32 | Pixels::HeatF32 => PngPixels::Heat,
        },
    };
    Ok(Some((picture, image)))
}

/// Writes the picture.
pub(super) fn draw(
    open: &OpenGraph<'_>,
    picture: &PngPicture,
    image: &FileImage,
) -> Result<(), Error> {
    let bytes = match image.source {
        ImageSource::Buffer(buffer) => {
            let buffer = &open.resources.buffers[buffer];
            read_buffer(&open.session, buffer, image.bytes())?
        }
        ImageSource::Texture(texture) => {
            read_texture(&open.session, &open.resources.textures[texture])?
        }
    };
    let element = match image.pixels {
        Pixels::HeatF32 => ElementType::F32,
        Pixels::HeatI32 => ElementType::I32,
        Pixels::HeatU32 | Pixels::Rgba8 | Pixels::F32x4 => ElementType::U32,
    };
    image::write_png(picture, &bytes, element)
        .map_err(|source| cannot_write(&picture.path, source))?;
    Ok(())
}

/// The pixels of a texture, without the gaps that a copy leaves between rows.
fn read_texture(session: &Session, texture: &wgpu::Texture) -> Result<Vec<u8>, Error> {
    let pixel = texture.format().block_copy_size(None).unwrap_or(4);
    let row = texture.width() * pixel;
    let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let size = u64::from(padded) * u64::from(texture.height());
    let buffer = session.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("picture"),
        size,
        usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let target = wgpu::TexelCopyBufferInfo {
        buffer: &buffer,
        layout: wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(padded),
            rows_per_image: None,
        },
    };
    let mut encoder = session.device.create_command_encoder(&Default::default());
    encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
    session.queue.submit([encoder.finish()]);
    let bytes = read_buffer(session, &buffer, size)?;
    let rows = bytes.chunks_exact(padded as usize);
    Ok(rows
        .flat_map(|bytes| &bytes[..row as usize])
        .copied()
        .collect())
}
