//! The imports and exports of a WebAssembly module, read from its sections.
//!
//! In: the bytes of a valid module. Out: its imports, each with the reason if Anywarp does not provide it, and its
//! exported functions. Nothing is translated, so this also works for a module that cannot run.

use anywarp_wasm::bytecode::{self, IMPORT_MODULES, Type};
use wasmparser::{ExternalKind, FuncType, Parser, Payload, TypeRef, ValType};

/// The interface of a module.
#[derive(Default)]
pub(super) struct Interface {
    types: Vec<FuncType>,
    /// The type of each function, imported functions first.
    functions: Vec<u32>,
    pub(super) imports: Vec<Import>,
    exports: Vec<(String, u32)>,
    /// Initial and maximum pages or elements.
    pub(super) memories: Vec<(u64, Option<u64>)>,
    pub(super) tables: Vec<(u64, Option<u64>)>,
}

/// An import.
pub(super) struct Import {
    /// `module.name`.
    pub(super) name: String,
    /// Why a program with this import cannot run; `None` if Anywarp provides it.
    pub(super) fault: Option<String>,
}

/// An exported function with its type.
pub(super) struct ExportedFunction {
    pub(super) name: String,
    pub(super) parameters: Vec<&'static str>,
    pub(super) results: Vec<&'static str>,
}

impl Interface {
    /// Reads the sections. Bytecode has none. Sections after an error are left out.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut interface = Self::default();
        for payload in Parser::new(0).parse_all(bytes).map_while(Result::ok) {
            interface.section(payload);
        }
        interface
    }

    fn section(&mut self, payload: Payload<'_>) {
        match payload {
            Payload::TypeSection(section) => {
                let types = section.into_iter_err_on_gc_types();
                self.types.extend(types.map_while(Result::ok));
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports().map_while(Result::ok) {
                    self.import(&import);
                }
            }
            Payload::FunctionSection(section) => {
                self.functions
                    .extend(section.into_iter().map_while(Result::ok));
            }
            Payload::MemorySection(section) => {
                let memories = section.into_iter().map_while(Result::ok);
                let limits = memories.map(|memory| (memory.initial, memory.maximum));
                self.memories.extend(limits);
            }
            Payload::TableSection(section) => {
                let tables = section.into_iter().map_while(Result::ok);
                let limits = tables.map(|table| (table.ty.initial, table.ty.maximum));
                self.tables.extend(limits);
            }
            Payload::ExportSection(section) => {
                let exports = section.into_iter().map_while(Result::ok);
                let functions = exports.filter(|export| export.kind == ExternalKind::Func);
                self.exports
                    .extend(functions.map(|export| (export.name.to_owned(), export.index)));
            }
            _ => {}
        }
    }

    fn import(&mut self, import: &wasmparser::Import<'_>) {
        let ty = match import.ty {
            TypeRef::Func(ty) => {
                self.functions.push(ty);
                self.types.get(ty as usize)
            }
            _ => None,
        };
        let fault = fault(import, ty);
        self.imports.push(Import {
            name: format!("{}.{}", import.module, import.name),
            fault,
        });
    }

    /// The exported functions.
    pub(super) fn exports(&self) -> Vec<ExportedFunction> {
        let names = |types: &[ValType]| types.iter().map(|ty| value_type(*ty)).collect();
        let functions = self.exports.iter().filter_map(|(name, index)| {
            let ty = *self.functions.get(*index as usize)?;
            let ty = self.types.get(ty as usize)?;
            Some(ExportedFunction {
                name: name.clone(),
                parameters: names(ty.params()),
                results: names(ty.results()),
            })
        });
        functions.collect()
    }
}

/// Why Anywarp cannot provide an import; `ty` is its type if it is a function.
fn fault(import: &wasmparser::Import<'_>, ty: Option<&FuncType>) -> Option<String> {
    let known = ty.filter(|_| IMPORT_MODULES.contains(&import.module));
    let host = known.and_then(|ty| bytecode::import(import.name, ty.params().len()));
    let (Some(ty), Some(host)) = (known, host) else {
        return Some("not provided by Anywarp".to_owned());
    };
    let params: Vec<_> = host.params.iter().map(|ty| ty.name()).collect();
    let results: Vec<_> = host.result.iter().map(|ty: &Type| ty.name()).collect();
    let has = |own: &[&str], wanted: &[ValType]| {
        own.iter()
            .copied()
            .eq(wanted.iter().map(|ty| value_type(*ty)))
    };
    if has(&params, ty.params()) && has(&results, ty.results()) {
        return None;
    }
    let (params, results) = (params.join(", "), results.join(", "));
    Some(format!(
        "of another type than Anywarp's ({params}) -> ({results})"
    ))
}

fn value_type(ty: ValType) -> &'static str {
    match ty {
        ValType::I32 => "i32",
        ValType::I64 => "i64",
        ValType::F32 => "f32",
        ValType::F64 => "f64",
        ValType::V128 => "v128",
        ValType::Ref(ty) if ty.is_func_ref() => "funcref",
        ValType::Ref(_) => "externref",
    }
}
