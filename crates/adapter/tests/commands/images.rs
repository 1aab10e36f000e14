//! The model of textures: the bytes of every level, and effects that change them in order.

use std::ops::Range;

use wgpu::TextureUsages as Usage;

use crate::commands::model::Tracked;

/// A texture and what is known about it.
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) texture: wgpu::Texture,
    /// What each level holds; nothing where that cannot be copied to a buffer.
    pub(crate) levels: Option<Vec<Level>>,
    pub(crate) is_destroyed: bool,
}

/// Texels without gaps, row by row, slice by slice (or layer by layer).
#[derive(Clone, Debug)]
pub(crate) struct Level {
    size: [u32; 3],
    pub(crate) bytes: Vec<u8>,
}

/// Some texels of a level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) image: usize,
    pub(crate) level: u32,
    pub(crate) origin: [u32; 3],
    pub(crate) size: [u32; 3],
}

/// How texels lie in a buffer, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub(crate) offset: u64,
    pub(crate) row: u64,
    pub(crate) slice: u64,
}

/// A texture view of a kernel: a level, and some of its layers or all of its slices.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) image: usize,
    pub(crate) level: u32,
    pub(crate) slices: Range<u32>,
}

/// What a command does to textures when it runs. Buffers are given by their index.
#[derive(Clone, Debug)]
pub(crate) enum TexelEffect {
    FromBuffer(usize, Rows, Region),
    ToBuffer(Region, usize, Rows),
    /// To the second from the first.
    Copy(Region, Region),
    Clear {
        image: usize,
        levels: Range<u32>,
        layers: Range<u32>,
    },
    /// The first texels of what is seen become the words of a range of bytes.
    Gather {
        source: Seen,
        target: (usize, Range<u64>),
        count: u64,
    },
    /// Words of a buffer become the first texels.
    Scatter {
        source: (usize, Range<u64>),
        target: Seen,
        count: u64,
    },
    /// Texels, each with one added.
    Move {
        source: Seen,
        target: Seen,
        count: u64,
    },
}

impl Image {
    /// A texture of zeros.
    pub(crate) fn new(texture: wgpu::Texture) -> Self {
        let format = texture.format();
        let aspects = format.has_depth_aspect() && format.has_stencil_aspect();
        let texel = format
            .block_copy_size(None)
            .filter(|_| texture.sample_count() == 1 && !aspects);
        let levels = texel.map(|texel| {
            let sizes = (0..texture.mip_level_count()).map(|level| level_size(&texture, level));
            let level = |size: [u32; 3]| Level {
                size,
                bytes: vec![0; size.iter().product::<u32>() as usize * texel as usize],
            };
            sizes.map(level).collect()
        });
        Self {
            texture,
            levels,
            is_destroyed: false,
        }
    }

    pub(crate) fn has(&self, usage: Usage) -> bool {
        self.texture.usage().contains(usage)
    }

    /// Bytes of a texel of a format with one aspect.
    pub(crate) fn texel(&self) -> u64 {
        self.texture
            .format()
            .block_copy_size(None)
            .unwrap_or(1)
            .into()
    }

    /// Whether copies must take whole rows and columns.
    pub(crate) fn is_copied_whole(&self) -> bool {
        self.texture.format().is_depth_stencil_format() || self.texture.sample_count() > 1
    }

    /// Texels of a level along each axis; zeros where there is no such level.
    pub(crate) fn size(&self, level: u32) -> [u32; 3] {
        if level < self.texture.mip_level_count() {
            level_size(&self.texture, level)
        } else {
            [0; 3]
        }
    }

    /// Whether a copy may take this part.
    pub(crate) fn fits(&self, region: &Region) -> bool {
        let whole = self.size(region.level);
        let inside = (0..3).all(|axis| {
            let end = region.origin[axis].checked_add(region.size[axis]);
            end.is_some_and(|end| end <= whole[axis])
        });
        let is_exact = region.origin[..2] == [0; 2] && region.size[..2] == whole[..2];
        region.level < self.texture.mip_level_count()
            && inside
            && (is_exact || !self.is_copied_whole())
    }

