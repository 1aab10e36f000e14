//! Textures of a stream: parts of them, writing, destroying and looking at them.

use wgpu::{TextureFormat as Format, TextureUsages as Usage};

use crate::commands::device::Intent;
use crate::commands::images::{Image, Region, Rows};
use crate::commands::stream::Stream;

/// How a copy speaks of texels in a buffer, and whether that fits.
pub(crate) struct Spoken {
    pub(crate) layout: wgpu::TexelCopyBufferLayout,
    pub(crate) rows: Rows,
    /// Bytes from the offset on.
    pub(crate) bytes: u64,
    pub(crate) is_fine: bool,
}

/// Whether rows in a buffer are aligned.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Alignment {
    Any,
    /// As commands want it.
    Strict,
}

impl Stream {
    pub(crate) fn choose_image(&mut self, fits: impl Fn(&Image) -> bool) -> Option<usize> {
        let images = self.images.iter().enumerate();
        let fitting = images.filter(|(_, image)| !image.is_destroyed && fits(image));
        let fitting: Vec<usize> = fitting.map(|(index, _)| index).collect();
        (!fitting.is_empty()).then(|| self.random.pick(&fitting))
    }

    pub(crate) fn destroy_texture(&mut self) {
        if let Some(index) = self.choose_image(|_| true) {
            let image = &mut self.images[index];
            let texture = &image.texture;
            self.gpu
                .call("destroy", Intent::Valid, || texture.destroy());
            image.is_destroyed = true;
        }
    }

    /// A part of a level, mostly one that is there.
    pub(crate) fn region(&mut self, index: usize) -> Region {
        let image = &self.images[index];
        let level = self.random.below(image.texture.mip_level_count().into()) as u32;
        let whole = image.size(level);
        let mut region = Region {
            image: index,
            level,
            origin: [0; 3],
            size: whole,
        };
        let is_whole = image.is_copied_whole();
        for (axis, &texels) in whole.iter().enumerate() {
            if (axis < 2 && is_whole) || self.random.one_in(3) {
                continue;
            }
            region.origin[axis] = self.random.below(texels.into()) as u32;
            let rest = texels - region.origin[axis];
            region.size[axis] = 1 + self.random.below(rest.into()) as u32;
        }
        if !self.is_careful {
            let axis = self.random.below(3) as usize;
            match self.random.below(6) {
                0 => region.level = self.random.pick(&[level + 1, 31, 4096]),
                1 => region.origin[axis] = self.random.pick(&[1, 40, u32::MAX]),
                2 => region.size[axis] = self.random.pick(&[0, 1, 40, u32::MAX]),
                _ => {}
            }
        }
        region
    }

    /// How the texels of a region lie in a buffer, with gaps or without.
    pub(crate) fn rows(&mut self, region: &Region, alignment: Alignment) -> Spoken {
        let texel = self.images[region.image].texel();
        let [width, height, depth] = region.size.map(u64::from);
        let tight = width * texel;
        let is_strict = alignment == Alignment::Strict;
        let mut row = if is_strict {
            tight.next_multiple_of(256)
        } else {
            tight
        };
        if self.random.one_in(3) {
            row += self.random.pick(&[256, 512]);
        }
        let mut rows = height + self.random.pick(&[0, 0, 1, 3]);
        let whole_texels = texel.max(4);
        let mut offset = self.random.below(4) * whole_texels;
        if !self.is_careful {
            match self.random.below(6) {
                0 => row = self.random.pick(&[1, 7, 255, row / 2]),
                1 => rows = rows.saturating_sub(2),
                2 => offset = self.random.pick(&[1, 3, 1 << 20, 1 << 40]),
                _ => {}
            }
        }
        let needs_row = height > 1 || depth > 1;
        let says_row = needs_row && self.is_careful || self.random.one_in(2);
        let says_rows = depth > 1 && self.is_careful || self.random.one_in(2);
        let layout = wgpu::TexelCopyBufferLayout {
            offset,
            bytes_per_row: says_row.then_some(u32::try_from(row).unwrap_or(u32::MAX)),
            rows_per_image: says_rows.then_some(u32::try_from(rows).unwrap_or(u32::MAX)),
        };
        let row = layout.bytes_per_row.map_or(tight, u64::from);
        let rows = layout.rows_per_image.map_or(height, u64::from);
        let aligned = match self.images[region.image].texture.format() {
            format if format.is_depth_stencil_format() => offset.is_multiple_of(4),
            _ => offset.is_multiple_of(texel),
        };
        let is_aligned = aligned
            && layout
                .bytes_per_row
                .is_none_or(|row| row.is_multiple_of(256));
        let slice = row.saturating_mul(rows);
        let last = match height {
            0 => 0,
            _ => (row.saturating_mul(height - 1)).saturating_add(tight),
        };
        let bytes = match depth {
            0 => 0,
            _ => slice.saturating_mul(depth - 1).saturating_add(last),
        };
        Spoken {
            layout,
            rows: Rows { offset, row, slice },
            bytes,
            is_fine: row >= tight
                && rows >= height
                && (layout.bytes_per_row.is_some() || !needs_row)
                && (layout.rows_per_image.is_some() || depth <= 1)
                && (is_aligned || !is_strict),
        }
    }

