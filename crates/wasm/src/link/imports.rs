//! Import resolution.
//!
//! Registered modules come first, then host functions of the modules in
//! [`IMPORT_MODULES`](crate::bytecode::IMPORT_MODULES). A host function is represented by a stub, a
//! tiny function that makes the host call, so that it can be inlined, exported and put into a table
//! like any other.

use wasmparser::{Import, TypeRef};

use super::{Extern, ModuleLinker, to_u32};
use crate::TranslateError;
use crate::bytecode::{self, Format, FunctionType, ImportLowering, Limits, Op, Type};
use crate::decode;
use crate::ir::{self, Inst, Origin, Plain};

impl ModuleLinker<'_, '_> {
    pub(super) fn imports(&mut self) -> Result<(), TranslateError> {
        for import in &self.module.imports {
            let found = self.linker.exported(import.module, import.name);
            match (found, import.ty) {
                (Some(found), _) => self.import(import, found)?,
                (None, TypeRef::Func(ty)) => self.host_import(import, ty)?,
                (None, _) => return Err(unknown(import)),
            }
        }
        Ok(())
    }

    /// Resolves an import to the export of another module.
    fn import(&mut self, import: &Import<'_>, found: Extern) -> Result<(), TranslateError> {
        let refuse = |wanted: String, found: String| {
            Err(TranslateError::IncompatibleImport {
                module: import.module.to_owned(),
                name: import.name.to_owned(),
                detail: format!("expected {wanted}, found {found}"),
            })
        };
        match (import.ty, found) {
            (TypeRef::Func(ty), Extern::Function(id)) => {
                let (wanted, wanted_type) = &self.space.types[ty as usize];
                let found = self.linker.functions[id as usize].type_index;
                if *wanted != found {
                    let found = &self.linker.bytecode.types[found as usize];
                    return refuse(signature(wanted_type), signature(found));
                }
                self.space.functions.push((id, ty));
            }
            (TypeRef::Table(wanted), Extern::Table(table)) => {
                let ty = decode::reference_type(wanted.element_type);
                let limits = super::limits(wanted.initial, wanted.maximum);
                let has = self.linker.bytecode.tables[table as usize];
                let has_type = self.linker.table_types[table as usize];
                if ty != has_type || !fits(limits, has) {
                    return refuse(
                        format!("a table of {} {ty}", size(limits)),
                        format!("one of {} {has_type}", size(has)),
                    );
                }
                self.space.tables.push(table);
            }
            (TypeRef::Memory(wanted), Extern::Memory(memory)) => {
                let limits = super::limits(wanted.initial, wanted.maximum);
                let has = self.linker.bytecode.memories[memory as usize];
                if !fits(limits, has) {
                    return refuse(
                        format!("a memory of {} pages", size(limits)),
                        format!("one of {} pages", size(has)),
                    );
                }
                self.space.memories.push(memory);
            }
            (TypeRef::Global(wanted), Extern::Global(global)) => {
                let ty = decode::value_type(wanted.content_type);
                let known = self.linker.globals[global as usize];
                if ty != known.ty || wanted.mutable != known.mutable {
                    return refuse(
                        variable(ty, wanted.mutable),
                        variable(known.ty, known.mutable),
                    );
                }
                self.globals.push(global);
                self.space.globals.push((known.slot, known.ty));
            }
            (wanted, found) => {
                return refuse(kind(wanted).to_owned(), extern_kind(found).to_owned());
            }
        }
        Ok(())
    }

    fn host_import(&mut self, import: &Import<'_>, ty: u32) -> Result<(), TranslateError> {
        let (type_index, wanted) = &self.space.types[ty as usize];
        if !bytecode::IMPORT_MODULES.contains(&import.module) {
            return Err(unknown(import));
        }
        let host =
            bytecode::import(import.name, wanted.params.len()).ok_or_else(|| unknown(import))?;
        let has = FunctionType {
            params: host.params.to_vec(),
            results: host.result.into_iter().collect(),
        };
        if has != *wanted {
            return Err(TranslateError::IncompatibleImport {
                module: import.module.to_owned(),
                name: import.name.to_owned(),
                detail: format!("expected {}, found {}", signature(wanted), signature(&has)),
            });
        }
        let type_index = *type_index;
        let id = self.linker.function(type_index);
        // Functions get their debug names in index order, imported ones first.
        let name = to_u32(self.linker.bytecode.debug.names.len() + self.space.functions.len());
        self.lowered.insert(id, stub(host, type_index, name));
        self.space.functions.push((id, ty));
        Ok(())
    }
}

/// A stub that makes a host call.
fn stub(host: &bytecode::Import, type_index: u32, name: u32) -> ir::Function {
    let params = ir::slots(host.params);
    let results = host.result.map_or(0, Type::slots);
    let mut function = ir::Function {
        type_index,
        name,
        params,
        results,
        locals: params,
        frame: params.max(results),
        ..ir::Function::default()
    };
    let origin = Origin { name, offset: 0 };
    let mut push = |op, (a, b, c), extra| {
        let plain = Plain { op, a, b, c, extra };
        function.push(Inst::Plain(plain), origin);
    };
    match host.lowering {
        ImportLowering::Op(op) => {
            push(op, (0, 0, 1), 0);
            if matches!(op.format(), Format::Dx | Format::Dxy) {
                function.constant_params = (0..params).map(|slot| (slot, 1)).collect();
            }
        }
        ImportLowering::SetPixel => {
            push(Op::Host, (0, 2, 1), bytecode::Host::PixelIndex as u64);
            push(Op::StOut, (0, 2, 0), 0);
        }
        ImportLowering::Host(host) => push(Op::Host, (0, params, results), host as u64),
    }
    function.push(Inst::Return, origin);
    function
}

fn unknown(import: &Import<'_>) -> TranslateError {
    TranslateError::UnknownImport {
        module: import.module.to_owned(),
        name: import.name.to_owned(),
    }
}

/// Whether a memory or table satisfies the limits of an import.
fn fits(wanted: Limits, has: Limits) -> bool {
    let below = match (wanted.maximum, has.maximum) {
        (None, _) => true,
        (Some(wanted), Some(has)) => has <= wanted,
        (Some(_), None) => false,
    };
    has.initial >= wanted.initial && below
}

fn size(limits: Limits) -> String {
    match limits.maximum {
        Some(maximum) => format!("{} to {maximum}", limits.initial),
        None => format!("at least {}", limits.initial),
    }
}

fn variable(ty: Type, mutable: bool) -> String {
    let mutable = if mutable { "a mutable" } else { "an immutable" };
    format!("{mutable} global of type {ty}")
}

fn kind(ty: TypeRef) -> &'static str {
    match ty {
        TypeRef::Func(_) | TypeRef::FuncExact(_) => "a function",
        TypeRef::Table(_) => "a table",
        TypeRef::Memory(_) => "a memory",
        TypeRef::Global(_) => "a global",
        TypeRef::Tag(_) => "a tag",
    }
}

fn extern_kind(found: Extern) -> &'static str {
    match found {
        Extern::Function(_) => "a function",
        Extern::Table(_) => "a table",
        Extern::Memory(_) => "a memory",
        Extern::Global(_) => "a global",
    }
}

/// A function type as `(i32, f32) -> (i64)`.
pub(crate) fn signature(ty: &FunctionType) -> String {
    let list = |types: &[Type]| {
        types
            .iter()
            .map(|ty| ty.name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    format!("({}) -> ({})", list(&ty.params), list(&ty.results))
}
