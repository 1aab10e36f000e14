//! `--bind G:B=SPEC`: the initial contents of a binding.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::count::count;
use super::member::{self, MemberValue};
use super::sampler::SamplerSpec;
use super::texture::{PictureSpec, TextureSpec};
use super::values::{self, Numbers};
use super::{SpecError, Target, assignment};
use anywarp::reflection::ElementType;

/// One `--bind`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bind {
    pub(crate) target: Target,
    pub(crate) given: Given,
}

/// The resource that is bound.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Given {
    /// Bytes, for a buffer.
    Data(Contents),
    /// A texture by its size.
    Texture(TextureSpec),
    /// A texture that is a picture.
    Picture(PictureSpec),
    /// A sampler.
    Sampler(SamplerSpec),
}

/// The source of a buffer's initial bytes. A size that is not given is derived from the binding.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Contents {
    Zeros {
        bytes: Option<u64>,
    },
    /// Random bytes; or, with a type, floats from 0 to 1 and arbitrary integers.
    Random {
        element: Option<ElementType>,
        /// The number of elements, or of bytes without a type.
        count: Option<u64>,
        seed: u64,
    },
    /// The same number in all elements.
    Fill {
        number: Numbers,
        count: Option<u64>,
    },
    Values(Numbers),
    Members(Vec<MemberValue>),
    /// Raw bytes; or, from a `.json` file, values by member name.
    File(PathBuf),
}

impl Contents {
    /// The bytes of a number of elements; an overflowing product saturates to a size beyond every limit.
    pub(crate) fn sized(element: Option<ElementType>, count: u64) -> u64 {
        let bytes = count.checked_mul(element.map_or(1, ElementType::bytes));
        bytes.unwrap_or(!7)
    }
}

