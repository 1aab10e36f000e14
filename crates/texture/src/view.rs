//! Texture views: loads, stores and size queries, as shaders do them.
//!
//! In: a [`View`] from a [`Layout`](crate::Layout), the words of the texture, and texel addresses. Out: decoded values,
//! or changed words. What always holds: an address outside the view reads as zeros, and a store to it is discarded; a
//! store to a texel of 1 or 2 bytes is an atomic read-modify-write of its word, so neighbouring texels keep their
//! values.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::{Dimension, Extent, Format};

/// Location and size of a mip level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Byte offset of the first texel.
    pub offset: u64,
    /// Size in texels.
    pub extent: Extent,
    /// Bytes from one row to the next.
    pub row: u64,
    /// Bytes from one layer or depth slice to the next.
    pub slice: u64,
}

/// The address of a texel in a view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TexelAddress {
    /// Coordinates in the mip level; zero along axes that the texture does not have.
    pub position: Extent,
    /// Array layer, relative to the first layer of the view.
    pub layer: u32,
    /// Mip level, relative to the first level of the view.
    pub level: u32,
    /// Sample index.
    pub sample: u32,
}

/// A part of a texture, with the format and dimension it is read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The format in which texels are decoded.
    pub format: Format,
    /// How the view is addressed.
    pub dimension: Dimension,
    /// Number of layers. A cube counts as six.
    pub layers: u32,
    /// Samples per texel.
    pub samples: u32,
    /// The mip levels; their offsets are those of the view's first layer.
    pub levels: Vec<Level>,
}

impl View {
    /// The size of a mip level; zeros if there is no such level.
    pub fn extent(&self, level: u32) -> Extent {
        let level = self.levels.get(level as usize);
        level.map_or_else(Extent::default, |level| level.extent)
    }

    /// The number of array elements: layers, or whole cubes.
    pub fn array_layers(&self) -> u32 {
        match self.dimension {
            Dimension::Cube | Dimension::CubeArray => self.layers / 6,
            _ => self.layers,
        }
    }

    /// The byte offset of a texel; `None` if it is outside the view.
    pub fn offset(&self, address: TexelAddress) -> Option<u64> {
        self.offset_as(self.format, address)
    }

    /// The same with the format as a constant, so that its arms fold away.
    #[inline(always)]
    fn offset_as(&self, format: Format, address: TexelAddress) -> Option<u64> {
        let level = self.levels.get(address.level as usize)?;
        let Extent { x, y, z } = address.position;
        let inside = x < level.extent.x
            && y < level.extent.y
            && z < level.extent.z
            && address.layer < self.layers
            && address.sample < self.samples;
        if !inside {
            return None;
        }
        let texel = u64::from(x) * u64::from(self.samples) + u64::from(address.sample);
        // A texture has several layers or several slices, never both.
        let slice = u64::from(z) + u64::from(address.layer);
        Some(
            level.offset
                + slice * level.slice
                + u64::from(y) * level.row
                + texel * u64::from(format.bytes()),
        )
    }

    /// The bits of the texel at a byte offset.
    #[inline(always)]
    fn bits_at(format: Format, words: &[AtomicU32], offset: u64) -> Option<[u32; 4]> {
        let first = (offset / 4) as usize;
        let mut texel = [0; 4];
        match format.bytes() {
            bytes @ (1 | 2) => {
                let word = words.get(first)?.load(Relaxed);
                texel[0] = word >> (offset % 4 * 8) & mask(bytes);
            }
            bytes => {
                let source = words.get(first..first + bytes as usize / 4)?;
                for (part, word) in texel.iter_mut().zip(source) {
                    *part = word.load(Relaxed);
                }
            }
        }
        Some(texel)
    }

    /// The bits of a texel; `None` if it is outside the view.
    pub fn read(&self, words: &[AtomicU32], address: TexelAddress) -> Option<[u32; 4]> {
        self.read_as(self.format, words, address)
    }

    #[inline(always)]
    fn read_as(
        &self,
        format: Format,
        words: &[AtomicU32],
        address: TexelAddress,
    ) -> Option<[u32; 4]> {
        Self::bits_at(format, words, self.offset_as(format, address)?)
    }

