//! Textures and binding arrays in a case: parses their directives, and converts words to texels.
//!
//! `//: texture 0:1 2d-array rgba8unorm 4x4x3 levels=2` makes a binding a texture. Its contents before and after the
//! run are words, as for a buffer: the bytes of its texels, level by level, layer by layer (or slice by slice), row
//! by row, without padding; zeros fill the last word. With `clear=1,0,0,1` it is filled with that color and has no
//! input words: for formats that do not support copies. `//: array 0:1 3` makes a binding an array of three elements
//! with consecutive words.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use anywarp_texture::{
    Dimension, Extent, Format, Kind, Layout, Level, TexelAddress, TextureShape, View,
};

use crate::executor::Slot;

/// The bindings of a case that are not single buffers.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// The textures.
    pub textures: BTreeMap<Slot, TextureSpec>,
    /// The arrays, with the number of their elements.
    pub arrays: BTreeMap<Slot, usize>,
}

impl Bindings {
    /// The number of elements at a binding.
    pub fn elements(&self, slot: Slot) -> usize {
        self.arrays.get(&slot).copied().unwrap_or(1)
    }

    /// The number of words of a texture binding; `None` for buffers.
    pub(crate) fn words(&self, slot: Slot) -> Option<usize> {
        let spec = self.textures.get(&slot)?;
        Some(spec.words() * self.elements(slot))
    }
}

/// A texture of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureSpec {
    /// The dimension.
    pub dimension: Dimension,
    /// The texel format.
    pub format: Format,
    /// Its size.
    pub shape: TextureShape,
    /// The color or depth that fills it before the run, instead of words.
    pub clear: Option<[f64; 4]>,
}

impl TextureSpec {
    /// Reads `2d rgba8unorm 4x4 levels=2 samples=4 clear=1,0,0,1`.
    pub(crate) fn parse(tokens: &[&str]) -> Result<Self, String> {
        let [dimension, format, size, options @ ..] = tokens else {
            return Err("a texture has a dimension, a format and a size".to_owned());
        };
        let dimension = parse_dimension(dimension)?;
        let unknown = || format!("no format is called `{format}`");
        let format = Format::named(format).ok_or_else(unknown)?;
        let mut spec = Self {
            dimension,
            format,
            shape: parse_size(dimension, size)?,
            clear: None,
        };
        for option in options {
            spec.option(option)?;
        }
        if format.planes().len() > 1 && spec.clear.is_none() {
            return Err("depth and stencil together have no words".to_owned());
        }
        Ok(spec)
    }

    fn option(&mut self, option: &str) -> Result<(), String> {
        let bad = || format!("`{option}` is no option of a texture");
        let (name, value) = option.split_once('=').ok_or_else(bad)?;
        match name {
            "levels" => self.shape.levels = value.parse().map_err(|_| bad())?,
            "samples" => self.shape.samples = value.parse().map_err(|_| bad())?,
            "clear" => {
                let numbers: Result<Vec<f64>, _> = value.split(',').map(str::parse).collect();
                let numbers = numbers.map_err(|_| bad())?;
                let at = |index: usize| numbers.get(index).copied().unwrap_or(0.0);
                self.clear = Some([at(0), at(1), at(2), at(3)]);
            }
            _ => return Err(bad()),
        }
        Ok(())
    }

    pub(crate) fn layout(&self) -> Layout {
        Layout::new(self.format, self.shape).expect("textures of cases are small")
    }

    /// The number of words of its texels; zero if a clear fills it.
    pub(crate) fn words(&self) -> usize {
        if self.clear.is_some() {
            return 0;
        }
        let bytes: u64 = self
            .levels()
            .map(|(level, slices)| level.slice * slices)
            .sum();
        bytes.div_ceil(4) as usize
    }

    /// The levels, and the number of slices or layers of each.
    pub(crate) fn levels(&self) -> impl Iterator<Item = (Level, u64)> {
        let layers = u64::from(self.shape.layers);
        let levels = self.layout().planes()[0].levels.clone();
        levels
            .into_iter()
            .map(move |level| (level, layers * u64::from(level.extent.z)))
    }

    /// The value of every texel after a clear.
    fn cleared(&self, color: [f64; 4]) -> [u32; 4] {
        color.map(|channel| match self.format.kind() {
            Kind::Float | Kind::Depth => (channel as f32).to_bits(),
            Kind::Sint => channel as i32 as u32,
            Kind::Uint => channel as u32,
        })
    }

    /// The memory of the texture for the interpreter, with the contents of the case.
    pub(crate) fn memory(&self, words: &[u32]) -> Vec<AtomicU32> {
        let layout = self.layout();
        let memory: Vec<_> = (0..layout.bytes() / 4).map(|_| AtomicU32::new(0)).collect();
        match self.clear {
            Some(color) => self.fill(&layout, &memory, self.cleared(color)),
            None => self.each_byte(|packed, placed| {
                let byte = words[packed / 4] >> (packed % 4 * 8) & 0xff;
                memory[placed / 4].fetch_or(byte << (placed % 4 * 8), Ordering::Relaxed);
            }),
        }
        memory
    }

    /// The words of the texels in such a memory.
    pub(crate) fn packed(&self, memory: &[AtomicU32]) -> Vec<u32> {
        let mut words = vec![0; self.words()];
        if self.clear.is_none() {
            self.each_byte(|packed, placed| {
                let byte = memory[placed / 4].load(Ordering::Relaxed) >> (placed % 4 * 8) & 0xff;
                words[packed / 4] |= byte << (packed % 4 * 8);
            });
        }
        words
    }

