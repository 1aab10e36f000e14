//! Links one module: resolves its index spaces to the program's [`Definitions`].
//!
//! In: a decoded module and the definitions of the modules before it. Out: a [`LinkedModule`], and
//! its own definitions appended. Errors are unknown and incompatible imports.

use std::collections::{BTreeSet, HashMap};

use wasmparser::{ElementItems, ElementKind, ExternalKind};

use super::decode::{self, Constant, Module};
use super::definitions::{Definition, Definitions, FunctionId, Global, GlobalId, Table, to_u32};
use super::host::Import;
use super::immutable_tables::{Dispatch, TableFunctions};
use super::names::shortened;
use super::statics::Statics;
use super::{FunctionType, Limits};
use crate::TranslateError;

/// The value of a constant expression, with functions of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConstantValue {
    /// Constant bits; a null reference is 0.
    Bits(u64),
    /// A reference to a function.
    Function(FunctionId),
}

impl ConstantValue {
    /// The bits of a numeric constant; 0 for a reference.
    pub(crate) fn bits(self) -> u64 {
        match self {
            Self::Bits(bits) => bits,
            Self::Function(_) => 0,
        }
    }
}

/// A module, and its index spaces as indices of the program's [`Definitions`].
pub(crate) struct LinkedModule<'m> {
    /// The decoded module.
    pub module: &'m Module<'m>,
    /// Types: index in the program, and the type.
    pub types: Vec<(u32, FunctionType)>,
    /// Functions, imported ones first, and their type indices in the module.
    pub functions: Vec<(FunctionId, u32)>,
    /// The name of each function: from the name section, else an export, else its index.
    pub function_names: Vec<String>,
    /// The imports that are functions of the host, with their function indices in the module.
    pub host_imports: Vec<(u32, &'static Import)>,
    /// Tables.
    pub tables: Vec<u32>,
    /// Memories.
    pub memories: Vec<u32>,
    /// Globals.
    pub globals: Vec<GlobalId>,
    /// Index of the first data segment.
    pub data: u32,
    /// Index of the first element segment.
    pub elements: u32,
    /// Address-taken functions, by index in the module in ascending order: exported functions, and
    /// those in globals and element segments.
    pub address_taken: Vec<u32>,
    /// The calls through immutable tables that can be direct.
    pub dispatch: Dispatch,
    /// The functions of the immutable tables, by table index in the module.
    pub immutable_tables: TableFunctions,
    /// Whether the module has a table that is imported, exported or written by instructions.
    pub has_open_tables: bool,
    /// The stack pointer and the static variables, if the module owns memory 0.
    pub statics: Option<Statics>,
}

impl<'m> LinkedModule<'m> {
    /// Links a module.
    ///
    /// After an error the caller rolls the definitions back.
    pub(crate) fn link(
        module: &'m Module<'m>,
        definitions: &mut Definitions,
    ) -> Result<Self, TranslateError> {
        let mut linked = Self {
            module,
            types: Vec::new(),
            functions: Vec::new(),
            function_names: Vec::new(),
            host_imports: Vec::new(),
            tables: Vec::new(),
            memories: Vec::new(),
            globals: Vec::new(),
            data: definitions.data,
            elements: definitions.elements,
            address_taken: Vec::new(),
            dispatch: Dispatch::default(),
            immutable_tables: TableFunctions::default(),
            has_open_tables: false,
            statics: None,
        };
        linked.declare_types(definitions);
        linked.resolve_imports(definitions)?;
        for &ty in &module.functions {
            let id = definitions.function(linked.types[ty as usize].0);
            linked.functions.push((id, ty));
        }
        linked.name_functions();
        linked.declare_memories(definitions);
        linked.address_taken = linked.find_address_taken();
        linked.declare_globals(definitions);
        definitions.data += to_u32(module.data.len());
        definitions.elements += to_u32(module.elements.len());
        linked.find_immutable_tables(definitions)?;
        definitions.exports.push(linked.exports());
        linked.statics = Statics::find(&linked, definitions);
        Ok(linked)
    }

    fn declare_types(&mut self, definitions: &mut Definitions) {
        for ty in &self.module.types {
            let types = |types: &[wasmparser::ValType]| {
                types.iter().map(|ty| decode::value_type(*ty)).collect()
            };
            let ty = FunctionType {
                params: types(ty.params()),
                results: types(ty.results()),
            };
            self.types.push((definitions.type_index(&ty), ty));
        }
    }

