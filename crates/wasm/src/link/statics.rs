//! Finds the stack pointer and the address range of static variables.
//!
//! Linkers expose them by exported globals, or by names of globals. They matter only for the module
//! that owns memory 0.

use wasmparser::DataKind;

use super::{Extern, GlobalEntry, ModuleLinker};
use crate::bytecode::Type;
use crate::decode;

/// The default start of static variables.
const FIRST_ADDRESS: u32 = 1024;

/// The maximum size of static variables in a module that does not export it.
const UNKNOWN_STATICS: u32 = 65_536;

impl ModuleLinker<'_, '_> {
    pub(super) fn find_statics(&mut self) {
        let owner = !self.module.memories.is_empty() && self.space.memories.first() == Some(&0);
        if !owner {
            return;
        }
        let pointer = self.stack_pointer();
        let end = self
            .exported("__heap_base")
            .or_else(|| self.exported("__data_end"));
        let data = self.lowest_data();
        let bytecode = &mut self.linker.bytecode;
        bytecode.stack_pointer = pointer.map(|global| global.slot);
        bytecode.statics = match end {
            Some(end) => {
                let end = end.value as u32;
                // If the stack comes first, static variables begin at its end.
                let above_stack = pointer
                    .map(|global| global.value as u32)
                    .filter(|top| *top < end);
                let first = above_stack.into_iter().chain(data).min();
                [first.unwrap_or(FIRST_ADDRESS).min(end), end]
            }
            None => {
                let bytes = u64::from(bytecode.memories[0].initial) << 16;
                [
                    0,
                    u32::try_from(bytes)
                        .map_or(UNKNOWN_STATICS, |bytes| bytes.min(UNKNOWN_STATICS)),
                ]
            }
        };
    }

    /// The value of an exported `i32` global.
    fn exported(&self, name: &str) -> Option<GlobalEntry> {
        match self.linker.modules.last()?.get(name)? {
            Extern::Global(global) => {
                Some(self.linker.globals[*global as usize]).filter(|global| global.ty == Type::I32)
            }
            _ => None,
        }
    }

    /// The stack pointer: by its export, by its name in the name section, or, if only `__heap_base`
    /// shows that a linker made the module, the first global, if it is a mutable `i32`.
    fn stack_pointer(&self) -> Option<GlobalEntry> {
        // Any global may have the name, so its type is checked.
        let can_be = |global: &GlobalEntry| global.mutable && global.ty == Type::I32;
        let named = || {
            let names = &self.module.names.globals;
            let (index, _) = names.iter().find(|(_, name)| *name == "__stack_pointer")?;
            let global = *self.globals.get(*index as usize)?;
            Some(self.linker.globals[global as usize]).filter(can_be)
        };
        let first = || {
            self.exported("__heap_base")?;
            Some(self.linker.globals[*self.globals.first()? as usize]).filter(can_be)
        };
        self.exported("__stack_pointer")
            .filter(can_be)
            .or_else(named)
            .or_else(first)
    }

    fn lowest_data(&self) -> Option<u32> {
        let addresses = self.module.data.iter().filter_map(|data| match &data.kind {
            DataKind::Active { offset_expr, .. } => {
                Some(self.value(decode::constant(offset_expr).ok()?) as u32)
            }
            DataKind::Passive => None,
        });
        addresses.min()
    }
}
