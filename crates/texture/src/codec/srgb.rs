//! The sRGB transfer function of IEC 61966-2-1, computed in `f64`.
//!
//! In: an 8-bit encoded value, or a linear `f32`. Out: the nearest linear `f32`, or the nearest byte. Decoding is a
//! table lookup.

use std::sync::LazyLock;

use libm::pow;

/// The bits of the linear value of each byte, computed once.
static LINEAR: LazyLock<[u32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        let encoded = byte as f64 / 255.0;
        let linear = if encoded <= 0.04045 {
            encoded / 12.92
        } else {
            pow((encoded + 0.055) / 1.055, 2.4)
        };
        (linear as f32).to_bits()
    })
});

/// The table from sRGB bytes to the bits of their linear value, each rounded to the nearest float.
pub fn linear() -> &'static [u32; 256] {
    &LINEAR
}

/// Decodes a byte to the bits of the nearest linear float.
pub(super) fn to_linear(byte: u32) -> u32 {
    LINEAR[(byte & 0xff) as usize]
}

/// The nearest byte on the encoded scale; NaN gives zero.
pub(super) fn from_linear(value: f32) -> u32 {
    let linear = f64::from(super::normalized::unit(value));
    let encoded = if linear <= 0.003_130_8 {
        linear * 12.92
    } else {
        1.055 * pow(linear, 1.0 / 2.4) - 0.055
    };
    (encoded * 255.0).round_ties_even() as u32
}
