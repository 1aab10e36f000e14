//! Writes an image as a PNG file.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use mandelbrot::{Image, Palette};

use super::error::Error;

/// Writes an image with a palette.
pub(crate) fn write(path: &Path, image: &Image, palette: &Palette) -> Result<(), Error> {
    try_write(path, image, palette).map_err(|error| failure(path, &error))
}

fn try_write(path: &Path, image: &Image, palette: &Palette) -> io::Result<()> {
    let [width, height] = image.size();
    let file = BufWriter::new(File::create(path)?);
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_depth(png::BitDepth::Eight);
    // No alpha channel: all pixels are opaque.
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header()?;
    let rgba = image.rgba(palette);
    let rgb: Vec<u8> = (rgba.as_chunks::<4>().0.iter())
        .flat_map(|[red, green, blue, _]| [*red, *green, *blue])
        .collect();
    writer.write_image_data(&rgb)?;
    Ok(writer.finish()?)
}

/// Creates the output folder before the computation, so that errors are reported early.
pub(crate) fn make_folder(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path).map_err(|error| failure(path, &error))
}

/// Checks that the folder of an output file exists, before the computation.
pub(crate) fn check_folder(path: &Path) -> Result<(), Error> {
    let folder = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => Err(Error::Write {
            path: path.to_owned(),
            reason: "its folder does not exist".to_owned(),
        }),
        _ if path.is_dir() => Err(Error::Write {
            path: path.to_owned(),
            reason: "is a directory".to_owned(),
        }),
        _ => Ok(()),
    }
}

fn failure(path: &Path, error: &io::Error) -> Error {
    Error::Write {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}