    /// The layers, or slices, of a level that are seen, without gaps.
    fn seen(&mut self, seen: &Seen) -> Option<&mut [u8]> {
        let level = &mut self.levels.as_mut()?[seen.level as usize];
        let slice = level.bytes.len() / level.size[2] as usize;
        let slices = seen.slices.start as usize * slice..seen.slices.end as usize * slice;
        Some(&mut level.bytes[slices])
    }
}

fn level_size(texture: &wgpu::Texture, level: u32) -> [u32; 3] {
    let half = |size: u32| (size >> level).max(1);
    let depth = match texture.dimension() {
        wgpu::TextureDimension::D3 => half(texture.depth_or_array_layers()),
        _ => texture.depth_or_array_layers(),
    };
    let height = match texture.dimension() {
        wgpu::TextureDimension::D1 => 1,
        _ => half(texture.height()),
    };
    [half(texture.width()), height, depth]
}

/// Every row of a box: where its first texel is among those of the level, and its place in the box.
fn rows(region: &Region, level: [u32; 3]) -> impl Iterator<Item = (usize, [u64; 2])> + use<> {
    let Region { origin, size, .. } = *region;
    let places = (0..size[2]).flat_map(move |z| (0..size[1]).map(move |y| [y, z]));
    places.map(move |[y, z]| {
        let row = (origin[2] + z) * level[1] + origin[1] + y;
        let texel = row * level[0] + origin[0];
        (texel as usize, [y.into(), z.into()])
    })
}

impl Region {
    /// The bytes of its rows, in order.
    fn read(&self, images: &[Image]) -> Option<Vec<Vec<u8>>> {
        let image = &images[self.image];
        let texel = image.texel() as usize;
        let level = &image.levels.as_ref()?[self.level as usize];
        let bytes = self.size[0] as usize * texel;
        let rows = rows(self, level.size);
        Some(
            rows.map(|(at, _)| level.bytes[at * texel..][..bytes].to_vec())
                .collect(),
        )
    }

    fn write(&self, images: &mut [Image], content: &[Vec<u8>]) {
        let image = &mut images[self.image];
        let texel = image.texel() as usize;
        let Some(levels) = &mut image.levels else {
            return;
        };
        let level = &mut levels[self.level as usize];
        for ((at, _), row) in rows(self, level.size).zip(content) {
            level.bytes[at * texel..][..row.len()].copy_from_slice(row);
        }
    }

    /// Puts bytes of a buffer there.
    pub(crate) fn fill(&self, images: &mut [Image], bytes: &[u8], from: Rows) {
        let row = u64::from(self.size[0]) * images[self.image].texel();
        let rows = rows(self, images[self.image].size(self.level));
        let content = rows.map(|(_, place)| bytes[from.range(place, row)].to_vec());
        let content: Vec<_> = content.collect();
        self.write(images, &content);
    }
}

impl Rows {
    /// The offset of a row with this number of bytes, from its number in its slice and the number of the slice.
    fn range(&self, [y, z]: [u64; 2], bytes: u64) -> Range<usize> {
        let start = self.offset + z * self.slice + y * self.row;
        start as usize..(start + bytes) as usize
    }
}

