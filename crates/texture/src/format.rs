//! The table of texture formats: the only place that lists them.
//!
//! In: a row per format in `formats!`. Out: [`Format`] with its name, texel size, sample type and codec. It has the
//! uncompressed formats that WebGPU guarantees for loads, stores and copies, and the 16-bit normalised ones. A format
//! with a depth and a stencil aspect consists of two planes, each with a format of its own.

use crate::codec::Codec;

/// The type of the values that shaders see: WebGPU's texture sample type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `f32`.
    Float,
    /// `i32`.
    Sint,
    /// `u32`.
    Uint,
    /// `f32`, one channel.
    Depth,
}

/// The order of the channels in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChannelOrder {
    Rgba,
    Bgra,
}

/// A row of the table.
pub(crate) struct FormatRow {
    name: &'static str,
    bytes: u32,
    kind: Kind,
    pub(crate) codec: Codec,
    pub(crate) channels: usize,
    pub(crate) order: ChannelOrder,
}

macro_rules! formats {
    ($dollar:tt $($variant:ident $name:literal $bytes:literal $kind:ident $codec:ident $channels:literal $order:ident;)*) => {
        /// A texture format. The variants are named as in wgpu, [`name`](Self::name) gives WebGPU's name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Format {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        /// Calls another macro with the names of all formats, as they are spelled in [`Format`] and in wgpu.
        ///
        /// ```
        /// macro_rules! count {
        ///     ($($name:ident)*) => { [$(anywarp_texture::Format::$name),*].len() };
        /// }
        /// assert_eq!(anywarp_texture::with_formats!(count), anywarp_texture::Format::ALL.len());
        /// ```
        #[macro_export]
        macro_rules! with_formats {
            ($dollar then:ident) => { $dollar then! { $($variant)* } };
        }

        impl Format {
            /// Every format.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            pub(crate) const fn row(self) -> &'static FormatRow {
                match self {
                    $(Self::$variant => &FormatRow {
                        name: $name,
                        bytes: $bytes,
                        kind: Kind::$kind,
                        codec: Codec::$codec,
                        channels: $channels,
                        order: ChannelOrder::$order,
                    },)*
                }
            }
        }
    };
}

formats! { $
    // variant             name                 bytes kind  codec    channels order
    R8Unorm              "r8unorm"               1 Float Unorm8       1 Rgba;
    R8Snorm              "r8snorm"               1 Float Snorm8       1 Rgba;
    R8Uint               "r8uint"                1 Uint  Uint8        1 Rgba;
    R8Sint               "r8sint"                1 Sint  Sint8        1 Rgba;
    R16Unorm             "r16unorm"              2 Float Unorm16      1 Rgba;
    R16Snorm             "r16snorm"              2 Float Snorm16      1 Rgba;
    R16Uint              "r16uint"               2 Uint  Uint16       1 Rgba;
    R16Sint              "r16sint"               2 Sint  Sint16       1 Rgba;
    R16Float             "r16float"              2 Float Float16      1 Rgba;
    Rg8Unorm             "rg8unorm"              2 Float Unorm8       2 Rgba;
    Rg8Snorm             "rg8snorm"              2 Float Snorm8       2 Rgba;
    Rg8Uint              "rg8uint"               2 Uint  Uint8        2 Rgba;
    Rg8Sint              "rg8sint"               2 Sint  Sint8        2 Rgba;
    R32Uint              "r32uint"               4 Uint  Word         1 Rgba;
    R32Sint              "r32sint"               4 Sint  Word         1 Rgba;
    R32Float             "r32float"              4 Float Word         1 Rgba;
    Rg16Unorm            "rg16unorm"             4 Float Unorm16      2 Rgba;
    Rg16Snorm            "rg16snorm"             4 Float Snorm16      2 Rgba;
    Rg16Uint             "rg16uint"              4 Uint  Uint16       2 Rgba;
    Rg16Sint             "rg16sint"              4 Sint  Sint16       2 Rgba;
    Rg16Float            "rg16float"             4 Float Float16      2 Rgba;
    Rgba8Unorm           "rgba8unorm"            4 Float Unorm8       4 Rgba;
    Rgba8UnormSrgb       "rgba8unorm-srgb"       4 Float Srgb8        4 Rgba;
    Rgba8Snorm           "rgba8snorm"            4 Float Snorm8       4 Rgba;
    Rgba8Uint            "rgba8uint"             4 Uint  Uint8        4 Rgba;
    Rgba8Sint            "rgba8sint"             4 Sint  Sint8        4 Rgba;
    Bgra8Unorm           "bgra8unorm"            4 Float Unorm8       4 Bgra;
    Bgra8UnormSrgb       "bgra8unorm-srgb"       4 Float Srgb8        4 Bgra;
    Rgb10a2Uint          "rgb10a2uint"           4 Uint  Rgb10a2Uint  4 Rgba;
    Rgb10a2Unorm         "rgb10a2unorm"          4 Float Rgb10a2Unorm 4 Rgba;
    Rg11b10Ufloat        "rg11b10ufloat"         4 Float Rg11b10      3 Rgba;
    Rgb9e5Ufloat         "rgb9e5ufloat"          4 Float Rgb9e5       3 Rgba;
    // 64-bit texels are loaded and stored with `View::read` and `View::write`; decoding gives the low word only.
    R64Uint              "r64uint"               8 Uint  Word         1 Rgba;
    Rg32Uint             "rg32uint"              8 Uint  Word         2 Rgba;
    Rg32Sint             "rg32sint"              8 Sint  Word         2 Rgba;
    Rg32Float            "rg32float"             8 Float Word         2 Rgba;
    Rgba16Unorm          "rgba16unorm"           8 Float Unorm16      4 Rgba;
    Rgba16Snorm          "rgba16snorm"           8 Float Snorm16      4 Rgba;
    Rgba16Uint           "rgba16uint"            8 Uint  Uint16       4 Rgba;
    Rgba16Sint           "rgba16sint"            8 Sint  Sint16       4 Rgba;
    Rgba16Float          "rgba16float"           8 Float Float16      4 Rgba;
    Rgba32Uint           "rgba32uint"           16 Uint  Word         4 Rgba;
    Rgba32Sint           "rgba32sint"           16 Sint  Word         4 Rgba;
    Rgba32Float          "rgba32float"          16 Float Word         4 Rgba;
    Stencil8             "stencil8"              1 Uint  Uint8        1 Rgba;
    Depth16Unorm         "depth16unorm"          2 Depth Unorm16      1 Rgba;
    // WebGPU allows 24 bits or a float; a float can represent both.
    Depth24Plus          "depth24plus"           4 Depth UnitFloat    1 Rgba;
    Depth32Float         "depth32float"          4 Depth Word         1 Rgba;
    // These rows describe the first plane.
    Depth24PlusStencil8  "depth24plus-stencil8"  4 Depth UnitFloat    1 Rgba;
    Depth32FloatStencil8 "depth32float-stencil8" 4 Depth Word         1 Rgba;
}

