//! The linker: links several modules to one program.
//!
//! In: modules one after another, and the names under which later ones import from earlier ones.
//! Out: one [`Bytecode`]. What always holds: adding a module only appends to the program, so an
//! instance of the shorter program can be extended to the longer one; a rejected module leaves the
//! program unchanged.

mod checkpoint;
mod dispatch;
mod imports;
mod init;
mod launch;
mod statics;

use std::collections::{HashMap, HashSet};

use wasmparser::{ElementItems, ElementKind, ExternalKind};

pub(crate) use imports::signature;

use crate::bytecode::{
    Bytecode, Function, FunctionType, Limits, MAX_GLOBALS, MAX_TABLES, Op, Type,
};
use crate::decode::{self, Constant, Module};
use crate::emit::{self, FunctionIndices};
use crate::ir::{self, FunctionId};
use crate::lower::{self, IndexSpaces};
use crate::{TranslateError, TranslateOptions, Translation, Warning, callgraph, inline};

/// Index of a module in its linker, as in [`Bytecode::inits`].
pub type ModuleId = u32;

/// A global variable of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Global {
    /// Index of its first slot.
    pub slot: u32,
    /// Its type.
    pub ty: Type,
}

/// The definition that an export names.
#[derive(Clone, Copy, Debug)]
enum Extern {
    Function(FunctionId),
    Table(u32),
    Memory(u32),
    Global(u32),
}

/// A function of any module.
struct FunctionEntry {
    type_index: u32,
    number: Option<u32>,
}

/// A global variable of any module.
#[derive(Clone, Copy)]
struct GlobalEntry {
    slot: u32,
    ty: Type,
    mutable: bool,
    /// Its initial value.
    value: u64,
}

/// Links modules to a program.
pub struct Linker {
    options: TranslateOptions,
    bytecode: Bytecode,
    warnings: Vec<Warning>,
    names: HashMap<String, ModuleId>,
    modules: Vec<HashMap<String, Extern>>,
    functions: Vec<FunctionEntry>,
    types: HashMap<FunctionType, u32>,
    table_types: Vec<Type>,
    globals: Vec<GlobalEntry>,
    /// The functions of [`Bytecode::inits`].
    inits: Vec<FunctionId>,
}

