//! The curve of sRGB, as IEC 61966-2-1 has it, computed in `f64`.

use std::sync::LazyLock;

use libm::pow;

/// The linear value of every byte; a power for each texel would take long.
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

/// The bits of the linear value of every encoded byte, the nearest float.
pub fn linear() -> &'static [u32; 256] {
    &LINEAR
}

/// The linear value of an encoded byte, the nearest float.
pub(super) fn to_linear(byte: u32) -> u32 {
    LINEAR[(byte & 0xff) as usize]
}

/// The byte that is nearest to a linear value on the encoded scale; NaN is zero.
pub(super) fn from_linear(value: f32) -> u32 {
    let linear = f64::from(super::normalized::unit(value));
    let encoded = if linear <= 0.003_130_8 {
        linear * 12.92
    } else {
        1.055 * pow(linear, 1.0 / 2.4) - 0.055
    };
    (encoded * 255.0).round_ties_even() as u32
}
