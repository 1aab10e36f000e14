//! Commands that move or clear texels, most of them right.

use wgpu::{BufferUsages, TextureDimension as Dimension, TextureFormat as Format, TextureUsages};

use crate::commands::encoding::Encoded;
use crate::commands::images::{Image, TexelEffect};
use crate::commands::model::{Effect, Tracked};
use crate::commands::stream::Stream;
use crate::commands::textures::Alignment;

impl Stream {
    /// A buffer for texels: what texels are as the size of a dispatch nobody knows.
    pub(crate) fn texel_buffer(&mut self, usage: BufferUsages) -> Option<usize> {
        let usage = if self.is_careful {
            usage
        } else {
            BufferUsages::empty()
        };
        self.choose(|tracked: &Tracked| {
            tracked.is_idle()
                && tracked.has(usage)
                && !tracked.has(BufferUsages::INDIRECT)
                && tracked.size() > 0
        })
    }

    /// A command that moves or clears texels; `is_first` if its encoder has none yet.
    pub(crate) fn copy_texels(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        is_first: bool,
    ) -> Option<Encoded> {
        match self.random.below(4) {
            0 => self.texels_from_buffer(encoder),
            1 => self.texels_to_buffer(encoder),
            2 => self.copy_texture(encoder, is_first),
            _ => self.clear_texture(encoder),
        }
    }

    fn texels_from_buffer(&mut self, encoder: &mut wgpu::CommandEncoder) -> Option<Encoded> {
        let is_careful = self.is_careful;
        let image = self.choose_image(|image| !is_careful || Self::takes_bytes(image))?;
        let source = self.texel_buffer(BufferUsages::COPY_SRC)?;
        let region = self.region(image);
        let spoken = self.rows(&region, Alignment::Strict);
        let tracked = &self.buffers[source];
        let end = spoken.layout.offset.saturating_add(spoken.bytes);
        let fine = spoken.is_fine
            && end <= tracked.size()
            && tracked.has(BufferUsages::COPY_SRC)
            && self.images[image].fits(&region)
            && Self::takes_bytes(&self.images[image]);
        if !fine && self.is_careful {
            return None;
        }
        let buffer = wgpu::TexelCopyBufferInfo {
            buffer: &tracked.buffer,
            layout: spoken.layout,
        };
        let (texels, size) = self.texels(&region);
        encoder.copy_buffer_to_texture(buffer, texels, size);
        self.does(fine, TexelEffect::FromBuffer(source, spoken.rows, region))
    }

    fn texels_to_buffer(&mut self, encoder: &mut wgpu::CommandEncoder) -> Option<Encoded> {
        let gives = |image: &Image| image.has(TextureUsages::COPY_SRC) && image.levels.is_some();
        let is_careful = self.is_careful;
        let image = self.choose_image(|image| !is_careful || gives(image))?;
        let target = self.texel_buffer(BufferUsages::COPY_DST)?;
        let region = self.region(image);
        let spoken = self.rows(&region, Alignment::Strict);
        let tracked = &self.buffers[target];
        let end = spoken.layout.offset.saturating_add(spoken.bytes);
        let fine = spoken.is_fine
            && end <= tracked.size()
            && tracked.has(BufferUsages::COPY_DST)
            && self.images[image].fits(&region)
            && gives(&self.images[image]);
        if !fine && self.is_careful {
            return None;
        }
        let buffer = wgpu::TexelCopyBufferInfo {
            buffer: &tracked.buffer,
            layout: spoken.layout,
        };
        let (texels, size) = self.texels(&region);
        encoder.copy_texture_to_buffer(texels, buffer, size);
        self.does(fine, TexelEffect::ToBuffer(region, target, spoken.rows))
    }

