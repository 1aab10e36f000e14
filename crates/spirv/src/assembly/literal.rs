//! Encodes and decodes literals: numbers and strings.
//!
//! In: the text of a token, or words. Out: the other of the two. What always holds: a printed literal is parsed as the
//! same words, including the payload of NaNs. The syntax is that of `spirv-as`: integers are decimal, hexadecimal or,
//! with a leading 0, octal, and a hexadecimal one may set the sign bit; floats are decimal (rounded to nearest, 16-bit
//! ones toward zero) or hexadecimal with a binary exponent, which also represents infinity and NaN: `0x1p+128`,
//! `0x1.8p+128`.

use half::f16;

use super::numeric_types::NumericType;

/// Why a text is not a literal of a type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum LiteralError {
    #[error("`{text}` is not {} integer of {width} bits", if *is_signed { "a signed" } else { "an unsigned" })]
    Integer {
        text: String,
        width: u32,
        is_signed: bool,
    },
    #[error("`{0}` is negative, but the integer has no sign")]
    NegativeUnsigned(String),
    #[error("`{text}` is not a float of {width} bits")]
    Float { text: String, width: u32 },
}

/// Parses a number.
pub(super) fn parse(text: &str, number: NumericType) -> Result<Vec<u32>, LiteralError> {
    match number {
        NumericType::Integer { width, is_signed } => integer(text, width, is_signed),
        NumericType::Float { width } => float(text, width),
    }
}

/// Prints a number; `None` if [`parse`] returns these words for no text.
pub(super) fn print(words: &[u32], number: NumericType) -> Option<String> {
    let text = match (number, words) {
        (
            NumericType::Integer {
                width: 64,
                is_signed,
            },
            [low, high],
        ) => {
            let value = u64::from(*high) << 32 | u64::from(*low);
            if is_signed {
                value.cast_signed().to_string()
            } else {
                value.to_string()
            }
        }
        (
            NumericType::Integer {
                width: 8..=32,
                is_signed,
            },
            [word],
        ) => {
            if is_signed {
                word.cast_signed().to_string()
            } else {
                word.to_string()
            }
        }
        (NumericType::Float { width: 16 }, [word]) => hexadecimal(u64::from(*word), HALF),
        (NumericType::Float { width: 32 }, [word]) => {
            let value = f32::from_bits(*word);
            if value.is_normal() || value == 0.0 {
                decimal(value.into(), || value.to_string(), || format!("{value:e}"))
            } else {
                hexadecimal(u64::from(*word), SINGLE)
            }
        }
        (NumericType::Float { width: 64 }, [low, high]) => {
            let bits = u64::from(*high) << 32 | u64::from(*low);
            let value = f64::from_bits(bits);
            if value.is_normal() || value == 0.0 {
                decimal(value, || value.to_string(), || format!("{value:e}"))
            } else {
                hexadecimal(bits, DOUBLE)
            }
        }
        _ => return None,
    };
    // Fails for integers that are not extended to the word, and for 16-bit floats with high bits set.
    (parse(&text, number).as_deref() == Ok(words)).then_some(text)
}

/// Chooses the shorter of plain and scientific notation; both have the digits needed to round-trip.
fn decimal(value: f64, plain: impl Fn() -> String, power: impl Fn() -> String) -> String {
    match value.abs() {
        size if size != 0.0 && !(1e-5..1e15).contains(&size) => power(),
        _ => plain(),
    }
}

fn integer(text: &str, width: u32, is_signed: bool) -> Result<Vec<u32>, LiteralError> {
    let fails = || LiteralError::Integer {
        text: text.to_owned(),
        width,
        is_signed,
    };
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match lower.strip_prefix("0x") {
        Some(digits) => (16, digits),
        None => match lower.strip_prefix('0') {
            Some(digits) if !digits.is_empty() => (8, digits),
            _ => (10, lower.as_str()),
        },
    };
    if !digits.starts_with(|first: char| first.is_digit(radix)) {
        return Err(fails());
    }
    let size = u64::from_str_radix(digits, radix).map_err(|_| fails())?;
    if is_negative && !is_signed && size != 0 {
        return Err(LiteralError::NegativeUnsigned(text.to_owned()));
    }
    let all = u64::MAX >> (64 - width);
    let sign = 1 << (width - 1);
    let fits = match (is_negative, is_signed, radix) {
        (true, ..) => size <= sign,
        (false, true, 8 | 10) => size < sign,
        _ => size <= all,
    };
    if !fits {
        return Err(fails());
    }
    let value = if is_negative {
        size.wrapping_neg()
    } else {
        size
    };
    // A hexadecimal literal may set the sign bit; then it is sign-extended.
    let value = if is_signed && value & sign != 0 {
        value | !all
    } else {
        value
    };
    let (low, high) = (value as u32, (value >> 32) as u32);
    Ok(if width == 64 {
        vec![low, high]
    } else {
        vec![low]
    })
}

