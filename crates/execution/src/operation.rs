//! Operations that engines share: on textures, and atomic ones.

/// A texture operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// Read-modify-write operations, on 32 and on 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Adds.
    Add,
    /// Subtracts.
    Sub,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Signed minimum.
    MinI32,
    /// Signed maximum.
    MaxI32,
    /// Unsigned minimum.
    MinU32,
    /// Unsigned maximum.
    MaxU32,
    /// Adds floats.
    AddF32,
    /// Subtracts floats.
    SubF32,
    /// Loads; does not change memory.
    Load,
    /// Stores; returns the old value.
    Exchange,
    /// Results: the old value, then whether it was exchanged.
    CompareExchange,
}