    fn name_functions(&mut self) {
        let mut exported = HashMap::new();
        for export in &self.module.exports {
            if matches!(export.kind, ExternalKind::Func) {
                exported.entry(export.index).or_insert(export.name);
            }
        }
        let named = &self.module.names.functions;
        let name = |index: u32| match (named.get(&index), exported.get(&index)) {
            (Some(name), _) => name.clone(),
            (None, Some(name)) => shortened(format_args!("{name}")),
            (None, None) => format!("func[{index}]"),
        };
        self.function_names = (0..to_u32(self.functions.len())).map(name).collect();
    }

    fn declare_memories(&mut self, definitions: &mut Definitions) {
        for table in &self.module.tables {
            self.tables.push(to_u32(definitions.tables.len()));
            definitions.tables.push(Table {
                ty: decode::reference_type(table.element_type),
                limits: limits(table.initial, table.maximum),
            });
        }
        for memory in &self.module.memories {
            self.memories.push(to_u32(definitions.memories.len()));
            let limits = limits(memory.initial, memory.maximum);
            definitions.memories.push(limits);
        }
    }

    fn find_address_taken(&self) -> Vec<u32> {
        let module = self.module;
        let exported = module
            .exports
            .iter()
            .filter(|export| matches!(export.kind, ExternalKind::Func))
            .map(|export| export.index);
        let globals = module.globals.iter().map(|(_, constant)| *constant);
        let elements = module
            .elements
            .iter()
            .flat_map(|element| element_constants(&element.items));
        let referenced = globals
            .chain(elements)
            .filter_map(|constant| match constant {
                Constant::Function(function) => Some(function),
                Constant::Bits(_) | Constant::Global(_) => None,
            });
        let all: BTreeSet<u32> = exported.chain(referenced).collect();
        all.into_iter().collect()
    }

    fn declare_globals(&mut self, definitions: &mut Definitions) {
        for (ty, constant) in &self.module.globals {
            let global = Global {
                ty: decode::value_type(ty.content_type),
                mutable: ty.mutable,
                value: self.value(*constant, definitions),
            };
            self.globals.push(to_u32(definitions.globals.len()));
            definitions.globals.push(global);
        }
    }

    /// The value of a constant expression.
    pub(crate) fn value(&self, constant: Constant, definitions: &Definitions) -> ConstantValue {
        match constant {
            Constant::Bits(bits) => ConstantValue::Bits(bits),
            Constant::Function(function) => {
                ConstantValue::Function(self.functions[function as usize].0)
            }
            Constant::Global(global) => {
                definitions.globals[self.globals[global as usize] as usize].value
            }
        }
    }

    fn exports(&self) -> HashMap<String, Definition> {
        let definition = |kind, index: usize| match kind {
            ExternalKind::Func | ExternalKind::FuncExact => {
                Some(Definition::Function(self.functions[index].0))
            }
            ExternalKind::Table => Some(Definition::Table(self.tables[index])),
            ExternalKind::Memory => Some(Definition::Memory(self.memories[index])),
            ExternalKind::Global => Some(Definition::Global(self.globals[index])),
            ExternalKind::Tag => None,
        };
        let exports = self.module.exports.iter().filter_map(|export| {
            let definition = definition(export.kind, export.index as usize)?;
            Some((export.name.to_owned(), definition))
        });
        exports.collect()
    }

    /// Functions at which threads begin, or that other modules can call through a table, given the
    /// address-taken functions.
    pub(crate) fn entries(&self, address_taken: &[FunctionId]) -> Vec<FunctionId> {
        let id = |function: u32| self.functions[function as usize].0;
        let start = self.module.start.into_iter().map(id);
        if self.has_open_tables {
            return start.chain(address_taken.iter().copied()).collect();
        }
        let exports = self.module.exports.iter();
        let functions = exports.filter(|export| matches!(export.kind, ExternalKind::Func));
        start
            .chain(functions.map(|export| id(export.index)))
            .collect()
    }
}

/// Converts limits; a larger number than 32 bits can hold becomes the largest.
pub(super) fn limits(initial: u64, maximum: Option<u64>) -> Limits {
    let narrow = |size: u64| u32::try_from(size).unwrap_or(u32::MAX);
    Limits {
        initial: narrow(initial),
        maximum: maximum.map(narrow),
    }
}

/// The values of an element segment.
pub(crate) fn element_constants(items: &ElementItems<'_>) -> Vec<Constant> {
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
pub(crate) fn active_element(kind: &ElementKind<'_>) -> Option<(u32, Constant)> {
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