    /// The view that a program gets: a storage texture has one level.
    pub(crate) fn view(&self, is_storage: bool) -> View {
        let mut view = self.layout().view(self.dimension);
        if is_storage {
            view.levels.truncate(1);
        }
        view
    }

    fn fill(&self, layout: &Layout, memory: &[AtomicU32], value: [u32; 4]) {
        let view = layout.view(self.dimension);
        for (number, (level, _)) in (0..).zip(self.levels()) {
            let Extent { x, y, z } = level.extent;
            let texels = u64::from(x) * u64::from(y) * u64::from(z);
            for texel in 0..texels as u32 {
                let position = Extent {
                    x: texel % x,
                    y: texel / x % y,
                    z: texel / x / y,
                };
                let layers = (0..self.shape.layers)
                    .flat_map(|layer| (0..self.shape.samples).map(move |sample| (layer, sample)));
                for (layer, sample) in layers {
                    let place = TexelAddress {
                        position,
                        layer,
                        level: number,
                        sample,
                    };
                    view.store(memory, place, value);
                }
            }
        }
    }

    /// Each byte of the texels: its position in the case's words, and in memory.
    fn each_byte(&self, mut f: impl FnMut(usize, usize)) {
        let mut packed = 0;
        for (level, slices) in self.levels() {
            for byte in 0..level.slice * slices {
                f(packed, (level.offset + byte) as usize);
                packed += 1;
            }
        }
    }
}

fn parse_dimension(text: &str) -> Result<Dimension, String> {
    [
        Dimension::D1,
        Dimension::D2,
        Dimension::D2Array,
        Dimension::D3,
        Dimension::Cube,
        Dimension::CubeArray,
    ]
    .into_iter()
    .find(|dimension| dimension.name() == text)
    .ok_or_else(|| format!("`{text}` is no dimension of a texture"))
}

/// `4`, `4x4`, or `4x4x3`, where the third number is slices or layers.
fn parse_size(dimension: Dimension, text: &str) -> Result<TextureShape, String> {
    let sizes: Result<Vec<u32>, _> = text.split('x').map(str::parse).collect();
    let bad = || format!("`{text}` is no size of a {} texture", dimension.name());
    let sizes = sizes.map_err(|_| bad())?;
    let (x, y, z) = match (dimension, sizes.as_slice()) {
        (Dimension::D1, &[x]) => (x, 1, 1),
        (Dimension::D2, &[x, y]) => (x, y, 1),
        (Dimension::D2Array | Dimension::D3, &[x, y, z]) => (x, y, z),
        (Dimension::Cube, &[x, y, 6]) => (x, y, 6),
        (Dimension::CubeArray, &[x, y, z]) if z % 6 == 0 => (x, y, z),
        _ => return Err(bad()),
    };
    if [x, y, z].contains(&0) || [x, y, z].iter().any(|size| *size > 1024) {
        return Err(bad());
    }
    let (z, layers) = match dimension {
        Dimension::D3 => (z, 1),
        _ => (1, z),
    };
    Ok(TextureShape {
        extent: Extent { x, y, z },
        layers,
        levels: 1,
        samples: 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<TextureSpec, String> {
        TextureSpec::parse(&text.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn words_are_packed_and_come_back() {
        // 3 + 1 bytes in each of two layers, and one each in the second level.
        let spec = parse("2d-array r8uint 3x1x2 levels=2").unwrap();
        assert_eq!(spec.words(), 2);
        let words = [0x0403_0201, 0x0807_0605];
        let memory = spec.memory(&words);
        let view = spec.view(false);
        let at = |x, layer, level| {
            let place = TexelAddress {
                position: Extent { x, y: 0, z: 0 },
                layer,
                level,
                sample: 0,
            };
            view.load(&memory, place)[0]
        };
        assert_eq!(
            [at(0, 0, 0), at(2, 0, 0), at(0, 1, 0), at(2, 1, 0)],
            [1, 3, 4, 6]
        );
        assert_eq!([at(0, 0, 1), at(0, 1, 1)], [7, 8]);
        assert_eq!(spec.packed(&memory), words);
    }

    #[test]
    fn clears_fill_every_sample() {
        let spec = parse("2d rgba8unorm 2x2 samples=4 clear=0,1,0,1").unwrap();
        let memory = spec.memory(&[]);
        let filled = memory.iter().take(16);
        assert!(
            filled
                .into_iter()
                .all(|word| word.load(Ordering::Relaxed) == 0xff00_ff00)
        );
        assert_eq!(spec.words(), 0);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, message) in [
            (
                "2d rgba8unorm",
                "a texture has a dimension, a format and a size",
            ),
            ("4d rgba8unorm 4x4", "`4d` is no dimension of a texture"),
            ("2d rgba8 4x4", "no format is called `rgba8`"),
            ("2d rgba8unorm 4", "`4` is no size of a 2d texture"),
            (
                "cube rgba8unorm 4x4x5",
                "`4x4x5` is no size of a cube texture",
            ),
            (
                "2d rgba8unorm 4x4 mips=2",
                "`mips=2` is no option of a texture",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err(), message);
        }
    }
}
