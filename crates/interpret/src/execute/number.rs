//! Numbers of every type in registers, read as a wide integer (`i128`) or as an `f64`.

use half::f16;

use crate::bytecode::Number;

fn word64(r: &[u32], at: usize) -> u64 {
    u64::from(r[at + 1]) << 32 | u64::from(r[at])
}

fn put_word64(r: &mut [u32], at: usize, value: u64) {
    r[at] = value as u32;
    r[at + 1] = (value >> 32) as u32;
}

/// The register of value `index` of those that begin at `first`.
fn word_index(of: Number, first: usize, index: usize) -> usize {
    first + index * of.words() as usize
}

/// The value of an integer; a `bool` is 0 or 1.
pub(super) fn integer(r: &[u32], of: Number, first: usize, index: usize) -> i128 {
    let at = word_index(of, first, index);
    match of {
        Number::I16 => i128::from(r[at] as i16),
        Number::I32 => i128::from(r[at] as i32),
        Number::I64 => i128::from(word64(r, at) as i64),
        Number::U64 => i128::from(word64(r, at)),
        _ => i128::from(r[at]),
    }
}

/// Writes an integer, wrapped to the bits of the type.
pub(super) fn put_integer(r: &mut [u32], of: Number, first: usize, index: usize, value: i128) {
    let at = word_index(of, first, index);
    match of.bits() {
        16 => r[at] = u32::from(value as u16),
        64 => put_word64(r, at, value as u64),
        _ => r[at] = value as u32,
    }
}

/// The value of a float, which an `f64` holds exactly.
pub(super) fn float(r: &[u32], of: Number, first: usize, index: usize) -> f64 {
    let at = word_index(of, first, index);
    match of.bits() {
        16 => f16::from_bits(r[at] as u16).to_f64(),
        64 => f64::from_bits(word64(r, at)),
        _ => f64::from(f32::from_bits(r[at])),
    }
}

/// Writes a float, rounded to the nearest value of the type, ties to even.
pub(super) fn put_float(r: &mut [u32], of: Number, first: usize, index: usize, value: f64) {
    let at = word_index(of, first, index);
    match of.bits() {
        16 => r[at] = u32::from(to_f16(value)),
        64 => put_word64(r, at, value.to_bits()),
        _ => r[at] = (value as f32).to_bits(),
    }
}

/// The number of significand bits that an `f64` has in addition to those of an `f16`.
const EXTRA: i32 = 42;

/// The bits of the nearest `f16`, ties to even: too large numbers become infinity, subnormal ones are kept.
///
/// The `half` crate goes through `f32` on some machines and so rounds twice.
fn to_f16(x: f64) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 48) as u16 & 0x8000;
    if x.is_nan() {
        return sign | 0x7e00;
    }
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    if exponent > 15 {
        return sign | 0x7c00;
    }
    // Below the smallest exponent more bits are dropped; beyond a few dozen nothing is left.
    let below = (-14 - exponent).clamp(0, 63 - EXTRA);
    let dropped = EXTRA + below;
    let significand = bits & ((1 << 52) - 1) | 1 << 52;
    let kept = significand >> dropped;
    let rest = significand & ((1 << dropped) - 1);
    let half = 1 << (dropped - 1);
    let up = rest > half || rest == half && kept % 2 == 1;
    // The leading bit of a normal number counts as one exponent, and so does a carry into it.
    let exponents = (exponent + 14).max(0) as u16;
    sign | ((exponents << 10) + kept as u16 + u16::from(up))
}

/// Truncated toward zero, to the nearest integer that both types have; 0 for NaN.
///
/// Not up to the largest integer, since gpuweb/gpuweb#5073.
fn truncate(x: f64, from: Number, to: Number) -> i128 {
    let (significant, largest) = match from {
        Number::F16 => (11, 65504),
        Number::F32 => (24, i128::MAX),
        _ => (53, i128::MAX),
    };
    let bits = to.bits() - u32::from(to.is_signed());
    let last_place = bits.saturating_sub(significant);
    let max = ((1i128 << bits) - (1 << last_place)).min(largest);
    let min = if to.is_signed() {
        (-1i128 << bits).max(-largest)
    } else {
        0
    };
    (x as i128).clamp(min, max)
}

