//! A texture's size, format and initial texels: `texture:256x256:rgba8unorm:random`, or a picture, `photo.png`.
//!
//! Which sizes and formats a binding accepts is checked elsewhere. Sizes and counts of 0 are errors.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use anywarp_texture::Format;

use super::count::count_u32;
use super::values::{self, Numbers};
use super::{SpecError, is_named};
use anywarp::reflection::ElementType;

/// `texture:SIZE[:FORMAT][:levels=N][:samples=N][:TEXELS]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TextureSpec {
    pub(crate) size: TextureSize,
    /// `None` for the shader's format, or the default one.
    pub(crate) format: Option<Format>,
    /// Mip levels.
    pub(crate) levels: u32,
    /// `None` if the shader determines whether the texture is multisampled.
    pub(crate) samples: Option<u32>,
    pub(crate) texels: Texels,
}

/// One to three numbers, none of them 0, written `256x256`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextureSize(pub(crate) Vec<u32>);

/// The source of the initial texels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Texels {
    Zeros,
    Random {
        seed: u64,
    },
    /// The same value in all texels, by channel.
    Fill(Vec<f64>),
    /// Raw bytes, given as numbers.
    Values(Numbers),
    /// Raw bytes.
    File(PathBuf),
}

/// `FILE.png[:WxH][:FORMAT]`: a texture read from a picture, optionally with its expected size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PictureSpec {
    pub(crate) path: PathBuf,
    pub(crate) size: Option<[u32; 2]>,
    pub(crate) format: Option<Format>,
}

impl FromStr for TextureSpec {
    type Err = SpecError;

    /// Reads the text after `texture:`.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (size, mut rest) = split(text);
        let mut spec = Self {
            size: size.parse()?,
            format: None,
            levels: 1,
            samples: None,
            texels: Texels::Zeros,
        };
        while !rest.is_empty() {
            let (part, after) = split(rest);
            if let Some(format) = Format::named(part) {
                spec.format = Some(format);
            } else if let Some(levels) = part.strip_prefix("levels=") {
                spec.levels = count(levels)?;
            } else if let Some(samples) = part.strip_prefix("samples=") {
                spec.samples = Some(count(samples)?);
            } else {
                spec.texels = rest.parse()?;
                break;
            }
            rest = after;
        }
        Ok(spec)
    }
}

fn split(text: &str) -> (&str, &str) {
    text.split_once(':').unwrap_or((text, ""))
}

fn count(text: &str) -> Result<u32, SpecError> {
    let number = count_u32(text).ok().filter(|number| *number > 0);
    number.ok_or_else(|| SpecError::CountOfOne(text.to_owned()))
}

impl FromStr for TextureSize {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let wrong = || SpecError::TextureSize(text.to_owned());
        let sides = text.split('x').map(|side| count_u32(side).ok());
        let sides: Option<Vec<u32>> = sides.collect();
        sides
            .filter(|sides| sides.len() <= 3 && !sides.contains(&0))
            .map(Self)
            .ok_or_else(wrong)
    }
}

impl FromStr for Texels {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let unknown = || SpecError::Texels(text.to_owned());
        if let Some(path) = text.strip_prefix('@').filter(|path| !path.is_empty()) {
            return Ok(Self::File(path.into()));
        }
        let (kind, rest) = split(text);
        match (kind, ElementType::named(kind)) {
            ("zeros", _) if rest.is_empty() => Ok(Self::Zeros),
            ("random", _) if rest.is_empty() => Ok(Self::Random { seed: 0 }),
            ("random", _) => Ok(Self::Random {
                seed: values::number(rest, "u64")?,
            }),
            ("fill", _) => fill(rest),
            (_, Some(element)) => Ok(Self::Values(Numbers::parse(text, element, rest)?)),
            _ => Err(unknown()),
        }
    }
}

/// One to four numbers.
fn fill(text: &str) -> Result<Texels, SpecError> {
    let numbers = text.split(',').map(str::trim).map(|item| {
        let number = item.parse().ok().filter(|it: &f64| it.is_finite());
        number.ok_or_else(|| values::not_a_number(item, "f64"))
    });
    let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
    match numbers.len() {
        1..=4 => Ok(Texels::Fill(numbers)),
        _ => Err(SpecError::Fill(text.to_owned())),
    }
}

