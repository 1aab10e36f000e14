//! The number types of buffers: converts text to bytes, and bytes to text.
//!
//! What always holds: a printed number parses back to the same bits, except that NaN keeps no payload. A number that
//! a type cannot represent is an error; numbers are never clamped.

use std::fmt;
use std::str::FromStr;

use half::f16;
use serde::{Serialize, Serializer};

/// A text names no [`ElementType`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an element type: give f16, f32, f64, i16, i32, i64, u16, u32 or u64")]
pub struct UnknownElementType(pub String);

/// A scalar type, as WGSL spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Exhaustive: a tool that reads or writes bytes must know each type, so a new one is a breaking change on purpose.
pub enum ElementType {
    /// 16-bit float.
    F16,
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
    /// 16-bit signed integer.
    I16,
    /// 32-bit signed integer.
    I32,
    /// 64-bit signed integer.
    I64,
    /// 16-bit unsigned integer.
    U16,
    /// 32-bit unsigned integer.
    U32,
    /// 64-bit unsigned integer.
    U64,
}

/// A number of one of the types.
#[derive(Clone, Copy, Debug, PartialEq)]
// Exhaustive, as `ElementType` is.
pub enum ElementValue {
    /// 16-bit float.
    F16(f16),
    /// 32-bit float.
    F32(f32),
    /// 64-bit float.
    F64(f64),
    /// 16-bit signed integer.
    I16(i16),
    /// 32-bit signed integer.
    I32(i32),
    /// 64-bit signed integer.
    I64(i64),
    /// 16-bit unsigned integer.
    U16(u16),
    /// 32-bit unsigned integer.
    U32(u32),
    /// 64-bit unsigned integer.
    U64(u64),
}

impl ElementType {
    /// All types.
    pub const ALL: [Self; 9] = [
        Self::F16,
        Self::F32,
        Self::F64,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U16,
        Self::U32,
        Self::U64,
    ];

    /// As WGSL spells it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
        }
    }

    /// The type with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Bytes of a number.
    pub fn bytes(self) -> u64 {
        match self {
            Self::F16 | Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// The numbers in `bytes`; an incomplete number at the end is ignored.
    pub fn values(self, bytes: &[u8]) -> impl Iterator<Item = ElementValue> + Clone + '_ {
        bytes
            .chunks_exact(self.bytes() as usize)
            .map(move |chunk| self.value(chunk))
    }

    fn value(self, chunk: &[u8]) -> ElementValue {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let bits = u64::from_le_bytes(word);
        match self {
            Self::F16 => ElementValue::F16(f16::from_bits(bits as u16)),
            Self::F32 => ElementValue::F32(f32::from_bits(bits as u32)),
            Self::F64 => ElementValue::F64(f64::from_bits(bits)),
            Self::I16 => ElementValue::I16(bits as i16),
            Self::I32 => ElementValue::I32(bits as i32),
            Self::I64 => ElementValue::I64(bits as i64),
            Self::U16 => ElementValue::U16(bits as u16),
            Self::U32 => ElementValue::U32(bits as u32),
            Self::U64 => ElementValue::U64(bits),
        }
    }

    /// The bytes of a number given as text.
    ///
    /// Integers may be hexadecimal, which gives the bits of the number: `0xffffffff` is -1 as i32.
    pub fn parse(self, text: &str) -> Option<Vec<u8>> {
        let value = match (self, text.strip_prefix("0x")) {
            (Self::F16, _) => ElementValue::F16(half_float(text)?),
            (Self::F32, _) => {
                ElementValue::F32(finite(text, text.parse().ok()?, f32::is_infinite)?)
            }
            (Self::F64, _) => {
                ElementValue::F64(finite(text, text.parse().ok()?, f64::is_infinite)?)
            }
            (_, Some(hex)) => self.of_bits(hexadecimal(hex)?)?,
            (Self::I16, None) => ElementValue::I16(text.parse().ok()?),
            (Self::I32, None) => ElementValue::I32(text.parse().ok()?),
            (Self::I64, None) => ElementValue::I64(text.parse().ok()?),
            (Self::U16, None) => ElementValue::U16(text.parse().ok()?),
            (Self::U32, None) => ElementValue::U32(text.parse().ok()?),
            (Self::U64, None) => ElementValue::U64(text.parse().ok()?),
        };
        Some(value.to_bytes())
    }

    /// The number with these bits, if they fit the type.
    fn of_bits(self, bits: u64) -> Option<ElementValue> {
        let bytes = bits.to_le_bytes();
        let (own, more) = bytes.split_at(self.bytes() as usize);
        more.iter().all(|byte| *byte == 0).then(|| self.value(own))
    }
}

