//! The user's textures and samplers, as declared in a graph file.
//!
//! In: sizes, or PNG files. Out: [`FileTexture`]s and [`FileSampler`]s. Textures are 2D with one
//! mip level; whether a device supports their format is checked when they are created.

use std::io;
use std::path::Path;

use toml::Spanned;

use super::binding_point::{BindingPoint, UsedBindings};
use super::error::FileError;
use super::locations::Locations;
use super::png_decoder;
use super::schema;
use super::sources::Sources;

/// The texture formats, by their names in WGSL and WebGPU.
const FORMATS: &[(&str, wgpu::TextureFormat)] = {
    use wgpu::TextureFormat as F;
    &[
        ("rgba8unorm", F::Rgba8Unorm),
        ("rgba8unorm-srgb", F::Rgba8UnormSrgb),
        ("rgba8snorm", F::Rgba8Snorm),
        ("rgba8uint", F::Rgba8Uint),
        ("rgba8sint", F::Rgba8Sint),
        ("rgba16uint", F::Rgba16Uint),
        ("rgba16sint", F::Rgba16Sint),
        ("rgba16float", F::Rgba16Float),
        ("r32uint", F::R32Uint),
        ("r32sint", F::R32Sint),
        ("r32float", F::R32Float),
        ("rg32uint", F::Rg32Uint),
        ("rg32sint", F::Rg32Sint),
        ("rg32float", F::Rg32Float),
        ("rgba32uint", F::Rgba32Uint),
        ("rgba32sint", F::Rgba32Sint),
        ("rgba32float", F::Rgba32Float),
    ]
};

/// The binding type of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Exhaustive: WGSL has no other access to a texture.
pub enum TextureAccess {
    /// `texture_2d<..>`.
    Sampled,
    /// `texture_storage_2d<.., read>`.
    Read,
    /// `texture_storage_2d<.., write>`.
    Write,
    /// `texture_storage_2d<.., read_write>`.
    ReadWrite,
}

/// A texture that a graph file declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTexture {
    /// Its name, for labels and for `image`.
    pub name: String,
    /// Its bind group and binding.
    pub binding_point: BindingPoint,
    /// Its binding type.
    pub access: TextureAccess,
    /// Its texel format.
    pub format: wgpu::TextureFormat,
    /// Width in texels.
    pub width: u32,
    /// Height in texels.
    pub height: u32,
    /// Its initial texels, tightly packed; empty if they are zeros.
    pub contents: Vec<u8>,
}

/// A sampler that a graph file declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSampler {
    /// Its bind group and binding.
    pub binding_point: BindingPoint,
    /// The filter between texels.
    pub filter: wgpu::FilterMode,
    /// The address mode outside the texture.
    pub address: wgpu::AddressMode,
}

pub(super) fn textures<L: FnMut(&Path) -> io::Result<(String, Vec<u8>)>>(
    file: &schema::File,
    used: &mut UsedBindings,
    sources: &mut Sources<'_, L>,
    locations: &Locations<'_>,
) -> Result<Vec<FileTexture>, FileError> {
    let mut textures = Vec::new();
    for declared in &file.texture {
        let format = format(declared.format.as_ref(), locations)?;
        let (width, height, contents) = match (&declared.file, &declared.size) {
            (Some(file), None) => from_file(file, format, sources, locations)?,
            (None, Some(size)) => match *size.get_ref().as_slice() {
                [width, height] if width > 0 && height > 0 => {
                    let pixels = u64::from(width) * u64::from(height);
                    let taken = sources.take(pixels.saturating_mul(texel_bytes(format)));
                    taken.map_err(|error| locations.at(size, error))?;
                    (width, height, Vec::new())
                }
                _ => return Err(locations.at(size, "give width and height, both more than zero")),
            },
            (Some(_), Some(size)) => {
                return Err(locations.at(size, "a texture has a `file` or a `size`, not both"));
            }
            (None, None) => {
                let message = "the texture needs a `file` or a `size`";
                return Err(locations.at(&declared.name, message));
            }
        };
        let group = declared.group.as_ref();
        textures.push(FileTexture {
            name: declared.name.get_ref().clone(),
            binding_point: used.take(&declared.name, group, &declared.binding, locations)?,
            access: match declared.access {
                schema::TextureAccess::Sampled => TextureAccess::Sampled,
                schema::TextureAccess::Read => TextureAccess::Read,
                schema::TextureAccess::Write => TextureAccess::Write,
                schema::TextureAccess::ReadWrite => TextureAccess::ReadWrite,
            },
            format,
            width,
            height,
            contents,
        });
    }
    Ok(textures)
}

fn format(
    name: Option<&Spanned<String>>,
    locations: &Locations<'_>,
) -> Result<wgpu::TextureFormat, FileError> {
    let Some(name) = name else {
        return Ok(wgpu::TextureFormat::Rgba8Unorm);
    };
    let found = FORMATS.iter().find(|(known, _)| known == name.get_ref());
    found.map(|(_, format)| *format).ok_or_else(|| {
        let known: Vec<_> = FORMATS.iter().map(|(known, _)| *known).collect();
        locations.at(
            name,
            format!("is not a format; known formats: {}", known.join(", ")),
        )
    })
}

/// Bytes per texel.
fn texel_bytes(format: wgpu::TextureFormat) -> u64 {
    format.block_copy_size(None).unwrap_or(16).into()
}

/// The name of a format in graph files.
pub(super) fn format_name(format: wgpu::TextureFormat) -> &'static str {
    let found = FORMATS.iter().find(|(_, known)| *known == format);
    found.map_or("of another format", |(name, _)| name)
}

fn from_file<L: FnMut(&Path) -> io::Result<(String, Vec<u8>)>>(
    file: &Spanned<String>,
    format: wgpu::TextureFormat,
    sources: &mut Sources<'_, L>,
    locations: &Locations<'_>,
) -> Result<(u32, u32, Vec<u8>), FileError> {
    use wgpu::TextureFormat as F;
    if !matches!(format, F::Rgba8Unorm | F::Rgba8UnormSrgb | F::Rgba8Uint) {
        let message = format!(
            "a picture cannot fill a texture of format {}, only rgba8unorm, rgba8unorm-srgb or rgba8uint",
            format_name(format)
        );
        return Err(locations.at(file, message));
    }
    let name = file.get_ref();
    let unreadable = |error: &dyn std::error::Error| {
        locations.at(file, format!("cannot read `{name}`: {error}"))
    };
    let bytes = sources.bytes(name).map_err(|error| unreadable(&error))?;
    let image = png_decoder::decode(&bytes, |bytes| sources.take(bytes));
    let image = image.map_err(|error| unreadable(&error))?;
    Ok((image.width, image.height, image.pixels))
}

pub(super) fn samplers(
    file: &schema::File,
    used: &mut UsedBindings,
    locations: &Locations<'_>,
) -> Result<Vec<FileSampler>, FileError> {
    let sampler = |declared: &schema::Sampler| {
        let group = declared.group.as_ref();
        Ok(FileSampler {
            binding_point: used.take(&declared.name, group, &declared.binding, locations)?,
            filter: match declared.filter {
                schema::Filter::Linear => wgpu::FilterMode::Linear,
                schema::Filter::Nearest => wgpu::FilterMode::Nearest,
            },
            address: match declared.address {
                schema::Address::Clamp => wgpu::AddressMode::ClampToEdge,
                schema::Address::Repeat => wgpu::AddressMode::Repeat,
                schema::Address::Mirror => wgpu::AddressMode::MirrorRepeat,
            },
        })
    };
    file.sampler.iter().map(sampler).collect()
}
