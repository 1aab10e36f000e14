//! `--bind G:B=SPEC`: what a binding holds before the first run.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::element::ElementType;
use super::texture::{PictureSpec, TextureSpec};
use super::values::{self, Numbers};
use super::{Slot, SpecError, assignment};

/// One `--bind`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bind {
    pub(crate) slot: Slot,
    pub(crate) given: Given,
}

/// What a binding is given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Given {
    /// Bytes, for a buffer.
    Data(Contents),
    /// A texture by its size.
    Texture(TextureSpec),
    /// A texture that is a picture.
    Picture(PictureSpec),
}

/// Where a buffer's first bytes come from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Contents {
    Zeros { bytes: u64 },
    Random { bytes: u64, seed: u64 },
    Values(Numbers),
    File(PathBuf),
}

impl FromStr for Bind {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (slot, given) = assignment(text, "zeros:64")?;
        Ok(Self {
            slot,
            given: given.parse()?,
        })
    }
}

impl FromStr for Given {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        if let Some(texture) = text.strip_prefix("texture:") {
            return texture.parse().map(Self::Texture);
        }
        match text.parse() {
            Ok(contents) => Ok(Self::Data(contents)),
            Err(SpecError::Contents(_)) => match PictureSpec::read(text) {
                Some(picture) => picture.map(Self::Picture),
                None => Err(SpecError::Given(text.to_owned())),
            },
            Err(error) => Err(error),
        }
    }
}

impl FromStr for Contents {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let unknown = || SpecError::Contents(text.to_owned());
        if let Some(path) = text.strip_prefix('@') {
            return if path.is_empty() {
                Err(unknown())
            } else {
                Ok(Self::File(path.into()))
            };
        }
        let (kind, rest) = text.split_once(':').ok_or_else(unknown)?;
        match (kind, ElementType::named(kind)) {
            ("zeros", _) => Ok(Self::Zeros {
                bytes: values::number(rest, "u64")?,
            }),
            ("random", _) => random(rest),
            (_, Some(element)) => Ok(Self::Values(Numbers::parse(text, element, rest)?)),
            _ => Err(unknown()),
        }
    }
}

fn random(rest: &str) -> Result<Contents, SpecError> {
    let (bytes, seed) = rest.split_once(':').unwrap_or((rest, "0"));
    Ok(Contents::Random {
        bytes: values::number(bytes, "u64")?,
        seed: values::number(seed, "u64")?,
    })
}

impl fmt::Display for Bind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.slot, self.given)
    }
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(contents) => contents.fmt(f),
            Self::Texture(texture) => texture.fmt(f),
            Self::Picture(picture) => picture.fmt(f),
        }
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zeros { bytes } => write!(f, "zeros:{bytes}"),
            Self::Random { bytes, seed } => write!(f, "random:{bytes}:{seed}"),
            Self::Values(numbers) => numbers.fmt(f),
            Self::File(path) => write!(f, "@{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::specs::{texture, values};

    fn given() -> impl Strategy<Value = Given> {
        let contents = prop_oneof![
            any::<u64>().prop_map(|bytes| Contents::Zeros { bytes }),
            any::<(u64, u64)>().prop_map(|(bytes, seed)| Contents::Random { bytes, seed }),
            values::tests::numbers().prop_map(Contents::Values),
            "[a-z=:,@./ ]{1,20}".prop_map(|path| Contents::File(path.into())),
        ];
        prop_oneof![
            contents.prop_map(Given::Data),
            texture::tests::textures().prop_map(Given::Texture),
            texture::tests::pictures().prop_map(Given::Picture),
        ]
    }

    proptest! {
        #[test]
        fn any_text_parses_or_is_refused(text in ".*") {
            let _ = text.parse::<Bind>();
            let _ = format!("0:0={text}").parse::<Bind>();
            let _ = format!("0:0=texture:{text}").parse::<Bind>();
        }

        #[test]
        fn near_misses_parse_or_are_refused(
            text in "[0-9]:[0-9]=(zeros|random|[fiu](16|32|64)|@|texture|a.png)?:?[-0-9a-fx.,:]{0,12}",
        ) {
            let _ = text.parse::<Bind>();
        }

        #[test]
        fn near_misses_of_textures_parse_or_are_refused(
            text in "texture:[0-9x]{0,8}:?(rgba8unorm|levels=|samples=)?[0-9]?:?(random|fill|f32|@)?:?[0-9,]{0,5}",
        ) {
            let _ = text.parse::<Given>();
        }

        #[test]
        fn prints_what_it_parses(group: u32, binding: u32, given in given()) {
            let bind = Bind { slot: Slot { group, binding }, given };
            prop_assert_eq!(bind.to_string().parse(), Ok(bind));
        }
    }

    #[test]
    fn the_part_at_fault_is_named() {
        let message = |text: &str| text.parse::<Bind>().unwrap_err().to_string();
        assert!(message("0:0=u32:1,x,3").contains("`x` is not a number of type u32"));
        assert!(message("0:0=f32:inf,1e39").contains("`1e39` is not a number of type f32"));
        assert!(message("0:0=f16:1,65520").contains("`65520` is not a number of type f16"));
        assert!(message("0:0=u64:-1").contains("`-1`"));
        assert!(message("0:0=f32:").contains("no values"));
        assert!(message("0:0=zeros:many").contains("`many`"));
        assert!(message("0:0").contains("`0:0` has no `=`"));
        assert!(message("0=zeros:4").contains("`0` is not a binding"));
        assert!(message("0:0=f8:1").contains("`f8:1` is no source"));
        assert!(message("0:0=photo.jpg").contains("`photo.jpg` is no source"));
    }
}