impl PictureSpec {
    /// Parses a picture; `None` if the text is not one. Parsed from the right, because a path may contain colons.
    pub(super) fn read(text: &str) -> Option<Result<Self, SpecError>> {
        let whole = |path: &str, size, format| Self {
            path: path.into(),
            size,
            format,
        };
        if is_named(text, ".png") {
            return Some(Ok(whole(text, None, None)));
        }
        let (path, last) = text.rsplit_once(':')?;
        if is_named(path, ".png") {
            return Some(match Format::named(last) {
                Some(format) => Ok(whole(path, None, Some(format))),
                None => picture_size(last).map(|size| whole(path, Some(size), None)),
            });
        }
        let (path, size) = path.rsplit_once(':')?;
        is_named(path, ".png").then(|| {
            let size = picture_size(size)?;
            let unknown = || SpecError::Format(last.to_owned());
            let format = Format::named(last).ok_or_else(unknown)?;
            Ok(whole(path, Some(size), Some(format)))
        })
    }
}

/// Width and height of a picture, as `640x480`.
pub(super) fn picture_size(text: &str) -> Result<[u32; 2], SpecError> {
    let wrong = || SpecError::PictureSize(text.to_owned());
    let TextureSize(sides) = text.parse().map_err(|_| wrong())?;
    sides.try_into().map_err(|_| wrong())
}

impl fmt::Display for TextureSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "texture:{}", self.size)?;
        if let Some(format) = self.format {
            write!(f, ":{}", format.name())?;
        }
        if self.levels != 1 {
            write!(f, ":levels={}", self.levels)?;
        }
        if let Some(samples) = self.samples {
            write!(f, ":samples={samples}")?;
        }
        match &self.texels {
            Texels::Zeros => Ok(()),
            Texels::Random { seed } => write!(f, ":random:{seed}"),
            Texels::Fill(channels) => {
                let channels: Vec<_> = channels.iter().map(f64::to_string).collect();
                write!(f, ":fill:{}", channels.join(","))
            }
            Texels::Values(numbers) => write!(f, ":{numbers}"),
            Texels::File(path) => write!(f, ":@{}", path.display()),
        }
    }
}

impl fmt::Display for TextureSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides: Vec<_> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&sides.join("x"))
    }
}

impl fmt::Display for PictureSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some([width, height]) = self.size {
            write!(f, ":{width}x{height}")?;
        }
        match self.format {
            Some(format) => write!(f, ":{}", format.name()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    pub(in crate::specs) fn textures() -> impl Strategy<Value = TextureSpec> {
        let format = proptest::option::of(select(Format::ALL.to_vec()));
        let size = proptest::collection::vec(1..=u32::MAX, 1..=3).prop_map(TextureSize);
        let fill = proptest::collection::vec(-1e9..1e9, 1..=4);
        let texels = prop_oneof![
            Just(Texels::Zeros),
            any::<u64>().prop_map(|seed| Texels::Random { seed }),
            fill.prop_map(Texels::Fill),
            values::tests::numbers().prop_map(Texels::Values),
            "[a-z=:,@./ ]{1,20}".prop_map(|path| Texels::File(path.into())),
        ];
        let samples = proptest::option::of(1..=u32::MAX);
        (size, format, 1..=u32::MAX, samples, texels).prop_map(
            |(size, format, levels, samples, texels)| TextureSpec {
                size,
                format,
                levels,
                samples,
                texels,
            },
        )
    }

    pub(in crate::specs) fn pictures() -> impl Strategy<Value = PictureSpec> {
        let format = proptest::option::of(select(Format::ALL.to_vec()));
        let size = proptest::option::of([1..=u32::MAX, 1..=u32::MAX]);
        ("[b-e=/ ]{1,10}\\.png", size, format).prop_map(|(path, size, format)| PictureSpec {
            path: path.into(),
            size,
            format,
        })
    }

    #[test]
    fn the_part_at_fault_is_named() {
        let message = |text: &str| text.parse::<TextureSpec>().unwrap_err().to_string();
        assert!(message("0x4").contains("`0x4` is not a texture's size"));
        assert!(message("4x4x4x4").contains("`4x4x4x4` is not a texture's size"));
        assert!(message("").contains("`` is not a texture's size"));
        assert!(message("4x4:levels=0").contains("`0` is not a count"));
        assert!(message("4x4:rgba7").contains("`rgba7` is neither a format nor"));
        assert!(message("4x4:fill:1,2,3,4,5").contains("`1,2,3,4,5`"));
        assert!(message("4x4:fill:x").contains("`x` is not a number"));
        assert!(message("4x4:r32uint:u32:1,x").contains("`x` is not a number of type u32"));
        let message = |text: &str| PictureSpec::read(text).unwrap().unwrap_err().to_string();
        assert!(message("a.png:0x4").contains("`0x4` is not a picture size"));
        assert!(message("a.png:4x4:rgba7").contains("`rgba7` is not a texture format"));
        assert!(PictureSpec::read("a.jpg").is_none());
    }
}
