//! The picture of a graph: writes a buffer or a texture as a PNG file.

use std::path::Path;

use anywarp_graph::GraphFile;
use anywarp_graph::file::{FileImage, ImageSource, Pixels};

use super::open::OpenGraph;
use super::run::cannot_write;
use crate::error::Error;
use crate::image;
use crate::specs::{ElementType, Pixels as PngPixels, PngPicture};
use anywarp::{read_buffer, read_texture};

/// The picture to write, and the image of the file that it shows.
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
            read_buffer(&open.device, buffer, image.bytes())?
        }
        ImageSource::Texture(texture) => {
            read_texture(&open.device, &open.resources.textures[texture])?
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
