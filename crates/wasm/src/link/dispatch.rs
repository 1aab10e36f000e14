//! Devirtualization of indirect calls: finds immutable tables and their functions.
//!
//! A call through such a table is lowered to comparisons with the elements that have its type.

use std::collections::HashSet;

use wasmparser::{ExternalKind, Operator};

use super::{ModuleLinker, active_element, element_constants, to_u32};
use crate::TranslateError;
use crate::decode::Constant;
use crate::lower::MAX_DISPATCH;

impl ModuleLinker<'_, '_> {
    /// Finds the tables that no instruction writes and that are neither imported nor exported, and
    /// the few functions of each type in them.
    pub(super) fn find_immutable_tables(&mut self) -> Result<(), TranslateError> {
        let imported = self.space.tables.len() - self.module.tables.len();
        let mut fixed: HashSet<u32> = (to_u32(imported)..to_u32(self.space.tables.len())).collect();
        for export in &self.module.exports {
            if matches!(export.kind, ExternalKind::Table) {
                fixed.remove(&export.index);
            }
        }
        if !fixed.is_empty() {
            self.remove_written(&mut fixed)?;
        }
        self.has_open_tables = fixed.len() < self.space.tables.len();
        for table in fixed {
            self.collect(table);
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

    fn collect(&mut self, table: u32) {
        // Later segments overwrite earlier ones.
        let mut contents = std::collections::BTreeMap::new();
        for element in &self.module.elements {
            let Some((written, offset)) = active_element(&element.kind) else {
                continue;
            };
            if written != table {
                continue;
            }
            let offset = self.value(offset) as u32;
            for (at, constant) in (0u32..).zip(element_constants(&element.items)) {
                contents.insert(u64::from(offset) + u64::from(at), constant);
            }
        }
        for (element, constant) in contents {
            let (Ok(element), Constant::Function(function)) = (u32::try_from(element), constant)
            else {
                continue;
            };
            let (id, ty) = self.space.functions[function as usize];
            let key = (table, self.space.types[ty as usize].0);
            let few = self.space.dispatch.entry(key).or_default();
            if few.len() <= MAX_DISPATCH {
                few.push((element, id));
            }
        }
    }
}
