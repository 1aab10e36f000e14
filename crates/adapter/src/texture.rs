//! HAL textures and texture views: planes and aspects of the CPU's textures.

use anywarp_cpu::ViewedTexture;
use anywarp_texture::{Dimension, Extent, Subresource, TextureShape};
use wgpu::{hal, wgt};

use crate::texture_format::format;

/// A texture of a device.
#[derive(Clone, Debug)]
pub(crate) struct Texture {
    pub(crate) memory: anywarp_cpu::Texture,
    format: wgt::TextureFormat,
}

/// A texture view: one CPU view per aspect.
#[derive(Clone, Debug)]
pub(crate) struct TextureView {
    aspects: Vec<(hal::FormatAspects, ViewedTexture)>,
}

impl Texture {
    pub(crate) fn new(descriptor: &hal::TextureDescriptor<'_>) -> Result<Self, hal::DeviceError> {
        let Some(format) = format(descriptor.format) else {
            unreachable!("wgpu-core refuses formats that are reported absent")
        };
        let wgt::Extent3d {
            width,
            height,
            depth_or_array_layers: depth,
        } = descriptor.size;
        let (z, layers) = match descriptor.dimension {
            wgt::TextureDimension::D1 | wgt::TextureDimension::D2 => (1, depth),
            wgt::TextureDimension::D3 => (depth, 1),
        };
        let shape = TextureShape {
            extent: Extent {
                x: width,
                y: height,
                z,
            },
            layers,
            levels: descriptor.mip_level_count,
            samples: descriptor.sample_count,
        };
        let memory = anywarp_cpu::Texture::new(format, shape);
        Ok(Self {
            memory: memory.map_err(|_| hal::DeviceError::OutOfMemory)?,
            format: descriptor.format,
        })
    }

    pub(crate) fn view(&self, descriptor: &hal::TextureViewDescriptor<'_>) -> TextureView {
        let shape = self.memory.layout().shape();
        let levels = descriptor.range.mip_range(shape.levels);
        let layers = descriptor.range.layer_range(shape.layers);
        let dimension = dimension(descriptor.dimension);
        let aspects = hal::FormatAspects::new(self.format, descriptor.range.aspect);
        let view = |(aspect, plane): (hal::FormatAspects, usize)| {
            let part = Subresource {
                plane,
                level: levels.start,
                levels: levels.end - levels.start,
                layer: layers.start,
                layers: layers.end - layers.start,
            };
            let own = self.memory.layout().planes()[plane].format;
            // The formats of aspects follow from the texture; a color view may add or drop the sRGB curve.
            let seen = match aspect {
                hal::FormatAspects::COLOR => format(descriptor.format).unwrap_or(own),
                _ => own,
            };
            (aspect, self.memory.view(dimension, seen, part))
        };
        TextureView {
            aspects: self.planes(aspects).map(view).collect(),
        }
    }

    /// The planes of some aspects.
    pub(crate) fn planes(
        &self,
        aspects: hal::FormatAspects,
    ) -> impl Iterator<Item = (hal::FormatAspects, usize)> {
        let layout = self.memory.layout();
        let color = if layout.format().is_depth_or_stencil() {
            None
        } else {
            Some(0)
        };
        [
            (hal::FormatAspects::COLOR, color),
            (hal::FormatAspects::DEPTH, layout.depth_plane()),
            (hal::FormatAspects::STENCIL, layout.stencil_plane()),
        ]
        .into_iter()
        .filter(move |(aspect, _)| aspects.contains(*aspect))
        .filter_map(|(aspect, plane)| Some((aspect, plane?)))
    }
}

impl TextureView {
    /// The view that shaders access.
    pub(crate) fn for_shaders(&self) -> Option<&ViewedTexture> {
        self.aspects.first().map(|(_, view)| view)
    }

    /// The view of one aspect.
    pub(crate) fn aspect(&self, wanted: hal::FormatAspects) -> Option<&ViewedTexture> {
        let found = self.aspects.iter().find(|(aspect, _)| *aspect == wanted);
        found.map(|(_, view)| view)
    }
}

fn dimension(dimension: wgt::TextureViewDimension) -> Dimension {
    match dimension {
        wgt::TextureViewDimension::D1 => Dimension::D1,
        wgt::TextureViewDimension::D2 => Dimension::D2,
        wgt::TextureViewDimension::D2Array => Dimension::D2Array,
        wgt::TextureViewDimension::Cube => Dimension::Cube,
        wgt::TextureViewDimension::CubeArray => Dimension::CubeArray,
        wgt::TextureViewDimension::D3 => Dimension::D3,
    }
}
