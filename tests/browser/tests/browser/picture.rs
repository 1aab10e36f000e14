//! Screenshots: stores them as files, and analyses them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A decoded picture.
pub(crate) struct Picture {
    size: [usize; 2],
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// Decodes a PNG, and stores it in the folder for test output.
    pub(crate) fn keep(name: &str, bytes: &[u8]) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("screenshots");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), bytes).unwrap();
        Self::read(bytes)
    }

    fn read(bytes: &[u8]) -> Self {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().unwrap();
        let mut data = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut data).unwrap();
        let samples = info.color_type.samples();
        assert!(samples >= 3, "a screenshot has colours");
        let pixels = data[..info.buffer_size()].chunks_exact(samples);
        Self {
            size: [info.width as usize, info.height as usize],
            pixels: pixels.map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
        }
    }

    pub(crate) fn size(&self) -> [usize; 2] {
        self.size
    }

    /// The number of colours in a region, and the share of the most frequent one.
    pub(crate) fn colours(
        &self,
        [left, top]: [usize; 2],
        [width, height]: [usize; 2],
    ) -> (usize, f64) {
        let mut counts = BTreeMap::<[u8; 3], usize>::new();
        for y in top..top + height {
            for x in left..left + width {
                *counts.entry(self.pixels[y * self.size[0] + x]).or_default() += 1;
            }
        }
        let most = counts.values().max().copied().unwrap_or(0);
        (counts.len(), most as f64 / (width * height) as f64)
    }
}
