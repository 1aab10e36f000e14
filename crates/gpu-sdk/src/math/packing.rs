//! WGSL's packing functions: vectors in words. The first component lies in the lowest bits.

use half::f16;

use crate::types::{Vec2f, Vec4f, Vec4i, Vec4u};

use super::components::Components;
use super::scalar::Word;

/// WGSL's `floor(0.5 + scale * clamp(x))`, exact because f64 holds the product and the sum.
#[inline]
fn quantize(x: f32, low: f64, scale: f64) -> u32 {
    // The cast converts NaN to zero.
    libm::floor(0.5 + scale * f64::from(x).max(low).min(1.0)) as i32 as u32
}

#[inline]
fn mask<T: Components>() -> u32 {
    u32::MAX >> (32 - 32 / T::COUNT)
}

/// Packs all components into one word; `lane` encodes each.
#[inline]
fn pack<T: Components>(x: T, lane: impl Fn(T::Scalar) -> u32) -> u32 {
    let bits = 32 / T::COUNT;
    (0..T::COUNT).fold(0, |word, i| {
        word | (lane(x.component(i)) & mask::<T>()) << (i * bits)
    })
}

/// Unpacks all components from one word; `lane` decodes each.
#[inline]
fn unpack<T: Components>(word: u32, lane: impl Fn(u32) -> T::Scalar) -> T {
    let bits = 32 / T::COUNT;
    T::from_fn(|i| lane((word >> (i * bits)) & mask::<T>()))
}

#[inline]
fn signed8(x: u32) -> i32 {
    i32::from(x as u8 as i8)
}

#[inline]
fn signed16(x: u32) -> i32 {
    i32::from(x as u16 as i16)
}

#[inline]
fn snorm(x: i32, scale: f32) -> f32 {
    (x as f32 / scale).max(-1.0)
}

macro_rules! packing {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($argument:ident: $from:ty) -> $to:ty = $body:expr;
    )*) => { $(
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name($argument: $from) -> $to {
            $body
        }
    )* };
}

packing! {
    /// Packs four floats in [-1, 1] as signed normalized bytes.
    fn pack4x8snorm(x: Vec4f) -> u32 = pack(x, |x| quantize(x, -1.0, 127.0));
    /// Packs four floats in [0, 1] as unsigned normalized bytes.
    fn pack4x8unorm(x: Vec4f) -> u32 = pack(x, |x| quantize(x, 0.0, 255.0));
    /// Packs two floats in [-1, 1] as signed normalized 16-bit halves.
    fn pack2x16snorm(x: Vec2f) -> u32 = pack(x, |x| quantize(x, -1.0, 32767.0));
    /// Packs two floats in [0, 1] as unsigned normalized 16-bit halves.
    fn pack2x16unorm(x: Vec2f) -> u32 = pack(x, |x| quantize(x, 0.0, 65535.0));
    /// Packs two floats as f16.
    fn pack2x16float(x: Vec2f) -> u32 = pack(x, |x| f16::from_f32(x).to_bits().into());
    /// Packs the low bytes of four integers.
    fn pack4x_i8(x: Vec4i) -> u32 = pack(x, Word::to_word);
    /// Packs the low bytes of four integers.
    fn pack4x_u8(x: Vec4u) -> u32 = pack(x, Word::to_word);
    /// Packs four integers, clamped to [-128, 127].
    fn pack4x_i8_clamp(x: Vec4i) -> u32 = pack(x, |x| x.clamp(-128, 127) as u32);
    /// Packs four integers, clamped to [0, 255].
    fn pack4x_u8_clamp(x: Vec4u) -> u32 = pack(x, |x| x.min(255));

    /// Unpacks signed normalized bytes to floats in [-1, 1].
    fn unpack4x8snorm(word: u32) -> Vec4f = unpack(word, |x| snorm(signed8(x), 127.0));
    /// Unpacks unsigned normalized bytes to floats in [0, 1].
    fn unpack4x8unorm(word: u32) -> Vec4f = unpack(word, |x| x as f32 / 255.0);
    /// Unpacks signed normalized 16-bit halves to floats in [-1, 1].
    fn unpack2x16snorm(word: u32) -> Vec2f = unpack(word, |x| snorm(signed16(x), 32767.0));
    /// Unpacks unsigned normalized 16-bit halves to floats in [0, 1].
    fn unpack2x16unorm(word: u32) -> Vec2f = unpack(word, |x| x as f32 / 65535.0);
    /// Unpacks two f16 to floats.
    fn unpack2x16float(word: u32) -> Vec2f = unpack(word, |x| f16::from_bits(x as u16).to_f32());
    /// Unpacks signed bytes to integers.
    fn unpack4x_i8(word: u32) -> Vec4i = unpack(word, signed8);
    /// Unpacks unsigned bytes to integers.
    fn unpack4x_u8(word: u32) -> Vec4u = unpack(word, core::convert::identity);
}

/// The dot product of two words of four signed bytes.
#[inline]
#[must_use]
pub fn dot4_i8_packed(x: u32, y: u32) -> i32 {
    (unpack4x_i8(x) * unpack4x_i8(y)).element_sum()
}

/// The dot product of two words of four unsigned bytes.
#[inline]
#[must_use]
pub fn dot4_u8_packed(x: u32, y: u32) -> u32 {
    (unpack4x_u8(x) * unpack4x_u8(y)).element_sum()
}
