//! Conversion between PNG pictures and texels.
//!
//! In: a PNG of any kind. Out: texels of any colour format or of 16-bit depth. A channel of a picture becomes a
//! number from 0 to 1 for float formats and the integer itself for integer formats; formats with 8 bits per channel
//! use 8 bits of a picture's channel. sRGB formats take the bytes without conversion.
//!
//! In the other direction floats and depth are clamped to [0, 1], integers to [0, 255]. 16-bit formats that are
//! normalised or unsigned become 16-bit pictures, all others 8-bit pictures. One channel becomes grey, two become red
//! and green.

use std::io::{Cursor, Write};

use anywarp_texture::{Format, Kind};
use png::{BitDepth, ColorType, Transformations};

/// The largest decoded picture. A damaged file of a few bytes can claim any size.
const MAX_BYTES: usize = 1 << 30;

/// A picture as texels.
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Tightly packed.
    pub(crate) texels: Vec<u8>,
}

/// Decodes a picture to texels of a format.
pub(crate) fn decode_png(bytes: &[u8], format: Format) -> Result<Picture, String> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(if is_narrow(format) {
        Transformations::normalize_to_color8()
    } else {
        Transformations::EXPAND
    });
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let (width, height) = reader.info().size();
    let size = reader
        .output_buffer_size()
        .filter(|&size| size <= MAX_BYTES)
        .ok_or_else(|| format!("{width}x{height} pixels are too many"))?;
    let mut samples = vec![0; size];
    let info = reader.next_frame(&mut samples);
    let info = info.map_err(|error| error.to_string())?;
    samples.truncate(info.buffer_size());
    let is_wide = info.bit_depth == BitDepth::Sixteen;
    let (width_of_sample, most) = if is_wide { (2, 65535) } else { (1, 255) };
    let texels = samples
        .chunks_exact(info.color_type.samples() * width_of_sample)
        .flat_map(|pixel| texel(colour(pixel, width_of_sample, most), most, format))
        .collect();
    Ok(Picture {
        width,
        height,
        texels,
    })
}

/// Whether all channels of a format have eight bits.
fn is_narrow(format: Format) -> bool {
    format.bytes() as usize == format.channels() && !format.is_depth_or_stencil()
}

/// Red, green, blue and alpha of a pixel of any colour type. 16-bit samples are big-endian.
fn colour(pixel: &[u8], width_of_sample: usize, most: u32) -> [u32; 4] {
    let sample = |index: usize| {
        let bytes = &pixel[index * width_of_sample..][..width_of_sample];
        bytes
            .iter()
            .fold(0, |high, low| high << 8 | u32::from(*low))
    };
    match pixel.len() / width_of_sample {
        1 => [sample(0), sample(0), sample(0), most],
        2 => [sample(0), sample(0), sample(0), sample(1)],
        3 => [sample(0), sample(1), sample(2), most],
        _ => [sample(0), sample(1), sample(2), sample(3)],
    }
}

fn texel(pixel: [u32; 4], most: u32, format: Format) -> impl Iterator<Item = u8> {
    let flat = without_curve(format);
    let value = match flat.kind() {
        Kind::Float | Kind::Depth => {
            pixel.map(|pixel| ((f64::from(pixel) / f64::from(most)) as f32).to_bits())
        }
        Kind::Uint | Kind::Sint => pixel,
    };
    let words = flat.encode(value);
    words
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .take(flat.bytes() as usize)
}

fn without_curve(format: Format) -> Format {
    match format {
        Format::Rgba8UnormSrgb | Format::Bgra8UnormSrgb => format.other_srgb(),
        other => other,
    }
}

/// The values of texels: four channels, as a shader loads them.
fn values(texels: &[u8], format: Format) -> impl Iterator<Item = [u32; 4]> + Clone + '_ {
    texels
        .chunks_exact(format.bytes() as usize)
        .map(move |texel| {
            let mut bytes = [0; 16];
            bytes[..texel.len()].copy_from_slice(texel);
            let words: [u32; 4] = bytemuck::cast(bytes);
            format.decode(words.map(u32::from_le))
        })
}

/// The stored channels as the bytes of f32, i32 or u32.
pub(crate) fn scalars(texels: &[u8], format: Format) -> Vec<u8> {
    if format == Format::R64Uint {
        return texels.to_vec();
    }
    values(texels, format)
        .flat_map(|value| value.into_iter().take(format.channels()))
        .flat_map(u32::to_le_bytes)
        .collect()
}

/// Encodes texels as a picture.
pub(crate) fn encode_png(
    target: impl Write,
    [width, height]: [u32; 2],
    texels: &[u8],
    format: Format,
) -> Result<(), png::EncodingError> {
    let flat = without_curve(format);
    let is_wide = flat.name().ends_with("16unorm") || flat.name().ends_with("16uint");
    let colour = match flat.channels() {
        1 => ColorType::Grayscale,
        2 | 3 => ColorType::Rgb,
        _ => ColorType::Rgba,
    };
    let most = if is_wide { 65535 } else { 255 };
    let channels = values(texels, flat)
        .flat_map(|value| value.into_iter().take(colour.samples()))
        .map(|channel| sample(channel, flat.kind(), most));
    let samples: Vec<u8> = if is_wide {
        channels
            .flat_map(|sample| (sample as u16).to_be_bytes())
            .collect()
    } else {
        channels.map(|sample| sample as u8).collect()
    };
    let mut encoder = png::Encoder::new(target, width, height);
    encoder.set_color(colour);
    encoder.set_depth(if is_wide {
        BitDepth::Sixteen
    } else {
        BitDepth::Eight
    });
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&samples)?;
    writer.finish()
}