impl Format {
    /// WebGPU's name, such as `rgba8unorm-srgb`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The format with this WebGPU name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|format| format.name() == name)
    }

    /// Bytes of a texel of the first plane.
    #[inline]
    pub fn bytes(self) -> u32 {
        self.row().bytes
    }

    /// The sample type of the first plane.
    #[inline]
    pub fn kind(self) -> Kind {
        self.row().kind
    }

    /// The number of channels stored in the first plane.
    pub fn channels(self) -> usize {
        self.row().channels
    }

    /// The formats of the planes: the format itself, or depth and stencil.
    pub fn planes(self) -> &'static [Self] {
        match self {
            Self::Depth24PlusStencil8 => &[Self::Depth24Plus, Self::Stencil8],
            Self::Depth32FloatStencil8 => &[Self::Depth32Float, Self::Stencil8],
            _ => {
                let index = Self::ALL.iter().position(|format| *format == self);
                index.map_or(&[], |index| &Self::ALL[index..=index])
            }
        }
    }

    /// Whether it has a depth or a stencil aspect.
    pub fn is_depth_or_stencil(self) -> bool {
        self.kind() == Kind::Depth || self == Self::Stencil8
    }

    /// The format with the same texels and the sRGB transfer function added or removed. Returns `self` if there is
    /// none.
    pub fn other_srgb(self) -> Self {
        match self {
            Self::Rgba8Unorm => Self::Rgba8UnormSrgb,
            Self::Rgba8UnormSrgb => Self::Rgba8Unorm,
            Self::Bgra8Unorm => Self::Bgra8UnormSrgb,
            Self::Bgra8UnormSrgb => Self::Bgra8Unorm,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for &format in Format::ALL {
            assert_eq!(Format::named(format.name()), Some(format));
        }
        assert_eq!(Format::named("bc1-rgba-unorm"), None);
    }

    /// Views compute the position of a texel within a word by shifts.
    #[test]
    fn texels_divide_words_or_consist_of_them() {
        for format in Format::ALL {
            assert!([1, 2, 4, 8, 16].contains(&format.bytes()), "{format:?}");
        }
    }

    #[test]
    fn planes_have_one_plane() {
        for format in Format::ALL {
            for plane in format.planes() {
                assert_eq!(plane.planes(), [*plane]);
            }
        }
        assert_eq!(Format::Depth32FloatStencil8.planes().len(), 2);
    }
}
