//! Finds the stack pointer and the address range of static variables.
//!
//! Linkers expose them by exported globals, or by names of globals. They matter only for the module
//! that owns memory 0.

use wasmparser::DataKind;

use super::Type;
use super::decode;
use super::definitions::{Definition, Definitions, Global, GlobalId};
use super::link::LinkedModule;

/// The default start of static variables.
const FIRST_ADDRESS: u32 = 1024;

/// The maximum size of static variables in a module that does not export it.
const UNKNOWN_STATICS: u32 = 65_536;

/// How a linker has laid out memory 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Statics {
    /// The global that is the stack pointer, if known.
    pub stack_pointer: Option<GlobalId>,
    /// The addresses of static variables: first, and one past the last.
    pub range: [u32; 2],
}

impl Statics {
    /// The statics of a module, if it owns memory 0.
    pub(super) fn find(linked: &LinkedModule<'_>, definitions: &Definitions) -> Option<Self> {
        let owner = !linked.module.memories.is_empty() && linked.memories.first() == Some(&0);
        let search = StaticsSearch {
            linked,
            definitions,
        };
        owner.then(|| search.find())
    }
}

struct StaticsSearch<'a> {
    linked: &'a LinkedModule<'a>,
    definitions: &'a Definitions,
}

impl StaticsSearch<'_> {
    fn find(&self) -> Statics {
        let pointer = self.stack_pointer();
        let end = self
            .exported("__heap_base")
            .or_else(|| self.exported("__data_end"));
        let range = match end {
            Some(end) => {
                let end = self.address(end);
                // If the stack comes first, static variables begin at its end.
                let above_stack = pointer
                    .map(|global| self.address(global))
                    .filter(|top| *top < end);
                let first = above_stack.into_iter().chain(self.lowest_data()).min();
                [first.unwrap_or(FIRST_ADDRESS).min(end), end]
            }
            None => {
                let bytes = u64::from(self.definitions.memories[0].initial) << 16;
                let bytes = u32::try_from(bytes);
                [
                    0,
                    bytes.map_or(UNKNOWN_STATICS, |bytes| bytes.min(UNKNOWN_STATICS)),
                ]
            }
        };
        Statics {
            stack_pointer: pointer,
            range,
        }
    }

    fn global(&self, id: GlobalId) -> Global {
        self.definitions.globals[id as usize]
    }

    /// The initial value of a global, as an address.
    fn address(&self, id: GlobalId) -> u32 {
        self.global(id).value.bits() as u32
    }

    /// An exported `i32` global.
    fn exported(&self, name: &str) -> Option<GlobalId> {
        match self.definitions.exports.last()?.get(name)? {
            Definition::Global(id) if self.global(*id).ty == Type::I32 => Some(*id),
            _ => None,
        }
    }

    /// The stack pointer: by its export, by its name in the name section, or, if only `__heap_base`
    /// shows that a linker made the module, the first global, if it is a mutable `i32`.
    fn stack_pointer(&self) -> Option<GlobalId> {
        // Any global may have the name, so its type is checked.
        let can_be = |id: &GlobalId| {
            let global = self.global(*id);
            global.mutable && global.ty == Type::I32
        };
        let globals = &self.linked.globals;
        let named = || {
            let names = &self.linked.module.names.globals;
            let (index, _) = names.iter().find(|(_, name)| *name == "__stack_pointer")?;
            globals.get(*index as usize).copied().filter(can_be)
        };
        let first = || {
            self.exported("__heap_base")?;
            globals.first().copied().filter(can_be)
        };
        self.exported("__stack_pointer")
            .filter(can_be)
            .or_else(named)
            .or_else(first)
    }

    fn lowest_data(&self) -> Option<u32> {
        let data = self.linked.module.data.iter();
        let addresses = data.filter_map(|data| match &data.kind {
            DataKind::Active { offset_expr, .. } => {
                let offset = decode::constant(offset_expr).ok()?;
                Some(self.linked.value(offset, self.definitions).bits() as u32)
            }
            DataKind::Passive => None,
        });
        addresses.min()
    }
}