    /// A region as wgpu says it.
    pub(crate) fn texels(
        &self,
        region: &Region,
    ) -> (wgpu::TexelCopyTextureInfo<'_>, wgpu::Extent3d) {
        let [x, y, z] = region.origin;
        let [width, height, depth] = region.size;
        let texels = wgpu::TexelCopyTextureInfo {
            texture: &self.images[region.image].texture,
            mip_level: region.level,
            origin: wgpu::Origin3d { x, y, z },
            aspect: wgpu::TextureAspect::All,
        };
        let size = wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: depth,
        };
        (texels, size)
    }

    /// Whether texels of a texture can come from buffers.
    pub(crate) fn takes_bytes(image: &Image) -> bool {
        image.has(Usage::COPY_DST)
            && image.levels.is_some()
            && image.texture.format() != Format::Depth32Float
    }

    pub(crate) fn write_texture(&mut self) {
        let is_careful = self.is_careful;
        let fits = |image: &Image| !is_careful || Self::takes_bytes(image);
        let Some(index) = self.choose_image(fits) else {
            return;
        };
        let region = self.region(index);
        let spoken = self.rows(&region, Alignment::Any);
        let needed = spoken.layout.offset.saturating_add(spoken.bytes);
        let given = if self.is_careful {
            needed + self.random.pick(&[0, 0, 5])
        } else {
            needed.saturating_sub(self.random.pick(&[0, 1]))
        };
        if given > 1 << 22 {
            return;
        }
        let bytes: Vec<u8> = (0..given).map(|_| self.random.below(256) as u8).collect();
        let is_fine = spoken.is_fine
            && given >= needed
            && self.images[index].fits(&region)
            && Self::takes_bytes(&self.images[index]);
        let (texels, size) = self.texels(&region);
        let write = || {
            self.gpu
                .queue
                .write_texture(texels, &bytes, spoken.layout, size);
        };
        let what = (
            "write_texture",
            region,
            spoken.layout,
            given,
            texels.texture,
        );
        let (_, is_done) = self.gpu.call(what, Intent::valid_if(is_fine), write);
        if is_done && !region.size.contains(&0) {
            region.fill(&mut self.images, &bytes, spoken.rows);
        }
    }

    pub(crate) fn look_at_a_texture(&mut self) {
        if let Some(index) = self.choose_image(|_| true) {
            self.look_at_texture(index);
        }
    }

    /// Compares every level of a texture with the model, through a copy.
    pub(crate) fn look_at_texture(&mut self, index: usize) {
        let image = &self.images[index];
        let Some(levels) = &image.levels else {
            return;
        };
        if image.is_destroyed || !image.has(Usage::COPY_SRC) {
            return;
        }
        for (level, expected) in (0..).zip(levels) {
            let region = Region {
                image: index,
                level,
                origin: [0; 3],
                size: image.size(level),
            };
            let seen = self
                .gpu
                .call("look", Intent::Valid, || self.download(&region));
            let format = image.texture.format();
            assert!(
                seen.0 == expected.bytes,
                "level {level} of texture {index}, {format:?}"
            );
        }
    }

    /// The texels of a region, without gaps.
    fn download(&self, region: &Region) -> Vec<u8> {
        let device = &self.gpu.device;
        let tight = u64::from(region.size[0]) * self.images[region.image].texel();
        let row = tight.next_multiple_of(256);
        let rows = u64::from(region.size[1]) * u64::from(region.size[2]);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: row * rows,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(row as u32),
            rows_per_image: Some(region.size[1]),
        };
        let target = wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout,
        };
        let (texels, size) = self.texels(region);
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.copy_texture_to_buffer(texels, target, size);
        self.gpu.queue.submit([encoder.finish()]);
        buffer.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
        self.gpu.wait();
        let view = buffer.get_mapped_range(..).unwrap();
        let rows = view.chunks_exact(row as usize);
        rows.flat_map(|row| &row[..tight as usize])
            .copied()
            .collect()
    }
}