    fn copy_texture(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        is_first: bool,
    ) -> Option<Encoded> {
        let source = self.choose_image(|_| true)?;
        let (format, samples) = kind(&self.images[source]);
        let is_careful = self.is_careful;
        let fits = |image: &Image| !is_careful || kind(image) == (format, samples);
        let target = self.choose_image(fits)?;
        let mut from = self.region(source);
        let mut to = self.region(target);
        for axis in 0..3 {
            let size = from.size[axis].min(to.size[axis]);
            (from.size[axis], to.size[axis]) = (size, size);
        }
        // wgpu-core 30 panics when layers of such a copy were used in different ways before.
        if (!is_first || source == target) && from.size[2] > 1 {
            (from.size[2], to.size[2]) = (1, 1);
        }
        let [one, other] = [&self.images[source], &self.images[target]];
        let is_deep = |image: &Image| image.texture.dimension() == Dimension::D3;
        // wgpu 30 copies one slice only to layers from slices.
        if is_deep(one) && !is_deep(other) && from.size[2] > 1 {
            return None;
        }
        let same_level = source == target && from.level == to.level;
        let [z, other_z] = [from.origin[2], to.origin[2]];
        // Nothing at all is a layer less; of other dimensions there is always one.
        let layers = match one.texture.dimension() {
            Dimension::D2 => from.size[2],
            Dimension::D1 | Dimension::D3 => from.size[2].max(1),
        };
        let apart = z.abs_diff(other_z) >= layers;
        // wgpu 30 lets slices overlap, and WebGPU does not.
        if same_level && is_deep(one) && z != other_z && !apart {
            return None;
        }
        let fine = kind(one) == kind(other)
            && one.fits(&from)
            && other.fits(&to)
            && one.has(TextureUsages::COPY_SRC)
            && other.has(TextureUsages::COPY_DST)
            && (!same_level || apart);
        if !fine && self.is_careful {
            return None;
        }
        let ((from_texels, size), (to_texels, _)) = (self.texels(&from), self.texels(&to));
        encoder.copy_texture_to_texture(from_texels, to_texels, size);
        self.does(fine, TexelEffect::Copy(from, to))
    }

    fn clear_texture(&mut self, encoder: &mut wgpu::CommandEncoder) -> Option<Encoded> {
        let image = self.choose_image(|_| true)?;
        let texture = &self.images[image].texture;
        let layers = match texture.dimension() {
            Dimension::D3 => 1,
            _ => texture.depth_or_array_layers(),
        };
        let all = [texture.mip_level_count(), layers];
        let mut first = [0; 2];
        let mut count = [None; 2];
        for axis in 0..2 {
            first[axis] = self.random.below(all[axis].into()) as u32;
            let rest = all[axis] - first[axis];
            if self.random.one_in(2) {
                let more = u32::from(!self.is_careful && self.random.one_in(3)) * rest;
                count[axis] = Some(1 + self.random.below(rest.into()) as u32 + more);
            }
        }
        let ends = [0, 1].map(|axis| count[axis].map_or(all[axis], |count| first[axis] + count));
        let fine = ends[0] <= all[0] && ends[1] <= all[1];
        encoder.clear_texture(
            &self.images[image].texture,
            &wgpu::ImageSubresourceRange {
                aspect: wgpu::TextureAspect::All,
                base_mip_level: first[0],
                mip_level_count: count[0],
                base_array_layer: first[1],
                array_layer_count: count[1],
            },
        );
        let effect = TexelEffect::Clear {
            image,
            levels: first[0]..ends[0],
            layers: first[1]..ends[1],
        };
        self.does(fine, effect)
    }

    /// What a command comes to. A copy without texels is ignored if nothing else is wrong with it.
    pub(crate) fn does(&self, is_fine: bool, effect: TexelEffect) -> Option<Encoded> {
        if !is_fine {
            return Some(Encoded::IsWrong);
        }
        (!effect.is_empty()).then_some(Encoded::Does(Effect::Texels(effect)))
    }
}

/// What two textures have in common that texels are copied between.
fn kind(image: &Image) -> (Format, u32) {
    let texture = &image.texture;
    (
        texture.format().remove_srgb_suffix(),
        texture.sample_count(),
    )
}
