//! Bytecode for textures and binding arrays.
//!
//! A texture is identified by its index in [`Arguments::textures`](crate::Arguments::textures): a constant in the
//! code if the program names a variable, a register if it is a parameter or an array element.
//! [`OUT_OF_BOUNDS`](super::OUT_OF_BOUNDS) stands for an out-of-bounds index into a binding array: loads and
//! queries give zero there, stores are dropped.

use super::{AtomicOp, Reg};

/// A reference to a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextureRef {
    /// A texture variable, by index.
    Slot(u32),
    /// The register that holds the index.
    Register(Reg),
}

/// A texture operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureOp {
    /// Loads the first `n` words of a texel.
    Load {
        /// At most four.
        n: u8,
    },
    /// Loads a texel as four 64-bit numbers, of which the texel holds the first.
    Load64,
    /// Stores a texel of four words.
    Store,
    /// Stores the first channel, a 64-bit number.
    Store64,
    /// Atomic operation on a texel of one word.
    Atomic(AtomicOp),
    /// Atomic operation on a texel of two words.
    Atomic64(AtomicOp),
    /// Queries the size of a level along the first `n` axes.
    Size {
        /// At most three.
        n: u8,
    },
    /// Queries the number of mip levels.
    Levels,
    /// Queries the number of array layers, or of cubes.
    Layers,
    /// Queries the number of samples.
    Samples,
}

impl TextureOp {
    /// The number of operand words.
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

    /// The number of result words.
    pub fn words_given(self) -> usize {
        match self {
            Self::Load { n } | Self::Size { n } => n.into(),
            Self::Load64 => 8,
            Self::Levels | Self::Layers | Self::Samples => 1,
            Self::Store | Self::Store64 | Self::Atomic(_) | Self::Atomic64(_) => 0,
        }
    }
}

/// An access to a texture. Unused registers are [`ZERO`](super::ZERO).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextureAccess {
    pub(crate) op: TextureOp,
    pub(crate) texture: TextureRef,
    pub(crate) dst: Reg,
    /// The first register of the coordinates.
    pub(crate) coordinate: Reg,
    /// The number of coordinates.
    pub(crate) axes: u8,
    pub(crate) layer: Reg,
    pub(crate) level: Reg,
    pub(crate) sample: Reg,
    pub(crate) value: Reg,
}

/// An element of an array of buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferElement {
    /// The index into [`Arguments::arrays`](crate::Arguments::arrays).
    pub(crate) array: u16,
    pub(crate) index: Reg,
}
