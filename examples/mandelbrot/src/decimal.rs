//! Arbitrary-precision decimal numbers: conversion between text and exact integers.
//!
//! In: `-0.75`, `1e-60`, `+1.25E+3`. Out: digits and a power of ten, a fixed-point number, or text. What always holds:
//! the cost is bounded by [`MAX_DIGITS`] for any text, so `1e999999999` is rejected immediately.

use num_bigint::{BigInt, BigUint, Sign};

/// Maximal number of digits, including the zeros that the exponent stands for.
pub(crate) const MAX_DIGITS: u32 = 20_000;

/// `digits * 10^exponent`, with a sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    sign: Sign,
    digits: BigUint,
    exponent: i32,
}

/// Why a text is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    NotANumber,
    TooLong,
}

impl Decimal {
    pub(crate) fn parse(text: &str) -> Result<Self, Malformed> {
        let (negative, rest) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let (number, exponent) = match rest.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, parse_exponent(exponent)?),
            None => (rest, 0),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let mut digits = [whole, fraction].concat();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Malformed::NotANumber);
        }
        let exponent = exponent.saturating_sub(fraction.len() as i64);
        digits.drain(..digits.len() - digits.trim_start_matches('0').len());
        if digits.is_empty() {
            return Ok(Self {
                sign: Sign::NoSign,
                digits: BigUint::ZERO,
                exponent: 0,
            });
        }
        let most = u64::from(MAX_DIGITS);
        if digits.len() as u64 > most || exponent.unsigned_abs() > most {
            return Err(Malformed::TooLong);
        }
        let digits = BigUint::parse_bytes(digits.as_bytes(), 10).ok_or(Malformed::NotANumber)?;
        Ok(Self {
            sign: if negative { Sign::Minus } else { Sign::Plus },
            digits,
            // Checked above to be at most `MAX_DIGITS`.
            exponent: exponent as i32,
        })
    }

    pub(crate) fn sign(&self) -> Sign {
        self.sign
    }

    /// Number of fraction bits that preserve the value's precision.
    pub(crate) fn fraction_bits(&self) -> u32 {
        // A decimal digit has 3.32 bits.
        self.exponent.min(0).unsigned_abs() * 10 / 3 + 8
    }

    /// The value times `2^bits`, rounded to an integer.
    pub(crate) fn to_fixed(&self, bits: u32) -> BigInt {
        let power = BigUint::from(10_u32).pow(self.exponent.unsigned_abs());
        let magnitude = if self.exponent >= 0 {
            (&self.digits * power) << bits
        } else {
            ((&self.digits << bits) + (&power >> 1_u32)) / power
        };
        BigInt::from_biguint(self.sign, magnitude)
    }

    /// The magnitude as an integer times a power of two, with at least 64 correct bits.
    pub(crate) fn to_binary(&self) -> (BigUint, i32) {
        let power = BigUint::from(10_u32).pow(self.exponent.unsigned_abs());
        if self.exponent >= 0 {
            return (&self.digits * power, 0);
        }
        let shift = power.bits().saturating_sub(self.digits.bits()) + 64;
        // Bounded by about 20,000 digits.
        ((&self.digits << shift) / power, -(shift as i32))
    }
}

/// Parses an exponent; too many digits saturate.
fn parse_exponent(text: &str) -> Result<i64, Malformed> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Malformed::NotANumber);
    }
    let magnitude = digits.parse().unwrap_or(i64::MAX);
    Ok(if text.starts_with('-') {
        -magnitude
    } else {
        magnitude
    })
}

/// Formats a fixed-point number, rounded to this number of decimal places, without trailing zeros.
pub(crate) fn fixed_to_text(value: &BigInt, bits: u32, places: u32) -> String {
    let scaled = value.magnitude() * BigUint::from(10_u32).pow(places);
    let half = if bits == 0 {
        BigUint::ZERO
    } else {
        BigUint::from(1_u32) << (bits - 1)
    };
    let rounded: BigUint = (scaled + half) >> bits;
    let places = places as usize;
    let digits = format!("{rounded:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let fraction = fraction.trim_end_matches('0');
    let is_negative = value.sign() == Sign::Minus && rounded != BigUint::ZERO;
    let sign = if is_negative { "-" } else { "" };
    match fraction {
        "" => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, Malformed, fixed_to_text};
    use num_bigint::BigInt;

    fn fixed(text: &str, bits: u32) -> BigInt {
        Decimal::parse(text).unwrap().to_fixed(bits)
    }

    #[test]
    fn numbers_are_exact() {
        for (text, eighths) in [
            ("-0.75", -6),
            ("+1.5", 12),
            ("1e1", 80),
            ("12.5E-1", 10),
            (".5", 4),
            ("5.", 40),
            ("-0", 0),
        ] {
            assert_eq!(fixed(text, 3), BigInt::from(eighths), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "", "-", ".", "e5", "1e", "1e+", "0x10", "nan", "inf", "1.2.3", " 1", "1_0", "--1", "é",
        ] {
            assert_eq!(Decimal::parse(text), Err(Malformed::NotANumber), "{text}");
        }
        for text in ["1e999999", "1e-99999999999999999999", &"7".repeat(30_000)] {
            assert_eq!(Decimal::parse(text), Err(Malformed::TooLong));
        }
    }

    #[test]
    fn text_comes_back() {
        for text in [
            "-0.75",
            "0.1",
            "3",
            "-1.00000000000000000000000000000000001",
        ] {
            assert_eq!(fixed_to_text(&fixed(text, 200), 200, 40), text);
        }
        assert_eq!(fixed_to_text(&fixed("0.999", 64), 64, 2), "1");
        assert_eq!(fixed_to_text(&fixed("-0.001", 64), 64, 2), "0");
    }
}