/// Rejects a number that is too large for the type, as for integers, instead of reading it as infinity.
fn finite<T: Copy>(text: &str, value: T, is_infinite: impl Fn(T) -> bool) -> Option<T> {
    let overflowed = is_infinite(value) && text.contains(|c: char| c.is_ascii_digit());
    (!overflowed).then_some(value)
}

fn half_float(text: &str) -> Option<f16> {
    finite(text, f16::from_f64(text.parse().ok()?), f16::is_infinite)
}

/// Digits only: Rust's parser also accepts a sign.
fn hexadecimal(digits: &str) -> Option<u64> {
    let are_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    are_digits.then(|| u64::from_str_radix(digits, 16).ok())?
}

impl ElementValue {
    /// Little-endian, as in buffers.
    pub fn to_bytes(self) -> Vec<u8> {
        match self {
            Self::F16(value) => value.to_le_bytes().to_vec(),
            Self::F32(value) => value.to_le_bytes().to_vec(),
            Self::F64(value) => value.to_le_bytes().to_vec(),
            Self::I16(value) => value.to_le_bytes().to_vec(),
            Self::I32(value) => value.to_le_bytes().to_vec(),
            Self::I64(value) => value.to_le_bytes().to_vec(),
            Self::U16(value) => value.to_le_bytes().to_vec(),
            Self::U32(value) => value.to_le_bytes().to_vec(),
            Self::U64(value) => value.to_le_bytes().to_vec(),
        }
    }

    /// For pictures; 64-bit integers are rounded.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::F16(value) => value.to_f64(),
            Self::F32(value) => value.into(),
            Self::F64(value) => value,
            Self::I16(value) => value.into(),
            Self::I32(value) => value.into(),
            Self::I64(value) => value as f64,
            Self::U16(value) => value.into(),
            Self::U32(value) => value.into(),
            Self::U64(value) => value as f64,
        }
    }
}

/// The shortest text that reads back as the same number; whole floats without their `.0`.
impl fmt::Display for ElementValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let float = |f: &mut fmt::Formatter<'_>, text: String| {
            f.write_str(text.strip_suffix(".0").unwrap_or(&text))
        };
        match self {
            Self::F16(value) => float(f, format!("{:?}", shortest(*value))),
            Self::F32(value) => float(f, format!("{value:?}")),
            Self::F64(value) => float(f, format!("{value:?}")),
            Self::I16(value) => value.fmt(f),
            Self::I32(value) => value.fmt(f),
            Self::I64(value) => value.fmt(f),
            Self::U16(value) => value.fmt(f),
            Self::U32(value) => value.fmt(f),
            Self::U64(value) => value.fmt(f),
        }
    }
}

/// The number with the fewest digits, at most five, that rounds to a half float; integers are kept exactly, so that
/// 65504 is not shown as 65500.
fn shortest(value: f16) -> f64 {
    let exact = value.to_f64();
    if exact.fract() == 0.0 {
        return exact;
    }
    let with_digits = |digits: usize| {
        let text = format!("{exact:.digits$e}");
        let near: f64 = text.parse().ok()?;
        (f16::from_f64(near).to_bits() == value.to_bits()).then_some(near)
    };
    (0..5).find_map(with_digits).unwrap_or(exact)
}

/// JSON cannot represent infinity and NaN, so those become strings: `"NaN"`, `"inf"`, `"-inf"`.
impl Serialize for ElementValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::F16(value) if value.is_finite() => serializer.serialize_f64(shortest(*value)),
            Self::F32(value) if value.is_finite() => serializer.serialize_f32(*value),
            Self::F64(value) if value.is_finite() => serializer.serialize_f64(*value),
            Self::F16(_) | Self::F32(_) | Self::F64(_) => {
                serializer.serialize_str(&self.to_string())
            }
            Self::I16(value) => serializer.serialize_i16(*value),
            Self::I32(value) => serializer.serialize_i32(*value),
            Self::I64(value) => serializer.serialize_i64(*value),
            Self::U16(value) => serializer.serialize_u16(*value),
            Self::U32(value) => serializer.serialize_u32(*value),
            Self::U64(value) => serializer.serialize_u64(*value),
        }
    }
}

