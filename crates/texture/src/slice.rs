//! Many texels of one layer or slice at once.
//!
//! Everything is done channel by channel and lane by lane, in loops of a known length: compiled for a machine with wide
//! vectors, they become vectors. What they give is what [`View::load`] gives.

use std::sync::atomic::AtomicU32;

use crate::view::{Place, View};
use crate::{Extent, Format};

/// A layer, or a slice, of a level.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    /// From the word on in which its first texel begins; all its texels are there.
    pub words: &'a [AtomicU32],
    /// Texels of a row, and rows.
    pub extent: Extent,
    /// Bytes before its first texel.
    pub first: u32,
    /// Bytes from one texel to the next.
    pub step: u32,
    /// Bytes from one row to the next.
    pub row: u32,
}

impl View {
    /// The values of texels of one layer or slice of one level: those at `x` and `y`, wherever else the place is. Whether
    /// it could be done; else [`load_each`](Self::load_each) can. `fetch` gives the words at these places of memory; which
    /// numbers it gives for places that are not there does not matter.
    #[inline(always)]
    pub fn load_slice<const LANES: usize>(
        &self,
        words: &[AtomicU32],
        place: Place,
        [x, y]: [&[u32; LANES]; 2],
        values: &mut [[u32; LANES]; 4],
        fetch: impl Fn(&[AtomicU32], &[u32; LANES]) -> [u32; LANES],
    ) -> bool {
        let Some(slice) = self.slice(words, place) else {
            return false;
        };
        // Without branches, as those would hide the vectors.
        let mut inside = [0; LANES];
        for (inside, (x, y)) in inside.iter_mut().zip(x.iter().zip(y)) {
            let is_inside = (*x < slice.extent.x) & (*y < slice.extent.y);
            *inside = 0u32.wrapping_sub(is_inside.into());
        }
        let mut offsets = [0; LANES];
        for (lane, offset) in offsets.iter_mut().enumerate() {
            let down = y[lane].wrapping_mul(slice.row);
            let along = x[lane].wrapping_mul(slice.step);
            // The first texel is there for sure.
            *offset = slice.first + (down.wrapping_add(along) & inside[lane]);
        }
        // One way for each format, in which the compiler knows it.
        macro_rules! by_format {
            ($($name:ident)*) => {
                match self.format {
                    $(Format::$name => slice.load(Format::$name, &offsets, &inside, values, &fetch),)*
                }
            };
        }
        with_formats!(by_format);
        true
    }

    /// The slice of a place, if it is there, whole in memory, and has no more bytes than 32 bits can count.
    // Inline, as a place that is passed in memory is written in parts and read as one, which the machine is slow at.
    #[inline(always)]
    pub fn slice<'a>(&self, words: &'a [AtomicU32], place: Place) -> Option<Slice<'a>> {
        let level = self.levels.get(place.level as usize)?;
        let start = self.offset(Place {
            position: Extent {
                x: 0,
                y: 0,
                z: place.position.z,
            },
            ..place
        })?;
        let bytes = self.format.bytes();
        let step = u64::from(self.samples) * u64::from(bytes);
        let down = level
            .row
            .checked_mul(level.extent.y.checked_sub(1)?.into())?;
        let along = step.checked_mul(level.extent.x.checked_sub(1)?.into())?;
        let end = start % 4 + down.checked_add(along)? + u64::from(bytes);
        let words = words.get(usize::try_from(start / 4).ok()?..)?;
        let is_whole = u32::try_from(end).is_ok() && end.div_ceil(4) <= words.len() as u64;
        is_whole.then_some(Slice {
            words,
            extent: level.extent,
            first: (start % 4) as u32,
            step: u32::try_from(step).ok()?,
            row: u32::try_from(level.row).ok()?,
        })
    }
}

