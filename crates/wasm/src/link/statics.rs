//! Where a module keeps its stack pointer and its statics in memory.
//!
//! Linkers say it by exported globals, or by names of globals. It matters only for the module that
//! owns memory 0.

use wasmparser::DataKind;

use super::{Build, Extern, KnownGlobal};
use crate::bytecode::Type;
use crate::decode;

/// Where statics begin in modules that do not say so.
const FIRST_ADDRESS: u32 = 1024;

/// Statics of a module that says nothing have at most this many bytes.
const UNKNOWN_STATICS: u32 = 65_536;

impl Build<'_, '_> {
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
                // Where the stack comes first, statics begin at its end.
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

    /// An address that the module exports.
    fn exported(&self, name: &str) -> Option<KnownGlobal> {
        match self.linker.modules.last()?.get(name)? {
            Extern::Global(global) => {
                Some(self.linker.globals[*global as usize]).filter(|global| global.ty == Type::I32)
            }
            _ => None,
        }
    }

    /// By its export, by its name, or, where a linker has left only its mark, the first one that it
    /// could be.
    fn stack_pointer(&self) -> Option<KnownGlobal> {
        // Anyone may call a global so.
        let can_be = |global: &KnownGlobal| global.mutable && global.ty == Type::I32;
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