    /// Replaces the bits of a texel; does nothing if it is outside the view.
    pub fn write(&self, words: &[AtomicU32], address: TexelAddress, texel: [u32; 4]) {
        self.write_as(self.format, words, address, texel);
    }

    #[inline(always)]
    fn write_as(
        &self,
        format: Format,
        words: &[AtomicU32],
        address: TexelAddress,
        texel: [u32; 4],
    ) {
        let Some(offset) = self.offset_as(format, address) else {
            return;
        };
        let first = (offset / 4) as usize;
        match format.bytes() {
            bytes @ (1 | 2) => {
                let shift = offset % 4 * 8;
                let keep = !(mask(bytes) << shift);
                if let Some(word) = words.get(first) {
                    let changed = |old: u32| Some(old & keep | texel[0] << shift);
                    // The closure always returns `Some`, so this cannot fail.
                    let _ = word.fetch_update(Relaxed, Relaxed, changed);
                }
            }
            bytes => {
                if let Some(target) = words.get(first..first + bytes as usize / 4) {
                    for (word, part) in target.iter().zip(texel) {
                        word.store(part, Relaxed);
                    }
                }
            }
        }
    }

    /// Loads and decodes a texel; zeros if it is outside the view.
    pub fn load(&self, words: &[AtomicU32], address: TexelAddress) -> [u32; 4] {
        let texel = self.read(words, address);
        texel.map_or([0; 4], |texel| self.format.decode(texel))
    }

    /// Encodes and stores a value; does nothing if the address is outside the view.
    pub fn store(&self, words: &[AtomicU32], address: TexelAddress, value: [u32; 4]) {
        self.write(words, address, self.format.encode(value));
    }

    /// Loads several texels, each as [`load`](Self::load) does.
    pub fn load_each(
        &self,
        words: &[AtomicU32],
        addresses: &[TexelAddress],
        values: &mut [[u32; 4]],
    ) {
        // One loop per format, in which the format is a constant.
        macro_rules! by_format {
            ($($name:ident)*) => {
                match self.format {
                    $(Format::$name => for (value, address) in values.iter_mut().zip(addresses) {
                        let texel = self.read_as(Format::$name, words, *address);
                        *value = texel.map_or([0; 4], |texel| Format::$name.decode(texel));
                    },)*
                }
            };
        }
        with_formats!(by_format);
    }

    /// Loads texels of one layer or depth slice of one mip level, each as [`load`](Self::load) does. Coordinates are
    /// `x` and `y`; the rest of the address is that of `address`.
    pub fn load_slice(
        &self,
        words: &[AtomicU32],
        address: TexelAddress,
        [x, y]: [&[u32]; 2],
        values: &mut [[u32; 4]],
    ) {
        let corner = Extent {
            x: 0,
            y: 0,
            z: address.position.z,
        };
        let start = self.offset(TexelAddress {
            position: corner,
            ..address
        });
        let (Some(start), Some(level)) = (start, self.levels.get(address.level as usize)) else {
            return values.fill([0; 4]);
        };
        let Level { extent, row, .. } = *level;
        let samples = u64::from(self.samples);
        macro_rules! by_format {
            ($($name:ident)*) => {
                match self.format {
                    $(Format::$name => {
                        let step = samples * u64::from(Format::$name.bytes());
                        for ((value, x), y) in values.iter_mut().zip(x).zip(y) {
                            let is_inside = *x < extent.x && *y < extent.y;
                            let texel = is_inside.then(|| {
                                let offset = start + u64::from(*y) * row + u64::from(*x) * step;
                                Self::bits_at(Format::$name, words, offset)
                            });
                            let texel = texel.flatten();
                            *value = texel.map_or([0; 4], |texel| Format::$name.decode(texel));
                        }
                    },)*
                }
            };
        }
        with_formats!(by_format);
    }

    /// Stores several values in order, each as [`store`](Self::store) does.
    pub fn store_each(&self, words: &[AtomicU32], addresses: &[TexelAddress], values: &[[u32; 4]]) {
        macro_rules! by_format {
            ($($name:ident)*) => {
                match self.format {
                    $(Format::$name => for (value, address) in values.iter().zip(addresses) {
                        self.write_as(Format::$name, words, *address, Format::$name.encode(*value));
                    },)*
                }
            };
        }
        with_formats!(by_format);
    }