impl TexelEffect {
    /// Whether it is a copy without texels.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::FromBuffer(_, _, region) | Self::ToBuffer(region, ..) | Self::Copy(region, _) => {
                region.size.contains(&0)
            }
            _ => false,
        }
    }

    /// The buffers that it uses.
    pub(crate) fn buffers(&self) -> Vec<usize> {
        match self {
            Self::FromBuffer(buffer, ..) | Self::ToBuffer(_, buffer, _) => vec![*buffer],
            Self::Gather { target, .. } => vec![target.0],
            Self::Scatter { source, .. } => vec![source.0],
            Self::Copy(..) | Self::Clear { .. } | Self::Move { .. } => Vec::new(),
        }
    }

    /// The textures that it uses.
    pub(crate) fn images(&self) -> Vec<usize> {
        match self {
            Self::FromBuffer(_, _, region) | Self::ToBuffer(region, ..) => vec![region.image],
            Self::Copy(from, to) => vec![from.image, to.image],
            Self::Clear { image, .. } => vec![*image],
            Self::Gather { source: seen, .. } | Self::Scatter { target: seen, .. } => {
                vec![seen.image]
            }
            Self::Move { source, target, .. } => vec![source.image, target.image],
        }
    }

    /// Does it.
    pub(crate) fn apply(&self, buffers: &mut [Tracked], images: &mut [Image]) {
        match self {
            Self::FromBuffer(source, from, region) => {
                let bytes = bytemuck::cast_slice(&buffers[*source].words);
                region.fill(images, bytes, *from);
            }
            Self::ToBuffer(region, target, to) => {
                let Some(content) = region.read(images) else {
                    return;
                };
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut buffers[*target].words);
                let level = images[region.image].size(region.level);
                for ((_, place), row) in rows(region, level).zip(content) {
                    bytes[to.range(place, row.len() as u64)].copy_from_slice(&row);
                }
            }
            Self::Copy(from, to) => {
                if let Some(content) = from.read(images) {
                    to.write(images, &content);
                }
            }
            Self::Clear {
                image,
                levels,
                layers,
            } => clear(&mut images[*image], levels, layers),
            Self::Gather {
                source,
                target: (target, range),
                count,
            } => {
                let texels = texels(images, source);
                let words = words(&mut buffers[*target], range);
                let texels = texels.chain(std::iter::repeat(0));
                let texels = texels.take(*count as usize);
                words
                    .iter_mut()
                    .zip(texels)
                    .for_each(|(word, texel)| *word = texel);
            }
            Self::Scatter {
                source: (source, range),
                target,
                count,
            } => {
                let words = words(&mut buffers[*source], range).iter().copied();
                let words: Vec<u32> = words.take(*count as usize).collect();
                store(images, target, words.into_iter());
            }
            Self::Move {
                source,
                target,
                count,
            } => {
                let texels = texels(images, source).chain(std::iter::repeat(0));
                let moved = texels.map(|texel| texel.wrapping_add(1));
                store(images, target, moved.take(*count as usize));
            }
        }
    }
}

fn clear(image: &mut Image, levels: &Range<u32>, layers: &Range<u32>) {
    let is_deep = image.texture.dimension() == wgpu::TextureDimension::D3;
    for level in levels.clone() {
        let slices = if is_deep {
            0..image.size(level)[2]
        } else {
            layers.clone()
        };
        let seen = Seen {
            image: 0,
            level,
            slices,
        };
        if let Some(bytes) = image.seen(&seen) {
            bytes.fill(0);
        }
    }
}

fn words<'a>(buffer: &'a mut Tracked, range: &Range<u64>) -> &'a mut [u32] {
    &mut buffer.words[(range.start / 4) as usize..(range.end / 4) as usize]
}

/// The first channel of every texel of an integer format.
fn texels(images: &mut [Image], seen: &Seen) -> impl Iterator<Item = u32> + use<> {
    let image = &mut images[seen.image];
    let texel = image.texel() as usize;
    let channel = texel / usize::from(image.texture.format().components());
    let bytes = image.seen(seen).map_or(Vec::new(), |bytes| bytes.to_vec());
    let numbers = bytes.chunks_exact(texel).map(|texel| {
        let mut word = [0; 4];
        word[..channel].copy_from_slice(&texel[..channel]);
        u32::from_le_bytes(word)
    });
    numbers.collect::<Vec<_>>().into_iter()
}

/// Texels of `r32uint`, as many as there are.
fn store(images: &mut [Image], seen: &Seen, values: impl Iterator<Item = u32>) {
    if let Some(bytes) = images[seen.image].seen(seen) {
        for (texel, value) in bytes.chunks_exact_mut(4).zip(values) {
            texel.copy_from_slice(&value.to_le_bytes());
        }
    }
}
