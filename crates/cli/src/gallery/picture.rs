//! Reads pictures that examples have drawn.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use super::failure::Failure;

/// A decoded picture of 8 bits per channel.
pub(super) struct Picture {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Bytes of a pixel.
    pub(super) channels: usize,
    pub(super) bytes: Vec<u8>,
}

impl Picture {
    /// Decodes a file. A picture of a single colour shows nothing, and is an error.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let wrong = |reason: String| Failure::Picture {
            path: PathBuf::from(path),
            reason,
        };
        let file = File::open(path).map_err(|source| Failure::Read {
            path: path.to_owned(),
            source,
        })?;
        let mut reader = png::Decoder::new(BufReader::new(file))
            .read_info()
            .map_err(|error| wrong(error.to_string()))?;
        let size = reader.output_buffer_size();
        let mut bytes = vec![0; size.ok_or_else(|| wrong("it is too large".to_owned()))?];
        let info = reader
            .next_frame(&mut bytes)
            .map_err(|error| wrong(error.to_string()))?;
        bytes.truncate(info.buffer_size());
        let picture = Self {
            width: info.width,
            height: info.height,
            channels: info.color_type.samples(),
            bytes,
        };
        let first = picture.bytes.get(..picture.channels).unwrap_or_default();
        if picture.pixels().all(|pixel| pixel == first) {
            return Err(wrong("all of its pixels are the same".to_owned()));
        }
        Ok(picture)
    }

    /// The channels of each pixel, row by row.
    pub(super) fn pixels(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.channels)
    }
}
