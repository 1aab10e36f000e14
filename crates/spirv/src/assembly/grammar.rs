//! Lookup tables for the SPIR-V grammar of `rspirv`.
//!
//! In: opcodes and enumerants, by name or by number. Out: the other of the two, and the operands that follow. Covers
//! everything in `rspirv`'s grammar, and the enumerants of two debug instruction sets that it omits.

use std::collections::HashMap;
use std::sync::OnceLock;

use rspirv::binary::Disassemble;
use rspirv::dr::Operand;
use rspirv::grammar::{
    self, ExtendedInstruction, INSTRUCTION_TABLE, Instruction, LogicalOperand, OperandKind,
    debuginfo, opencl_debuginfo_100 as opencl,
};
use rspirv::spirv::{self, Op};

/// The grammar of an instruction.
pub(super) type Grammar = Instruction<'static>;

/// An extended instruction set.
pub(super) type ExtInstSet = &'static grammar::InstructionTable<grammar::ExtInstOp>;

/// How the operand kinds that are enumerations are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EnumSyntax {
    /// One enumerant.
    Value,
    /// A bit mask: names separated by `|`.
    Mask,
}

/// The instruction with an opcode.
pub(super) fn instruction(opcode: u32) -> Option<&'static Grammar> {
    static INDEX: OnceLock<Vec<Option<&'static Grammar>>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index = Vec::new();
        for instruction in INSTRUCTION_TABLE.iter() {
            let at = instruction.opcode as usize;
            index.resize(index.len().max(at + 1), None);
            index[at] = Some(instruction);
        }
        index
    });
    *index.get(opcode as usize)?
}

/// The instruction with a name, given without `Op`.
pub(super) fn instruction_called(name: &str) -> Option<&'static Grammar> {
    static INDEX: OnceLock<HashMap<&'static str, &'static Grammar>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let names = INSTRUCTION_TABLE
            .iter()
            .map(|instruction| (instruction.opname, instruction));
        let others = ALIASES
            .iter()
            .filter_map(|(name, op)| Some((*name, instruction(*op as u32)?)));
        names.chain(others).collect()
    });
    index.get(name).copied()
}

macro_rules! aliases {
    ($($name:ident)*) => {
        /// Alternative names of instructions.
        const ALIASES: &[(&str, Op)] = &[$((stringify!($name), Op::$name)),*];
    };
}

aliases! {
    SDotKHR UDotKHR SUDotKHR SDotAccSatKHR UDotAccSatKHR SUDotAccSatKHR TypeCooperativeVectorNV
    GroupNonUniformPartitionNV ReportIntersectionNV TypeAccelerationStructureNV RayQueryGetClusterIdNV
    DemoteToHelperInvocationEXT DecorateStringGOOGLE MemberDecorateStringGOOGLE
    PtrCastToCrossWorkgroupINTEL CrossWorkgroupCastToPtrINTEL ReadPipeBlockingINTEL
    WritePipeBlockingINTEL FPGARegINTEL
}

/// Whether other assemblers know the names of a set's instructions, and not only their numbers.
pub(super) fn has_known_names(set: &str) -> bool {
    !matches!(set, "NonSemantic.DebugPrintf" | "NonSemantic.DebugBreak")
}

/// The extended instruction set with the name of an `OpExtInstImport`.
pub(super) fn set(name: &str) -> Option<ExtInstSet> {
    // The names of some sets end with a revision.
    let revised = ["NonSemantic.ClspvReflection", "NonSemantic.VkspReflection"];
    let found = revised.into_iter().find(|known| {
        name.strip_prefix(known)
            .is_some_and(|rest| rest.starts_with('.'))
    });
    grammar::ext_inst_table(found.unwrap_or(name))
}

/// The instruction of a set with a name.
pub(super) fn extended_called(
    set: ExtInstSet,
    name: &str,
) -> Option<&'static ExtendedInstruction<'static>> {
    set.iter().find(|instruction| instruction.opname == name)
}