    /// The word of a 4-byte texel, for atomic operations.
    pub fn word<'a>(&self, words: &'a [AtomicU32], address: TexelAddress) -> Option<&'a AtomicU32> {
        if self.format.bytes() != 4 {
            return None;
        }
        words.get((self.offset(address)? / 4) as usize)
    }

    /// The two words of an 8-byte texel, for atomic operations.
    pub fn pair<'a>(
        &self,
        words: &'a [AtomicU32],
        address: TexelAddress,
    ) -> Option<&'a [AtomicU32]> {
        if self.format.bytes() != 8 {
            return None;
        }
        let first = (self.offset(address)? / 4) as usize;
        words.get(first..first + 2)
    }
}

fn mask(bytes: u32) -> u32 {
    (1 << (8 * bytes)) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Subresource, TextureShape};

    fn memory(layout: &Layout) -> Vec<AtomicU32> {
        (0..layout.bytes() / 4).map(|_| AtomicU32::new(0)).collect()
    }

    fn at(x: u32, y: u32) -> TexelAddress {
        TexelAddress {
            position: Extent { x, y, z: 0 },
            ..TexelAddress::default()
        }
    }

    #[test]
    fn every_texel_has_an_address_of_its_own() {
        let shape = TextureShape {
            extent: Extent { x: 3, y: 2, z: 1 },
            layers: 4,
            levels: 2,
            samples: 1,
        };
        for &format in Format::ALL {
            let layout = Layout::new(format, shape).unwrap();
            for (plane, planar) in layout.planes().iter().enumerate() {
                let part = Subresource {
                    plane,
                    ..layout.whole()
                };
                let view = layout.part(Dimension::D2Array, planar.format, part);
                let mut bytes = Vec::new();
                for level in 0..2 {
                    let Extent { x, y, .. } = view.extent(level);
                    for layer in 0..4 {
                        for (x, y) in (0..y).flat_map(|y| (0..x).map(move |x| (x, y))) {
                            let address = TexelAddress {
                                layer,
                                level,
                                ..at(x, y)
                            };
                            let first = view.offset(address).unwrap();
                            bytes.extend(first..first + u64::from(planar.format.bytes()));
                        }
                    }
                }
                let count = bytes.len();
                bytes.dedup();
                assert!(bytes.is_sorted() && bytes.len() == count, "{format:?}");
                assert!(*bytes.last().unwrap() < layout.bytes());
            }
        }
    }

    #[test]
    fn outside_reads_zero_and_writes_vanish() {
        let layout = Layout::new(Format::R8Uint, TextureShape::new_2d(3, 3)).unwrap();
        let words = memory(&layout);
        let view = layout.view(Dimension::D2);
        let outside = [
            at(3, 0),
            at(0, 3),
            at(u32::MAX, 0),
            TexelAddress {
                layer: 1,
                ..at(0, 0)
            },
            TexelAddress {
                level: 1,
                ..at(0, 0)
            },
            TexelAddress {
                sample: 1,
                ..at(0, 0)
            },
            TexelAddress {
                position: Extent { x: 0, y: 0, z: 1 },
                ..TexelAddress::default()
            },
        ];
        for address in outside {
            view.store(&words, address, [7; 4]);
            assert_eq!(view.load(&words, address), [0; 4]);
        }
        assert!(words.iter().all(|word| word.load(Relaxed) == 0));
        assert_eq!(view.extent(1), Extent::default());
    }

    #[test]
    fn neighbours_in_a_word_are_left_alone() {
        for format in [Format::R8Uint, Format::Rg8Uint, Format::R16Uint] {
            let layout = Layout::new(format, TextureShape::new_2d(4, 1)).unwrap();
            let words = memory(&layout);
            let view = layout.view(Dimension::D2);
            for x in 0..4 {
                view.store(&words, at(x, 0), [x + 1, x + 101, 0, 0]);
            }
            for x in 0..4 {
                assert_eq!(view.load(&words, at(x, 0))[0], x + 1, "{format:?}");
            }
        }
    }

    #[test]
    fn threads_that_share_a_word_lose_nothing() {
        let layout = Layout::new(Format::R8Uint, TextureShape::new_2d(4, 64)).unwrap();
        let words = memory(&layout);
        let view = layout.view(Dimension::D2);
        std::thread::scope(|scope| {
            for x in 0..4 {
                let (view, words) = (&view, &words);
                scope.spawn(move || {
                    for round in 1..=100 {
                        for y in 0..64 {
                            view.store(words, at(x, y), [round + x; 4]);
                        }
                    }
                });
            }
        });
        for (x, y) in (0..4).flat_map(|x| (0..64).map(move |y| (x, y))) {
            assert_eq!(view.load(&words, at(x, y))[0], 100 + x);
        }
    }

    #[test]
    fn parts_begin_at_their_first_layer_and_level() {
        let shape = TextureShape {
            layers: 6,
            levels: 3,
            ..TextureShape::new_2d(8, 8)
        };
        let layout = Layout::new(Format::R32Uint, shape).unwrap();
        let words = memory(&layout);
        let address = TexelAddress {
            layer: 4,
            level: 1,
            ..at(1, 2)
        };
        layout
            .view(Dimension::D2Array)
            .store(&words, address, [9; 4]);
        let part = Subresource {
            plane: 0,
            level: 1,
            levels: 1,
            layer: 3,
            layers: 2,
        };
        let view = layout.part(Dimension::D2Array, Format::R32Uint, part);
        let address = TexelAddress {
            layer: 1,
            ..at(1, 2)
        };
        assert_eq!(view.load(&words, address)[0], 9);
        assert_eq!(view.extent(0), Extent { x: 4, y: 4, z: 1 });
        assert_eq!((view.array_layers(), view.levels.len()), (2, 1));
        assert_eq!(layout.view(Dimension::Cube).array_layers(), 1);
    }

    #[test]
    fn many_at_once_are_as_one_after_the_other() {
        let mut seed = 1u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed ^ seed >> 15
        };
        for &format in Format::ALL {
            let layout = Layout::new(format, TextureShape::new_2d(5, 3)).unwrap();
            let view = layout.view(Dimension::D2);
            let (words, others) = (memory(&layout), memory(&layout));
            // Some addresses are outside the view, some occur twice.
            let addresses: Vec<_> = (0..32).map(|_| at(random() % 6, random() % 4)).collect();
            let values: Vec<_> = (0..32)
                .map(|_| [(); 4].map(|()| random() >> (random() % 32)))
                .collect();
            view.store_each(&words, &addresses, &values);
            for (address, value) in addresses.iter().zip(&values) {
                view.store(&others, *address, *value);
            }
            let bits = |words: &[AtomicU32]| -> Vec<_> {
                words.iter().map(|word| word.load(Relaxed)).collect()
            };
            assert_eq!(bits(&words), bits(&others), "{format:?}");
            let mut loaded = [[7; 4]; 32];
            view.load_each(&words, &addresses, &mut loaded);
            let expected: Vec<_> = addresses
                .iter()
                .map(|address| view.load(&words, *address))
                .collect();
            assert_eq!(loaded[..], expected[..], "{format:?}");
            let x: Vec<_> = addresses.iter().map(|address| address.position.x).collect();
            let y: Vec<_> = addresses.iter().map(|address| address.position.y).collect();
            for (level, is_there) in [(0, true), (1, false)] {
                let address = TexelAddress { level, ..at(9, 9) };
                view.load_slice(&words, address, [&x, &y], &mut loaded);
                let zeros = vec![[0; 4]; 32];
                let expected = if is_there { &expected } else { &zeros };
                assert_eq!(loaded[..], expected[..], "{format:?}");
            }
        }
    }

    #[test]
    fn samples_are_texels_of_their_own() {
        let shape = TextureShape {
            samples: 4,
            ..TextureShape::new_2d(2, 2)
        };
        let layout = Layout::new(Format::Rgba8Uint, shape).unwrap();
        let words = memory(&layout);
        let view = layout.view(Dimension::D2);
        let addresses =
            (0..2).flat_map(|x| (0..4).map(move |sample| TexelAddress { sample, ..at(x, 1) }));
        for (number, address) in (1..).zip(addresses.clone()) {
            view.store(&words, address, [number; 4]);
        }
        for (number, address) in (1..).zip(addresses) {
            assert_eq!(view.load(&words, address), [number; 4]);
        }
    }
}
