//! Checkpoint and rollback of the translator, for modules that are rejected.

use super::Translator;
use crate::module;

/// Lengths of everything that adding a module appends to.
pub(super) struct Checkpoint {
    definitions: module::Checkpoint,
    code: usize,
    functions: usize,
    types: usize,
    memories: usize,
    tables: usize,
    global_slots: u32,
    data: usize,
    elements: usize,
    exports: usize,
    inits: usize,
    names: usize,
    positions: usize,
    function_indices: usize,
    globals: usize,
    warnings: usize,
}

impl Translator {
    pub(super) fn checkpoint(&self) -> Checkpoint {
        let bytecode = &self.bytecode;
        Checkpoint {
            definitions: self.definitions.checkpoint(),
            code: bytecode.code.len(),
            functions: bytecode.functions.len(),
            types: bytecode.types.len(),
            memories: bytecode.memories.len(),
            tables: bytecode.tables.len(),
            global_slots: bytecode.globals,
            data: bytecode.data.len(),
            elements: bytecode.elements.len(),
            exports: bytecode.exports.len(),
            inits: bytecode.inits.len(),
            names: bytecode.debug.names.len(),
            positions: bytecode.debug.positions.len(),
            function_indices: self.function_indices.len(),
            globals: self.global_slots.len(),
            warnings: self.warnings.len(),
        }
    }

    /// Restores the checkpoint. Functions of earlier modules that later ones can reach had their
    /// indices before, so none of those is lost.
    pub(super) fn roll_back(&mut self, to: &Checkpoint) {
        self.definitions.roll_back(&to.definitions);
        let bytecode = &mut self.bytecode;
        bytecode.code.truncate(to.code);
        bytecode.functions.truncate(to.functions);
        bytecode.types.truncate(to.types);
        bytecode.memories.truncate(to.memories);
        bytecode.tables.truncate(to.tables);
        bytecode.globals = to.global_slots;
        bytecode.data.truncate(to.data);
        bytecode.elements.truncate(to.elements);
        bytecode.exports.truncate(to.exports);
        bytecode.inits.truncate(to.inits);
        bytecode.debug.names.truncate(to.names);
        bytecode.debug.positions.truncate(to.positions);
        self.inits.truncate(to.inits);
        self.function_indices.truncate(to.function_indices);
        self.global_slots.truncate(to.globals);
        self.warnings.truncate(to.warnings);
    }
}
