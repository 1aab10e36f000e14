//! The expected images: computed pixel by pixel with big integers and with strict f32, without code of the library.

use mandelbrot::Image;
use num_bigint::BigInt;

use crate::sights::{SIZE, Sight};

/// A decimal number times `2^bits`.
fn fixed(text: &str, bits: u32) -> BigInt {
    let (number, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
    let exponent = exponent.parse::<i32>().unwrap() - fraction.len() as i32;
    let power = BigInt::from(10).pow(exponent.unsigned_abs());
    match exponent {
        0.. => (digits * power) << bits,
        _ => (digits << bits) / power,
    }
}

/// The counts of a sight in fixed point, with 80 bits more precision than its width.
pub(crate) fn exact_counts(sight: &Sight) -> Vec<u32> {
    let [width, height] = SIZE;
    let probe = fixed(sight.width, 4000);
    let bits = 4080_u32.saturating_sub(probe.bits() as u32).max(80);
    let (re, im) = (fixed(sight.re, bits), fixed(sight.im, bits));
    let extent = fixed(sight.width, bits);
    let mut counts = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let across = 2 * i64::from(x) + 1 - i64::from(width);
            let up = i64::from(height) - 1 - 2 * i64::from(y);
            let offset = |halves: i64| &extent * halves / (2 * width);
            let c = [&re + offset(across), &im + offset(up)];
            counts.push(exact_count(&c, bits, sight.limit));
        }
    }
    counts
}

fn exact_count(c: &[BigInt; 2], bits: u32, limit: u32) -> u32 {
    let four = BigInt::from(4) << (2 * bits);
    let (mut x, mut y) = (BigInt::ZERO, BigInt::ZERO);
    let (mut xx, mut yy) = (BigInt::ZERO, BigInt::ZERO);
    for count in 1..=limit {
        let xy: BigInt = &x * &y;
        x = ((xx - yy) >> bits) + &c[0];
        y = (xy >> (bits - 1)) + &c[1];
        xx = &x * &x;
        yy = &y * &y;
        if &xx + &yy > four {
            return count;
        }
    }
    Image::INSIDE
}

/// The counts of a sight in f32. Its coordinates must be exact in f64.
pub(crate) fn f32_counts(sight: &Sight) -> Vec<u32> {
    let [width, height] = SIZE.map(f64::from);
    let number = |text: &str| text.parse::<f64>().unwrap();
    let (re, im, extent) = (number(sight.re), number(sight.im), number(sight.width));
    let mut counts = Vec::new();
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            let across = (f64::from(x) + 0.5 - width / 2.0) / width * extent;
            let up = (height / 2.0 - 0.5 - f64::from(y)) / width * extent;
            let c = [(re + across) as f32, (im + up) as f32];
            counts.push(f32_count(c, sight.limit));
        }
    }
    counts
}

fn f32_count([a, b]: [f32; 2], limit: u32) -> u32 {
    let (mut x, mut y) = (0.0_f32, 0.0_f32);
    for count in 1..=limit {
        (x, y) = (x * x - y * y + a, 2.0 * (x * y) + b);
        if x * x + y * y > 4.0 {
            return count;
        }
    }
    Image::INSIDE
}

/// The share of pixels that differ.
pub(crate) fn difference(counts: &[u32], expected: &[u32]) -> f64 {
    assert_eq!(counts.len(), expected.len());
    let pairs = counts.iter().zip(expected);
    let different = pairs.filter(|(count, expected)| count != expected).count();
    different as f64 / expected.len() as f64
}
