//! Descriptions of device resources: the size of a buffer, the shape of a texture, a sampler.

use anywarp_texture::{Dimension, Extent, Format, TextureShape};

use super::SamplerData;
use super::check::texel_bytes;

/// A resource to create on a device.
#[derive(Clone, Debug)]
pub enum ResourceDescriptor {
    /// A buffer of zeros.
    Buffer {
        /// Its size; the device's buffer is rounded up to a multiple of 4.
        bytes: u64,
    },
    /// A texture of zeros.
    Texture(TextureDescriptor),
    /// A sampler.
    Sampler(Box<SamplerData>),
}

/// The shape and format of a texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureDescriptor {
    /// The dimension.
    pub dimension: Dimension,
    /// The format of its texels.
    pub format: Format,
    /// Size, layers, levels and samples.
    pub shape: TextureShape,
}

impl TextureDescriptor {
    /// The bytes of its texels, including all samples; `u64::MAX`, which is over every limit, if they do not fit.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        texel_bytes(self.format, self.shape).unwrap_or(u64::MAX)
    }

    /// Size, format, and the numbers of levels and samples if above one.
    #[must_use]
    pub fn text(&self) -> String {
        let Extent { x, y, z } = self.shape.extent;
        let size = match self.dimension {
            Dimension::D1 => format!("{x}"),
            Dimension::D2 => format!("{x}x{y}"),
            Dimension::D3 => format!("{x}x{y}x{z}"),
            _ => format!("{x}x{y}x{}", self.shape.layers),
        };
        let mut text = format!("{size} {}", self.format.name());
        for (count, word) in [
            (self.shape.levels, "levels"),
            (self.shape.samples, "samples"),
        ] {
            if count > 1 {
                text += &format!(", {count} {word}");
            }
        }
        text
    }
}

/// Whether a sampler filters.
pub(super) fn is_filtering(sampler: &SamplerData) -> bool {
    sampler.mag_filter == wgpu::FilterMode::Linear
        || sampler.min_filter == wgpu::FilterMode::Linear
        || sampler.mipmap_filter == wgpu::MipmapFilterMode::Linear
}

/// Rounds up to a multiple of 4, the size granularity of buffers. Larger sizes exceed every limit anyway.
#[must_use]
pub fn rounded_up(bytes: u64) -> u64 {
    bytes.checked_next_multiple_of(4).unwrap_or(u64::MAX)
}