impl FromStr for ElementType {
    type Err = UnknownElementType;

    fn from_str(text: &str) -> Result<Self, UnknownElementType> {
        Self::named(text).ok_or_else(|| UnknownElementType(text.to_owned()))
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(element: ElementType, bytes: &[u8]) -> String {
        let values: Vec<_> = element.values(bytes).map(|it| it.to_string()).collect();
        values.join(" ")
    }

    proptest! {
        #[test]
        fn printed_numbers_read_back_as_the_same_bits(bits: u64) {
            for element in ElementType::ALL {
                let bytes = &bits.to_le_bytes()[..element.bytes() as usize];
                let text = text(element, bytes);
                let read = element.parse(&text).unwrap();
                prop_assert!(read == bytes || text == "NaN", "{element} {text}");
            }
        }

        #[test]
        fn any_text_is_a_number_or_refused(text in ".*") {
            for element in ElementType::ALL {
                let _ = element.parse(&text);
            }
        }
    }

    /// All half floats, which are few enough to test exhaustively.
    #[test]
    fn half_floats_have_short_texts_that_read_back() {
        for bits in 0..=u16::MAX {
            let text = text(ElementType::F16, &bits.to_le_bytes());
            let read = ElementType::F16.parse(&text).unwrap();
            assert!(
                read == bits.to_le_bytes() || text == "NaN",
                "{bits:#x} {text}"
            );
        }
        let text = |value: f32| ElementValue::F16(f16::from_f32(value)).to_string();
        assert_eq!(
            [text(0.1), text(-2.0), text(65504.0)],
            ["0.1", "-2", "65504"]
        );
        assert_eq!(text(1.0 / 3.0), "0.3333");
        assert_eq!([text(f32::NAN), text(f32::NEG_INFINITY)], ["NaN", "-inf"]);
    }

    #[test]
    fn numbers_are_short() {
        let text = |value: f32| ElementValue::F32(value).to_string();
        assert_eq!(text(1.0), "1");
        assert_eq!(text(0.1), "0.1");
        assert_eq!(text(-0.0), "-0");
        assert_eq!(text(1e30), "1e30");
        assert_eq!(text(f32::NAN), "NaN");
        assert_eq!(ElementValue::F64(0.1).to_string(), "0.1");
    }

    #[test]
    fn what_a_type_does_not_have_is_refused() {
        for (element, wrong) in [
            (ElementType::F16, "65520"),
            (ElementType::F32, "1e39"),
            (ElementType::F64, "1e309"),
            (ElementType::I16, "32768"),
            (ElementType::I16, "0x10000"),
            (ElementType::U16, "-1"),
            (ElementType::U32, "4294967296"),
            (ElementType::U32, "0x"),
            (ElementType::U32, "0x+1"),
            (ElementType::U64, "18446744073709551616"),
            (ElementType::I64, "1.5"),
            (ElementType::I64, "0x10000000000000000"),
        ] {
            assert_eq!(element.parse(wrong), None, "{element} {wrong}");
        }
        assert_eq!(ElementType::F16.parse("65519"), Some(vec![0xff, 0x7b]));
        assert_eq!(
            ElementType::I64.parse("0xffffffffffffffff"),
            Some(vec![0xff; 8])
        );
        assert_eq!(ElementType::I16.parse("-32768"), Some(vec![0, 0x80]));
    }

    #[test]
    fn json_has_numbers_where_it_can() {
        let values = [
            ElementValue::F32(0.1),
            ElementValue::F32(f32::INFINITY),
            ElementValue::F16(f16::from_f32(0.1)),
            ElementValue::I32(-1),
            ElementValue::U64(u64::MAX),
        ];
        let json = serde_json::to_string(&values).unwrap();
        assert_eq!(json, r#"[0.1,"inf",0.1,-1,18446744073709551615]"#);
    }
}
