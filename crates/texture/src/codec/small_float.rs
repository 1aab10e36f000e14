//! Packed floats: unsigned floats of 10 and 11 bits (`rg11b10ufloat`), and three 9-bit mantissas with a shared exponent
//! (`rgb9e5ufloat`).
//!
//! In: a packed word, or values. Out: the bits of `f32`, or the packed word. The rules are those of the Khronos Data
//! Format Specification: negative numbers become zero, finite numbers out of range become the largest finite number;
//! infinities and NaN are kept where the format has them.

/// Mantissa bits of red, green and blue.
const MANTISSAS: [u32; 3] = [6, 6, 5];
const SHIFTS: [u32; 3] = [0, 11, 22];
/// The largest exponent: each channel has five exponent bits.
const EXPONENT: u32 = 0x1f;
const BIAS: i32 = 15;

/// Decodes a channel of `rg11b10ufloat`.
pub(super) fn unpack_rg11b10(word: u32, index: usize) -> u32 {
    let mantissa_bits = MANTISSAS[index];
    let bits = word >> SHIFTS[index];
    let mantissa = bits & ((1 << mantissa_bits) - 1);
    let exponent = bits >> mantissa_bits & EXPONENT;
    let value = match exponent {
        EXPONENT if mantissa == 0 => f32::INFINITY,
        EXPONENT => f32::NAN,
        0 => mantissa as f32 * exp2(1 - BIAS - mantissa_bits as i32),
        _ => {
            let whole = mantissa | 1 << mantissa_bits;
            whole as f32 * exp2(exponent as i32 - BIAS - mantissa_bits as i32)
        }
    };
    value.to_bits()
}

/// Encodes a channel of `rg11b10ufloat`, shifted to its position in the word.
pub(super) fn pack_rg11b10(value: f32, index: usize) -> u32 {
    let mantissa_bits = MANTISSAS[index];
    let infinity = EXPONENT << mantissa_bits;
    let bits = if value.is_nan() {
        infinity | 1 << (mantissa_bits - 1)
    } else if value == f32::INFINITY {
        infinity
    } else if value <= 0.0 {
        0
    } else {
        nearest(value, mantissa_bits).min(infinity - 1)
    };
    bits << SHIFTS[index]
}

/// The packed float that is nearest to a positive number, ties to even. May overflow to infinity.
fn nearest(value: f32, mantissa_bits: u32) -> u32 {
    let bits = value.to_bits();
    let exponent = (bits >> 23) as i32 - 127 + BIAS;
    if exponent <= 0 {
        // Below the normal range the result counts multiples of the smallest subnormal.
        let scaled = f64::from(value) * f64::from(exp2(BIAS - 1 + mantissa_bits as i32));
        return scaled.round_ties_even() as u32;
    }
    let dropped = 23 - mantissa_bits;
    let half = 1 << (dropped - 1);
    let kept = (bits & 0x7f_ffff) >> dropped;
    let rest = bits & ((1 << dropped) - 1);
    let up = rest > half || rest == half && kept & 1 == 1;
    // A carry out of the mantissa correctly increments the exponent. The caller clamps large exponents.
    ((exponent.min(EXPONENT as i32) as u32) << mantissa_bits) + kept + u32::from(up)
}

/// Decodes a channel of `rgb9e5ufloat`.
pub(super) fn unpack_rgb9e5(word: u32, index: usize) -> u32 {
    let mantissa = word >> (9 * index) & 0x1ff;
    let exponent = (word >> 27) as i32;
    (mantissa as f32 * exp2(exponent - BIAS - 9)).to_bits()
}

/// Encodes a colour as `rgb9e5ufloat`, by the algorithm in the Khronos Data Format Specification.
pub(super) fn pack_rgb9e5(color: [f32; 3]) -> u32 {
    /// 511/512 * 2^16.
    const MAX: f32 = 65408.0;
    let clamped = color.map(|channel| match channel.is_nan() {
        true => 0.0,
        false => channel.clamp(0.0, MAX),
    });
    let largest = clamped.into_iter().fold(0.0, f32::max);
    let floor_log2 = if largest == 0.0 {
        -127
    } else {
        (largest.to_bits() >> 23) as i32 - 127
    };
    let mut exponent = floor_log2.max(-BIAS - 1) + 1 + BIAS;
    let scale = |exponent: i32| f64::from(exp2(BIAS + 9 - exponent));
    let round =
        |channel: f32, exponent| (f64::from(channel) * scale(exponent) + 0.5).floor() as u32;
    if round(largest, exponent) == 1 << 9 {
        exponent += 1;
    }
    let [red, green, blue] = clamped.map(|channel| round(channel, exponent));
    (exponent as u32) << 27 | blue << 18 | green << 9 | red
}

/// An exact power of two, for exponents in the normal range of `f32`.
fn exp2(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}
