//! Textures of every dimension and many formats, and some that cannot be.

use wgpu::{TextureDimension as Dimension, TextureFormat as Format, TextureUsages as Usage};

use crate::commands::device::Intent;
use crate::commands::images::Image;
use crate::commands::stream::Stream;

/// Textures that are alive at a time.
const TEXTURES: usize = 6;

/// Formats of every kind; kernels like the first ones.
const FORMATS: &[Format] = &[
    Format::R32Uint,
    Format::R32Uint,
    Format::R32Uint,
    Format::R8Uint,
    Format::Rg16Uint,
    Format::Rgba8Uint,
    Format::Rg32Uint,
    Format::Rgba32Uint,
    Format::R8Unorm,
    Format::Rg8Snorm,
    Format::R16Float,
    Format::Rgba8Unorm,
    Format::Rgba8UnormSrgb,
    Format::Bgra8Unorm,
    Format::Rgb9e5Ufloat,
    Format::Rgba16Sint,
    Format::R64Uint,
    Format::Stencil8,
    Format::Depth16Unorm,
    Format::Depth24Plus,
    Format::Depth32Float,
    Format::Depth24PlusStencil8,
    Format::Depth32FloatStencil8,
    // These are absent.
    Format::Bc1RgbaUnorm,
    Format::NV12,
];

impl Stream {
    pub(crate) fn create_texture(&mut self) {
        let alive = self.images.iter().filter(|image| !image.is_destroyed);
        if alive.count() >= TEXTURES {
            return;
        }
        let descriptor = self.texture_descriptor();
        let is_fine = self.is_texture(&descriptor);
        if self.is_careful && !is_fine {
            return;
        }
        let create = || self.gpu.device.create_texture(&descriptor);
        let intent = Intent::valid_if(is_fine);
        let (texture, is_there) = self.gpu.call(&descriptor, intent, create);
        if is_there {
            self.images.push(Image::new(texture));
        }
    }

    fn texture_descriptor(&mut self) -> wgpu::TextureDescriptor<'static> {
        let dimension = self.random.pick(&[
            Dimension::D1,
            Dimension::D2,
            Dimension::D2,
            Dimension::D2,
            Dimension::D3,
        ]);
        let sizes: &[u32] = if self.is_careful {
            &[1, 2, 3, 4, 5, 8, 17, 33]
        } else {
            &[0, 1, 4, 16_385, u32::MAX]
        };
        let format = self.random.pick(FORMATS);
        let samples = match self.random.below(6) {
            0 => self.random.pick(&[2, 4, 8]),
            1 if !self.is_careful => self.random.pick(&[0, 3, 16, 64]),
            _ => 1,
        };
        let [width, height] = [0; 2].map(|_| self.random.pick(sizes));
        let is_flat = dimension == Dimension::D1 && self.is_careful;
        let depth: &[u32] = if self.is_careful {
            &[1, 1, 2, 3, 6]
        } else {
            &[0, 1, 7, 2049, u32::MAX]
        };
        let depth = self.random.pick(depth);
        let levels: &[u32] = if self.is_careful {
            &[1, 1, 2, 3]
        } else {
            &[0, 1, 2, 40]
        };
        let mut usage = Usage::COPY_SRC;
        for one in [
            Usage::COPY_DST,
            Usage::TEXTURE_BINDING,
            Usage::STORAGE_BINDING,
            Usage::RENDER_ATTACHMENT,
        ] {
            usage.set(one, !self.random.one_in(4));
        }
        if self.is_careful {
            usage &= self
                .gpu
                .adapter
                .get_texture_format_features(format)
                .allowed_usages;
            usage.remove(match (dimension, samples) {
                (Dimension::D1, _) => Usage::RENDER_ATTACHMENT,
                (_, 1) => Usage::empty(),
                _ => Usage::STORAGE_BINDING,
            });
        }
        wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d {
                width,
                height: if is_flat { 1 } else { height },
                depth_or_array_layers: if is_flat { 1 } else { depth },
            },
            mip_level_count: self.random.pick(levels),
            sample_count: samples,
            dimension,
            format,
            usage,
            view_formats: &[],
        }
    }

    /// The rules of WebGPU for textures.
    fn is_texture(&self, descriptor: &wgpu::TextureDescriptor<'_>) -> bool {
        let limits = self.gpu.device.limits();
        let wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: depth,
        } = descriptor.size;
        let (flat, deep) = (
            limits.max_texture_dimension_2d,
            limits.max_texture_dimension_3d,
        );
        let (most, largest) = match descriptor.dimension {
            Dimension::D1 => ([limits.max_texture_dimension_1d, 1, 1], 1),
            Dimension::D2 => (
                [flat, flat, limits.max_texture_array_layers],
                width.max(height),
            ),
            Dimension::D3 => ([deep; 3], width.max(height).max(depth)),
        };
        let sizes = [width, height, depth];
        let (levels, samples) = (descriptor.mip_level_count, descriptor.sample_count);
        let format = descriptor.format;
        let features = self.gpu.adapter.get_texture_format_features(format);
        let sized = sizes
            .iter()
            .zip(most)
            .all(|(size, most)| (1..=most).contains(size));
        let is_target = descriptor.usage.contains(Usage::RENDER_ATTACHMENT);
        let sampled = samples == 1
            || features.flags.sample_count_supported(samples)
                && (levels, descriptor.dimension) == (1, Dimension::D2)
                && is_target
                && !descriptor.usage.contains(Usage::STORAGE_BINDING);
        sized
            && (1..=largest.ilog2() + 1).contains(&levels)
            && sampled
            && !descriptor.usage.is_empty()
            && features.allowed_usages.contains(descriptor.usage)
            && (descriptor.dimension == Dimension::D2 || !format.is_depth_stencil_format())
            && (descriptor.dimension != Dimension::D1 || !is_target)
    }
}