macro_rules! values {
    ($($kind:ident)*) => {
        fn value_name(kind: OperandKind, number: u32) -> Option<String> {
            match kind {
                $(OperandKind::$kind => Some(format!("{:?}", spirv::$kind::from_u32(number)?)),)*
                _ => None,
            }
        }

        fn value_number(kind: OperandKind, name: &str) -> Option<u32> {
            match kind {
                $(OperandKind::$kind => Some(name.parse::<spirv::$kind>().ok()? as u32),)*
                _ => None,
            }
        }

        fn value_operands(kind: OperandKind, number: u32) -> Vec<LogicalOperand> {
            let operand = match kind {
                $(OperandKind::$kind => spirv::$kind::from_u32(number).map(Operand::$kind),)*
                _ => None,
            };
            operand.map(|enumerant| enumerant.additional_operands()).unwrap_or_default()
        }

        fn is_value(kind: OperandKind) -> bool {
            matches!(kind, $(OperandKind::$kind)|*)
        }
    };
}

values! {
    SourceLanguage ExecutionModel AddressingModel MemoryModel ExecutionMode StorageClass Dim
    SamplerAddressingMode SamplerFilterMode ImageFormat ImageChannelOrder ImageChannelDataType
    FPRoundingMode FPDenormMode QuantizationModes FPOperationMode OverflowModes LinkageType
    AccessQualifier HostAccessQualifier FunctionParameterAttribute Decoration BuiltIn Scope
    GroupOperation KernelEnqueueFlags Capability RayQueryIntersection
    RayQueryCommittedIntersectionType RayQueryCandidateIntersectionType PackedVectorFormat
    CooperativeMatrixLayout CooperativeMatrixUse TensorClampMode InitializationModeQualifier
    LoadCacheControl StoreCacheControl NamedMaximumNumberOfRegisters FPEncoding
    CooperativeVectorMatrixLayout ComponentType
}

macro_rules! masks {
    ($($kind:ident)*) => {
        fn bit_name(kind: OperandKind, bit: u32) -> Option<String> {
            match kind {
                $(OperandKind::$kind => Some(spirv::$kind::from_bits(bit)?.disassemble()),)*
                _ => None,
            }
        }

        fn bit_operands(kind: OperandKind, bit: u32) -> Vec<LogicalOperand> {
            let operand = match kind {
                $(OperandKind::$kind => spirv::$kind::from_bits(bit).map(Operand::$kind),)*
                _ => None,
            };
            operand.map(|enumerant| enumerant.additional_operands()).unwrap_or_default()
        }

        fn is_mask(kind: OperandKind) -> bool {
            matches!(kind, $(OperandKind::$kind)|*)
        }
    };
}

masks! {
    ImageOperands FPFastMathMode SelectionControl LoopControl FunctionControl MemorySemantics
    MemoryAccess KernelProfilingInfo RayFlags FragmentShadingRate RawAccessChainOperands
    CooperativeMatrixOperands CooperativeMatrixReduce TensorAddressingOperands
    MatrixMultiplyAccumulateOperands TensorOperands
}

/// Alternative names of mask bits.
const BIT_ALIASES: &[(&str, &str)] = &[
    ("MakeTexelAvailableKHR", "MakeTexelAvailable"),
    ("MakeTexelVisibleKHR", "MakeTexelVisible"),
    ("NonPrivateTexelKHR", "NonPrivateTexel"),
    ("VolatileTexelKHR", "VolatileTexel"),
    ("MakePointerAvailableKHR", "MakePointerAvailable"),
    ("MakePointerVisibleKHR", "MakePointerVisible"),
    ("NonPrivatePointerKHR", "NonPrivatePointer"),
    ("OutputMemoryKHR", "OutputMemory"),
    ("MakeAvailableKHR", "MakeAvailable"),
    ("MakeVisibleKHR", "MakeVisible"),
    ("OptNoneINTEL", "OptNoneEXT"),
    ("AllowContractFastINTEL", "AllowContract"),
    ("AllowReassocINTEL", "AllowReassoc"),
];

