//! Types of naga: what a value is, and how it lies in memory.
//!
//! In: [`Type`]s with their decorations. Out: two handles a type. The *value* is what instructions
//! compute with. The *memory* is what a variable holds; it differs where a matrix lies row by row or
//! with a stride of its own, where members do not lie in their order, and where something is atomic.
//! What always holds: every leaf of the memory has the offset that the module says; where both handles
//! are the same, a load is a load.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroU32;

use anywarp_program::naga::{self, ArraySize, Handle, Scalar, ScalarKind, TypeInner, VectorSize};
use naga::proc::Layouter;
use rspirv::spirv::Decoration;

use super::types::{Type, Types};
use crate::error::{ReadError, Result};
use crate::module::{Id, Module};

/// How a matrix lies in memory, as the member says that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MatrixLayout {
    pub(crate) stride: u32,
    pub(crate) is_row_major: bool,
}

/// Which parts of a variable are atomic: paths of members; any element of an array is [`ELEMENT`].
pub(crate) type Atomics = BTreeSet<Vec<u32>>;

/// A step of a path into an array.
pub(crate) const ELEMENT: u32 = u32::MAX;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    ty: Id,
    matrix: Option<MatrixLayout>,
    atomics: Atomics,
}

/// The types of naga that were made so far.
#[derive(Debug, Default)]
pub(crate) struct Layouts {
    values: HashMap<Id, Handle<naga::Type>>,
    memories: HashMap<Key, Handle<naga::Type>>,
    /// Lengths of arrays, which only constants know.
    lengths: HashMap<Id, ArraySize>,
    layouter: Layouter,
}

/// Everything that making a type looks at.
pub(crate) struct Source<'a> {
    pub(crate) spirv: &'a Module<'a>,
    pub(crate) types: &'a Types,
}

impl Layouts {
    /// Says how long the arrays are whose length is this constant.
    pub(crate) fn set_length(&mut self, constant: Id, length: ArraySize) {
        self.lengths.insert(constant, length);
    }

    /// The type of values.
    pub(crate) fn value(
        &mut self,
        source: &Source<'_>,
        arena: &mut naga::UniqueArena<naga::Type>,
        id: Id,
    ) -> Result<Handle<naga::Type>> {
        if let Some(handle) = self.values.get(&id) {
            return Ok(*handle);
        }
        let handle = self.make(source, arena, id, None, None)?;
        self.values.insert(id, handle);
        Ok(handle)
    }

    /// The type of what a variable holds.
    pub(crate) fn memory(
        &mut self,
        source: &Source<'_>,
        arena: &mut naga::UniqueArena<naga::Type>,
        id: Id,
        matrix: Option<MatrixLayout>,
        atomics: &Atomics,
    ) -> Result<Handle<naga::Type>> {
        let key = Key {
            ty: id,
            matrix,
            atomics: atomics.clone(),
        };
        if let Some(handle) = self.memories.get(&key) {
            return Ok(*handle);
        }
        let handle = self.make(source, arena, id, matrix, Some(atomics))?;
        self.memories.insert(key, handle);
        Ok(handle)
    }
}