impl FromStr for Bind {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (target, given) = assignment(text, "zeros:64")?;
        Ok(Self {
            target,
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
        if let Some(sampler) = SamplerSpec::read(text) {
            return sampler.map(Self::Sampler);
        }
        // A file name may contain `=`, but no member's value ends like one.
        let picture = PictureSpec::read(text);
        match (text.parse(), picture) {
            (Ok(Contents::Members(_)), Some(picture)) => picture.map(Self::Picture),
            (Ok(contents), _) => Ok(Self::Data(contents)),
            (Err(SpecError::Contents(_) | SpecError::Member(_)), Some(picture)) => {
                picture.map(Self::Picture)
            }
            (Err(SpecError::Contents(_)), None) => Err(SpecError::Given(text.to_owned())),
            (Err(error), _) => Err(error),
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
        if member::are_members(text) {
            return member::members(text).map(Self::Members);
        }
        let (kind, rest) = match text.split_once(':') {
            Some((kind, rest)) => (kind, Some(rest)),
            None => (text, None),
        };
        match (kind, ElementType::named(kind), rest) {
            ("zeros", ..) => zeros(rest),
            ("random", ..) => random(rest),
            ("fill", _, Some(rest)) => fill(text, rest),
            (_, Some(element), Some(rest)) => {
                Ok(Self::Values(Numbers::parse(text, element, rest)?))
            }
            _ => Err(unknown()),
        }
    }
}

/// Parses a type before a count, and returns the rest.
fn typed(rest: &str) -> (Option<ElementType>, Option<&str>) {
    let (first, after) = match rest.split_once(':') {
        Some((first, after)) => (first, Some(after)),
        None => (rest, None),
    };
    match ElementType::named(first) {
        Some(element) => (Some(element), after),
        None => (None, Some(rest)),
    }
}

/// `zeros`, `zeros:BYTES`, `zeros:TYPE` or `zeros:TYPE:COUNT`.
fn zeros(rest: Option<&str>) -> Result<Contents, SpecError> {
    let (element, amount) = rest.map_or((None, None), typed);
    let amount = amount.map(count).transpose()?;
    let bytes = amount.map(|amount| Contents::sized(element, amount));
    Ok(Contents::Zeros { bytes })
}

/// `random`, `random:BYTES[:SEED]`, `random:TYPE` or `random:TYPE:COUNT[:SEED]`.
fn random(rest: Option<&str>) -> Result<Contents, SpecError> {
    let (element, amount) = rest.map_or((None, None), typed);
    let (amount, seed) = match amount.and_then(|amount| amount.split_once(':')) {
        Some((amount, seed)) => (Some(amount), seed),
        None => (amount, "0"),
    };
    Ok(Contents::Random {
        element,
        count: amount.map(count).transpose()?,
        seed: values::number(seed, "u64")?,
    })
}

/// `fill:TYPE:VALUE[:COUNT]`.
fn fill(text: &str, rest: &str) -> Result<Contents, SpecError> {
    let wrong = || SpecError::FillBuffer(text.to_owned());
    let (element, rest) = rest.split_once(':').ok_or_else(wrong)?;
    let element = element.parse()?;
    let (number, amount) = match rest.split_once(':') {
        Some((number, amount)) => (number, Some(amount)),
        None => (rest, None),
    };
    Ok(Contents::Fill {
        number: Numbers::one(element, number)?,
        count: amount.map(count).transpose()?,
    })
}

impl fmt::Display for Bind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.target, self.given)
    }
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(contents) => contents.fmt(f),
            Self::Texture(texture) => texture.fmt(f),
            Self::Picture(picture) => picture.fmt(f),
            Self::Sampler(sampler) => sampler.fmt(f),
        }
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zeros { bytes } => {
                f.write_str("zeros")?;
                bytes.map_or(Ok(()), |bytes| write!(f, ":{bytes}"))
            }
            Self::Random {
                element,
                count,
                seed,
            } => {
                f.write_str("random")?;
                element.map_or(Ok(()), |element| write!(f, ":{element}"))?;
                count.map_or(Ok(()), |count| write!(f, ":{count}:{seed}"))
            }
            Self::Fill { number, count } => {
                write!(f, "fill:{number}")?;
                count.map_or(Ok(()), |count| write!(f, ":{count}"))
            }
            Self::Values(numbers) => numbers.fmt(f),
            Self::Members(members) => {
                let members: Vec<_> = members.iter().map(ToString::to_string).collect();
                f.write_str(&members.join(","))
            }
            Self::File(path) => write!(f, "@{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::specs::{member, sampler, target, texture, values};

    fn element() -> impl Strategy<Value = Option<ElementType>> {
        proptest::option::of(proptest::sample::select(ElementType::ALL.to_vec()))
    }

    fn given() -> impl Strategy<Value = Given> {
        let contents = prop_oneof![
            any::<Option<u64>>().prop_map(|bytes| Contents::Zeros { bytes }),
            (element(), any::<(Option<u64>, u64)>()).prop_map(|(element, (count, seed))| {
                let seed = count.map_or(0, |_| seed);
                Contents::Random {
                    element,
                    count,
                    seed,
                }
            }),
            (-1000..1000_i32, any::<Option<u64>>()).prop_map(|(number, count)| {
                let number = Numbers::one(ElementType::I32, &number.to_string()).unwrap();
                Contents::Fill { number, count }
            }),
            values::tests::numbers().prop_map(Contents::Values),
            member::tests::member_values().prop_map(Contents::Members),
            "[a-z=:,@./ ]{1,20}".prop_map(|path| Contents::File(path.into())),
        ];
        prop_oneof![
            contents.prop_map(Given::Data),
            texture::tests::textures().prop_map(Given::Texture),
            texture::tests::pictures().prop_map(Given::Picture),
            sampler::tests::samplers().prop_map(Given::Sampler),
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
            text in "[0-9]:[0-9]=(zeros|random|fill|[fiu](16|32|64)|@|texture|sampler|a.png|a\\[)?:?[-0-9a-fkx.,:=\\]]{0,12}",
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
        fn prints_what_it_parses(target in target::tests::targets(), given in given()) {
            let bind = Bind { target, given };
            prop_assert_eq!(bind.to_string().parse(), Ok(bind));
        }
    }

    #[test]
    fn counts_have_types_and_suffixes() {
        let read = |text: &str| text.parse::<Contents>().unwrap().to_string();
        assert_eq!(read("zeros:4k"), "zeros:4096");
        assert_eq!(read("zeros:f32:4k"), "zeros:16384");
        assert_eq!(read("zeros:f64"), "zeros");
        assert_eq!(read("random:1M"), "random:1048576:0");
        assert_eq!(read("random:f32:1M:7"), "random:f32:1048576:7");
        assert_eq!(read("random:f16"), "random:f16");
        assert_eq!(read("fill:f32:0.5:2k"), "fill:f32:0.5:2048");
        assert_eq!(
            read("zeros:f64:18446744073709551615"),
            "zeros:18446744073709551608"
        );
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
        assert!(message("0:0=f8:1").contains("`f8:1` is not a data source"));
        assert!(message("0:0=photo.jpg").contains("`photo.jpg` is not a data source"));
        assert!(message("0:0=zero:64").contains("did you mean `zeros:64`?"));
        assert!(message("0:0=fill:1").contains("`fill:1` does not fill a buffer"));
        assert!(message("0:0=random:f32:x").contains("`x` is not a count"));
        assert!(message("0:0=sampler:soft").contains("`soft`"));
        assert!(message("0:0=a=1,b").contains("`b` does not set a member"));
    }
}
