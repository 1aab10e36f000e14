//! A positive floating-point number with a wide exponent range: the width of a view, which may be far below f64's
//! range.
//!
//! Only exact and correctly rounded f64 operations are used, so equal texts and equal zooms give the same width on
//! every platform.

use num_bigint::{BigInt, BigUint};

use crate::decimal::Decimal;

/// `mantissa * 2^exponent`, with a mantissa in [1, 2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    pub(crate) mantissa: f64,
    pub(crate) exponent: i32,
}

/// Explicit mantissa bits of f64.
const MANTISSA_BITS: u32 = 52;

/// Splits a finite number into a mantissa with a magnitude in [1, 2) and an exponent; zero stays zero.
pub(crate) fn split(value: f64) -> (f64, i32) {
    if value == 0.0 {
        return (0.0, 0);
    }
    // Subnormal numbers are scaled to normal ones first.
    let (value, lifted) = if value.is_normal() {
        (value, 0)
    } else {
        (value * power_of_two(200), 200)
    };
    let bits = value.to_bits();
    let exponent = ((bits >> MANTISSA_BITS) & 0x7FF) as i32 - 1023;
    let mantissa = f64::from_bits(bits & !(0x7FF << MANTISSA_BITS) | (1023 << MANTISSA_BITS));
    (mantissa, exponent - lifted)
}

/// `2^exponent`, for exponents from -1022 to 1023; zero below, infinity above.
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        ..-1022 => 0.0,
        1024.. => f64::INFINITY,
        _ => f64::from_bits(((exponent + 1023) as u64) << MANTISSA_BITS),
    }
}

/// An integer's leading 53 bits as a number in [1, 2), and its exponent. Zero stays zero.
pub(crate) fn leading(value: &BigUint) -> (f64, i32) {
    let bits = value.bits();
    let dropped = bits.saturating_sub(64);
    let top = u64::try_from(value >> dropped).unwrap_or(u64::MAX);
    let (mantissa, exponent) = split(top as f64);
    // `decimal` ensures that numbers have fewer than 2^31 bits.
    (mantissa, exponent + dropped as i32)
}

/// `value * 2^exponent` as a fixed-point number.
pub(crate) fn to_fixed(value: f64, exponent: i32, bits: u32) -> BigInt {
    let (mantissa, own) = split(value);
    let integer = BigInt::from((mantissa * power_of_two(MANTISSA_BITS as i32)) as i64);
    let shift = i64::from(own) + i64::from(exponent) + i64::from(bits) - i64::from(MANTISSA_BITS);
    match u64::try_from(shift) {
        Ok(shift) => integer << shift,
        Err(_) => integer >> shift.unsigned_abs(),
    }
}

impl Extent {
    /// Converts a positive number; `None` for zero and negative numbers.
    pub(crate) fn from_decimal(number: &Decimal) -> Option<Self> {
        let (integer, shift) = number.to_binary();
        if number.sign() != num_bigint::Sign::Plus || integer == BigUint::ZERO {
            return None;
        }
        let (mantissa, exponent) = leading(&integer);
        Some(Self {
            mantissa,
            exponent: exponent + shift,
        })
    }

    /// Multiplies by a positive finite number.
    pub(crate) fn times(self, factor: f64) -> Self {
        let (factor, own) = split(factor);
        let (mantissa, carry) = split(self.mantissa * factor);
        Self {
            mantissa,
            exponent: self.exponent + own + carry,
        }
    }

    /// The nearest f64; 0 or infinity if out of range.
    pub(crate) fn to_f64(self) -> f64 {
        self.mantissa * power_of_two(self.exponent)
    }

    /// Formats the number with four significant digits.
    pub(crate) fn to_text(self) -> String {
        // An approximate power of ten suffices, because the digits are computed with exact integers.
        let guess = (f64::from(self.exponent) * std::f64::consts::LOG10_2).floor() as i32;
        let bits = 64_u32.saturating_add_signed((-self.exponent).max(0));
        let exact = to_fixed(self.mantissa, self.exponent, bits);
        let power = |exponent: i32| BigUint::from(10_u32).pow(exponent.unsigned_abs());
        let thousandths = 3 - guess;
        let scaled = match thousandths {
            0.. => exact.magnitude() * power(thousandths),
            _ => exact.magnitude() / power(thousandths),
        };
        let rounded = (scaled + (BigUint::from(1_u32) << (bits - 1))) >> bits;
        let digits = rounded.to_string();
        let exponent = guess + digits.len() as i32 - 4;
        let (first, rest) = digits.split_at(1);
        let rest = rest[..rest.len().min(3)].trim_end_matches('0');
        let point = if rest.is_empty() { "" } else { "." };
        match exponent {
            0 => format!("{first}{point}{rest}"),
            _ => format!("{first}{point}{rest}e{exponent}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Extent, power_of_two, split, to_fixed};
    use crate::decimal::Decimal;
    use num_bigint::BigInt;

    fn extent(text: &str) -> Extent {
        Extent::from_decimal(&Decimal::parse(text).unwrap()).unwrap()
    }

    #[test]
    fn numbers_split_into_mantissa_and_exponent() {
        assert_eq!(split(-6.0), (-1.5, 2));
        assert_eq!(split(0.0), (0.0, 0));
        assert_eq!(split(f64::from_bits(1)), (1.0, -1074));
        assert_eq!(power_of_two(-1022), f64::MIN_POSITIVE);
        assert_eq!(power_of_two(-1023), 0.0);
    }

    #[test]
    fn widths_agree_with_f64_where_it_can_hold_them() {
        for text in ["3", "1e-5", "0.1", "2.5e-300", "1e3"] {
            let expected: f64 = text.parse().unwrap();
            assert_eq!(extent(text).to_f64(), expected, "{text}");
        }
        let deep = extent("1e-600");
        assert_eq!(deep.to_f64(), 0.0);
        assert_eq!(deep.exponent, -1994);
    }

    #[test]
    fn widths_are_written_shortly() {
        for text in [
            "3",
            "1e-5",
            "1.5e-60",
            "9.999e-300",
            "1e-5000",
            "8.25e2",
            "1e1",
        ] {
            assert_eq!(extent(text).to_text(), text);
        }
        assert_eq!(extent("0.0999999").to_text(), "1e-1");
    }

    #[test]
    fn lengths_become_fixed_point() {
        assert_eq!(to_fixed(-1.5, -1, 4), BigInt::from(-12));
        assert_eq!(to_fixed(1.0, -500, 510), BigInt::from(1024));
        assert_eq!(extent("4").times(0.5), extent("2"));
    }
}