impl Linker {
    /// A linker without modules.
    pub fn new(options: TranslateOptions) -> Self {
        Self {
            options,
            bytecode: Bytecode {
                code: vec![Op::End as u32],
                ..Bytecode::default()
            },
            warnings: Vec::new(),
            names: HashMap::new(),
            modules: Vec::new(),
            functions: Vec::new(),
            types: HashMap::new(),
            table_types: Vec::new(),
            globals: Vec::new(),
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
        let module = decode::decode(bytes)?;
        let checkpoint = self.checkpoint();
        let added = self.add_module(&module);
        if added.is_err() {
            self.roll_back(&checkpoint);
        }
        added
    }

    /// Registers a module under a name, from which later modules can import.
    pub fn register(&mut self, name: &str, id: ModuleId) {
        self.names.insert(name.to_owned(), id);
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
        match self.modules.get(module as usize)?.get(name)? {
            Extern::Global(global) => {
                let known = self.globals[*global as usize];
                Some(Global {
                    slot: known.slot,
                    ty: known.ty,
                })
            }
            _ => None,
        }
    }

    /// Index of a memory that a registered module exports.
    pub fn memory(&self, module: &str, name: &str) -> Option<u32> {
        match self.exported(module, name)? {
            Extern::Memory(memory) => Some(memory),
            _ => None,
        }
    }

    /// Index of a table that a registered module exports.
    pub fn table(&self, module: &str, name: &str) -> Option<u32> {
        match self.exported(module, name)? {
            Extern::Table(table) => Some(table),
            _ => None,
        }
    }

    fn exported(&self, module: &str, name: &str) -> Option<Extern> {
        let module = self.names.get(module)?;
        self.modules[*module as usize].get(name).copied()
    }

    /// Sets the current size of a memory, in pages, against which the limits of later imports are
    /// checked.
    pub fn set_memory_size(&mut self, memory: u32, pages: u32) {
        if let Some(limits) = self.bytecode.memories.get_mut(memory as usize) {
            limits.initial = pages;
        }
    }

    /// Sets the current size of a table, in elements.
    pub fn set_table_size(&mut self, table: u32, elements: u32) {
        if let Some(limits) = self.bytecode.tables.get_mut(table as usize) {
            limits.initial = elements;
        }
    }

    /// Returns the program and the warnings.
    pub fn finish(self) -> Translation {
        Translation {
            bytecode: self.bytecode,
            warnings: self.warnings,
        }
    }

    fn add_module(&mut self, module: &Module<'_>) -> Result<ModuleId, TranslateError> {
        let mut build = ModuleLinker {
            linker: self,
            module,
            space: IndexSpaces::default(),
            globals: Vec::new(),
            function_names: Vec::new(),
            lowered: HashMap::new(),
            pending: Vec::new(),
            has_open_tables: false,
        };
        build.declare()?;
        build.functions()?;
        build.init();
        build.exports();
        build.find_statics();
        Ok(u32::try_from(self.modules.len() - 1).unwrap_or(0))
    }

    fn type_index(&mut self, ty: &FunctionType) -> u32 {
        if let Some(&index) = self.types.get(ty) {
            return index;
        }
        let index = to_u32(self.bytecode.types.len());
        self.bytecode.types.push(ty.clone());
        self.types.insert(ty.clone(), index);
        index
    }

    fn function(&mut self, type_index: u32) -> FunctionId {
        self.functions.push(FunctionEntry {
            type_index,
            number: None,
        });
        to_u32(self.functions.len() - 1)
    }
}

/// Converts a length. Wasm files are smaller than 4 GiB.
fn to_u32(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// The state of linking one module.
struct ModuleLinker<'a, 'm> {
    linker: &'a mut Linker,
    module: &'a Module<'m>,
    space: IndexSpaces,
    /// The linker's index of each global.
    globals: Vec<u32>,
    /// The debug name index of each function.
    function_names: Vec<u32>,
    /// IR of functions that have not been emitted.
    lowered: HashMap<FunctionId, ir::Function>,
    /// Functions that have an index and are still to be emitted.
    pending: Vec<FunctionId>,
    /// Whether the module has a table that is imported, exported or written by instructions.
    has_open_tables: bool,
}

impl FunctionIndices for ModuleLinker<'_, '_> {
    fn function_index(&mut self, function: FunctionId) -> u32 {
        let known = &mut self.linker.functions[function as usize];
        if let Some(number) = known.number {
            return number;
        }
        let new = to_u32(self.linker.bytecode.functions.len());
        known.number = Some(new);
        self.linker.bytecode.functions.push(Function {
            entry: 0,
            end: 0,
            frame: 0,
            type_index: known.type_index,
        });
        self.pending.push(function);
        new
    }
}

impl ModuleLinker<'_, '_> {
    /// Assigns indices to everything that the module declares.
    fn declare(&mut self) -> Result<(), TranslateError> {
        for ty in &self.module.types {
            let ty = FunctionType {
                params: ty
                    .params()
                    .iter()
                    .map(|ty| decode::value_type(*ty))
                    .collect(),
                results: ty
                    .results()
                    .iter()
                    .map(|ty| decode::value_type(*ty))
                    .collect(),
            };
            check_signature(&ty)?;
            let index = self.linker.type_index(&ty);
            self.space.types.push((index, ty));
        }
        self.imports()?;
        for &ty in &self.module.functions {
            let id = self.linker.function(self.space.types[ty as usize].0);
            self.space.functions.push((id, ty));
        }
        self.name_functions();
        self.declare_memories()?;
        self.space.references = vec![None; self.space.functions.len()];
        self.index_address_taken();
        self.declare_globals()?;
        self.declare_segments()?;
        self.find_immutable_tables()
    }

    fn name_functions(&mut self) {
        let mut exported = HashMap::new();
        for export in &self.module.exports {
            if matches!(export.kind, ExternalKind::Func) {
                exported.entry(export.index).or_insert(export.name);
            }
        }
        for index in 0..to_u32(self.space.functions.len()) {
            let name = match (
                self.module.names.functions.get(&index),
                exported.get(&index),
            ) {
                (Some(name), _) => name.clone(),
                (None, Some(name)) => decode::shortened(format_args!("{name}")),
                (None, None) => format!("func[{index}]"),
            };
            let names = &mut self.linker.bytecode.debug.names;
            self.function_names.push(to_u32(names.len()));
            names.push(name);
        }
    }

    fn declare_memories(&mut self) -> Result<(), TranslateError> {
        for table in &self.module.tables {
            let tables = &mut self.linker.bytecode.tables;
            self.space.tables.push(to_u32(tables.len()));
            tables.push(limits(table.initial, table.maximum));
            let ty = decode::reference_type(table.element_type);
            self.linker.table_types.push(ty);
        }
        for memory in &self.module.memories {
            let memories = &mut self.linker.bytecode.memories;
            self.space.memories.push(to_u32(memories.len()));
            memories.push(limits(memory.initial, memory.maximum));
        }
        let bytecode = &self.linker.bytecode;
        if bytecode.tables.len() > 256 || bytecode.memories.len() > 256 {
            return Err(TranslateError::module(
                "has more than 256 memories or tables, including those of linked modules",
            ));
        }
        let elements = bytecode.tables.iter().map(|table| u64::from(table.initial));
        let elements: u64 = elements.sum();
        if elements > u64::from(MAX_TABLES) {
            return Err(TranslateError::module(format!(
                "has tables of {elements} elements, including those of linked modules; \
                 {MAX_TABLES} are supported"
            )));
        }
        Ok(())
    }

    /// Assigns program indices to address-taken functions.
    fn index_address_taken(&mut self) {
        let module = self.module;
        let mut address_taken = HashSet::new();
        for export in &module.exports {
            if matches!(export.kind, ExternalKind::Func) {
                address_taken.insert(export.index);
            }
        }
        for (_, constant) in &module.globals {
            if let Constant::Function(function) = constant {
                address_taken.insert(*function);
            }
        }
        for element in &module.elements {
            address_taken.extend(element_constants(&element.items).into_iter().filter_map(
                |constant| match constant {
                    Constant::Function(function) => Some(function),
                    _ => None,
                },
            ));
        }
        let mut address_taken: Vec<u32> = address_taken.into_iter().collect();
        address_taken.sort_unstable();
        for function in address_taken {
            let (id, _) = self.space.functions[function as usize];
            self.space.references[function as usize] = Some(self.function_index(id));
        }
    }

    /// The value of a constant expression.
    fn value(&self, constant: Constant) -> u64 {
        match constant {
            Constant::Bits(bits) => bits,
            Constant::Function(function) => {
                self.space.references[function as usize].map_or(0, |number| u64::from(number) + 1)
            }
            Constant::Global(global) => {
                self.linker.globals[self.globals[global as usize] as usize].value
            }
        }
    }

    fn declare_globals(&mut self) -> Result<(), TranslateError> {
        for (ty, constant) in &self.module.globals {
            let known = GlobalEntry {
                slot: self.linker.bytecode.globals,
                ty: decode::value_type(ty.content_type),
                mutable: ty.mutable,
                value: self.value(*constant),
            };
            self.linker.bytecode.globals += known.ty.slots();
            self.globals.push(to_u32(self.linker.globals.len()));
            self.linker.globals.push(known);
            self.space.globals.push((known.slot, known.ty));
        }
        let slots = self.linker.bytecode.globals;
        if slots > MAX_GLOBALS {
            return Err(TranslateError::module(format!(
                "has globals of {slots} slots, including those of linked modules; \
                 {MAX_GLOBALS} are supported"
            )));
        }
        Ok(())
    }

    fn declare_segments(&mut self) -> Result<(), TranslateError> {
        self.space.data = to_u32(self.linker.bytecode.data.len());
        self.space.elements = to_u32(self.linker.bytecode.elements.len());
        for data in &self.module.data {
            self.linker.bytecode.data.push(data.data.to_vec());
        }
        for element in &self.module.elements {
            let constants = element_constants(&element.items);
            let values = constants
                .into_iter()
                .map(|constant| self.value(constant) as u32);
            let values = values.collect();
            self.linker.bytecode.elements.push(values);
        }
        let bytecode = &self.linker.bytecode;
        if bytecode.data.len() > 0xffff || bytecode.elements.len() > 0xffff {
            return Err(TranslateError::module(
                "has more than 65535 data or element segments",
            ));
        }
        Ok(())
    }

    /// Lowers, inlines and emits functions.
    fn functions(&mut self) -> Result<(), TranslateError> {
        let imported = self.space.functions.len() - self.module.functions.len();
        let mut budget = lower::CodeBudget::new(self.module.size);
        for (at, body) in self.module.bodies.iter().enumerate() {
            let index = imported + at;
            let name = self.function_names[index];
            let text = &self.linker.bytecode.debug.names[name as usize];
            let function = lower::lower(&self.space, index, (text, name), body, &mut budget)?;
            self.lowered.insert(self.space.functions[index].0, function);
        }
        let entries = self.entries();
        let roots = callgraph::Roots {
            entries: &entries,
            address_taken: &self.pending,
        };
        let names = &self.linker.bytecode.debug.names;
        let graph = callgraph::build(&self.lowered, &roots, names);
        if !self.linker.options.allow_recursion {
            graph.reject_recursion(&self.lowered, names)?;
        }
        let types = &self.linker.bytecode.types;
        let possible =
            callgraph::possible_recursion(&self.lowered, &graph, &self.pending, (names, types));
        let warnings = inline::inline(
            &mut self.lowered,
            &graph,
            names,
            (&self.linker.options, self.module.size),
        );
        self.linker.warnings.extend(possible);
        self.linker.warnings.extend(warnings);
        if let Some(start) = self.module.start {
            self.function_index(self.space.functions[start as usize].0);
        }
        self.emit_pending();
        Ok(())
    }

    /// Functions at which threads begin, or that other modules can call through a table.
    fn entries(&self) -> Vec<FunctionId> {
        let id = |function: u32| self.space.functions[function as usize].0;
        let mut entries: Vec<FunctionId> = self.module.start.into_iter().map(id).collect();
        if self.has_open_tables {
            entries.extend(&self.pending);
            return entries;
        }
        for export in &self.module.exports {
            if matches!(export.kind, ExternalKind::Func) {
                entries.push(id(export.index));
            }
        }
        entries
    }

    /// Emits the functions that have an index, and those that they call.
    fn emit_pending(&mut self) {
        let mut at = 0;
        while at < self.pending.len() {
            let id = self.pending[at];
            at += 1;
            if let Some(function) = self.lowered.remove(&id) {
                let number = self.function_index(id);
                let written = self.write(&function);
                self.linker.bytecode.functions[number as usize] = written;
            }
        }
        self.pending.clear();
    }

    /// Emits a function.
    fn write(&mut self, function: &ir::Function) -> Function {
        let mut bytecode = std::mem::take(&mut self.linker.bytecode);
        let mut indices = NewFunctions {
            functions: &mut self.linker.functions,
            count: to_u32(bytecode.functions.len()),
            new: Vec::new(),
        };
        let written = emit::emit(function, &mut bytecode, &mut indices);
        let new = indices.new;
        for &id in &new {
            bytecode.functions.push(Function {
                entry: 0,
                end: 0,
                frame: 0,
                type_index: self.linker.functions[id as usize].type_index,
            });
        }
        self.linker.bytecode = bytecode;
        self.pending.extend(new);
        written
    }
}

/// Assigns function indices while a function is emitted.
struct NewFunctions<'a> {
    functions: &'a mut Vec<FunctionEntry>,
    count: u32,
    new: Vec<FunctionId>,
}

impl FunctionIndices for NewFunctions<'_> {
    fn function_index(&mut self, function: FunctionId) -> u32 {
        let known = &mut self.functions[function as usize];
        *known.number.get_or_insert_with(|| {
            self.new.push(function);
            self.count + to_u32(self.new.len() - 1)
        })
    }
}

