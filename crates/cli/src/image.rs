//! Writes buffers as pictures: converts bytes to pixels and pixels to a PNG file.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use crate::specs::{ElementType, ElementValue, Pixels, PngPicture};

/// Writes a picture and returns the value range of a heat map. `bytes` has exactly the size of the picture; `element`
/// is the scalar type of a heat map.
pub(crate) fn write_png(
    picture: &PngPicture,
    bytes: &[u8],
    element: ElementType,
) -> io::Result<Option<[f64; 2]>> {
    let mut range = None;
    let pixels = match picture.pixels {
        Pixels::Rgba8 => bytes.to_vec(),
        Pixels::F32x4 => words(bytes)
            .map(|word| unit_to_byte(f32::from_bits(word)))
            .collect(),
        Pixels::Heat => {
            let (pixels, ends) = heat(element.values(bytes).map(ElementValue::to_f64));
            range = Some(ends);
            pixels
        }
    };
    let colour = match picture.pixels {
        Pixels::Rgba8 | Pixels::F32x4 => png::ColorType::Rgba,
        Pixels::Heat => png::ColorType::Rgb,
    };
    write_bytes(
        &picture.path,
        [picture.width, picture.height],
        colour,
        &pixels,
    )?;
    Ok(range)
}

/// Writes the heat map of one scalar for each pixel and returns the value range.
pub(crate) fn write_heat(
    path: &Path,
    size: [u32; 2],
    scalars: impl Iterator<Item = f64> + Clone,
) -> io::Result<[f64; 2]> {
    let (pixels, range) = heat(scalars);
    write_bytes(path, size, png::ColorType::Rgb, &pixels)?;
    Ok(range)
}

fn write_bytes(
    path: &Path,
    [width, height]: [u32; 2],
    colour: png::ColorType,
    pixels: &[u8],
) -> io::Result<()> {
    let file = BufWriter::new(File::create(path)?);
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(colour);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    Ok(writer.finish()?)
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + Clone {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|word: &[u8; 4]| u32::from_le_bytes(*word))
}

/// Converts a float from 0 to 1 to a byte. NaN becomes 0, like negative values.
fn unit_to_byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// Red, green and blue of each scalar, and the value range of the map: the smallest and the largest finite value.
fn heat(scalars: impl Iterator<Item = f64> + Clone) -> (Vec<u8>, [f64; 2]) {
    let finite = scalars.clone().filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
    let range = if high > low { high - low } else { 1.0 };
    let pixels = scalars.flat_map(|value| colour((value - low) / range));
    (pixels.collect(), [low, high])
}

/// Matplotlib's "inferno" (CC0) at nine even steps. Lightness increases evenly from dark to bright, so that the map
/// is also readable in grey and for colour-blind readers.
const INFERNO: [[u8; 3]; 9] = [
    [0, 0, 4],
    [31, 12, 72],
    [85, 15, 109],
    [136, 34, 106],
    [186, 54, 85],
    [227, 89, 51],
    [249, 140, 10],
    [249, 201, 50],
    [252, 255, 164],
];

/// The colour at `place` of the map, from 0 (start) to 1 (end); NaN gives the start.
fn colour(place: f64) -> [u8; 3] {
    let steps = INFERNO.len() - 1;
    let place = place.clamp(0.0, 1.0) * steps as f64;
    let below = (place as usize).min(steps - 1);
    let fraction = if place.is_nan() {
        0.0
    } else {
        place - below as f64
    };
    std::array::from_fn(|channel| {
        let from = f64::from(INFERNO[below][channel]);
        let to = f64::from(INFERNO[below + 1][channel]);
        (from + (to - from) * fraction).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_goes_from_its_first_to_its_last_colour() {
        assert_eq!(colour(0.0), INFERNO[0]);
        assert_eq!(colour(0.5), INFERNO[4]);
        assert_eq!(colour(1.0), INFERNO[8]);
        assert_eq!(colour(f64::NAN), INFERNO[0]);
        assert_eq!(colour(f64::INFINITY), INFERNO[8]);
    }

    #[test]
    fn heat_spans_minimum_to_maximum_of_the_finite_values() {
        let values = [-5.0f32, f32::NAN, 5.0, f32::INFINITY, 0.0];
        let (pixels, ends) = heat(values.into_iter().map(f64::from));
        assert_eq!(ends, [-5.0, 5.0]);
        assert_eq!(pixels[0..3], INFERNO[0]);
        assert_eq!(pixels[3..6], INFERNO[0]);
        assert_eq!(pixels[6..9], INFERNO[8]);
        assert_eq!(pixels[9..12], INFERNO[8]);
        assert_eq!(pixels[12..15], INFERNO[4]);
    }

    #[test]
    fn equal_values_and_signs_are_no_trouble() {
        let (equal, _) = heat([7.0; 3].into_iter());
        assert_eq!(equal, [INFERNO[0]; 3].concat());
        let (signed, _) = heat([-1.0, 1.0].into_iter());
        assert_eq!(signed, [INFERNO[0], INFERNO[8]].concat());
    }

    #[test]
    fn floats_clamp_to_bytes() {
        assert_eq!(
            [-1.0, 0.0, 0.5, 1.0, 9.0].map(unit_to_byte),
            [0, 0, 128, 255, 255]
        );
        assert_eq!(unit_to_byte(f32::NAN), 0);
    }
}
