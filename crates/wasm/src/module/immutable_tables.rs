//! Devirtualization of indirect calls: finds immutable tables and their functions.
//!
//! In: the module's tables, element segments and function bodies. Out: for each such table and type
//! the elements that have it, if there are few: a back end can compare the index with each of them
//! and call the function directly.

use std::collections::{BTreeMap, HashMap, HashSet};

use wasmparser::{ExternalKind, Operator};

use super::decode::Constant;
use super::definitions::{Definitions, FunctionId, to_u32};
use super::link::{ConstantValue, LinkedModule, active_element, element_constants};
use crate::TranslateError;

/// Maximum number of elements that an indirect call is compared with.
pub(crate) const MAX_DISPATCH: usize = 4;

/// For immutable tables of the module and type indices of the program: the elements with a function
/// of that type. Lists longer than [`MAX_DISPATCH`] are incomplete.
pub(crate) type Dispatch = HashMap<(u32, u32), Vec<(u32, FunctionId)>>;

/// The functions of each immutable table of the module, by element. Other elements are null.
pub(crate) type TableFunctions = HashMap<u32, BTreeMap<u32, FunctionId>>;

impl LinkedModule<'_> {
    /// Finds the tables that no instruction writes and that are neither imported nor exported, and
    /// the few functions of each type in them.
    pub(super) fn find_immutable_tables(
        &mut self,
        definitions: &Definitions,
    ) -> Result<(), TranslateError> {
        let imported = self.tables.len() - self.module.tables.len();
        let mut fixed: HashSet<u32> = (to_u32(imported)..to_u32(self.tables.len())).collect();
        for export in &self.module.exports {
            if matches!(export.kind, ExternalKind::Table) {
                fixed.remove(&export.index);
            }
        }
        if !fixed.is_empty() {
            self.remove_written(&mut fixed)?;
        }
        self.has_open_tables = fixed.len() < self.tables.len();
        for table in fixed {
            self.collect(table, definitions);
            let functions = self.functions_of(table, definitions);
            self.immutable_tables.insert(table, functions);
        }
        Ok(())
    }

    fn remove_written(&self, fixed: &mut HashSet<u32>) -> Result<(), TranslateError> {
        for body in &self.module.bodies {
            let mut operators = body.get_operators_reader()?;
            while !operators.eof() {
                match operators.read()? {
                    Operator::TableSet { table }
                    | Operator::TableGrow { table }
                    | Operator::TableFill { table }
                    | Operator::TableInit { table, .. }
                    | Operator::TableCopy {
                        dst_table: table, ..
                    } => {
                        fixed.remove(&table);
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn collect(&mut self, table: u32, definitions: &Definitions) {
        // Later segments overwrite earlier ones.
        let mut contents = BTreeMap::new();
        for element in &self.module.elements {
            let Some((written, offset)) = active_element(&element.kind) else {
                continue;
            };
            if written != table {
                continue;
            }
            let offset = self.value(offset, definitions).bits() as u32;
            for (at, constant) in (0u32..).zip(element_constants(&element.items)) {
                contents.insert(u64::from(offset) + u64::from(at), constant);
            }
        }
        for (element, constant) in contents {
            let (Ok(element), Constant::Function(function)) = (u32::try_from(element), constant)
            else {
                continue;
            };
            let (id, ty) = self.functions[function as usize];
            let key = (table, self.types[ty as usize].0);
            let few = self.dispatch.entry(key).or_default();
            if few.len() <= MAX_DISPATCH {
                few.push((element, id));
            }
        }
    }

    /// The functions that the active segments leave in a table.
    fn functions_of(&self, table: u32, definitions: &Definitions) -> BTreeMap<u32, FunctionId> {
        let mut functions = BTreeMap::new();
        for element in &self.module.elements {
            let Some((written, offset)) = active_element(&element.kind) else {
                continue;
            };
            if written != table {
                continue;
            }
            let first = self.value(offset, definitions).bits() as u32;
            for (at, constant) in (0u32..).zip(element_constants(&element.items)) {
                let Some(index) = first.checked_add(at) else {
                    break;
                };
                match self.value(constant, definitions) {
                    ConstantValue::Function(function) => functions.insert(index, function),
                    ConstantValue::Bits(_) => functions.remove(&index),
                };
            }
        }
        functions
    }
}