fn limits(initial: u64, maximum: Option<u64>) -> Limits {
    let narrow = |size: u64| u32::try_from(size).unwrap_or(u32::MAX);
    Limits {
        initial: narrow(initial),
        maximum: maximum.map(narrow),
    }
}

fn check_signature(ty: &FunctionType) -> Result<(), TranslateError> {
    let most = ir::slots(&ty.params).max(ir::slots(&ty.results));
    if most > lower::MAX_SIGNATURE {
        let limit = lower::MAX_SIGNATURE;
        return Err(TranslateError::module(format!(
            "has a function type with {most} slots of parameters or results; {limit} are supported"
        )));
    }
    Ok(())
}

/// The values of an element segment.
fn element_constants(items: &ElementItems<'_>) -> Vec<Constant> {
    match items {
        ElementItems::Functions(functions) => {
            let functions = functions.clone().into_iter().flatten();
            functions.map(Constant::Function).collect()
        }
        ElementItems::Expressions(_, expressions) => {
            let expressions = expressions.clone().into_iter().flatten();
            expressions
                .flat_map(|expression| decode::constant(&expression))
                .collect()
        }
    }
}

/// The table and the offset of an active segment.
fn active_element(kind: &ElementKind<'_>) -> Option<(u32, Constant)> {
    match kind {
        ElementKind::Active {
            table_index,
            offset_expr,
        } => Some((
            table_index.unwrap_or(0),
            decode::constant(offset_expr).ok()?,
        )),
        _ => None,
    }
}
