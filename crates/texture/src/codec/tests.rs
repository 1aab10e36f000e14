//! Conversions compared with `f64` arithmetic and with formulas from the specifications.

use half::f16;

use crate::{Format, Kind};

fn floats(value: [u32; 4]) -> [f32; 4] {
    value.map(f32::from_bits)
}

fn bits(value: [f32; 4]) -> [u32; 4] {
    value.map(f32::to_bits)
}

/// The first channel of a decoded texel.
fn first(format: Format, texel: u32) -> f32 {
    floats(format.decode([texel, 0, 0, 0]))[0]
}

fn stored(format: Format, value: f32) -> u32 {
    format.encode(bits([value, 0.0, 0.0, 0.0]))[0]
}

/// One texel for each pattern of 16 bits.
fn texels_of(format: Format) -> impl Iterator<Item = [u32; 4]> {
    let words = format.bytes().div_ceil(4) as usize;
    let mask = if format.bytes() < 4 {
        (1 << (format.bytes() * 8)) - 1
    } else {
        u32::MAX
    };
    (0..=0xffffu32).map(move |pattern| {
        let mut texel = [0; 4];
        for (index, word) in texel.iter_mut().take(words).enumerate() {
            let other = pattern.wrapping_mul(40503).wrapping_add(index as u32) & 0xffff;
            *word = (pattern | other << 16) & mask;
        }
        texel
    })
}

/// Decoding and then encoding gives the same bits, or bits that decode to the same value.
#[test]
fn every_texel_comes_back() {
    // `r64uint` decodes only its low word.
    let whole = |format: &&Format| **format != Format::R64Uint;
    for &format in Format::ALL.iter().filter(whole) {
        for texel in texels_of(format) {
            let value = format.decode(texel);
            let again = format.encode(value);
            if again == texel {
                continue;
            }
            let (value, back) = (floats(value), floats(format.decode(again)));
            let float = matches!(format.kind(), Kind::Float | Kind::Depth);
            assert!(float, "{format:?} {texel:x?} came back as {again:x?}");
            for (a, b) in value.into_iter().zip(back) {
                let outside =
                    format == Format::Depth24Plus || format == Format::Depth24PlusStencil8;
                let same = a == b || a.is_nan() && b.is_nan() || outside;
                assert!(same, "{format:?} {texel:x?}: {a} came back as {b}");
            }
        }
    }
}

#[test]
fn unorm_is_the_nearest_float_to_the_fraction() {
    for number in 0..=255u32 {
        let expected = (f64::from(number) / 255.0) as f32;
        assert_eq!(first(Format::R8Unorm, number), expected);
    }
    for number in 0..=65535u32 {
        let expected = (f64::from(number) / 65535.0) as f32;
        assert_eq!(first(Format::R16Unorm, number), expected);
        assert_eq!(first(Format::Depth16Unorm, number), expected);
    }
}

#[test]
fn snorm_has_two_encodings_of_minus_one() {
    for number in -128..=127i32 {
        let expected = (f64::from(number) / 127.0).max(-1.0) as f32;
        assert_eq!(first(Format::R8Snorm, number as u32 & 0xff), expected);
    }
    for number in -32768..=32767i32 {
        let expected = (f64::from(number) / 32767.0).max(-1.0) as f32;
        assert_eq!(first(Format::R16Snorm, number as u32 & 0xffff), expected);
    }
    assert_eq!(stored(Format::R8Snorm, -1.0), 0x81);
}

/// At the midpoint between two numbers, the float below gives the lower and the float above the higher number.
#[test]
fn unorm_stores_the_nearest_number() {
    for number in 0..255u32 {
        let middle = ((f64::from(number) + 0.5) / 255.0) as f32;
        let (below, above) = (middle.next_down(), middle.next_up());
        assert_eq!(stored(Format::R8Unorm, below), number);
        assert_eq!(stored(Format::R8Unorm, above), number + 1);
    }
    for number in 0..127u32 {
        let middle = ((f64::from(number) + 0.5) / 127.0) as f32;
        assert_eq!(stored(Format::R8Snorm, middle.next_down()), number);
        assert_eq!(stored(Format::R8Snorm, middle.next_up()), number + 1);
        let below_zero = stored(Format::R8Snorm, -middle.next_up());
        assert_eq!(below_zero, 0x100 - number - 1);
    }
}

