//! Objects: the memories of a kernel after `memory` has resolved the addresses of linear memory.
//!
//! An object is an array of 32-bit words. What always holds: distinct objects do not overlap.

use super::Type;

/// Index of an object in its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Object(pub u32);

/// The type by which a program declares the words of an object. The IR's words are `I32` in either
/// case, except that loads and stores of `F32` objects have the type `F32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Element {
    U32,
    F32,
    /// `atomic<u32>`.
    AtomicU32,
}

impl Element {
    /// The type of loads and stores.
    pub(crate) const fn ty(self) -> Type {
        match self {
            Self::U32 | Self::AtomicU32 => Type::I32,
            Self::F32 => Type::F32,
        }
    }
}

/// Which memory an object is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ObjectKind {
    /// The buffer at a group and binding.
    Binding { group: u32, binding: u32 },
    /// Static data that the kernel only reads: these words.
    Data(Vec<u32>),
    /// Memory of the invocation, with initial words; the rest is zero.
    Private(Vec<u32>),
    /// Memory of the workgroup.
    Workgroup,
    /// The whole linear memory of the invocation, where addresses are not resolved.
    Linear,
    /// The state words of the launch.
    State,
    /// The input words of the launch.
    Input,
    /// The pixels of the picture, four `F32` each.
    Pixels,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ObjectData {
    /// For comments and variable names.
    pub name: String,
    /// Which memory it is.
    pub kind: ObjectKind,
    /// The type of its words.
    pub element: Element,
    /// Its size, if the program knows it.
    pub words: Option<u32>,
    /// Whether the kernel writes it.
    pub written: bool,
}
