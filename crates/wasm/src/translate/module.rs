//! Compiles the functions of one linked module and appends them to the program.

use std::collections::HashMap;

use super::emit::{self, FunctionIndices};
use super::lower::{self, CodeBudget, IndexSpaces};
use super::{Translator, host_stubs, inline, ir};
use crate::TranslateError;
use crate::bytecode::Function;
use crate::module::{self, FunctionId, LinkedModule, Roots, element_constants, to_u32};

/// The state of compiling one module.
pub(super) struct ModuleCompiler<'a> {
    pub(super) translator: &'a mut Translator,
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
        let known = &mut self.translator.function_indices[function as usize];
        if let Some(index) = *known {
            return index;
        }
        let functions = &mut self.translator.bytecode.functions;
        let new = to_u32(functions.len());
        *known = Some(new);
        let type_index = self.translator.definitions.functions[function as usize];
        functions.push(undefined(type_index));
        self.pending.push(function);
        new
    }
}

impl<'a> ModuleCompiler<'a> {
    pub(super) fn new(translator: &'a mut Translator, linked: &'a LinkedModule<'a>) -> Self {
        let names = &mut translator.bytecode.debug.names;
        let first_name = to_u32(names.len());
        names.extend_from_slice(&linked.function_names);
        Self {
            translator,
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
            let type_index = self.translator.definitions.functions[id as usize];
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
            let ty = self.translator.definitions.globals[id as usize].ty;
            (self.translator.global_slots[id as usize], ty)
        });
        IndexSpaces {
            linked,
            references,
            globals: globals.collect(),
        }
    }

    fn add_segments(&mut self) {
        let Self {
            translator, linked, ..
        } = self;
        let data = linked.module.data.iter().map(|data| data.data.to_vec());
        translator.bytecode.data.extend(data);
        for element in &linked.module.elements {
            let constants = element_constants(&element.items).into_iter();
            let values = constants.map(|constant| {
                let value = linked.value(constant, &translator.definitions);
                translator.constant_bits(value) as u32
            });
            let values = values.collect();
            translator.bytecode.elements.push(values);
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
        let translator = &mut *self.translator;
        let roots = Roots {
            entries: &self.linked.entries(&self.pending),
            address_taken: &self.pending,
        };
        let names = &translator.bytecode.debug.names;
        let graph = module::build(&self.lowered, &roots, names);
        if !translator.options.allow_recursion {
            graph.reject_recursion(&self.lowered, names)?;
        }
        let types = &translator.bytecode.types;
        let possible =
            module::possible_recursion(&self.lowered, &graph, &self.pending, (names, types));
        let warnings = inline::inline(
            &mut self.lowered,
            &graph,
            names,
            (&translator.options, self.linked.module.size),
        );
        translator.warnings.extend(possible);
        translator.warnings.extend(warnings);
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
                self.translator.bytecode.functions[index as usize] = emitted;
            }
        }
        self.pending.clear();
    }

    /// Emits a function that nothing calls; returns its index.
    pub(super) fn emit_root(&mut self, function: &ir::Function) -> u32 {
        let index = self.translator.bytecode.functions.len();
        let placeholder = undefined(function.type_index);
        self.translator.bytecode.functions.push(placeholder);
        self.translator.bytecode.functions[index] = self.emit(function);
        to_u32(index)
    }

    fn emit(&mut self, function: &ir::Function) -> Function {
        let translator = &mut *self.translator;
        let mut indices = NewFunctions {
            indices: &mut translator.function_indices,
            count: to_u32(translator.bytecode.functions.len()),
            new: Vec::new(),
        };
        let emitted = emit::emit(function, &mut translator.bytecode, &mut indices);
        let new = indices.new;
        for &id in &new {
            let type_index = translator.definitions.functions[id as usize];
            translator.bytecode.functions.push(undefined(type_index));
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