#[test]
fn normalised_values_are_clamped_and_nan_is_zero() {
    for format in [Format::R8Unorm, Format::Rgba8UnormSrgb, Format::R16Unorm] {
        let most = stored(format, 1.0);
        for (value, expected) in [
            (2.0, most),
            (f32::INFINITY, most),
            (-1.0, 0),
            (-0.0, 0),
            (f32::NAN, 0),
            (f32::NEG_INFINITY, 0),
        ] {
            assert_eq!(stored(format, value), expected, "{format:?} {value}");
        }
    }
    assert_eq!(stored(Format::R8Snorm, f32::NAN), 0);
    assert_eq!(stored(Format::R8Snorm, f32::NEG_INFINITY), 0x81);
    assert_eq!(stored(Format::Depth24Plus, 1.5), 1f32.to_bits());
    assert_eq!(stored(Format::Depth32Float, 1.5), 1.5f32.to_bits());
}

#[test]
fn integers_are_clamped() {
    assert_eq!(Format::R8Uint.encode([256, 0, 0, 0])[0], 255);
    assert_eq!(Format::Rg16Uint.encode([70000, 1, 0, 0])[0], 0x0001_ffff);
    assert_eq!(Format::R8Sint.encode([-129i32 as u32, 0, 0, 0])[0], 0x80);
    assert_eq!(
        Format::R16Sint.encode([i32::MAX as u32, 0, 0, 0])[0],
        0x7fff
    );
    assert_eq!(
        Format::Rgb10a2Uint.encode([2000, 5, 0, 9])[0],
        3 << 30 | 5 << 10 | 1023
    );
    assert_eq!(Format::Stencil8.encode([300, 0, 0, 0])[0], 255);
}

#[test]
fn integers_are_extended() {
    assert_eq!(Format::R8Sint.decode([0x80, 0, 0, 0])[0] as i32, -128);
    assert_eq!(Format::R16Sint.decode([0x8000, 0, 0, 0])[0] as i32, -32768);
    assert_eq!(
        Format::Rgba8Sint.decode([0x80ff_7f01, 0, 0, 0]),
        [1, 127, u32::MAX, -128i32 as u32]
    );
}

#[test]
fn absent_channels_are_zero_and_alpha_is_one() {
    assert_eq!(
        floats(Format::R32Float.decode([7f32.to_bits(), 0, 0, 0])),
        [7.0, 0.0, 0.0, 1.0]
    );
    assert_eq!(Format::Rg32Uint.decode([5, 6, 0, 0]), [5, 6, 0, 1]);
    assert_eq!(Format::R8Sint.decode([1, 0, 0, 0]), [1, 0, 0, 1]);
    assert_eq!(
        floats(Format::Depth16Unorm.decode([0xffff, 0, 0, 0])),
        [1.0, 0.0, 0.0, 1.0]
    );
}

#[test]
fn bgra_has_blue_first() {
    let texel = [0x0403_0201, 0, 0, 0];
    let expected = [3.0, 2.0, 1.0, 4.0].map(|number: f32| number / 255.0);
    assert_eq!(floats(Format::Bgra8Unorm.decode(texel)), expected);
    assert_eq!(Format::Bgra8Unorm.encode(bits(expected)), texel);
}

#[test]
fn srgb_follows_the_standard() {
    // Published values of the curve.
    for (byte, linear) in [
        (0u32, 0.0f64),
        (1, 0.000_303_526_983_548_837_5),
        (10, 0.003_035_269_835_488_375),
        (11, 0.003_346_535_763_899_161),
        (128, 0.215_860_500_113_899_26),
        (255, 1.0),
    ] {
        assert_eq!(first(Format::Rgba8UnormSrgb, byte), linear as f32, "{byte}");
    }
    // The transfer function is monotonic, and does not apply to alpha.
    for byte in 1..=255 {
        assert!(first(Format::Rgba8UnormSrgb, byte) > first(Format::Rgba8UnormSrgb, byte - 1));
    }
    let alpha = floats(Format::Rgba8UnormSrgb.decode([0x8000_0000, 0, 0, 0]))[3];
    assert_eq!(alpha, 128.0 / 255.0);
    // Half intensity encodes as 188 in colour channels and as 128 in alpha.
    let half = Format::Rgba8UnormSrgb.encode(bits([0.5; 4]))[0];
    assert_eq!(half, 0x80bc_bcbc);
}

