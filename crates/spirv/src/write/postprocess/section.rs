//! Sections of the SPIR-V module layout.

use rspirv::spirv::Op;

/// The sections to which something is added, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::write) enum Section {
    Capabilities,
    Extensions,
    Modes,
    Names,
    Annotations,
    Declarations,
}

impl Section {
    /// The section of an instruction; `None` if its opcode does not determine it.
    pub(in crate::write) fn of(number: u32) -> Option<Self> {
        const CAPABILITY: u32 = Op::Capability as u32;
        const EXTENSION: u32 = Op::Extension as u32;
        const IMPORT: u32 = Op::ExtInstImport as u32;
        const MEMORY_MODEL: u32 = Op::MemoryModel as u32;
        const ENTRY_POINT: u32 = Op::EntryPoint as u32;
        const EXECUTION_MODE: u32 = Op::ExecutionMode as u32;
        const NAME: u32 = Op::Name as u32;
        const MEMBER_NAME: u32 = Op::MemberName as u32;
        const STRING: u32 = Op::String as u32;
        const SOURCE: u32 = Op::Source as u32;
        const DECORATE: u32 = Op::Decorate as u32;
        const MEMBER_DECORATE: u32 = Op::MemberDecorate as u32;
        const TYPE_VOID: u32 = Op::TypeVoid as u32;
        match number {
            CAPABILITY => Some(Section::Capabilities),
            EXTENSION | IMPORT => Some(Section::Extensions),
            MEMORY_MODEL | ENTRY_POINT | EXECUTION_MODE => Some(Section::Modes),
            NAME | MEMBER_NAME | STRING | SOURCE => Some(Section::Names),
            DECORATE | MEMBER_DECORATE => Some(Section::Annotations),
            // naga's first declaration.
            TYPE_VOID => Some(Section::Declarations),
            _ => None,
        }
    }
}
