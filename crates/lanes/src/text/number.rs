//! Prints and parses 32 bits as an integer, a float or a hexadecimal number.
//!
//! Bits have no type, so that the printer guesses which notation is readable. The parser accepts all of them.

use std::fmt;

/// Displays bits in the most readable notation.
pub(super) struct Number(pub(super) u32);

/// Numbers with at most this magnitude are printed as integers.
const SMALL: u32 = 0xffff;

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(bits) = *self;
        let number = f32::from_bits(bits);
        if bits <= SMALL {
            write!(f, "{bits}")
        } else if bits.wrapping_neg() <= SMALL {
            write!(f, "{}", bits as i32)
        } else if is_likely(number) {
            write!(f, "{number:?}f")
        } else {
            write!(f, "0x{bits:x}")
        }
    }
}

/// Whether bits are more likely a float than an integer: near 1, or short to write.
fn is_likely(number: f32) -> bool {
    let is_near_one = (1.0 / 4096.0..4096.0).contains(&number.abs());
    number.is_finite() && (is_near_one || format!("{number:?}").len() <= 6)
}

/// Parses a number into its bits.
pub(super) fn read(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => hexadecimal(digits),
        None => match text.strip_suffix('f') {
            Some(float) => read_float(float),
            None => read_integer(text),
        },
    }
}

fn hexadecimal(digits: &str) -> Option<u32> {
    // The standard library would take a sign.
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_plain
        .then(|| u32::from_str_radix(digits, 16).ok())
        .flatten()
}

fn read_float(text: &str) -> Option<u32> {
    let is_plain = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    let number = is_plain.then(|| text.parse::<f32>().ok()).flatten()?;
    number.is_finite().then(|| number.to_bits())
}

fn read_integer(text: &str) -> Option<u32> {
    if text.starts_with('-') {
        return text.parse::<i32>().ok().map(|number| number as u32);
    }
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back() {
        let mut bits = 1u32;
        for _ in 0..100_000 {
            assert_eq!(read(&Number(bits).to_string()), Some(bits));
            bits = bits.wrapping_mul(0x9e37_79b1).wrapping_add(0x1234_5671);
        }
        for bits in [0, 1, u32::MAX, i32::MIN as u32, 0x7f80_0000, 0x7fc0_0000] {
            assert_eq!(read(&Number(bits).to_string()), Some(bits));
        }
    }

    #[test]
    fn numbers_are_readable() {
        let shown = |bits: u32| Number(bits).to_string();
        assert_eq!(shown(256), "256");
        assert_eq!(shown(u32::MAX), "-1");
        assert_eq!(shown(1.5f32.to_bits()), "1.5f");
        assert_eq!(shown(1e-9f32.to_bits()), "1e-9f");
        assert_eq!(shown(0x8000_0000), "-0.0f");
        assert_eq!(shown(0xffff_0000), "0xffff0000");
    }

    #[test]
    fn what_is_no_number() {
        for text in [
            "",
            "-",
            "0x",
            "0x100000000",
            "4294967296",
            "+1",
            "1.5",
            "inff",
            "nanf",
            "0x+1",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
