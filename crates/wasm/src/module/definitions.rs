//! The definitions of a program: what all its modules define, in program-wide index spaces.
//!
//! What always holds: definitions are only appended, so indices stay valid; [`Checkpoint`] undoes
//! those of a rejected module.

use std::collections::HashMap;

use super::link::ConstantValue;
use super::{FunctionType, Limits, Type};

/// Index of a module in its program.
pub type ModuleId = u32;

/// Index of a function among those of all modules.
pub(crate) type FunctionId = u32;

/// Index of a global among those of all modules.
pub(crate) type GlobalId = u32;

/// What an export names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Definition {
    Function(FunctionId),
    Table(u32),
    Memory(u32),
    Global(GlobalId),
}

/// A table of any module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub ty: Type,
    pub limits: Limits,
}

/// A global variable of any module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Global {
    pub ty: Type,
    pub mutable: bool,
    /// Its initial value.
    pub value: ConstantValue,
}

/// The definitions of all modules.
#[derive(Default)]
pub(crate) struct Definitions {
    /// The function types, each once.
    pub types: Vec<FunctionType>,
    type_indices: HashMap<FunctionType, u32>,
    /// The type index of each function.
    pub functions: Vec<u32>,
    pub tables: Vec<Table>,
    pub memories: Vec<Limits>,
    pub globals: Vec<Global>,
    /// Number of data segments.
    pub data: u32,
    /// Number of element segments.
    pub elements: u32,
    /// The exports of each module.
    pub exports: Vec<HashMap<String, Definition>>,
    /// The modules from which others can import, by name.
    pub names: HashMap<String, ModuleId>,
}

/// Lengths of everything that linking a module appends to.
pub(crate) struct Checkpoint {
    types: usize,
    functions: usize,
    tables: usize,
    memories: usize,
    globals: usize,
    data: u32,
    elements: u32,
    exports: usize,
}

impl Definitions {
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            types: self.types.len(),
            functions: self.functions.len(),
            tables: self.tables.len(),
            memories: self.memories.len(),
            globals: self.globals.len(),
            data: self.data,
            elements: self.elements,
            exports: self.exports.len(),
        }
    }

    pub(crate) fn roll_back(&mut self, to: &Checkpoint) {
        self.types.truncate(to.types);
        self.type_indices
            .retain(|_, index| (*index as usize) < to.types);
        self.functions.truncate(to.functions);
        self.tables.truncate(to.tables);
        self.memories.truncate(to.memories);
        self.globals.truncate(to.globals);
        self.data = to.data;
        self.elements = to.elements;
        self.exports.truncate(to.exports);
    }

    /// The export of a registered module.
    pub(crate) fn exported(&self, module: &str, name: &str) -> Option<Definition> {
        let module = self.names.get(module)?;
        self.exports[*module as usize].get(name).copied()
    }

    /// The index of a type, which is added if it is new.
    pub(crate) fn type_index(&mut self, ty: &FunctionType) -> u32 {
        if let Some(&index) = self.type_indices.get(ty) {
            return index;
        }
        let index = to_u32(self.types.len());
        self.types.push(ty.clone());
        self.type_indices.insert(ty.clone(), index);
        index
    }

    /// Adds a function.
    pub(crate) fn function(&mut self, type_index: u32) -> FunctionId {
        self.functions.push(type_index);
        to_u32(self.functions.len() - 1)
    }
}

/// Converts a length. Wasm files are smaller than 4 GiB.
pub(crate) fn to_u32(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
