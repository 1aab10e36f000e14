//! The bytecode back end: linked modules to one bytecode program.
//!
//! In: modules one after another, and the names under which later ones import from earlier ones.
//! Out: one [`Bytecode`]. For each module: `lower` (operand stack to slots), the call graph and its
//! checks, `inline`, `emit`; then the module's `init` function and a launch stub for each export.
//!
//! What always holds: adding a module only appends to the program, so an instance of the shorter
//! program can be extended to the longer one; a rejected module leaves the program unchanged.

mod calls;
mod checkpoint;
mod emit;
mod exports;
mod host_stubs;
mod init;
mod inline;
mod ir;
mod limits;
mod lower;
mod module;
mod options;

use crate::bytecode::{Bytecode, FunctionType, Op, Type};
use crate::module::{
    ConstantValue, Definition, Definitions, FunctionId, LinkedModule, Module, ModuleId, decode,
    to_u32,
};
use crate::{TranslateError, Warning};
use module::ModuleCompiler;
pub use options::{TranslateOptions, Translation, translate};

/// A global variable of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Global {
    /// Index of its first slot.
    pub slot: u32,
    /// Its type.
    pub ty: Type,
}

/// Translates modules, one after another, to one program. Later modules can import from earlier
/// ones.
pub struct Translator {
    options: TranslateOptions,
    definitions: Definitions,
    bytecode: Bytecode,
    warnings: Vec<Warning>,
    /// The index in the bytecode of each function, if it has one.
    function_indices: Vec<Option<u32>>,
    /// The first slot of each global.
    global_slots: Vec<u32>,
    /// The functions of [`Bytecode::inits`].
    inits: Vec<FunctionId>,
}

impl std::fmt::Debug for Translator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Translator").finish_non_exhaustive()
    }
}

impl Translator {
    /// A translator without modules.
    pub fn new(options: TranslateOptions) -> Self {
        Self {
            options,
            definitions: Definitions::default(),
            bytecode: Bytecode {
                code: vec![Op::End as u32],
                ..Bytecode::default()
            },
            warnings: Vec::new(),
            function_indices: Vec::new(),
            global_slots: Vec::new(),
            inits: Vec::new(),
        }
    }

    /// Adds a module and registers it under a name.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn module(&mut self, name: &str, bytes: &[u8]) -> Result<ModuleId, TranslateError> {
        let id = self.add(bytes)?;
        self.register(name, id);
        Ok(id)
    }

    /// Adds a module without registering it.
    ///
    /// # Errors
    ///
    /// The module is invalid, has an unknown or incompatible import, is recursive although
    /// recursion is disabled, or exceeds a limit. The program is then unchanged.
    pub fn add(&mut self, bytes: &[u8]) -> Result<ModuleId, TranslateError> {
        let module = decode(bytes)?;
        let checkpoint = self.checkpoint();
        let added = self.add_module(&module);
        if added.is_err() {
            self.roll_back(&checkpoint);
        }
        added
    }

    /// Registers a module under a name, from which later modules can import.
    pub fn register(&mut self, name: &str, id: ModuleId) {
        self.definitions.names.insert(name.to_owned(), id);
    }

    /// The program so far.
    pub fn bytecode(&self) -> &Bytecode {
        &self.bytecode
    }

    /// The warnings so far.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// A global that a module exports.
    pub fn global(&self, module: ModuleId, name: &str) -> Option<Global> {
        match self.definitions.exports.get(module as usize)?.get(name)? {
            Definition::Global(global) => Some(Global {
                slot: self.global_slots[*global as usize],
                ty: self.definitions.globals[*global as usize].ty,
            }),
            _ => None,
        }
    }

    /// Index of a memory that a registered module exports.
    pub fn memory(&self, module: &str, name: &str) -> Option<u32> {
        match self.definitions.exported(module, name)? {
            Definition::Memory(memory) => Some(memory),
            _ => None,
        }
    }

    /// Index of a table that a registered module exports.
    pub fn table(&self, module: &str, name: &str) -> Option<u32> {
        match self.definitions.exported(module, name)? {
            Definition::Table(table) => Some(table),
            _ => None,
        }
    }

    /// Sets the current size of a memory, in pages, against which the limits of later imports are
    /// checked.
    pub fn set_memory_size(&mut self, memory: u32, pages: u32) {
        let index = memory as usize;
        let defined = self.definitions.memories.get_mut(index);
        for limits in defined
            .into_iter()
            .chain(self.bytecode.memories.get_mut(index))
        {
            limits.initial = pages;
        }
    }

    /// Sets the current size of a table, in elements.
    pub fn set_table_size(&mut self, table: u32, elements: u32) {
        let index = table as usize;
        let defined = self.definitions.tables.get_mut(index);
        for limits in defined
            .map(|table| &mut table.limits)
            .into_iter()
            .chain(self.bytecode.tables.get_mut(index))
        {
            limits.initial = elements;
        }
    }

    /// Returns the program and the warnings.
    pub fn finish(self) -> Translation {
        Translation {
            bytecode: self.bytecode,
            function_indices: self.function_indices,
            warnings: self.warnings,
        }
    }

    fn add_module(&mut self, module: &Module<'_>) -> Result<ModuleId, TranslateError> {
        let linked = LinkedModule::link(module, &mut self.definitions)?;
        limits::check(&linked, &self.definitions)?;
        self.declare();
        ModuleCompiler::new(self, &linked).compile()?;
        if let Some(statics) = linked.statics {
            let pointer = statics.stack_pointer;
            self.bytecode.stack_pointer = pointer.map(|global| self.global_slots[global as usize]);
            self.bytecode.statics = statics.range;
        }
        Ok(to_u32(self.definitions.exports.len() - 1))
    }

    /// Adds the new definitions to the program, except functions and segments.
    fn declare(&mut self) {
        let defined = &self.definitions;
        let bytecode = &mut self.bytecode;
        bytecode
            .types
            .extend_from_slice(&defined.types[bytecode.types.len()..]);
        let tables = defined.tables[bytecode.tables.len()..].iter();
        bytecode.tables.extend(tables.map(|table| table.limits));
        bytecode
            .memories
            .extend_from_slice(&defined.memories[bytecode.memories.len()..]);
        for global in &defined.globals[self.global_slots.len()..] {
            self.global_slots.push(bytecode.globals);
            bytecode.globals += global.ty.slots();
        }
        self.function_indices.resize(defined.functions.len(), None);
    }

    /// Adds a function that no module defines.
    fn add_function(&mut self, type_index: u32) -> FunctionId {
        self.function_indices.push(None);
        self.definitions.function(type_index)
    }

    /// The index of a type, which is added if it is new.
    fn type_index(&mut self, ty: &FunctionType) -> u32 {
        let index = self.definitions.type_index(ty);
        if index as usize == self.bytecode.types.len() {
            self.bytecode.types.push(ty.clone());
        }
        index
    }

    /// The bits of a constant: a reference to a function is its index plus 1.
    fn constant_bits(&self, value: ConstantValue) -> u64 {
        match value {
            ConstantValue::Bits(bits) => bits,
            ConstantValue::Function(id) => {
                self.function_indices[id as usize].map_or(0, |index| u64::from(index) + 1)
            }
        }
    }
}
