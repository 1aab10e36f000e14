//! The part of the compact form that is about textures and arrays of bindings.
//!
//! A texture is known by its number among [`Arguments::textures`](crate::Arguments::textures): a number
//! in the code where the program names a variable, a number in a register where it goes through a
//! parameter or an index. [`OUT_OF_BOUNDS`](super::OUT_OF_BOUNDS) stands for an index that left its
//! array of bindings: loads and questions give zero there, stores vanish.

use super::{Atomic, Reg};

/// Which texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextureRef {
    /// The variable's own.
    Slot(u32),
    /// The number is in a register.
    Register(Reg),
}

/// What is done to a texture, or asked about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureOp {
    /// The first `n` words of a texel's value.
    Load {
        /// At most four.
        n: u8,
    },
    /// Four numbers of 64 bits, of which the texel has the first.
    Load64,
    /// Four words.
    Store,
    /// The first number, of 64 bits.
    Store64,
    /// The texel is one word.
    Atomic(Atomic),
    /// The texel and the value are two words.
    Atomic64(Atomic),
    /// The size of a level along the first `n` axes.
    Size {
        /// At most three.
        n: u8,
    },
    /// The number of levels.
    Levels,
    /// The number of layers, or of cubes.
    Layers,
    /// The number of samples.
    Samples,
}

impl TextureOp {
    /// Words that it is given.
    pub fn words_taken(self) -> usize {
        match self {
            Self::Store => 4,
            Self::Store64 | Self::Atomic64(_) => 2,
            Self::Atomic(_) => 1,
            Self::Load { .. }
            | Self::Load64
            | Self::Size { .. }
            | Self::Levels
            | Self::Layers
            | Self::Samples => 0,
        }
    }

    /// Words that it gives.
    pub fn words_given(self) -> usize {
        match self {
            Self::Load { n } | Self::Size { n } => n.into(),
            Self::Load64 => 8,
            Self::Levels | Self::Layers | Self::Samples => 1,
            Self::Store | Self::Store64 | Self::Atomic(_) | Self::Atomic64(_) => 0,
        }
    }
}

/// One access to a texture. Registers that do not matter are [`ZERO`](super::ZERO).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextureAccess {
    pub(crate) op: TextureOp,
    pub(crate) texture: TextureRef,
    pub(crate) dst: Reg,
    /// The first register of the coordinates.
    pub(crate) coordinate: Reg,
    /// How many coordinates there are.
    pub(crate) axes: u8,
    pub(crate) layer: Reg,
    pub(crate) level: Reg,
    pub(crate) sample: Reg,
    pub(crate) value: Reg,
}

/// An element of an array of buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferElement {
    /// Which of [`Arguments::arrays`](crate::Arguments::arrays).
    pub(crate) array: u16,
    pub(crate) index: Reg,
}
