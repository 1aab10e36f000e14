//! Import resolution.
//!
//! Registered modules come first, then host functions of the modules in [`IMPORT_MODULES`].

use wasmparser::{Import, TypeRef};

use super::decode;
use super::definitions::{Definition, Definitions, to_u32};
use super::host::{self, IMPORT_MODULES};
use super::link::{LinkedModule, limits};
use super::{FunctionType, Limits, Type};
use crate::TranslateError;

impl LinkedModule<'_> {
    pub(super) fn resolve_imports(
        &mut self,
        definitions: &mut Definitions,
    ) -> Result<(), TranslateError> {
        let module = self.module;
        for import in &module.imports {
            let found = definitions.exported(import.module, import.name);
            match (found, import.ty) {
                (Some(found), _) => self.import(import, found, definitions)?,
                (None, TypeRef::Func(ty)) => self.host_import(import, ty, definitions)?,
                (None, _) => return Err(unknown(import)),
            }
        }
        Ok(())
    }

    /// Resolves an import to the export of another module.
    fn import(
        &mut self,
        import: &Import<'_>,
        found: Definition,
        definitions: &Definitions,
    ) -> Result<(), TranslateError> {
        match (import.ty, found) {
            (TypeRef::Func(ty), Definition::Function(id)) => {
                let (wanted, wanted_type) = &self.types[ty as usize];
                let found = definitions.functions[id as usize];
                if *wanted != found {
                    let found = &definitions.types[found as usize];
                    return Err(incompatible(import, wanted_type, found));
                }
                self.functions.push((id, ty));
            }
            (TypeRef::Table(wanted), Definition::Table(index)) => {
                let ty = decode::reference_type(wanted.element_type);
                let limits = limits(wanted.initial, wanted.maximum);
                let table = definitions.tables[index as usize];
                if ty != table.ty || !fits(limits, table.limits) {
                    let found = format!("one of {} {}", size(table.limits), table.ty);
                    let wanted = format!("a table of {} {ty}", size(limits));
                    return Err(incompatible(import, wanted, found));
                }
                self.tables.push(index);
            }
            (TypeRef::Memory(wanted), Definition::Memory(memory)) => {
                let limits = limits(wanted.initial, wanted.maximum);
                let has = definitions.memories[memory as usize];
                if !fits(limits, has) {
                    let found = format!("one of {} pages", size(has));
                    let wanted = format!("a memory of {} pages", size(limits));
                    return Err(incompatible(import, wanted, found));
                }
                self.memories.push(memory);
            }
            (TypeRef::Global(wanted), Definition::Global(id)) => {
                let ty = decode::value_type(wanted.content_type);
                let global = definitions.globals[id as usize];
                if ty != global.ty || wanted.mutable != global.mutable {
                    let found = variable(global.ty, global.mutable);
                    return Err(incompatible(import, variable(ty, wanted.mutable), found));
                }
                self.globals.push(id);
            }
            (wanted, found) => {
                let found = definition_kind(found);
                return Err(incompatible(import, import_kind(wanted), found));
            }
        }
        Ok(())
    }

    fn host_import(
        &mut self,
        import: &Import<'_>,
        ty: u32,
        definitions: &mut Definitions,
    ) -> Result<(), TranslateError> {
        let (type_index, wanted) = &self.types[ty as usize];
        if !IMPORT_MODULES.contains(&import.module) {
            return Err(unknown(import));
        }
        let host = host::import(import.name, wanted.params.len()).ok_or_else(|| unknown(import))?;
        let has = FunctionType {
            params: host.params.to_vec(),
            results: host.result.into_iter().collect(),
        };
        if has != *wanted {
            return Err(incompatible(import, wanted, has));
        }
        self.host_imports.push((to_u32(self.functions.len()), host));
        self.functions.push((definitions.function(*type_index), ty));
        Ok(())
    }
}

fn unknown(import: &Import<'_>) -> TranslateError {
    TranslateError::UnknownImport {
        module: import.module.to_owned(),
        name: import.name.to_owned(),
    }
}

fn incompatible(
    import: &Import<'_>,
    expected: impl std::fmt::Display,
    found: impl std::fmt::Display,
) -> TranslateError {
    TranslateError::IncompatibleImport {
        module: import.module.to_owned(),
        name: import.name.to_owned(),
        detail: format!("expected {expected}, found {found}"),
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

fn import_kind(ty: TypeRef) -> &'static str {
    match ty {
        TypeRef::Func(_) | TypeRef::FuncExact(_) => "a function",
        TypeRef::Table(_) => "a table",
        TypeRef::Memory(_) => "a memory",
        TypeRef::Global(_) => "a global",
        TypeRef::Tag(_) => "a tag",
    }
}

fn definition_kind(found: Definition) -> &'static str {
    match found {
        Definition::Function(_) => "a function",
        Definition::Table(_) => "a table",
        Definition::Memory(_) => "a memory",
        Definition::Global(_) => "a global",
    }
}
