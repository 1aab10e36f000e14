//! `--out BINDING=SPEC`: where a binding is written after the last run.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::count::count;
use super::texture::picture_size;
use super::{SpecError, Target, assignment, is_named};
use anywarp::reflection::ElementType;

/// One `--out`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Out {
    pub(crate) target: Target,
    pub(crate) destination: Destination,
}

/// The destination of a buffer's or texture's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// Values on stdout: the first `count`, or all. Without a type they have the binding's own type.
    Print {
        element: Option<ElementType>,
        count: Option<u64>,
    },
    /// Raw bytes on stdout.
    Stdout,
    /// Raw bytes in a file.
    Bin(PathBuf),
    Png(PictureOut),
}

/// A picture file with the properties that the command gives: for a buffer all of them, for a texture the required
/// ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PictureOut {
    pub(crate) path: PathBuf,
    pub(crate) size: Option<[u32; 2]>,
    pub(crate) pixels: Option<Pixels>,
}

/// A picture file, and how bytes become pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PngPicture {
    pub(crate) path: PathBuf,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) pixels: Pixels,
}

/// How bytes become pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pixels {
    /// Four bytes per pixel, red first.
    Rgba8,
    /// Four floats per pixel, each from 0 to 1.
    F32x4,
    /// One scalar per pixel, mapped from minimum to maximum through a colour map.
    Heat,
}

impl PngPicture {
    /// The size of the buffer that holds exactly this picture; `element` is the scalar type of a heat map.
    pub(crate) fn bytes(&self, element: ElementType) -> u64 {
        let pixel = match self.pixels {
            Pixels::Rgba8 => 4,
            Pixels::F32x4 => 16,
            Pixels::Heat => element.bytes(),
        };
        u64::from(self.width)
            .saturating_mul(u64::from(self.height))
            .saturating_mul(pixel)
    }
}

impl PictureOut {
    /// The picture of a buffer, if size and pixel format are given.
    pub(crate) fn of_buffer(&self) -> Option<PngPicture> {
        let [width, height] = self.size?;
        Some(PngPicture {
            path: self.path.clone(),
            width,
            height,
            pixels: self.pixels?,
        })
    }
}

impl Destination {
    /// The bytes of a buffer that the output needs, if it determines them; `element` is the scalar type of the
    /// buffer.
    pub(crate) fn bytes(&self, element: ElementType) -> Option<u64> {
        match self {
            Self::Print {
                element: given,
                count,
            } => {
                let width = given.unwrap_or(element).bytes();
                count.map(|count| count.saturating_mul(width))
            }
            Self::Bin(_) | Self::Stdout => None,
            Self::Png(picture) => picture.of_buffer().map(|picture| picture.bytes(element)),
        }
    }

    /// The file that is written, if any.
    pub(crate) fn path(&self) -> Option<&std::path::Path> {
        match self {
            Self::Print { .. } | Self::Stdout => None,
            Self::Bin(path) => Some(path),
            Self::Png(picture) => Some(&picture.path),
        }
    }
}

impl FromStr for Out {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (target, destination) = assignment(text, "print:f32")?;
        Ok(Self {
            target,
            destination: destination.parse()?,
        })
    }
}

impl FromStr for Destination {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        if text == "-" {
            return Ok(Self::Stdout);
        }
        if text == "print" {
            let (element, count) = (None, None);
            return Ok(Self::Print { element, count });
        }
        if let Some(rest) = text.strip_prefix("print:") {
            return print(rest);
        }
        if is_named(text, ".bin") {
            return Ok(Self::Bin(text.into()));
        }
        picture(text).map(Self::Png)
    }
}

/// `print:TYPE`, `print:COUNT` or `print:TYPE:COUNT`.
fn print(rest: &str) -> Result<Destination, SpecError> {
    let begins_with_digit = rest.starts_with(|first: char| first.is_ascii_digit());
    let (element, amount) = match rest.split_once(':') {
        _ if begins_with_digit => (None, Some(rest)),
        None => (Some(rest), None),
        Some((element, amount)) => (Some(element), Some(amount)),
    };
    Ok(Destination::Print {
        element: element.map(str::parse).transpose()?,
        count: amount.map(count).transpose()?,
    })
}

/// `--pixels FILE.png:WxH`: the picture that a kernel draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PixelsFile {
    /// The file to write.
    pub(crate) path: PathBuf,
    /// Pixels in a row.
    pub(crate) width: u32,
    /// Rows.
    pub(crate) height: u32,
}

impl FromStr for PixelsFile {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let file = sized_png(text).ok_or_else(|| SpecError::PixelsFile(text.to_owned()))??;
        let is_small = u64::from(file.width) * u64::from(file.height) <= MAX_PIXELS;
        if is_small {
            Ok(file)
        } else {
            Err(SpecError::PixelsFile(text.to_owned()))
        }
    }
}

/// The most pixels of a kernel's picture; each takes 16 bytes.
const MAX_PIXELS: u64 = 1 << 27;

