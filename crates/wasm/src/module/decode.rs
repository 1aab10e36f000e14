//! Parses and validates WebAssembly modules, with wasmparser.
//!
//! In: bytes. Out: [`Module`], which borrows them. What always holds: the module is valid
//! WebAssembly with exactly [`FEATURES`]; later stages rely on that. Function bodies are not
//! decoded here.

use wasmparser::{
    ConstExpr, Data, Element, Export, FuncType, FuncValidatorAllocations, FunctionBody, GlobalType,
    Import, Imports, MemoryType, Operator, Parser, Payload, TableInit, TableType, ValidPayload,
    Validator, WasmFeatures,
};

use super::{Type, names};
use crate::TranslateError;

/// The supported features beyond WebAssembly 1.0: those that compilers enable by default.
pub(crate) const FEATURES: WasmFeatures = WasmFeatures::MUTABLE_GLOBAL
    .union(WasmFeatures::SATURATING_FLOAT_TO_INT)
    .union(WasmFeatures::SIGN_EXTENSION)
    .union(WasmFeatures::REFERENCE_TYPES)
    .union(WasmFeatures::MULTI_VALUE)
    .union(WasmFeatures::BULK_MEMORY)
    .union(WasmFeatures::FLOATS)
    .union(WasmFeatures::GC_TYPES);

/// A valid module.
#[derive(Default)]
pub(crate) struct Module<'a> {
    /// Size in bytes.
    pub size: usize,
    pub types: Vec<FuncType>,
    pub imports: Vec<Import<'a>>,
    /// The type indices of defined functions; `bodies` has their code.
    pub functions: Vec<u32>,
    pub bodies: Vec<FunctionBody<'a>>,
    pub tables: Vec<TableType>,
    pub memories: Vec<MemoryType>,
    pub globals: Vec<(GlobalType, Constant)>,
    pub exports: Vec<Export<'a>>,
    pub start: Option<u32>,
    pub elements: Vec<Element<'a>>,
    pub data: Vec<Data<'a>>,
    /// Names of functions and globals, by index, from the name section.
    pub names: names::Names,
}

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constant {
    /// Constant bits; a null reference is 0.
    Bits(u64),
    /// A reference to a function of the module.
    Function(u32),
    /// The value of an immutable global.
    Global(u32),
}

/// Decodes and validates a module.
pub(crate) fn decode(bytes: &[u8]) -> Result<Module<'_>, TranslateError> {
    decode_with(bytes, FEATURES)
}

fn decode_with(bytes: &[u8], features: WasmFeatures) -> Result<Module<'_>, TranslateError> {
    let mut validator = Validator::new_with_features(features);
    let mut parser = Parser::new(0);
    parser.set_features(features);
    let mut module = Module {
        size: bytes.len(),
        ..Module::default()
    };
    let mut allocations = FuncValidatorAllocations::default();
    for payload in parser.parse_all(bytes) {
        let payload = payload?;
        if let ValidPayload::Func(function, body) = validator.payload(&payload)? {
            let mut function = function.into_validator(allocations);
            function.validate(&body)?;
            allocations = function.into_allocations();
        }
        module.take(payload)?;
    }
    Ok(module)
}

impl<'a> Module<'a> {
    fn take(&mut self, payload: Payload<'a>) -> Result<(), TranslateError> {
        match payload {
            Payload::TypeSection(section) => {
                for ty in section.into_iter_err_on_gc_types() {
                    self.types.push(ty?);
                }
            }
            Payload::ImportSection(section) => {
                for imports in section {
                    if let Imports::Single(_, import) = imports? {
                        self.imports.push(import);
                    }
                }
            }
            Payload::FunctionSection(section) => {
                for ty in section {
                    self.functions.push(ty?);
                }
            }
            Payload::TableSection(section) => {
                for table in section {
                    let table = table?;
                    debug_assert!(matches!(table.init, TableInit::RefNull));
                    self.tables.push(table.ty);
                }
            }
            Payload::MemorySection(section) => {
                for memory in section {
                    self.memories.push(memory?);
                }
            }
            Payload::GlobalSection(section) => {
                for global in section {
                    let global = global?;
                    self.globals.push((global.ty, constant(&global.init_expr)?));
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    self.exports.push(export?);
                }
            }
            Payload::StartSection { func, .. } => self.start = Some(func),
            Payload::ElementSection(section) => {
                for element in section {
                    self.elements.push(element?);
                }
            }
            Payload::DataSection(section) => {
                for data in section {
                    self.data.push(data?);
                }
            }
            Payload::CodeSectionEntry(body) => self.bodies.push(body),
            Payload::CustomSection(section) => self.names.read(&section),
            _ => {}
        }
        Ok(())
    }
}

/// Evaluates a constant expression. Validation guarantees one instruction and `end`.
pub(crate) fn constant(expression: &ConstExpr<'_>) -> Result<Constant, TranslateError> {
    let mut reader = expression.get_operators_reader();
    Ok(match reader.read()? {
        Operator::I32Const { value } => Constant::Bits(u64::from(value.cast_unsigned())),
        Operator::I64Const { value } => Constant::Bits(value.cast_unsigned()),
        Operator::F32Const { value } => Constant::Bits(u64::from(value.bits())),
        Operator::F64Const { value } => Constant::Bits(value.bits()),
        Operator::RefFunc { function_index } => Constant::Function(function_index),
        Operator::GlobalGet { global_index } => Constant::Global(global_index),
        _ => Constant::Bits(0),
    })
}

/// Converts a value type. Validation admits no others.
pub(crate) fn value_type(ty: wasmparser::ValType) -> Type {
    match ty {
        wasmparser::ValType::I32 => Type::I32,
        wasmparser::ValType::I64 => Type::I64,
        wasmparser::ValType::F32 => Type::F32,
        wasmparser::ValType::F64 => Type::F64,
        wasmparser::ValType::Ref(ty) => reference_type(ty),
        wasmparser::ValType::V128 => Type::I64,
    }
}

/// Converts a reference type.
pub(crate) fn reference_type(ty: wasmparser::RefType) -> Type {
    if ty.is_func_ref() {
        Type::FuncRef
    } else {
        Type::ExternRef
    }
}