#[test]
fn half_floats_are_ieee() {
    for pattern in 0..=0xffffu16 {
        let expected = f16::from_bits(pattern).to_f32();
        let got = first(Format::R16Float, u32::from(pattern));
        assert!(got == expected || got.is_nan() && expected.is_nan());
    }
    // A tie between 1 and the next number goes to the even one.
    assert_eq!(stored(Format::R16Float, 1.0 + 1.0 / 2048.0), 0x3c00);
    assert_eq!(stored(Format::R16Float, 1.0 + 3.0 / 2048.0), 0x3c02);
    assert_eq!(stored(Format::R16Float, 1e9), 0x7c00);
}

/// The definition: 2^(e-15) * (1 + m/64), or 2^-14 * m/64 for e = 0.
#[test]
fn eleven_bits_by_the_definition() {
    for pattern in 0..2048u32 {
        let (exponent, mantissa) = (pattern >> 6, f64::from(pattern & 63));
        let expected = match exponent {
            31 if mantissa == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            0 => mantissa / 64.0 * 2f64.powi(-14),
            _ => (1.0 + mantissa / 64.0) * 2f64.powi(exponent as i32 - 15),
        };
        let got = f64::from(first(Format::Rg11b10Ufloat, pattern));
        assert!(
            got == expected || got.is_nan() && expected.is_nan(),
            "{pattern:x}"
        );
    }
}

#[test]
fn small_floats_round_to_the_nearest() {
    let format = Format::Rg11b10Ufloat;
    for pattern in 0..0x7bf {
        let (a, b) = (first(format, pattern), first(format, pattern + 1));
        let middle = (a + b) / 2.0;
        assert_eq!(stored(format, middle.next_down()) & 0x7ff, pattern);
        assert_eq!(stored(format, middle.next_up()) & 0x7ff, pattern + 1);
        // At the midpoint the even number is taken.
        assert_eq!(stored(format, middle) & 0x7ff, pattern + pattern % 2);
    }
    for (value, expected) in [
        (65024.0, 0x7bf),
        (1e9, 0x7bf),
        (f32::MAX, 0x7bf),
        (f32::INFINITY, 0x7c0),
        (-5.0, 0),
        (f32::NEG_INFINITY, 0),
        (0.0, 0),
    ] {
        assert_eq!(stored(format, value), expected, "{value}");
    }
    assert!(first(format, stored(format, f32::NAN)).is_nan());
}

/// The definition: m * 2^(e - 24).
#[test]
fn shared_exponents_by_the_definition() {
    for exponent in 0..32u32 {
        for mantissa in 0..512u32 {
            let word = exponent << 27 | mantissa << 9 | 511;
            let got = floats(Format::Rgb9e5Ufloat.decode([word, 0, 0, 0]));
            let scale = 2f64.powi(exponent as i32 - 24);
            assert_eq!(f64::from(got[0]), 511.0 * scale);
            assert_eq!(f64::from(got[1]), f64::from(mantissa) * scale);
            assert_eq!((got[2], got[3]), (0.0, 1.0));
        }
    }
    let one = Format::Rgb9e5Ufloat.encode(bits([1.0, 0.5, 0.25, 0.0]))[0];
    assert_eq!(one, 16 << 27 | 64 << 18 | 128 << 9 | 256);
    let most = Format::Rgb9e5Ufloat.encode(bits([f32::INFINITY, f32::NAN, -1.0, 0.0]))[0];
    assert_eq!(most, 31 << 27 | 511);
}

#[test]
fn ten_ten_ten_two() {
    let word = 2 << 30 | 1023 << 20 | 512 << 10 | 1;
    assert_eq!(
        Format::Rgb10a2Uint.decode([word, 0, 0, 0]),
        [1, 512, 1023, 2]
    );
    let expected = [1.0 / 1023.0, 512.0 / 1023.0, 1.0, 2.0 / 3.0];
    assert_eq!(
        floats(Format::Rgb10a2Unorm.decode([word, 0, 0, 0])),
        expected
    );
}