fn float(text: &str, width: u32) -> Result<Vec<u32>, LiteralError> {
    let fails = || LiteralError::Float {
        text: text.to_owned(),
        width,
    };
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let format = match width {
        16 => HALF,
        32 => SINGLE,
        _ => DOUBLE,
    };
    let bits = if unsigned.starts_with("0x") || unsigned.starts_with("0X") {
        let bits = from_hexadecimal(&unsigned[2..], format).ok_or_else(fails)?;
        bits | u64::from(text.starts_with('-')) << format.sign()
    } else {
        // Rust's parser also accepts words such as `inf`.
        if !unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
            return Err(fails());
        }
        from_decimal(text, width).ok_or_else(fails)?
    };
    let (low, high) = (bits as u32, (bits >> 32) as u32);
    Ok(if width == 64 {
        vec![low, high]
    } else {
        vec![low]
    })
}

fn from_decimal(text: &str, width: u32) -> Option<u64> {
    if width == 64 {
        let value: f64 = text.parse().ok()?;
        return value.is_finite().then_some(value.to_bits());
    }
    let value: f32 = text.parse().ok().filter(|value: &f32| value.is_finite())?;
    Some(match width {
        16 => u64::from(toward_zero(value)?),
        _ => u64::from(value.to_bits()),
    })
}

fn toward_zero(value: f32) -> Option<u16> {
    let near = f16::from_f32(value);
    let half = if near.to_f32().abs() > value.abs() {
        f16::from_bits(near.to_bits() - 1)
    } else {
        near
    };
    // Larger values are an error; `f16::from_f32` rounds them to infinity.
    (value.abs() < 65536.0).then_some(half.to_bits())
}

/// The layout of a floating-point format.
#[derive(Clone, Copy)]
struct Format {
    mantissa: u32,
    exponent: u32,
}

const HALF: Format = Format {
    mantissa: 10,
    exponent: 5,
};
const SINGLE: Format = Format {
    mantissa: 23,
    exponent: 8,
};
const DOUBLE: Format = Format {
    mantissa: 52,
    exponent: 11,
};

impl Format {
    fn sign(self) -> u32 {
        self.mantissa + self.exponent
    }

    fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }
}

/// Parses `digits.digitsp±exponent`.
fn from_hexadecimal(text: &str, format: Format) -> Option<u64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let mut exponent = exponent_of(exponent)?;
    let (mut value, mut has_point, mut has_digit) = (0_u64, false, false);
    for character in digits.chars() {
        if character == '.' && !has_point {
            has_point = true;
            continue;
        }
        let digit = character.to_digit(16)?;
        has_digit = true;
        // 60 bits are more than any mantissa has, so further digits only shift.
        match (value >> 60 == 0, has_point) {
            (true, _) => {
                value = value << 4 | u64::from(digit);
                exponent -= if has_point { 4 } else { 0 };
            }
            (false, false) => exponent += 4,
            (false, true) => {}
        }
    }
    if !has_digit {
        return None;
    }
    if value == 0 {
        return Some(0);
    }
    encode(value, exponent, format)
}

/// Parses an exponent, clamped so that later arithmetic does not overflow.
fn exponent_of(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse().unwrap_or(i64::MAX).min(1 << 40);
    Some(if text.starts_with('-') { -size } else { size })
}

/// The bits of `value * 2^exponent`, truncated; `value` is not 0.
fn encode(value: u64, exponent: i64, format: Format) -> Option<u64> {
    let highest = i64::from(value.ilog2());
    let power = highest + exponent;
    if power > format.bias() + 1 {
        return None;
    }
    // Aligns the leading one to the bit above the mantissa, which is implicit.
    let aligned = match i64::from(format.mantissa) - highest {
        left @ 0.. => value << left,
        right => value >> -right,
    };
    let below = 1 - format.bias() - power;
    if below > 0 {
        return Some(
            u32::try_from(below).map_or(0, |below| aligned.checked_shr(below).unwrap_or(0)),
        );
    }
    let fraction = aligned & ((1 << format.mantissa) - 1);
    let biased = u64::try_from(power + format.bias()).ok()?;
    Some(biased << format.mantissa | fraction)
}

fn hexadecimal(bits: u64, format: Format) -> String {
    let sign = if bits >> format.sign() & 1 == 1 {
        "-"
    } else {
        ""
    };
    let mut fraction = bits & ((1 << format.mantissa) - 1);
    let biased = bits >> format.mantissa & ((1 << format.exponent) - 1);
    let mut power = biased.cast_signed() - format.bias();
    if biased == 0 {
        if fraction == 0 {
            return format!("{sign}0x0p+0");
        }
        let shift = format.mantissa - fraction.ilog2();
        power = 1 - format.bias() - i64::from(shift);
        fraction = fraction << shift & ((1 << format.mantissa) - 1);
    }
    // Left-aligned to whole hexadecimal digits.
    let digits = format.mantissa.div_ceil(4);
    let aligned = fraction << (digits * 4 - format.mantissa);
    let text = format!("{aligned:0width$x}", width = digits as usize);
    match text.trim_end_matches('0') {
        "" => format!("{sign}0x1p{power:+}"),
        text => format!("{sign}0x1.{text}p{power:+}"),
    }
}

