//! Maps iteration counts to colours.
//!
//! A colour depends on the count and on the smallest count of the image, which is known early, so painted pixels keep
//! their colour as the image is refined. Colours do not affect the image's checksum.

use std::str::FromStr;

use crate::image::Image;

/// A cyclic colour gradient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Palette {
    name: &'static str,
    stops: &'static [[u8; 3]],
}

/// All palettes by name; the first is the default.
const PALETTES: &[Palette] = &[
    Palette {
        name: "ember",
        stops: &[
            [8, 10, 30],
            [60, 20, 80],
            [170, 40, 70],
            [240, 120, 40],
            [255, 230, 150],
            [120, 170, 190],
            [25, 60, 110],
        ],
    },
    Palette {
        name: "ocean",
        stops: &[
            [2, 10, 40],
            [10, 70, 130],
            [60, 170, 190],
            [235, 250, 240],
            [250, 200, 110],
            [120, 80, 60],
            [20, 20, 45],
        ],
    },
    Palette {
        name: "grey",
        stops: &[[20, 20, 20], [245, 245, 245]],
    },
];

/// The colours of unknown pixels and of pixels inside the set.
const UNKNOWN: [u8; 4] = [40, 40, 44, 255];
const INSIDE: [u8; 4] = [0, 0, 0, 255];

/// Number of colour stops per unit of the square root of a count.
const STOPS_PER_ROOT: f32 = 0.55;

impl Default for Palette {
    fn default() -> Self {
        PALETTES[0].clone()
    }
}

impl Palette {
    /// The names of all palettes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PALETTES.iter().map(|palette| palette.name)
    }

    pub(crate) fn paint(&self, counts: &[u32]) -> Vec<u8> {
        let escaped = counts.iter().copied();
        let escaped =
            escaped.filter(|escaped| *escaped != Image::UNKNOWN && *escaped != Image::INSIDE);
        let least = escaped.min().unwrap_or(0);
        let colour = |count: &u32| match *count {
            Image::UNKNOWN => UNKNOWN,
            Image::INSIDE => INSIDE,
            count => self.colour(count - least),
        };
        counts.iter().flat_map(colour).collect()
    }

    fn colour(&self, above_least: u32) -> [u8; 4] {
        let place = (above_least as f32).sqrt() * STOPS_PER_ROOT;
        let (stop, share) = (place.floor(), place.fract());
        let stop = stop as usize % self.stops.len();
        let (from, to) = (self.stops[stop], self.stops[(stop + 1) % self.stops.len()]);
        let mix = |at: usize| {
            let (from, to) = (f32::from(from[at]), f32::from(to[at]));
            (from + (to - from) * share).round() as u8
        };
        [mix(0), mix(1), mix(2), 255]
    }
}

/// An unknown palette name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no palette `{name}`; there are {}", Palette::names().collect::<Vec<_>>().join(", "))]
pub struct UnknownPalette {
    name: String,
}

impl FromStr for Palette {
    type Err = UnknownPalette;

    fn from_str(name: &str) -> Result<Self, UnknownPalette> {
        let found = PALETTES.iter().find(|palette| palette.name == name);
        found.cloned().ok_or_else(|| UnknownPalette {
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{INSIDE, Palette, UNKNOWN};
    use crate::image::Image;

    #[test]
    fn colours_do_not_change_while_an_image_grows() {
        let palette: Palette = "ocean".parse().unwrap();
        let early = palette.paint(&[500, Image::UNKNOWN, Image::UNKNOWN]);
        let late = palette.paint(&[500, 900, Image::INSIDE]);
        assert_eq!(early[..4], late[..4]);
        assert_eq!((&early[4..8], &late[8..]), (&UNKNOWN[..], &INSIDE[..]));
        assert!("rainbow".parse::<Palette>().is_err());
    }
}
