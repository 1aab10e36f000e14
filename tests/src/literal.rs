//! Numbers as a case writes them: a word of memory, or the real number that a result is held to.

use std::fmt;

/// How the words of a buffer are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `i32`.
    I32,
    /// `u32`.
    U32,
    /// `f32`.
    F32,
}

impl Scalar {
    /// The type of that name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "i32" => Some(Self::I32),
            "u32" => Some(Self::U32),
            "f32" => Some(Self::F32),
            _ => None,
        }
    }

    /// Writes a word the way a case would, floats with their bits.
    pub fn show(self, word: u32) -> String {
        match self {
            Self::I32 => (word as i32).to_string(),
            Self::U32 => format!("{word} (0x{word:x})"),
            Self::F32 => format!("{:?} (bits:{word:08x})", f32::from_bits(word)),
        }
    }
}

/// One number of a directive.
#[derive(Clone, Copy, PartialEq)]
pub enum Literal {
    /// Exactly these bits.
    Bits(u32),
    /// A real number, not yet rounded to `f32`.
    Real(f64),
    /// Any NaN; as an input the quiet one with no payload.
    Nan,
}

impl Literal {
    /// Reads a number of a type: decimal or `0x` hexadecimal, `MIN` and `MAX` for integers, `inf`,
    /// `nan`, hexadecimal floats and `bits:7fc00001` for floats.
    pub fn parse(scalar: Scalar, text: &str) -> Option<Self> {
        match scalar {
            Scalar::I32 => parse_i32(text).map(|value| Self::Bits(value as u32)),
            Scalar::U32 => parse_u32(text).map(Self::Bits),
            Scalar::F32 => parse_f32(text),
        }
    }

    /// The word of memory that stands for it.
    pub fn word(self) -> u32 {
        match self {
            Self::Bits(bits) => bits,
            Self::Real(real) => (real as f32).to_bits(),
            Self::Nan => 0x7fc0_0000,
        }
    }

    /// Whether a word is this number, bit for bit; `-0` is not `0`.
    pub fn matches(self, word: u32) -> bool {
        match self {
            Self::Nan => f32::from_bits(word).is_nan(),
            _ => word == self.word(),
        }
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bits(bits) => write!(f, "bits:{bits:08x}"),
            Self::Real(real) => write!(f, "{real:?}"),
            Self::Nan => f.write_str("nan"),
        }
    }
}

fn parse_u32(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None if text == "MAX" => Some(u32::MAX),
        None => text.parse().ok(),
    }
}

fn parse_i32(text: &str) -> Option<i32> {
    match text {
        "MIN" => Some(i32::MIN),
        "MAX" => Some(i32::MAX),
        _ if text.starts_with("0x") => parse_u32(text).map(|bits| bits as i32),
        _ => text.parse().ok(),
    }
}

fn parse_f32(text: &str) -> Option<Literal> {
    if text == "nan" {
        return Some(Literal::Nan);
    }
    if let Some(bits) = text.strip_prefix("bits:") {
        return (bits.len() == 8)
            .then(|| u32::from_str_radix(bits, 16).ok())?
            .map(Literal::Bits);
    }
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let value = match magnitude {
        "inf" => f64::INFINITY,
        _ if magnitude.starts_with("0x") => parse_hex_float(&magnitude[2..])?,
        // Rust also reads `infinity` and the like: a case writes numbers in one way only.
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
    Some(digits as f64 * 2f64.powi(exponent))
}

#[cfg(test)]
mod tests {
    use super::{Literal, Scalar};

    fn f32_word(text: &str) -> Option<u32> {
        Literal::parse(Scalar::F32, text).map(Literal::word)
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
    fn what_is_not_a_number_is_refused() {
        for text in [
            "", "-", "infinity", "0x1", "bits:7fc", "1.0f", "--1", "0x1p",
        ] {
            assert_eq!(f32_word(text), None, "{text:?}");
        }
        assert_eq!(Literal::parse(Scalar::U32, "-1"), None);
        assert_eq!(Literal::parse(Scalar::I32, "2147483648"), None);
    }

    #[test]
    fn nan_matches_every_nan_and_zero_has_a_sign() {
        assert!(Literal::Nan.matches(0xffc0_1234));
        assert!(!Literal::Nan.matches(f32::INFINITY.to_bits()));
        assert!(!Literal::Real(0.0).matches(0x8000_0000));
    }
}