impl Slice<'_> {
    /// The values of the texels at these offsets; zeros where they are not inside.
    #[inline(always)]
    fn load<const LANES: usize>(
        &self,
        format: Format,
        offsets: &[u32; LANES],
        inside: &[u32; LANES],
        values: &mut [[u32; LANES]; 4],
        fetch: &impl Fn(&[AtomicU32], &[u32; LANES]) -> [u32; LANES],
    ) {
        let bytes = format.bytes();
        let mut texels = [[0; LANES]; 4];
        let places = offsets.map(|it| it / 4);
        if bytes < 4 {
            let mask = (1 << (8 * bytes)) - 1;
            let words = fetch(self.words, &places);
            for ((texel, word), offset) in texels[0].iter_mut().zip(words).zip(offsets) {
                *texel = word >> (offset % 4 * 8) & mask;
            }
        } else {
            for (part, texels) in (0..bytes / 4).zip(&mut texels) {
                *texels = fetch(self.words, &places.map(|it| it + part));
            }
        }
        for lane in 0..LANES {
            let value = format.decode(texels.each_ref().map(|part| part[lane]));
            for (channel, value) in values.iter_mut().zip(value) {
                channel[lane] = value & inside[lane];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;
    use crate::{Dimension, Layout, Shape};

    const LANES: usize = 8;

    fn fetch(words: &[AtomicU32], places: &[u32; LANES]) -> [u32; LANES] {
        places.map(|it| words[it as usize].load(Relaxed))
    }

    /// All texels of all slices, and some outside, in every format that there is.
    #[test]
    fn many_are_as_one_after_the_other() {
        let shape = |samples, layers| Shape {
            extent: Extent { x: 5, y: 3, z: 1 },
            layers,
            levels: 2,
            samples,
        };
        for &format in Format::ALL {
            for shape in [shape(1, 3), shape(4, 1)] {
                let layout = Layout::new(format, shape).unwrap();
                let memory: Vec<_> = (0..layout.bytes() / 4)
                    .map(|it| AtomicU32::new((it as u32 + 1).wrapping_mul(0x9e37_79b9)))
                    .collect();
                let view = layout.view(Dimension::D2Array);
                for layer in 0..shape.layers {
                    for level in 0..2 {
                        compare(&view, &memory, layer, level, shape.samples - 1);
                    }
                }
            }
        }
    }

    fn compare(view: &View, memory: &[AtomicU32], layer: u32, level: u32, sample: u32) {
        for y in [0, 1, 2, 3, u32::MAX] {
            let x = [0, 1, 2, 3, 4, 5, u32::MAX, 1 << 31];
            let place = |x| Place {
                position: Extent { x, y, z: 0 },
                layer,
                level,
                sample,
            };
            let mut values = [[7; LANES]; 4];
            assert!(view.load_slice(memory, place(9), [&x, &[y; LANES]], &mut values, fetch));
            for (lane, x) in x.into_iter().enumerate() {
                let value = values.map(|channel| channel[lane]);
                let format = view.format;
                assert_eq!(value, view.load(memory, place(x)), "{format:?}, {x}, {y}");
            }
        }
    }

    #[test]
    fn what_is_not_there_or_not_whole_is_left_to_others() {
        let layout = Layout::new(Format::R32Uint, Shape::flat(4, 4)).unwrap();
        let view = layout.view(Dimension::D2);
        let memory: Vec<_> = (0..16).map(|_| AtomicU32::new(1)).collect();
        let can = |words: &[AtomicU32], place: Place| {
            view.load_slice(words, place, [&[0; LANES]; 2], &mut [[0; LANES]; 4], fetch)
        };
        assert!(can(&memory, Place::default()));
        assert!(!can(&memory[1..], Place::default()));
        let [level, layer, sample] =
            [(1, 0, 0), (0, 1, 0), (0, 0, 1)].map(|(level, layer, sample)| Place {
                level,
                layer,
                sample,
                ..Place::default()
            });
        for place in [level, layer, sample] {
            assert!(!can(&memory, place), "{place:?}");
        }
    }
}
