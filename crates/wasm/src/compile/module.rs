//! Compiles the functions of one linked module and appends them to the program.

use std::collections::HashMap;

use super::emit::{self, FunctionIndices};
use super::lower::{self, CodeBudget, IndexSpaces};
use super::{Linker, host_stubs, inline, ir};
use crate::TranslateError;
use crate::bytecode::Function;
use crate::module::{self, FunctionId, LinkedModule, Roots, element_constants, to_u32};

/// The state of compiling one module.
pub(super) struct ModuleCompiler<'a> {
    pub(super) linker: &'a mut Linker,
    pub(super) linked: &'a LinkedModule<'a>,
    /// Index of the first function's name in the debug names.
    first_name: u32,
    /// IR of functions that have not been emitted.
    pub(super) lowered: HashMap<FunctionId, ir::Function>,
    /// Functions that have an index and are still to be emitted.
    pending: Vec<FunctionId>,
}

/// A function whose code is still to be emitted.
fn undefined(type_index: u32) -> Function {
    Function {
        entry: 0,
        end: 0,
        frame: 0,
        type_index,
    }
}

impl FunctionIndices for ModuleCompiler<'_> {
    fn function_index(&mut self, function: FunctionId) -> u32 {
        let known = &mut self.linker.function_indices[function as usize];
        if let Some(index) = *known {
            return index;
        }
        let functions = &mut self.linker.bytecode.functions;
        let new = to_u32(functions.len());
        *known = Some(new);
        let type_index = self.linker.definitions.functions[function as usize];
        functions.push(undefined(type_index));
        self.pending.push(function);
        new
    }
}

impl<'a> ModuleCompiler<'a> {
    pub(super) fn new(linker: &'a mut Linker, linked: &'a LinkedModule<'a>) -> Self {
        let names = &mut linker.bytecode.debug.names;
        let first_name = to_u32(names.len());
        names.extend_from_slice(&linked.function_names);
        Self {
            linker,
            linked,
            first_name,
            lowered: HashMap::new(),
            pending: Vec::new(),
        }
    }

    pub(super) fn compile(mut self) -> Result<(), TranslateError> {
        self.add_host_stubs();
        let spaces = self.index_spaces();
        self.add_segments();
        self.functions(&spaces)?;
        self.init(&spaces);
        self.exports();
        Ok(())
    }

    /// Index of a function's name in the debug names.
    pub(super) fn name_index(&self, function: u32) -> u32 {
        self.first_name + function
    }

    fn add_host_stubs(&mut self) {
        for &(index, host) in &self.linked.host_imports {
            let (id, _) = self.linked.functions[index as usize];
            let type_index = self.linker.definitions.functions[id as usize];
            let stub = host_stubs::stub(host, type_index, self.name_index(index));
            self.lowered.insert(id, stub);
        }
    }

    /// Assigns indices to the address-taken functions.
    fn index_spaces(&mut self) -> IndexSpaces<'a> {
        let linked = self.linked;
        let mut references = vec![None; linked.functions.len()];
        for &function in &linked.address_taken {
            let (id, _) = linked.functions[function as usize];
            references[function as usize] = Some(self.function_index(id));
        }
        let globals = linked.globals.iter().map(|&id| {
            let ty = self.linker.definitions.globals[id as usize].ty;
            (self.linker.global_slots[id as usize], ty)
        });
        IndexSpaces {
            linked,
            references,
            globals: globals.collect(),
        }
    }

    fn add_segments(&mut self) {
        let Self { linker, linked, .. } = self;
        let data = linked.module.data.iter().map(|data| data.data.to_vec());
        linker.bytecode.data.extend(data);
        for element in &linked.module.elements {
            let constants = element_constants(&element.items).into_iter();
            let values = constants.map(|constant| {
                let value = linked.value(constant, &linker.definitions);
                linker.constant_bits(value) as u32
            });
            let values = values.collect();
            linker.bytecode.elements.push(values);
        }
    }

    /// Lowers, inlines and emits functions.
    fn functions(&mut self, spaces: &IndexSpaces<'a>) -> Result<(), TranslateError> {
        let module = self.linked.module;
        let imported = self.linked.functions.len() - module.functions.len();
        let mut budget = CodeBudget::new(module.size);
        for (at, body) in module.bodies.iter().enumerate() {
            let index = imported + at;
            let text = &self.linked.function_names[index];
            let name = (text.as_str(), self.name_index(to_u32(index)));
            let function = lower::lower(spaces, index, name, body, &mut budget)?;
            let (id, _) = self.linked.functions[index];
            self.lowered.insert(id, function);
        }
        self.check_and_inline()?;
        if let Some(start) = module.start {
            self.function_index(self.linked.functions[start as usize].0);
        }
        self.emit_pending();
        Ok(())
    }

    /// Checks recursion, and inlines calls.
    fn check_and_inline(&mut self) -> Result<(), TranslateError> {
        let linker = &mut *self.linker;
        let roots = Roots {
            entries: &self.linked.entries(&self.pending),
            address_taken: &self.pending,
        };
        let names = &linker.bytecode.debug.names;
        let graph = module::build(&self.lowered, &roots, names);
        if !linker.options.allow_recursion {
            graph.reject_recursion(&self.lowered, names)?;
        }
        let types = &linker.bytecode.types;
        let possible =
            module::possible_recursion(&self.lowered, &graph, &self.pending, (names, types));
        let warnings = inline::inline(
            &mut self.lowered,
            &graph,
            names,
            (&linker.options, self.linked.module.size),
        );
        linker.warnings.extend(possible);
        linker.warnings.extend(warnings);
        Ok(())
    }

    /// Emits the functions that have an index, and those that they call.
    pub(super) fn emit_pending(&mut self) {
        let mut at = 0;
        while let Some(&id) = self.pending.get(at) {
            at += 1;
            if let Some(function) = self.lowered.remove(&id) {
                let index = self.function_index(id);
                let emitted = self.emit(&function);
                self.linker.bytecode.functions[index as usize] = emitted;
            }
        }
        self.pending.clear();
    }

    /// Emits a function that nothing calls; returns its index.
    pub(super) fn emit_root(&mut self, function: &ir::Function) -> u32 {
        let index = self.linker.bytecode.functions.len();
        let placeholder = undefined(function.type_index);
        self.linker.bytecode.functions.push(placeholder);
        self.linker.bytecode.functions[index] = self.emit(function);
        to_u32(index)
    }

    fn emit(&mut self, function: &ir::Function) -> Function {
        let linker = &mut *self.linker;
        let mut indices = NewFunctions {
            indices: &mut linker.function_indices,
            count: to_u32(linker.bytecode.functions.len()),
            new: Vec::new(),
        };
        let emitted = emit::emit(function, &mut linker.bytecode, &mut indices);
        let new = indices.new;
        for &id in &new {
            let type_index = linker.definitions.functions[id as usize];
            linker.bytecode.functions.push(undefined(type_index));
        }
        self.pending.extend(new);
        emitted
    }
}

/// Assigns function indices while a function is emitted.
struct NewFunctions<'a> {
    indices: &'a mut [Option<u32>],
    count: u32,
    new: Vec<FunctionId>,
}

impl FunctionIndices for NewFunctions<'_> {
    fn function_index(&mut self, function: FunctionId) -> u32 {
        *self.indices[function as usize].get_or_insert_with(|| {
            self.new.push(function);
            self.count + to_u32(self.new.len() - 1)
        })
    }
}
