//! Bytecode for textures and binding arrays.
//!
//! A texture is identified by its index in [`Arguments::textures`](crate::Arguments::textures): a constant in the
//! code if the program names a variable, a register if it is a parameter or an array element.
//! [`OUT_OF_BOUNDS`](super::OUT_OF_BOUNDS) stands for an out-of-bounds index into a binding array: loads and
//! queries give zero there, stores are dropped.

use anywarp_execution::TextureOp;

use super::Reg;

/// A reference to a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextureRef {
    /// A texture variable, by index.
    Slot(u32),
    /// The register that holds the index.
    Register(Reg),
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
