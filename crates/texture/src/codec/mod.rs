//! Texel codecs: conversion between the bits of a texel and the value that a shader sees.
//!
//! In: a [`Format`] and a texel, or a value. Out: the value, or the texel. A texel is passed as four words that hold
//! its bits, first byte lowest, zero-padded. A value is four words too: bit patterns of floats, or integers.
//!
//! What always holds: channels that a format lacks read as zero, a missing alpha reads as one; rounding happens once,
//! to the nearest, ties to even.

mod normalized;
mod small_float;
mod srgb;

use half::f16;

pub use srgb::linear;

use crate::format::{ChannelOrder, Format, Kind};

/// How the channels of a format are encoded. One variant per decoder; [`ChannelEncoding`] is its public, coarser view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codec {
    Unorm8,
    Snorm8,
    Uint8,
    Sint8,
    Unorm16,
    Snorm16,
    Uint16,
    Sint16,
    Float16,
    /// Every channel is a 32-bit word, stored as it is.
    Word,
    /// A 32-bit float, clamped to 0..=1 on store.
    UnitFloat,
    Srgb8,
    Rgb10a2Unorm,
    Rgb10a2Uint,
    Rg11b10,
    Rgb9e5,
}

/// How a channel of a simple format is converted to a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelEncoding {
    /// No conversion: 32-bit words, or integers of fewer bits.
    Raw,
    /// 8-bit unsigned normalised integers.
    Unorm8,
    /// 8-bit sRGB, with a linear unsigned normalised alpha.
    Srgb8,
    /// 16-bit floats.
    Float16,
    /// Normalised integers, signed or unsigned, of other widths or signedness than [`Unorm8`](Self::Unorm8).
    Normalized,
}

/// Where the channels of a simple format are: each is a bit field of one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channels {
    /// How a channel is converted to a number.
    pub encoding: ChannelEncoding,
    /// Whether the stored integers are signed.
    pub is_signed: bool,
    /// First bit and width of each channel; `None` for channels that the format lacks.
    pub places: [Option<(u32, u32)>; 4],
    /// The value of a missing alpha channel, or 0 if the format has one. Other missing channels are 0.
    pub alpha: u32,
}

const ONE: u32 = 1f32.to_bits();

impl Format {
    /// The bit fields of the channels. `None` for formats whose channels are not independent integers or floats
    /// (`rg11b10ufloat` and `rgb9e5ufloat`).
    pub fn channel_encoding(self) -> Option<Channels> {
        let row = self.row();
        let (encoding, width, is_signed) = match row.codec {
            Codec::Unorm8 => (ChannelEncoding::Unorm8, 8, false),
            Codec::Srgb8 => (ChannelEncoding::Srgb8, 8, false),
            Codec::Snorm8 => (ChannelEncoding::Normalized, 8, true),
            Codec::Uint8 => (ChannelEncoding::Raw, 8, false),
            Codec::Sint8 => (ChannelEncoding::Raw, 8, true),
            Codec::Unorm16 => (ChannelEncoding::Normalized, 16, false),
            Codec::Snorm16 => (ChannelEncoding::Normalized, 16, true),
            Codec::Uint16 => (ChannelEncoding::Raw, 16, false),
            Codec::Sint16 => (ChannelEncoding::Raw, 16, true),
            Codec::Float16 => (ChannelEncoding::Float16, 16, false),
            Codec::Word | Codec::UnitFloat => (ChannelEncoding::Raw, 32, false),
            Codec::Rgb10a2Unorm => (ChannelEncoding::Normalized, 10, false),
            Codec::Rgb10a2Uint => (ChannelEncoding::Raw, 10, false),
            Codec::Rg11b10 | Codec::Rgb9e5 => return None,
        };
        let bits = |channel: usize| match width {
            10 => packed_bits(channel),
            _ => (channel as u32 * width, width),
        };
        let mut places =
            [0, 1, 2, 3].map(|channel| (channel < row.channels).then(|| bits(channel)));
        if row.order == ChannelOrder::Bgra {
            places.swap(0, 2);
        }
        let [.., alpha] = self.absent();
        Some(Channels {
            encoding,
            is_signed,
            places,
            alpha: if row.channels < 4 { alpha } else { 0 },
        })
    }

    /// The values of channels that the format lacks.
    #[inline(always)]
    fn absent(self) -> [u32; 4] {
        match self.kind() {
            Kind::Float | Kind::Depth => [0, 0, 0, ONE],
            Kind::Sint | Kind::Uint => [0, 0, 0, 1],
        }
    }

    /// Decodes a texel.
    #[inline(always)]
    pub fn decode(self, texel: [u32; 4]) -> [u32; 4] {
        let row = self.row();
        let mut value = self.absent();
        // A plain loop: the compiler does not inline a closure that is called once per channel.
        for (index, value) in value[..row.channels].iter_mut().enumerate() {
            *value = decoded(row.codec, texel, index);
        }
        if row.order == ChannelOrder::Bgra {
            value.swap(0, 2);
        }
        value
    }