/// Enumerants of `DebugInfo` and `OpenCL.DebugInfo.100`.
fn debug_names(kind: OperandKind) -> Option<(EnumSyntax, &'static [(u32, &'static str)])> {
    use EnumSyntax::{Mask, Value};
    use OperandKind::{Debuginfo, OpenclDebuginfo100};
    use debuginfo::ExtOperandKind as Old;
    use opencl::ExtOperandKind as New;
    Some(match kind {
        Debuginfo(Old::DebugInfoFlags) => (Mask, FLAGS),
        OpenclDebuginfo100(New::DebugInfoFlags) => (Mask, FLAGS),
        Debuginfo(Old::DebugBaseTypeAttributeEncoding) => (Value, OLD_ENCODINGS),
        OpenclDebuginfo100(New::DebugBaseTypeAttributeEncoding) => (Value, ENCODINGS),
        Debuginfo(Old::DebugCompositeType) | OpenclDebuginfo100(New::DebugCompositeType) => {
            (Value, COMPOSITES)
        }
        Debuginfo(Old::DebugTypeQualifier) | OpenclDebuginfo100(New::DebugTypeQualifier) => {
            (Value, QUALIFIERS)
        }
        Debuginfo(Old::DebugOperation) | OpenclDebuginfo100(New::DebugOperation) => {
            (Value, OPERATIONS)
        }
        OpenclDebuginfo100(New::DebugImportedEntity) => (Value, ENTITIES),
        _ => return None,
    })
}

const FLAGS: &[(u32, &str)] = &[
    (0x1, "FlagIsProtected"),
    (0x2, "FlagIsPrivate"),
    (0x3, "FlagIsPublic"),
    (0x4, "FlagIsLocal"),
    (0x8, "FlagIsDefinition"),
    (0x10, "FlagFwdDecl"),
    (0x20, "FlagArtificial"),
    (0x40, "FlagExplicit"),
    (0x80, "FlagPrototyped"),
    (0x100, "FlagObjectPointer"),
    (0x200, "FlagStaticMember"),
    (0x400, "FlagIndirectVariable"),
    (0x800, "FlagLValueReference"),
    (0x1000, "FlagRValueReference"),
    (0x2000, "FlagIsOptimized"),
    (0x4000, "FlagIsEnumClass"),
    (0x8000, "FlagTypePassByValue"),
    (0x10000, "FlagTypePassByReference"),
];

const ENCODINGS: &[(u32, &str)] = &[
    (0, "Unspecified"),
    (1, "Address"),
    (2, "Boolean"),
    (3, "Float"),
    (4, "Signed"),
    (5, "SignedChar"),
    (6, "Unsigned"),
    (7, "UnsignedChar"),
];

const OLD_ENCODINGS: &[(u32, &str)] = &[
    (0, "Unspecified"),
    (1, "Address"),
    (2, "Boolean"),
    (4, "Float"),
    (5, "Signed"),
    (6, "SignedChar"),
    (7, "Unsigned"),
    (8, "UnsignedChar"),
];

const COMPOSITES: &[(u32, &str)] = &[(0, "Class"), (1, "Structure"), (2, "Union")];

const QUALIFIERS: &[(u32, &str)] = &[
    (0, "ConstType"),
    (1, "VolatileType"),
    (2, "RestrictType"),
    (3, "AtomicType"),
];

const OPERATIONS: &[(u32, &str)] = &[
    (0, "Deref"),
    (1, "Plus"),
    (2, "Minus"),
    (3, "PlusUconst"),
    (4, "BitPiece"),
    (5, "Swap"),
    (6, "Xderef"),
    (7, "StackValue"),
    (8, "Constu"),
    (9, "Fragment"),
];

const ENTITIES: &[(u32, &str)] = &[(0, "ImportedModule"), (1, "ImportedDeclaration")];

/// How an operand kind is written; `None` if it is not an enumeration.
pub(super) fn shape(kind: OperandKind) -> Option<EnumSyntax> {
    match kind {
        _ if is_value(kind) => Some(EnumSyntax::Value),
        _ if is_mask(kind) => Some(EnumSyntax::Mask),
        _ => debug_names(kind).map(|(shape, _)| shape),
    }
}

/// The text of an enumeration operand; `None` if a value or a bit has no name.
pub(super) fn name(kind: OperandKind, number: u32) -> Option<String> {
    if let Some((shape, names)) = debug_names(kind) {
        return debug_name(shape, names, number);
    }
    if is_mask(kind) {
        return mask_name(kind, number);
    }
    let name = value_name(kind, number)?;
    // Rust identifiers cannot begin with a digit; the text has `2D` for `Dim2D`.
    match name.strip_prefix("Dim") {
        Some(rest) if kind == OperandKind::Dim => Some(rest.to_owned()),
        _ => Some(
            elder(&name)
                .filter(|elder| value_number(kind, elder) == Some(number))
                .unwrap_or(name),
        ),
    }
}