/// The contents of a quoted string, unescaped.
pub(super) fn unquote(text: &str) -> Option<String> {
    let inside = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut result = String::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => result.extend(characters.next()),
            _ => result.push(character),
        }
    }
    Some(result)
}

/// Quotes and escapes a string, the inverse of [`unquote`].
pub(super) fn quote(text: &str) -> String {
    let mut result = String::with_capacity(text.len() + 2);
    result.push('"');
    for character in text.chars() {
        if matches!(character, '"' | '\\') {
            result.push('\\');
        }
        result.push(character);
    }
    result.push('"');
    result
}

/// Encodes a string as words, terminated by NUL.
pub(super) fn string_words(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let (whole, rest) = bytes.as_chunks::<4>();
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    let words = whole.iter().chain([&last]);
    words.map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

/// Decodes the string at the start of words. Returns it with its number of words; `None` if it is not terminated, is
/// not UTF-8, or has nonzero padding.
pub(super) fn string(words: &[u32]) -> Option<(String, usize)> {
    let mut bytes = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let word = word.to_le_bytes();
        let Some(end) = word.iter().position(|byte| *byte == 0) else {
            bytes.extend(word);
            continue;
        };
        if word[end..].iter().any(|byte| *byte != 0) {
            return None;
        }
        bytes.extend(&word[..end]);
        return Some((String::from_utf8(bytes).ok()?, index + 1));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOATS: [NumericType; 3] = [
        NumericType::Float { width: 16 },
        NumericType::Float { width: 32 },
        NumericType::Float { width: 64 },
    ];

    #[test]
    fn every_half_is_read_as_it_was_written() {
        for bits in 0..=u16::MAX {
            let words = [u32::from(bits)];
            let text = print(&words, FLOATS[0]).unwrap();
            assert_eq!(parse(&text, FLOATS[0]).unwrap(), words, "{text}");
        }
    }

    #[test]
    fn limits_of_floats() {
        for (text, number, words) in [
            ("0x1p+128", FLOATS[1], vec![0x7f80_0000]),
            ("-0x1p+128", FLOATS[1], vec![0xff80_0000]),
            ("0x1.8p+128", FLOATS[1], vec![0x7fc0_0000]),
            ("0x1p-149", FLOATS[1], vec![1]),
            ("0x1p-150", FLOATS[1], vec![0]),
            ("0x10.8p-3", FLOATS[1], vec![2.0625_f32.to_bits()]),
            ("-0x0p+0", FLOATS[1], vec![0x8000_0000]),
            ("0x1p+1024", FLOATS[2], vec![0, 0x7ff0_0000]),
            ("0x1p-1074", FLOATS[2], vec![1, 0]),
            ("0x1p+16", FLOATS[0], vec![0x7c00]),
            ("65504", FLOATS[0], vec![0x7bff]),
            ("-0.1", FLOATS[0], vec![0xae66]),
        ] {
            assert_eq!(parse(text, number).unwrap(), words, "{text}");
        }
    }

    #[test]
    fn what_is_no_number() {
        let byte = NumericType::Integer {
            width: 8,
            is_signed: true,
        };
        for text in [
            "128", "-129", "0x100", "", "-", "0x", "1.5", "1a", "--1", "+-1",
        ] {
            assert!(parse(text, byte).is_err(), "{text}");
        }
        for text in [
            "", "-", "inf", "nan", "1e39", "0x1", "0x1p", "0xp1", "0x1p+129", "1p1", "0x..p0",
        ] {
            assert!(parse(text, FLOATS[1]).is_err(), "{text}");
        }
    }

    #[test]
    fn integers_of_every_width() {
        for (text, width, is_signed, words) in [
            ("-1", 8, true, vec![u32::MAX]),
            ("0xff", 8, true, vec![u32::MAX]),
            ("0xff", 8, false, vec![255]),
            ("-32768", 16, true, vec![0xffff_8000]),
            ("0xffffffff", 32, true, vec![u32::MAX]),
            ("-1", 64, true, vec![u32::MAX, u32::MAX]),
            ("0x100000002", 64, false, vec![2, 1]),
            ("010", 32, false, vec![8]),
        ] {
            let number = NumericType::Integer { width, is_signed };
            assert_eq!(parse(text, number).unwrap(), words, "{text}");
        }
    }
}
