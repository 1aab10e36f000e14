//! `--out` for textures: checks which outputs are possible, and writes them.
//!
//! Printed values are the stored channels, texel by texel, as a shader loads them. Files of bytes hold all levels and
//! layers; a picture shows the first level.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use anywarp_texture::{Dimension, Extent, Format, Kind};

use super::textures::{PlannedTexture, wrong};
use crate::error::Error;
use crate::image;
use crate::specs::{Destination, ElementType, ElementValue, Out, Pixels};
use crate::texture;
use anywarp::reflection::Binding;

/// Checks that an output supports the texture.
pub(super) fn check_texture_out(
    out: &Out,
    binding: &Binding,
    texture: &PlannedTexture,
) -> Result<(), Error> {
    let refused = |reason: String| wrong(binding, format!("--out {}: {reason}", out.destination));
    let text = texture.text();
    if texture.descriptor.shape.samples > 1 || !texture::is_read_back(texture.descriptor.format) {
        return Err(refused(format!("texels of {text} cannot be read back")));
    }
    match &out.destination {
        Destination::Bin(_) | Destination::Stdout => Ok(()),
        Destination::Print { element, count } => {
            let own = element_of(texture.descriptor.format);
            if element.is_some_and(|element| element != own) {
                return Err(refused(format!("channels of {text} are {own}")));
            }
            let have = values_of(texture);
            match count {
                Some(count) if *count > have => Err(refused(format!("{text} has {have} values"))),
                _ => Ok(()),
            }
        }
        Destination::Png(picture) => {
            let Extent { x, y, .. } = texture.descriptor.shape.extent;
            if texture.descriptor.dimension != Dimension::D2 {
                return Err(refused(
                    "only two-dimensional textures can be pictures".to_owned(),
                ));
            }
            if picture.size.is_some_and(|size| size != [x, y]) {
                return Err(refused(format!("the texture is {text}")));
            }
            match picture.pixels {
                None | Some(Pixels::Heat) => Ok(()),
                Some(_) => Err(refused(
                    "a texture has pixels of its own format: give FILE.png or FILE.png:heat"
                        .to_owned(),
                )),
            }
        }
    }
}

/// The type of the channels as a shader loads them.
pub(super) fn element_of(format: Format) -> ElementType {
    match format.kind() {
        _ if format == Format::R64Uint => ElementType::U64,
        Kind::Float | Kind::Depth => ElementType::F32,
        Kind::Sint => ElementType::I32,
        Kind::Uint => ElementType::U32,
    }
}

fn values_of(texture: &PlannedTexture) -> u64 {
    let texels = texture.bytes() / u64::from(texture.descriptor.format.bytes());
    texels * texture.descriptor.format.channels() as u64
}

/// The channel values, all or the first `count`.
pub(super) fn values(
    texture: &PlannedTexture,
    bytes: &[u8],
    count: Option<u64>,
) -> Vec<ElementValue> {
    let count = count.unwrap_or(u64::MAX);
    let texels = count.div_ceil(texture.descriptor.format.channels() as u64);
    let wanted = texels.saturating_mul(u64::from(texture.descriptor.format.bytes()));
    let first = bytes.get(..wanted as usize).unwrap_or(bytes);
    let scalars = texture::scalars(first, texture.descriptor.format);
    let values = element_of(texture.descriptor.format).values(&scalars);
    values.take(count as usize).collect()
}

/// Writes the first level as a picture, and returns the value range of a heat map.
pub(super) fn write_picture(
    path: &Path,
    pixels: Option<Pixels>,
    texture: &PlannedTexture,
    bytes: &[u8],
) -> io::Result<Option<[f64; 2]>> {
    let Extent { x, y, .. } = texture.descriptor.shape.extent;
    let format = texture.descriptor.format;
    let first = x as usize * y as usize * format.bytes() as usize;
    let level = bytes.get(..first).unwrap_or(bytes);
    if pixels.is_some() {
        let scalars = texture::scalars(level, format);
        let values = element_of(format).values(&scalars);
        let red = values.step_by(format.channels()).map(ElementValue::to_f64);
        return image::write_heat(path, [x, y], red).map(Some);
    }
    let file = BufWriter::new(File::create(path)?);
    texture::encode_png(file, [x, y], level, format)?;
    Ok(None)
}
