//! `--bind G:B=SPEC`: what a buffer holds before the first run.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::{Slot, SpecError, assignment};

/// One `--bind`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bind {
    pub(crate) slot: Slot,
    pub(crate) contents: Contents,
}

/// Where a buffer's first bytes come from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Contents {
    Zeros { bytes: u64 },
    Random { bytes: u64, seed: u64 },
    F32(Vec<f32>),
    U32(Vec<u32>),
    I32(Vec<i32>),
    File(PathBuf),
}

impl FromStr for Bind {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (slot, contents) = assignment(text, "zeros:64")?;
        Ok(Self {
            slot,
            contents: contents.parse()?,
        })
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
        match kind {
            "zeros" => Ok(Self::Zeros {
                bytes: byte_count(rest)?,
            }),
            "random" => random(rest),
            "f32" => Ok(Self::F32(values(text, rest, "f32", float)?)),
            "u32" => Ok(Self::U32(values(text, rest, "u32", unsigned)?)),
            "i32" => Ok(Self::I32(values(text, rest, "i32", signed)?)),
            _ => Err(unknown()),
        }
    }
}

fn random(rest: &str) -> Result<Contents, SpecError> {
    let (bytes, seed) = match rest.split_once(':') {
        None => (rest, 0),
        Some((bytes, seed)) => {
            let seed = seed.parse().map_err(|_| not_a_number(seed, "u64"))?;
            (bytes, seed)
        }
    };
    Ok(Contents::Random {
        bytes: byte_count(bytes)?,
        seed,
    })
}

fn byte_count(text: &str) -> Result<u64, SpecError> {
    text.parse().map_err(|_| not_a_number(text, "u64"))
}

fn not_a_number(text: &str, type_name: &'static str) -> SpecError {
    SpecError::Number {
        text: text.to_owned(),
        type_name,
    }
}

/// Comma-separated values, at least one.
fn values<T>(
    whole: &str,
    list: &str,
    type_name: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, SpecError> {
    if list.trim().is_empty() {
        return Err(SpecError::Empty(whole.to_owned()));
    }
    list.split(',')
        .map(str::trim)
        .map(|item| parse(item).ok_or_else(|| not_a_number(item, type_name)))
        .collect()
}

/// A number too large for the type is refused, as for integers, and not read as infinity.
fn float(item: &str) -> Option<f32> {
    let value: f32 = item.parse().ok()?;
    let overflowed = value.is_infinite() && item.contains(|c: char| c.is_ascii_digit());
    (!overflowed).then_some(value)
}

fn unsigned(item: &str) -> Option<u32> {
    match item.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => item.parse().ok(),
    }
}

/// Hexadecimal is taken as the bits of the number, so that `0xffffffff` is -1.
fn signed(item: &str) -> Option<i32> {
    if item.starts_with("0x") {
        return unsigned(item).map(|bits| bits as i32);
    }
    item.parse().ok()
}

impl fmt::Display for Bind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.slot, self.contents)
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zeros { bytes } => write!(f, "zeros:{bytes}"),
            Self::Random { bytes, seed } => write!(f, "random:{bytes}:{seed}"),
            Self::F32(values) => list(f, "f32", values),
            Self::U32(values) => list(f, "u32", values),
            Self::I32(values) => list(f, "i32", values),
            Self::File(path) => write!(f, "@{}", path.display()),
        }
    }
}

fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, kind: &str, values: &[T]) -> fmt::Result {
    for (index, value) in values.iter().enumerate() {
        let before = if index == 0 { kind } else { "" };
        let separator = if index == 0 { ":" } else { "," };
        write!(f, "{before}{separator}{value}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn contents() -> impl Strategy<Value = Contents> {
        let finite = any::<f32>().prop_filter("NaN is not equal to itself", |v| !v.is_nan());
        prop_oneof![
            any::<u64>().prop_map(|bytes| Contents::Zeros { bytes }),
            any::<(u64, u64)>().prop_map(|(bytes, seed)| Contents::Random { bytes, seed }),
            proptest::collection::vec(finite, 1..20).prop_map(Contents::F32),
            proptest::collection::vec(any::<u32>(), 1..20).prop_map(Contents::U32),
            proptest::collection::vec(any::<i32>(), 1..20).prop_map(Contents::I32),
            "[a-z=:,@./ ]{1,20}".prop_map(|path| Contents::File(path.into())),
        ]
    }

    proptest! {
        #[test]
        fn any_text_parses_or_is_refused(text in ".*") {
            let _ = text.parse::<Bind>();
            let _ = format!("0:0={text}").parse::<Bind>();
        }

        #[test]
        fn near_misses_parse_or_are_refused(
            text in "[0-9]:[0-9]=(zeros|random|f32|u32|i32|@)?:?[-0-9a-fx.,:]{0,12}",
        ) {
            let _ = text.parse::<Bind>();
        }

        #[test]
        fn prints_what_it_parses(group: u32, binding: u32, contents in contents()) {
            let bind = Bind { slot: Slot { group, binding }, contents };
            prop_assert_eq!(bind.to_string().parse(), Ok(bind));
        }
    }

    #[test]
    fn spaces_hexadecimal_and_special_floats() {
        assert_eq!("u32:1, 0xff".parse(), Ok(Contents::U32(vec![1, 255])));
        assert_eq!("i32:-1,0xffffffff".parse(), Ok(Contents::I32(vec![-1, -1])));
        assert_eq!(
            "f32:inf,-inf,1e-3".parse(),
            Ok(Contents::F32(vec![f32::INFINITY, f32::NEG_INFINITY, 1e-3]))
        );
    }

    #[test]
    fn the_part_at_fault_is_named() {
        let message = |text: &str| text.parse::<Bind>().unwrap_err().to_string();
        assert!(message("0:0=u32:1,x,3").contains("`x` is not a number of type u32"));
        assert!(message("0:0=f32:inf,1e39").contains("`1e39` is not a number of type f32"));
        assert!(message("0:0=u32:-1").contains("`-1`"));
        assert!(message("0:0=f32:").contains("no values"));
        assert!(message("0:0=zeros:many").contains("`many`"));
        assert!(message("0:0").contains("`0:0` has no `=`"));
        assert!(message("0=zeros:4").contains("`0` is not a binding"));
        assert!(message("0:0=f16:1").contains("`f16:1` is no source"));
    }
}
