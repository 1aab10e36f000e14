//! The image: the iteration count of each pixel, as far as it is known.

use crate::palette::Palette;

/// Iteration counts in row-major order from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    size: [u32; 2],
    counts: Vec<u32>,
}

impl Image {
    /// The count of a pixel that is not finished yet.
    pub const UNKNOWN: u32 = 0;
    /// The count of a pixel that did not escape within the limit.
    pub const INSIDE: u32 = u32::MAX;

    pub(crate) fn new(size: [u32; 2]) -> Self {
        let pixels = size[0] as usize * size[1] as usize;
        Self {
            size,
            counts: vec![Self::UNKNOWN; pixels],
        }
    }

    /// Width and height.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// For each pixel the iteration at which it escaped, or [`UNKNOWN`](Self::UNKNOWN) or
    /// [`INSIDE`](Self::INSIDE).
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The largest count of a pixel that escaped; 0 if none has.
    pub fn latest(&self) -> u32 {
        let escaped = self
            .counts
            .iter()
            .copied()
            .filter(|count| *count != Self::INSIDE);
        escaped.max().unwrap_or(0)
    }

    /// CRC-32 of the counts as little-endian words, the same on every device.
    pub fn checksum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        for count in &self.counts {
            hasher.update(&count.to_le_bytes());
        }
        hasher.finalize()
    }

    /// The image as RGBA, four bytes per pixel.
    pub fn rgba(&self, palette: &Palette) -> Vec<u8> {
        palette.paint(&self.counts)
    }

    /// Number of pixels with a count in a range.
    pub(crate) fn count_in(&self, range: std::ops::RangeInclusive<u32>) -> u32 {
        let found = self.counts.iter().filter(|count| range.contains(count));
        // The limits of devices ensure that an image has fewer than 2^32 pixels.
        found.count() as u32
    }

    /// Sets the count of a pixel. Returns whether the pixel exists and was unknown.
    pub(crate) fn set(&mut self, pixel: u32, count: u32) -> bool {
        match self.counts.get_mut(pixel as usize) {
            Some(known) if *known == Self::UNKNOWN => {
                *known = count;
                true
            }
            _ => false,
        }
    }

    /// Marks all unknown pixels as inside.
    pub(crate) fn close(&mut self) {
        for count in &mut self.counts {
            if *count == Self::UNKNOWN {
                *count = Self::INSIDE;
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.counts.fill(Self::UNKNOWN);
    }
}

#[cfg(test)]
mod tests {
    use super::Image;

    #[test]
    fn the_checksum_is_the_usual_crc_32() {
        let mut image = Image::new([2, 1]);
        assert!(image.set(0, u32::from_le_bytes(*b"1234")));
        assert!(image.set(1, u32::from_le_bytes(*b"5678")));
        // The expected value is the output of `printf 12345678 | crc32`.
        assert_eq!(image.checksum(), 0x9AE0_DAAF);
    }

    #[test]
    fn a_pixel_is_set_once() {
        let mut image = Image::new([2, 2]);
        assert!(image.set(3, 7));
        assert!(!image.set(3, 8));
        assert!(!image.set(4, 8));
        image.close();
        assert_eq!(image.latest(), 7);
        assert_eq!(
            image.counts(),
            [Image::INSIDE, Image::INSIDE, Image::INSIDE, 7]
        );
    }
}