/// Converts a number by value.
pub(super) fn convert(r: &mut [u32], [from, to]: [Number; 2], [a, dst]: [usize; 2], index: usize) {
    match (from.is_float(), to.is_float(), to) {
        (true, _, Number::Bool) => {
            let value = float(r, from, a, index);
            put_integer(r, to, dst, index, i128::from(value != 0.0));
        }
        (false, _, Number::Bool) => {
            let value = integer(r, from, a, index);
            put_integer(r, to, dst, index, i128::from(value != 0));
        }
        (true, true, _) => {
            let value = float(r, from, a, index);
            put_float(r, to, dst, index, value);
        }
        (true, false, _) => {
            let value = truncate(float(r, from, a, index), from, to);
            put_integer(r, to, dst, index, value);
        }
        // Through `f64` this would round twice.
        (false, true, Number::F32) => {
            r[dst + index] = (integer(r, from, a, index) as f32).to_bits();
        }
        (false, true, _) => {
            let value = integer(r, from, a, index) as f64;
            put_float(r, to, dst, index, value);
        }
        (false, false, _) => {
            let value = integer(r, from, a, index);
            put_integer(r, to, dst, index, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(bits: u16) -> f64 {
        float(&[u32::from(bits)], Number::F16, 0, 0)
    }

    #[test]
    fn every_f16_comes_back() {
        for bits in 0..=u16::MAX {
            let x = value(bits);
            assert!(to_f16(x) == bits || x.is_nan() && value(to_f16(x)).is_nan());
        }
    }

    #[test]
    fn between_two_f16_values_the_nearer_wins_and_ties_go_to_the_even_one() {
        for bits in 0..0x7c00u16 {
            // The value above the largest would be the next power of two.
            let above = if bits == 0x7bff {
                65536.0
            } else {
                value(bits + 1)
            };
            let halfway = (value(bits) + above) / 2.0;
            assert_eq!(to_f16(halfway), bits + bits % 2, "{halfway}");
            assert_eq!(to_f16(halfway.next_down()), bits, "{halfway}");
            assert_eq!(to_f16(halfway.next_up()), bits + 1, "{halfway}");
            assert_eq!(to_f16(-halfway.next_up()), 0x8000 | (bits + 1), "{halfway}");
        }
    }

    #[test]
    fn what_no_f16_comes_near_is_zero_or_infinity() {
        assert_eq!(to_f16(f64::MAX), 0x7c00);
        assert_eq!(to_f16(f64::NEG_INFINITY), 0xfc00);
        assert_eq!(to_f16(-5e-324), 0x8000);
        assert_eq!(to_f16(2f64.powi(-26)), 0);
        assert_eq!(to_f16(0.0), 0);
    }

    #[test]
    fn floats_become_the_nearest_integer_of_both_types() {
        use Number::{F16, F32, F64, I16, I32, I64, U16, U32, U64};
        let inf = f64::INFINITY;
        for (from, to, min, max) in [
            (F16, I16, -32768, 32752),
            (F16, U16, 0, 65504),
            (F16, I32, -65504, 65504),
            (F16, U64, 0, 65504),
            (F32, I16, -32768, 32767),
            (F32, I64, -1 << 63, (1 << 63) - (1 << 39)),
            (F32, U64, 0, (1 << 64) - (1 << 40)),
            (F64, I32, -1 << 31, (1 << 31) - 1),
            (F64, U32, 0, (1 << 32) - 1),
            (F64, I64, -1 << 63, (1 << 63) - (1 << 10)),
            (F64, U64, 0, (1 << 64) - (1 << 11)),
        ] {
            assert_eq!(truncate(inf, from, to), max, "{from:?} {to:?}");
            assert_eq!(truncate(-inf, from, to), min, "{from:?} {to:?}");
            assert_eq!(truncate(f64::NAN, from, to), 0);
            assert_eq!(truncate(1.75, from, to), 1);
        }
    }
}