/// The vendor-specific name that preceded an `EXT`, `KHR` or `ALTERA` name. More tools know the older name.
fn elder(name: &str) -> Option<String> {
    let moved = if name.contains("Partition") {
        name.strip_suffix("EXT")
    } else if name.contains("DerivativeGroup") {
        name.strip_suffix("KHR")
    } else {
        return Some(format!("{}INTEL", name.strip_suffix("ALTERA")?));
    };
    Some(format!("{}NV", moved?))
}

/// The name of an instruction without `Op`; the older one if it was renamed.
pub(super) fn instruction_name(grammar: &Grammar) -> &'static str {
    let alias = elder(grammar.opname).and_then(|elder| {
        let mut aliases = ALIASES.iter();
        aliases.find(|(alias, op)| *op == grammar.opcode && *alias == elder)
    });
    match alias {
        Some((alias, _)) => alias,
        None => grammar.opname,
    }
}

fn mask_name(kind: OperandKind, number: u32) -> Option<String> {
    if number == 0 {
        return Some(nothing(kind).to_owned());
    }
    let name = |bit| {
        let name = bit_name(kind, bit)?;
        Some(elder(&name).unwrap_or(name))
    };
    let names: Option<Vec<_>> = bits(number).map(name).collect();
    Some(names?.join("|"))
}

fn debug_name(shape: EnumSyntax, names: &[(u32, &str)], number: u32) -> Option<String> {
    if let Some((_, name)) = names.iter().find(|(value, _)| *value == number) {
        return Some((*name).to_owned());
    }
    if shape == EnumSyntax::Value {
        return None;
    }
    if number == 0 {
        return Some("None".to_owned());
    }
    let name = |bit| {
        names
            .iter()
            .find(|(value, _)| *value == bit)
            .map(|(_, name)| *name)
    };
    let names: Option<Vec<_>> = bits(number).map(name).collect();
    Some(names?.join("|"))
}

/// The name of an empty mask.
fn nothing(kind: OperandKind) -> &'static str {
    match kind {
        OperandKind::CooperativeMatrixOperands => "NoneKHR",
        OperandKind::TensorOperands => "NoneARM",
        _ => "None",
    }
}

fn bits(number: u32) -> impl Iterator<Item = u32> {
    (0..32)
        .map(|bit| 1 << bit)
        .filter(move |bit| number & bit != 0)
}

/// The value of one enumerant or mask bit.
pub(super) fn number(kind: OperandKind, name: &str) -> Option<u32> {
    if let Some((shape, names)) = debug_names(kind) {
        let found = names.iter().find(|(_, known)| *known == name);
        let none = (shape == EnumSyntax::Mask && name == "None").then_some(0);
        return found.map(|(value, _)| *value).or(none);
    }
    if is_mask(kind) {
        return bit(kind, name);
    }
    match kind {
        OperandKind::Dim => value_number(kind, &format!("Dim{name}")),
        _ => value_number(kind, name),
    }
}

fn bit(kind: OperandKind, name: &str) -> Option<u32> {
    if name == nothing(kind) || name == "None" {
        return Some(0);
    }
    let alias = BIT_ALIASES.iter().find(|(alias, _)| *alias == name);
    let name = alias.map_or(name, |(_, name)| *name);
    // `INTEL` enumerants were renamed to `ALTERA`.
    let moved = name
        .strip_suffix("INTEL")
        .map(|start| format!("{start}ALTERA"));
    bits(u32::MAX).find(|bit| {
        let known = bit_name(kind, *bit);
        known.is_some_and(|known| known == name || Some(known) == moved)
    })
}

/// The operands that follow an enumeration operand.
pub(super) fn operands(kind: OperandKind, number: u32) -> Vec<LogicalOperand> {
    match shape(kind) {
        Some(EnumSyntax::Value) => value_operands(kind, number),
        Some(EnumSyntax::Mask) => bits(number)
            .flat_map(|bit| bit_operands(kind, bit))
            .collect(),
        None => Vec::new(),
    }
}