/// Parsed from the right, because a path may contain colons.
fn picture(text: &str) -> Result<PictureOut, SpecError> {
    let unknown = || SpecError::Destination(text.to_owned());
    let whole = |path: &str, size, pixels| PictureOut {
        path: path.into(),
        size,
        pixels,
    };
    if is_named(text, ".png") {
        return Ok(whole(text, None, None));
    }
    let (path, last) = text.rsplit_once(':').ok_or_else(unknown)?;
    if is_named(path, ".png") {
        return match last.parse() {
            Ok(pixels) => Ok(whole(path, None, Some(pixels))),
            Err(_) => Ok(whole(path, Some(picture_size(last)?), None)),
        };
    }
    let (path, size) = path.rsplit_once(':').ok_or_else(unknown)?;
    if !is_named(path, ".png") {
        return Err(unknown());
    }
    Ok(whole(path, Some(picture_size(size)?), Some(last.parse()?)))
}

/// Parses `FILE.png:WxH`; `None` if the text has a different form.
fn sized_png(text: &str) -> Option<Result<PixelsFile, SpecError>> {
    let (path, size) = text.rsplit_once(':')?;
    is_named(path, ".png").then(|| {
        let [width, height] = picture_size(size)?;
        let path = path.into();
        Ok(PixelsFile {
            path,
            width,
            height,
        })
    })
}

impl FromStr for Pixels {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        match text {
            "rgba8" => Ok(Self::Rgba8),
            "f32x4" => Ok(Self::F32x4),
            "heat" => Ok(Self::Heat),
            _ => Err(SpecError::Pixels(text.to_owned())),
        }
    }
}

impl fmt::Display for Out {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.target, self.destination)
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Print { element, count } => {
                f.write_str("print")?;
                element.map_or(Ok(()), |element| write!(f, ":{element}"))?;
                count.map_or(Ok(()), |count| write!(f, ":{count}"))
            }
            Self::Stdout => f.write_str("-"),
            Self::Bin(path) => write!(f, "{}", path.display()),
            Self::Png(picture) => picture.fmt(f),
        }
    }
}

impl fmt::Display for PictureOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some([width, height]) = self.size {
            write!(f, ":{width}x{height}")?;
        }
        self.pixels.map_or(Ok(()), |pixels| write!(f, ":{pixels}"))
    }
}

impl fmt::Display for Pixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rgba8 => "rgba8",
            Self::F32x4 => "f32x4",
            Self::Heat => "heat",
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::specs::target::tests::targets;

    fn destination() -> impl Strategy<Value = Destination> {
        let elements = select(ElementType::ALL.to_vec());
        let pixels = select(vec![Pixels::Rgba8, Pixels::F32x4, Pixels::Heat]);
        let size = proptest::option::of([1..=u32::MAX, 1..=u32::MAX]);
        prop_oneof![
            (proptest::option::of(elements), any::<Option<u64>>())
                .prop_map(|(element, count)| Destination::Print { element, count }),
            Just(Destination::Stdout),
            "[a-z=:/ ]{1,10}\\.bin".prop_map(|path| Destination::Bin(path.into())),
            ("[a-z=:/ ]{1,10}\\.png", size, proptest::option::of(pixels)).prop_map(
                |(path, size, pixels)| Destination::Png(PictureOut {
                    path: path.into(),
                    size,
                    pixels,
                })
            ),
        ]
    }

    proptest! {
        #[test]
        fn any_text_parses_or_is_refused(text in ".*") {
            let _ = text.parse::<Out>();
            let _ = format!("0:0={text}").parse::<Out>();
        }

        #[test]
        fn near_misses_parse_or_are_refused(
            text in "[0-9]:[0-9]=(print|a.png|a.bin)?:?[0-9x]{0,9}:?(f32|heat|rgba8)?:?[0-9]{0,30}",
        ) {
            let _ = text.parse::<Out>().map(|out| out.destination.bytes(ElementType::F64));
        }

        #[test]
        fn prints_what_it_parses(target in targets(), destination in destination()) {
            // A path that has the syntax of another form is parsed as that form.
            prop_assume!(!matches!(
                &destination,
                Destination::Bin(path) | Destination::Png(PictureOut { path, .. })
                    if path.to_string_lossy().starts_with("print:")
            ));
            let out = Out { target, destination };
            prop_assert_eq!(out.to_string().parse(), Ok(out));
        }
    }

    #[test]
    fn the_part_at_fault_is_named() {
        let message = |text: &str| text.parse::<Out>().unwrap_err().to_string();
        assert!(message("0:0=print:f8").contains("`f8` is not an element type"));
        assert!(message("0:0=print:f32:many").contains("`many`"));
        assert!(message("0:0=a.jpg").contains("`a.jpg` is not a destination"));
        assert!(message("0:0=print:4x").contains("`4x` is not a count"));
        assert!(message("0:0=a.png:4").contains("`4` is not a picture size"));
        assert!(message("0:0=a.png:0x4:heat").contains("`0x4` is not a picture size"));
        assert!(message("0:0=a.png:4:heat").contains("`4` is not a picture size"));
        assert!(message("0:0=a.png:4x4:grey").contains("`grey` is not a pixel format"));
        assert!(message("0:0=a.jpg:4x4:heat").contains("is not a destination"));
    }
}