/// NaN becomes 0, like negative values.
fn sample(channel: u32, kind: Kind, most: u32) -> u32 {
    match kind {
        Kind::Float | Kind::Depth => {
            let value = f64::from(f32::from_bits(channel)).clamp(0.0, 1.0);
            (value * f64::from(most)).round() as u32
        }
        Kind::Uint => channel.min(most),
        Kind::Sint => (channel as i32).clamp(0, most as i32) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(colour: ColorType, depth: BitDepth, size: [u32; 2], data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, size[0], size[1]);
        encoder.set_color(colour);
        encoder.set_depth(depth);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(data).unwrap();
        writer.finish().unwrap();
        bytes
    }

    fn texels(bytes: &[u8], format: Format) -> Vec<u8> {
        decode_png(bytes, format).unwrap().texels
    }

    #[test]
    fn pictures_of_all_kinds_become_texels_of_all_kinds() {
        let rgb = png(ColorType::Rgb, BitDepth::Eight, [1, 1], &[1, 2, 255]);
        assert_eq!(texels(&rgb, Format::Rgba8Unorm), [1, 2, 255, 255]);
        assert_eq!(texels(&rgb, Format::Rgba8UnormSrgb), [1, 2, 255, 255]);
        assert_eq!(texels(&rgb, Format::Bgra8Unorm), [255, 2, 1, 255]);
        assert_eq!(texels(&rgb, Format::Rgba8Uint), [1, 2, 255, 255]);
        assert_eq!(texels(&rgb, Format::R32Uint), [1, 0, 0, 0]);
        assert_eq!(texels(&rgb, Format::Rg16Uint), [1, 0, 2, 0]);
        let floats: [f32; 4] = [1.0 / 255.0, 2.0 / 255.0, 1.0, 1.0];
        assert_eq!(
            texels(&rgb, Format::Rgba32Float),
            bytemuck::cast_slice::<_, u8>(&floats)
        );
        let grey = png(
            ColorType::Grayscale,
            BitDepth::Sixteen,
            [1, 1],
            &[0x12, 0x34],
        );
        assert_eq!(texels(&grey, Format::R16Unorm), [0x34, 0x12]);
        assert_eq!(texels(&grey, Format::Depth16Unorm), [0x34, 0x12]);
        assert_eq!(texels(&grey, Format::R16Uint), [0x34, 0x12]);
        assert_eq!(texels(&grey, Format::Rgba8Unorm), [0x12, 0x12, 0x12, 255]);
    }

    #[test]
    fn what_was_a_picture_becomes_it_again() {
        let pixels: Vec<u8> = (0..=255).collect();
        let file = png(ColorType::Rgba, BitDepth::Eight, [8, 8], &pixels);
        for &format in Format::ALL {
            let has_bytes = format.channels() == 4
                && !format.name().contains("snorm")
                && !format.name().contains("10a2")
                && format != Format::Rgba8Sint;
            if !has_bytes {
                continue;
            }
            let mut written = Vec::new();
            let own = texels(&file, format);
            encode_png(&mut written, [8, 8], &own, format).unwrap();
            // In the same depth or with 16 bits: 1 of 255 is 257 of 65535.
            let read = texels(&written, format);
            assert!(read == own, "{format:?}");
        }
    }

    #[test]
    fn damaged_pictures_are_refused() {
        assert!(decode_png(b"no picture", Format::Rgba8Unorm).is_err());
        let file = png(ColorType::Rgb, BitDepth::Eight, [4, 4], &[7; 48]);
        for end in 0..file.len() - 20 {
            assert!(
                decode_png(&file[..end], Format::Rgba8Unorm).is_err(),
                "{end}"
            );
        }
    }

    #[test]
    fn values_out_of_range_are_clamped() {
        assert_eq!(sample((-0.5f32).to_bits(), Kind::Float, 255), 0);
        assert_eq!(sample(f32::NAN.to_bits(), Kind::Float, 255), 0);
        assert_eq!(sample(2.0f32.to_bits(), Kind::Depth, 65535), 65535);
        assert_eq!(sample(300, Kind::Uint, 255), 255);
        assert_eq!(sample(-3i32 as u32, Kind::Sint, 255), 0);
    }

    #[test]
    fn channels_are_those_that_are_stored() {
        let texels = [1, 2, 3, 4];
        let channels = scalars(&texels, Format::Rg8Uint);
        assert_eq!(channels, bytemuck::cast_slice::<u32, u8>(&[1, 2, 3, 4]));
        assert_eq!(scalars(&[255; 4], Format::Rgba8Unorm).len(), 16);
        assert_eq!(scalars(&[7; 8], Format::R64Uint), [7; 8]);
    }
}
