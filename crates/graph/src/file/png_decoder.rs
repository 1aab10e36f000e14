//! Decodes PNG files as the contents of textures.
//!
//! In: the bytes of a file. Out: RGBA pixels of four bytes. What always holds: all kinds of PNG are
//! converted, including palettes and greyscale; 16-bit channels are truncated to eight bits.

use std::io::Cursor;

use png::{ColorType, Transformations};

use super::options::OverByteLimit;

/// The maximum width and height: no device has larger textures.
const MAX_SIDE: u32 = 32768;
/// The maximum size in bytes of the pixels. A few bytes of a damaged file can request any size.
const MAX_BYTES: usize = 1 << 30;

/// Why a PNG file cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub(super) enum PngError {
    /// The file is damaged, or not a PNG file.
    #[error(transparent)]
    Decoding(#[from] png::DecodingError),
    /// The image is larger than any texture.
    #[error("it has too many pixels, {width}x{height}")]
    TooManyPixels { width: u32, height: u32 },
    /// The decoder has left palette indices.
    #[error("it has a palette that cannot be read")]
    Palette,
    /// The pixels exceed the byte limit of the graph file.
    #[error(transparent)]
    OverByteLimit(#[from] OverByteLimit),
}

/// A decoded image in RGBA8.
pub(super) struct DecodedImage {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) pixels: Vec<u8>,
}

/// Decodes a PNG file. `reserve` is called with the size of the pixels before they are allocated.
pub(super) fn decode(
    bytes: &[u8],
    reserve: impl FnOnce(u64) -> Result<(), OverByteLimit>,
) -> Result<DecodedImage, PngError> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let (width, height) = reader.info().size();
    let size = reader
        .output_buffer_size()
        .filter(|&size| size <= MAX_BYTES && width.max(height) <= MAX_SIDE)
        .ok_or(PngError::TooManyPixels { width, height })?;
    reserve(4 * u64::from(width) * u64::from(height))?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels)?;
    pixels.truncate(info.buffer_size());
    let pixels = match info.color_type {
        ColorType::Rgba => pixels,
        ColorType::Rgb => spread(&pixels, |&[red, green, blue]| [red, green, blue, 255]),
        ColorType::Grayscale => spread(&pixels, |&[grey]| [grey, grey, grey, 255]),
        ColorType::GrayscaleAlpha => spread(&pixels, |&[grey, alpha]| [grey, grey, grey, alpha]),
        // The decoder has expanded palette indices to colours.
        ColorType::Indexed => return Err(PngError::Palette),
    };
    Ok(DecodedImage {
        width: info.width,
        height: info.height,
        pixels,
    })
}

fn spread<const N: usize>(pixels: &[u8], colour: impl Fn(&[u8; N]) -> [u8; 4]) -> Vec<u8> {
    pixels.as_chunks::<N>().0.iter().flat_map(colour).collect()
}