    /// Encodes a value as the nearest texel.
    #[inline(always)]
    pub fn encode(self, mut value: [u32; 4]) -> [u32; 4] {
        let row = self.row();
        if row.order == ChannelOrder::Bgra {
            value.swap(0, 2);
        }
        let float = |index: usize| f32::from_bits(value[index]);
        let mut texel = [0; 4];
        for index in 0..row.channels {
            match row.codec {
                Codec::Unorm8 => put(&mut texel, index, 8, normalized::to_unorm(float(index), 8)),
                Codec::Snorm8 => put(&mut texel, index, 8, normalized::to_snorm(float(index), 8)),
                Codec::Uint8 => put(&mut texel, index, 8, value[index].min(0xff)),
                Codec::Sint8 => put(&mut texel, index, 8, clamp_signed(value[index], 8)),
                Codec::Unorm16 => put(
                    &mut texel,
                    index,
                    16,
                    normalized::to_unorm(float(index), 16),
                ),
                Codec::Snorm16 => put(
                    &mut texel,
                    index,
                    16,
                    normalized::to_snorm(float(index), 16),
                ),
                Codec::Uint16 => put(&mut texel, index, 16, value[index].min(0xffff)),
                Codec::Sint16 => put(&mut texel, index, 16, clamp_signed(value[index], 16)),
                Codec::Float16 => {
                    let bits = f16::from_f32(float(index)).to_bits();
                    put(&mut texel, index, 16, u32::from(bits));
                }
                Codec::Word => texel[index] = value[index],
                Codec::UnitFloat => texel[index] = normalized::unit(float(index)).to_bits(),
                Codec::Srgb8 if index < 3 => {
                    put(&mut texel, index, 8, srgb::from_linear(float(index)));
                }
                Codec::Srgb8 => put(&mut texel, index, 8, normalized::to_unorm(float(index), 8)),
                Codec::Rgb10a2Unorm => {
                    let (shift, width) = packed_bits(index);
                    texel[0] |= normalized::to_unorm(float(index), width) << shift;
                }
                Codec::Rgb10a2Uint => {
                    let (shift, width) = packed_bits(index);
                    texel[0] |= value[index].min((1 << width) - 1) << shift;
                }
                Codec::Rg11b10 => texel[0] |= small_float::pack_rg11b10(float(index), index),
                // All channels share one exponent, so they are encoded together.
                Codec::Rgb9e5 => {
                    return [
                        small_float::pack_rgb9e5([float(0), float(1), float(2)]),
                        0,
                        0,
                        0,
                    ];
                }
            }
        }
        texel
    }
}

/// Decodes one channel.
#[inline(always)]
fn decoded(codec: Codec, texel: [u32; 4], index: usize) -> u32 {
    match codec {
        Codec::Unorm8 => normalized::from_unorm(byte(texel, index), 8),
        Codec::Snorm8 => normalized::from_snorm(signed(byte(texel, index), 8), 8),
        Codec::Uint8 => byte(texel, index),
        Codec::Sint8 => signed(byte(texel, index), 8) as u32,
        Codec::Unorm16 => normalized::from_unorm(short(texel, index), 16),
        Codec::Snorm16 => normalized::from_snorm(signed(short(texel, index), 16), 16),
        Codec::Uint16 => short(texel, index),
        Codec::Sint16 => signed(short(texel, index), 16) as u32,
        Codec::Float16 => f32::from(f16::from_bits(short(texel, index) as u16)).to_bits(),
        Codec::Word | Codec::UnitFloat => texel[index],
        Codec::Srgb8 if index < 3 => srgb::to_linear(byte(texel, index)),
        Codec::Srgb8 => normalized::from_unorm(byte(texel, index), 8),
        Codec::Rgb10a2Unorm => {
            let (bits, width) = packed(texel[0], index);
            normalized::from_unorm(bits, width)
        }
        Codec::Rgb10a2Uint => packed(texel[0], index).0,
        Codec::Rg11b10 => small_float::unpack_rg11b10(texel[0], index),
        Codec::Rgb9e5 => small_float::unpack_rgb9e5(texel[0], index),
    }
}

fn byte(texel: [u32; 4], index: usize) -> u32 {
    texel[0] >> (8 * index) & 0xff
}

fn short(texel: [u32; 4], index: usize) -> u32 {
    texel[index / 2] >> (16 * (index % 2)) & 0xffff
}

/// Sign-extends the lowest `width` bits.
fn signed(bits: u32, width: u32) -> i32 {
    (bits << (32 - width)) as i32 >> (32 - width)
}

fn clamp_signed(value: u32, width: u32) -> u32 {
    let most = (1 << (width - 1)) - 1;
    (value as i32).clamp(-most - 1, most) as u32
}

/// Inserts a channel of 8 or 16 bits.
fn put(texel: &mut [u32; 4], index: usize, width: u32, bits: u32) {
    let at = index as u32 * width;
    let mask = (1 << width) - 1;
    texel[(at / 32) as usize] |= (bits & mask) << (at % 32);
}

/// Shift and width of a channel of `rgb10a2`.
fn packed_bits(index: usize) -> (u32, u32) {
    (10 * index as u32, if index < 3 { 10 } else { 2 })
}

fn packed(word: u32, index: usize) -> (u32, u32) {
    let (shift, width) = packed_bits(index);
    (word >> shift & ((1 << width) - 1), width)
}

#[cfg(test)]
mod tests;
