//! Numbers in a case: bits of memory, or the real number that a result is compared with.

use std::fmt;

use crate::scalar::{Kind, Scalar};

/// One number of a directive.
#[derive(Clone, Copy, PartialEq)]
pub enum Literal {
    /// Exactly these bits.
    Bits(u64),
    /// A real number, not yet rounded to its type.
    Real(f64),
    /// Any NaN; as an input the quiet one with no payload.
    Nan,
}

impl Literal {
    /// Reads a number of a type: decimal or `0x` hexadecimal, `MIN` and `MAX` for integers, `inf`,
    /// `nan`, hexadecimal floats and `bits:7fc00001` for floats.
    pub fn parse(scalar: Scalar, text: &str) -> Option<Self> {
        match scalar.kind() {
            Kind::Signed | Kind::Unsigned => parse_integer(scalar, text).map(Self::Bits),
            Kind::Float => parse_float(scalar, text),
        }
    }

    /// The bits in memory.
    pub fn bits(self, scalar: Scalar) -> u64 {
        match self {
            Self::Bits(bits) => bits,
            Self::Real(real) => scalar.round(real),
            Self::Nan => scalar.nan(),
        }
    }

    /// Whether bits are this number, bit for bit; `-0` is not `0`.
    pub fn matches(self, scalar: Scalar, bits: u64) -> bool {
        match self {
            Self::Nan => scalar.real(bits).is_nan(),
            _ => bits == self.bits(scalar),
        }
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bits(bits) => write!(f, "bits:{bits:x}"),
            Self::Real(real) => write!(f, "{real:?}"),
            Self::Nan => f.write_str("nan"),
        }
    }
}

/// The bits of an integer that its type can represent.
fn parse_integer(scalar: Scalar, text: &str) -> Option<u64> {
    let width = scalar.width();
    let (min, max) = match scalar.kind() {
        Kind::Signed => (-1i128 << (width - 1), (1i128 << (width - 1)) - 1),
        _ => (0, (1i128 << width) - 1),
    };
    let ones = u64::MAX >> (64 - width);
    let value = match text {
        "MIN" if min < 0 => min,
        "MAX" => max,
        _ => match text.strip_prefix("0x") {
            Some(digits) => {
                return u64::from_str_radix(digits, 16).ok().filter(|b| *b <= ones);
            }
            None => text.parse().ok()?,
        },
    };
    (min..=max).contains(&value).then_some(value as u64 & ones)
}

fn parse_float(scalar: Scalar, text: &str) -> Option<Literal> {
    if text == "nan" {
        return Some(Literal::Nan);
    }
    if let Some(bits) = text.strip_prefix("bits:") {
        return (bits.len() == scalar.width() as usize / 4)
            .then(|| u64::from_str_radix(bits, 16).ok())?
            .map(Literal::Bits);
    }
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let value = match magnitude {
        "inf" => f64::INFINITY,
        _ if magnitude.starts_with("0x") => parse_hex_float(&magnitude[2..])?,
        // Rust also parses `infinity` and similar; a case has one spelling for each number.
        _ if magnitude.starts_with(|c: char| c.is_ascii_digit()) => magnitude.parse().ok()?,
        _ => return None,
    };
    Some(Literal::Real(sign * value))
}

/// `1.8p-3` after the `0x`; the exponent is required, as in WGSL. Exact for up to 13 digits.
fn parse_hex_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    if digits >= 1 << 53 {
        return None;
    }
    let exponent = exponent.parse::<i32>().ok()? - 4 * fraction.len() as i32;
    // In two steps: the power may underflow in f64 although the product does not.
    let first = exponent.clamp(-1000, 1000);
    Some(digits as f64 * 2f64.powi(first) * 2f64.powi(exponent - first))
}

#[cfg(test)]
mod tests {
    use super::{Literal, Scalar};

    fn f32_word(text: &str) -> Option<u32> {
        Literal::parse(Scalar::F32, text).map(|literal| literal.bits(Scalar::F32) as u32)
    }

    fn integer(scalar: Scalar, text: &str) -> Option<u64> {
        Literal::parse(scalar, text).map(|literal| literal.bits(scalar))
    }

    #[test]
    fn floats_are_read_in_every_form() {
        assert_eq!(f32_word("-0.0"), Some(0x8000_0000));
        assert_eq!(f32_word("-0"), Some(0x8000_0000));
        assert_eq!(f32_word("0x1p-149"), Some(1));
        assert_eq!(f32_word("0x1.fffffep127"), Some(f32::MAX.to_bits()));
        assert_eq!(f32_word("-inf"), Some(f32::NEG_INFINITY.to_bits()));
        assert_eq!(f32_word("bits:7fc00001"), Some(0x7fc0_0001));
        assert_eq!(f32_word("1e-3"), Some(0.001f32.to_bits()));
    }

    #[test]
    fn integers_of_every_width_have_their_bits() {
        assert_eq!(integer(Scalar::I16, "-1"), Some(0xffff));
        assert_eq!(integer(Scalar::I16, "MIN"), Some(0x8000));
        assert_eq!(integer(Scalar::I64, "MIN"), Some(1 << 63));
        assert_eq!(integer(Scalar::U64, "MAX"), Some(u64::MAX));
        assert_eq!(integer(Scalar::I32, "0xffffffff"), Some(0xffff_ffff));
    }

    #[test]
    fn wide_and_narrow_floats_are_rounded_once() {
        let bits = |scalar, text| Literal::parse(scalar, text).map(|l| l.bits(scalar));
        assert_eq!(bits(Scalar::F16, "0.1"), Some(0x2e66));
        assert_eq!(bits(Scalar::F16, "bits:7e01"), Some(0x7e01));
        assert_eq!(bits(Scalar::F64, "0.1"), Some(0.1f64.to_bits()));
        assert_eq!(bits(Scalar::F64, "0x1p-1074"), Some(1));
        assert_eq!(bits(Scalar::F64, "bits:7ff8"), None);
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        for text in [
            "", "-", "infinity", "0x1", "bits:7fc", "1.0f", "--1", "0x1p",
        ] {
            assert_eq!(f32_word(text), None, "{text:?}");
        }
        assert_eq!(integer(Scalar::U32, "-1"), None);
        assert_eq!(integer(Scalar::I32, "2147483648"), None);
        assert_eq!(integer(Scalar::I16, "0x10000"), None);
        assert_eq!(integer(Scalar::U64, "MIN"), None);
    }

    #[test]
    fn nan_matches_every_nan_and_zero_has_a_sign() {
        assert!(Literal::Nan.matches(Scalar::F32, 0xffc0_1234));
        assert!(!Literal::Nan.matches(Scalar::F16, 0x7c00));
        assert!(!Literal::Real(0.0).matches(Scalar::F32, 0x8000_0000));
    }
}
