//! A mip level as plain memory, for generated code that addresses texels itself.
//!
//! In: a [`View`] and the words of its texture. Out: base, size and strides of one mip level ([`LevelMemory`]). What
//! always holds: every texel of the level lies inside the returned words, and all offsets fit into 32 bits.

use std::sync::atomic::AtomicU32;

use crate::Extent;
use crate::view::{TexelAddress, View};

/// Base, size and strides of a mip level.
#[derive(Clone, Copy, Debug)]
pub struct LevelMemory<'a> {
    /// The words of the texture from the one that contains the first texel. All texels of the level are inside.
    pub words: &'a [AtomicU32],
    /// LevelMemory per row, rows, and slices or layers.
    pub extent: Extent,
    /// Byte offset of the first texel in `words`, 0 to 3.
    pub first: u32,
    /// Bytes from one texel to the next.
    pub step: u32,
    /// Bytes from one row to the next.
    pub row: u32,
    /// Bytes from one depth slice or layer to the next.
    pub slice: u32,
}

impl View {
    /// The memory of a mip level. `None` if there is no such level, the words do not contain all of it, it has several
    /// samples, or its offsets do not fit into 32 bits.
    pub fn level_memory<'a>(&self, words: &'a [AtomicU32], level: u32) -> Option<LevelMemory<'a>> {
        let first = TexelAddress {
            level,
            ..TexelAddress::default()
        };
        let start = self.offset(first)?;
        let level = self.levels.get(level as usize)?;
        // A texture has several layers or several slices, never both.
        let extent = Extent {
            z: level.extent.z.max(self.layers),
            ..level.extent
        };
        let step = self.format.bytes();
        let axes = [
            (extent.x, u64::from(step)),
            (extent.y, level.row),
            (extent.z, level.slice),
        ];
        let mut end = start % 4 + u64::from(step);
        for (count, distance) in axes {
            let last = u64::from(count.checked_sub(1)?);
            end = end.checked_add(last.checked_mul(distance)?)?;
        }
        let words = words.get(usize::try_from(start / 4).ok()?..)?;
        let is_whole = u32::try_from(end).is_ok() && end.div_ceil(4) <= words.len() as u64;
        (is_whole && self.samples == 1).then_some(LevelMemory {
            words,
            extent,
            first: (start % 4) as u32,
            step,
            row: u32::try_from(level.row).ok()?,
            slice: u32::try_from(level.slice).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dimension, Format, Layout, Subresource, TextureShape};

    fn shape(layers: u32, samples: u32, z: u32) -> TextureShape {
        TextureShape {
            extent: Extent { x: 5, y: 3, z },
            layers,
            levels: if samples == 1 { 2 } else { 1 },
            samples,
        }
    }

    fn memory(layout: &Layout) -> Vec<AtomicU32> {
        (0..layout.bytes() / 4).map(|_| AtomicU32::new(0)).collect()
    }

    /// Every texel is where its offset says, also in views that begin in the middle of a texture.
    #[test]
    fn texels_are_where_they_are() {
        for &format in Format::ALL {
            for (shape, dimension) in [
                (shape(4, 1, 1), Dimension::D2Array),
                (shape(1, 1, 4), Dimension::D3),
            ] {
                let layout = Layout::new(format, shape).unwrap();
                let memory = memory(&layout);
                let skipped = u32::from(dimension == Dimension::D2Array);
                let part = Subresource {
                    layer: skipped,
                    layers: shape.layers - skipped,
                    ..layout.whole()
                };
                let view = layout.part(dimension, layout.planes()[0].format, part);
                for level in 0..2 {
                    compare(&view, &memory, level);
                }
            }
        }
    }

    fn compare(view: &View, memory: &[AtomicU32], level: u32) {
        let found = view.level_memory(memory, level).unwrap();
        let start = memory.len() - found.words.len();
        let Extent { x, y, z } = found.extent;
        for (x, y, z) in
            (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| (x, y, z))))
        {
            let at = x * found.step + y * found.row + z * found.slice + found.first;
            let (layer, z) = match view.dimension {
                Dimension::D3 => (0, z),
                _ => (z, 0),
            };
            let address = TexelAddress {
                position: Extent { x, y, z },
                layer,
                level,
                sample: 0,
            };
            assert_eq!(view.offset(address), Some(start as u64 * 4 + u64::from(at)));
        }
    }

    #[test]
    fn what_is_not_there_or_not_whole_is_nothing() {
        let layout = Layout::new(Format::R32Uint, shape(1, 1, 1)).unwrap();
        let view = layout.view(Dimension::D2);
        let memory = memory(&layout);
        assert!(view.level_memory(&memory, 0).is_some());
        assert!(view.level_memory(&memory, 2).is_none());
        assert!(view.level_memory(&memory[..14], 0).is_none());
        assert!(view.level_memory(&memory[..15], 0).is_some());
        let samples = Layout::new(Format::R32Uint, shape(1, 4, 1)).unwrap();
        let view = samples.view(Dimension::D2);
        assert!(view.level_memory(&memory, 0).is_none());
    }
}
