//! The buffer or texture that a graph file declares as its output image.

use toml::Spanned;

use super::buffers::FileBuffer;
use super::error::FileError;
use super::locations::Locations;
use super::schema;
use super::textures::{FileTexture, format_name};

/// The pixel format of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Exhaustive: a tool that draws an image must know how.
pub enum Pixels {
    /// Four bytes in the order R, G, B, A.
    Rgba8,
    /// Four `f32` from zero to one.
    F32x4,
    /// One `u32`, shown as a heat map from the minimum to the maximum.
    HeatU32,
    /// One `i32`, shown as a heat map from the minimum to the maximum.
    HeatI32,
    /// One `f32`, shown as a heat map from the minimum to the maximum.
    HeatF32,
}

impl Pixels {
    /// Bytes per pixel.
    pub fn bytes(self) -> u64 {
        match self {
            Self::F32x4 => 16,
            Self::Rgba8 | Self::HeatU32 | Self::HeatI32 | Self::HeatF32 => 4,
        }
    }
}

/// The resource that an image is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Exhaustive: a graph file declares no other resources with texels.
pub enum ImageSource {
    /// Index in [`GraphFile::buffers`](super::GraphFile::buffers).
    Buffer(usize),
    /// Index in [`GraphFile::textures`](super::GraphFile::textures).
    Texture(usize),
}

/// The output image of a graph file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileImage {
    /// The buffer or texture.
    pub source: ImageSource,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The pixel format.
    pub pixels: Pixels,
}

impl FileImage {
    /// Size of all pixels in bytes.
    pub fn bytes(&self) -> u64 {
        // Cannot overflow: it is checked against the size of the buffer when the file is read;
        // textures are smaller.
        u64::from(self.width) * u64::from(self.height) * self.pixels.bytes()
    }
}

pub(super) fn image(
    file: &schema::File,
    buffers: &[FileBuffer],
    textures: &[FileTexture],
    locations: &Locations<'_>,
) -> Result<Option<FileImage>, FileError> {
    let Some(image) = &file.image else {
        return Ok(None);
    };
    let declared = image.get_ref();
    let found = match (&declared.buffer, &declared.texture) {
        (Some(buffer), None) => of_buffer(declared, buffer, buffers, locations),
        (None, Some(texture)) => of_texture(declared, texture, textures, locations),
        _ => Err(locations.at(image, "an image needs either a `buffer` or a `texture`")),
    };
    found.map(Some)
}

fn of_buffer(
    image: &schema::Image,
    source: &Spanned<String>,
    buffers: &[FileBuffer],
    locations: &Locations<'_>,
) -> Result<FileImage, FileError> {
    let name = source.get_ref();
    let buffer = buffers.iter().position(|buffer| buffer.name == *name);
    let buffer = buffer.ok_or_else(|| locations.at(source, "there is no such buffer"))?;
    let (Some(width), Some(height), Some(format)) = (&image.width, &image.height, &image.format)
    else {
        let message = "an image of a buffer needs `width`, `height` and `format`";
        return Err(locations.at(source, message));
    };
    let element = image.element.as_ref().map(|element| *element.get_ref());
    let pixels = match (*format.get_ref(), element.unwrap_or_default()) {
        (schema::Format::Rgba8, _) => Pixels::Rgba8,
        (schema::Format::F32x4, _) => Pixels::F32x4,
        (schema::Format::Heat, schema::Element::U32) => Pixels::HeatU32,
        (schema::Format::Heat, schema::Element::I32) => Pixels::HeatI32,
        (schema::Format::Heat, schema::Element::F32) => Pixels::HeatF32,
    };
    let at = width;
    let (width, height) = (*width.get_ref(), *height.get_ref());
    let all = u64::from(width) * u64::from(height);
    let needed = all.saturating_mul(pixels.bytes());
    let given = buffers[buffer].size;
    if needed == 0 || needed > given {
        let message = format!(
            "a picture of {width}x{height} needs {needed} bytes, but the buffer `{name}` has {given}"
        );
        return Err(locations.at(at, message));
    }
    Ok(FileImage {
        source: ImageSource::Buffer(buffer),
        width,
        height,
        pixels,
    })
}

/// Size and format of the image are those of the texture.
fn of_texture(
    image: &schema::Image,
    source: &Spanned<String>,
    textures: &[FileTexture],
    locations: &Locations<'_>,
) -> Result<FileImage, FileError> {
    use wgpu::TextureFormat as F;
    let given = [
        image.width.as_ref().map(Spanned::span),
        image.height.as_ref().map(Spanned::span),
        image.format.as_ref().map(Spanned::span),
        image.element.as_ref().map(Spanned::span),
    ];
    if let Some(span) = given.into_iter().flatten().next() {
        return Err(locations.error(span, "is known from the texture"));
    }
    let name = source.get_ref();
    let found = textures.iter().position(|texture| texture.name == *name);
    let found = found.ok_or_else(|| locations.at(source, "there is no such texture"))?;
    let texture = &textures[found];
    let pixels = match texture.format {
        F::Rgba8Unorm | F::Rgba8UnormSrgb | F::Rgba8Uint => Pixels::Rgba8,
        F::Rgba32Float => Pixels::F32x4,
        F::R32Uint => Pixels::HeatU32,
        F::R32Sint => Pixels::HeatI32,
        F::R32Float => Pixels::HeatF32,
        other => {
            let message = format!(
                "the texture is {}; an image can be made from rgba8unorm, rgba8unorm-srgb, rgba8uint, rgba32float, r32uint, r32sint or r32float",
                format_name(other)
            );
            return Err(locations.at(source, message));
        }
    };
    Ok(FileImage {
        source: ImageSource::Texture(found),
        width: texture.width,
        height: texture.height,
        pixels,
    })
}
