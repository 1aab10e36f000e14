//! Operations: what an instruction computes from which values.

use super::{Object, Trap, Value};
use crate::module::{AtomicOp, HostFunction};

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Type {
    /// No value: the instruction has an effect only.
    Unit,
    /// A condition. WebAssembly has none: [`Unary::BoolToI32`] converts where a number is meant.
    Bool,
    I32,
    I64,
    F32,
    F64,
}

impl Type {
    /// Its bits in memory; 0 if it has no form there.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::Unit | Self::Bool => 0,
            Self::I32 | Self::F32 => 32,
            Self::I64 | Self::F64 => 64,
        }
    }

    /// Whether it is `F32` or `F64`.
    pub(crate) const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// The type of a WebAssembly value. References are numbers: 0 is null.
    pub(crate) const fn of(ty: crate::module::Type) -> Self {
        use crate::module::Type as Wasm;
        match ty {
            Wasm::I32 | Wasm::FuncRef | Wasm::ExternRef => Self::I32,
            Wasm::I64 => Self::I64,
            Wasm::F32 => Self::F32,
            Wasm::F64 => Self::F64,
        }
    }
}

/// An operation with one operand. The operand's type selects the variant of an arithmetic one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unary {
    /// Negation of a condition.
    Not,
    /// 1 or 0.
    BoolToI32,
    CountLeadingZeros,
    CountTrailingZeros,
    CountOnes,
    /// Sign extension of the low 8 bits, in place.
    Extend8,
    /// Sign extension of the low 16 bits, in place.
    Extend16,
    /// Sign extension of the low 32 bits of an `I64`, in place.
    Extend32,
    /// `I64` to `I32`.
    Wrap,
    /// `I32` to `I64`, with the sign.
    SignExtend,
    /// `I32` to `I64`, with zeros.
    ZeroExtend,
    /// Clears the sign bit of a float; payloads of NaN are kept.
    Abs,
    /// Inverts the sign bit of a float; payloads of NaN are kept.
    Neg,
    Ceil,
    Floor,
    /// Rounds a float towards zero.
    Truncate,
    /// Rounds a float to the nearest integer, ties to even.
    Nearest,
    Sqrt,
    /// Float to signed integer towards zero; NaN gives 0, other values saturate.
    TruncateSaturateSigned(Type),
    /// Float to unsigned integer, likewise.
    TruncateSaturateUnsigned(Type),
    /// Signed integer to float.
    ConvertSigned(Type),
    /// Unsigned integer to float.
    ConvertUnsigned(Type),
    /// `F64` to `F32`.
    Demote,
    /// `F32` to `F64`.
    Promote,
    /// The same bits as another type of the same size.
    Reinterpret(Type),
}

impl Unary {
    /// The operations whose result type follows from the operand.
    #[cfg(test)]
    pub(crate) const PLAIN: &[Self] = &[
        Self::Not,
        Self::BoolToI32,
        Self::CountLeadingZeros,
        Self::CountTrailingZeros,
        Self::CountOnes,
        Self::Extend8,
        Self::Extend16,
        Self::Extend32,
        Self::Wrap,
        Self::SignExtend,
        Self::ZeroExtend,
        Self::Abs,
        Self::Neg,
        Self::Ceil,
        Self::Floor,
        Self::Truncate,
        Self::Nearest,
        Self::Sqrt,
        Self::Demote,
        Self::Promote,
    ];

    /// The type of the result, from that of the operand.
    pub(crate) const fn result(self, operand: Type) -> Type {
        match self {
            Self::Not => Type::Bool,
            Self::BoolToI32 | Self::Wrap => Type::I32,
            Self::SignExtend | Self::ZeroExtend => Type::I64,
            Self::Demote => Type::F32,
            Self::Promote => Type::F64,
            Self::TruncateSaturateSigned(ty)
            | Self::TruncateSaturateUnsigned(ty)
            | Self::ConvertSigned(ty)
            | Self::ConvertUnsigned(ty)
            | Self::Reinterpret(ty) => ty,
            _ => operand,
        }
    }
}

/// An operation with two operands of one type, which selects its variant. None of them traps:
/// `build` has put [`Op::TrapIf`] before divisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    /// Integer or float addition.
    Add,
    Sub,
    Mul,
    /// Float division.
    Div,
    /// Signed division. By 0 and on overflow its result is any number.
    DivSigned,
    /// Unsigned division. By 0 its result is any number.
    DivUnsigned,
    /// Signed remainder, with the sign of the dividend; of the smallest number by -1 it is 0. By 0
    /// its result is any number.
    RemSigned,
    /// Unsigned remainder. By 0 its result is any number.
    RemUnsigned,
    /// Bitwise, or logical for conditions.
    And,
    Or,
    Xor,
    /// Shifts and rotations use the low bits of the count: 5 for `I32`, 6 for `I64`.
    Shl,
    ShrSigned,
    ShrUnsigned,
    RotateLeft,
    RotateRight,
    /// WebAssembly's float minimum: NaN if an operand is NaN, and -0 below +0.
    Min,
    Max,
    /// The first operand with the sign of the second.
    CopySign,
    /// Comparisons give a condition. Float comparisons with NaN are false, except `Ne`.
    Eq,
    Ne,
    LtSigned,
    LtUnsigned,
    LeSigned,
    LeUnsigned,
    /// Float comparisons.
    Lt,
    Le,
}

impl Binary {
    /// All operations.
    #[cfg(test)]
    pub(crate) const ALL: &[Self] = &[
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::DivSigned,
        Self::DivUnsigned,
        Self::RemSigned,
        Self::RemUnsigned,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Shl,
        Self::ShrSigned,
        Self::ShrUnsigned,
        Self::RotateLeft,
        Self::RotateRight,
        Self::Min,
        Self::Max,
        Self::CopySign,
        Self::Eq,
        Self::Ne,
        Self::LtSigned,
        Self::LtUnsigned,
        Self::LeSigned,
        Self::LeUnsigned,
        Self::Lt,
        Self::Le,
    ];

    /// Whether it compares.
    pub(crate) const fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Eq
                | Self::Ne
                | Self::LtSigned
                | Self::LtUnsigned
                | Self::LeSigned
                | Self::LeUnsigned
                | Self::Lt
                | Self::Le
        )
    }

    /// Whether the operands can be exchanged.
    pub(crate) const fn is_commutative(self) -> bool {
        matches!(
            self,
            Self::Add | Self::Mul | Self::And | Self::Or | Self::Xor | Self::Eq | Self::Ne
        )
    }

    /// The type of the result, from that of the operands.
    pub(crate) const fn result(self, operand: Type) -> Type {
        if self.is_comparison() {
            Type::Bool
        } else {
            operand
        }
    }
}

/// A value of the launch or of the invocation that no instruction changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Builtin {
    /// A component of the position in the grid.
    GlobalId(u8),
    /// A component of the position in the workgroup.
    LocalId(u8),
    /// A component of the workgroup's position.
    WorkgroupId(u8),
    /// A component of the number of workgroups.
    NumWorkgroups(u8),
    /// A component of the workgroup size.
    WorkgroupSize(u8),
    /// The linear index in the workgroup.
    LocalIndex,
    /// The linear index in the grid, as `get_thread_id` counts.
    ThreadId,
    /// The time of the launch, an `F32`.
    Time,
    /// The width of the picture; 0 without a picture.
    PictureWidth,
    /// The height of the picture; 0 without a picture.
    PictureHeight,
}

/// How many bytes of memory an access takes, and how they are extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Width {
    /// All bytes of the type.
    Full,
    /// The low 8 bits; a load extends them with the sign or with zeros.
    Bits8 { signed: bool },
    /// The low 16 bits, likewise.
    Bits16 { signed: bool },
    /// The low 32 bits of an `I64`, likewise.
    Bits32 { signed: bool },
}

/// An access to linear memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Access {
    /// The type of the value.
    pub ty: Type,
    /// Its bytes in memory.
    pub width: Width,
    /// Is added to the address, without wrapping.
    pub offset: u32,
    /// The alignment that the module promises, as a power of two. The address may have less.
    pub align: u8,
    /// What an access outside the memory is reported as.
    pub trap: Trap,
}

impl Access {
    /// Its size in memory.
    pub(crate) const fn bytes(self) -> u32 {
        match self.width {
            Width::Full => self.ty.bits() / 8,
            Width::Bits8 { .. } => 1,
            Width::Bits16 { .. } => 2,
            Width::Bits32 { .. } => 4,
        }
    }
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    /// A block parameter.
    Param,
    /// A constant, as bits.
    Const(u64),
    /// An argument of the launch, by index among the kernel's WebAssembly parameters.
    Argument(u32),
    /// The address of the first element of a slice parameter, by index in
    /// [`Function::slices`](super::Function). It is opaque: only `memory` interprets it.
    SliceAddress(u32),
    /// The number of elements of a slice parameter.
    SliceLength(u32),
    /// The initial stack pointer.
    StackPointer,
    /// A value of the launch or the invocation.
    Builtin(Builtin),
    Unary(Unary, Value),
    Binary(Binary, Value, Value),
    /// One of two values of the same type.
    Select {
        condition: Value,
        yes: Value,
        no: Value,
    },
    /// Reads linear memory. It traps outside.
    Load {
        access: Access,
        address: Value,
    },
    /// Writes linear memory. It traps outside, without an effect.
    Store {
        access: Access,
        address: Value,
        value: Value,
    },
    /// Pages of linear memory.
    MemorySize,
    /// Grows linear memory by pages. The old size, or -1.
    MemoryGrow(Value),
    /// Copies bytes, which may overlap. It traps outside.
    MemoryCopy {
        to: Value,
        from: Value,
        bytes: Value,
        trap: Trap,
    },
    /// Sets bytes. It traps outside.
    MemoryFill {
        to: Value,
        value: Value,
        bytes: Value,
        trap: Trap,
    },
    /// Copies bytes of a data segment. It traps outside.
    MemoryInit {
        segment: u32,
        to: Value,
        from: Value,
        bytes: Value,
        trap: Trap,
    },
    /// Empties a data segment.
    DataDrop(u32),
    /// Calls the host. The operands are those of the import.
    Host {
        function: HostFunction,
        args: Vec<Value>,
        trap: Trap,
    },
    /// Traps if the condition holds. The words are for the message.
    TrapIf {
        condition: Value,
        trap: Trap,
        words: Vec<Value>,
    },
    /// Reads a word of an object: 0 outside.
    ObjectLoad {
        object: Object,
        index: Value,
    },
    /// Writes a word of an object: no effect outside.
    ObjectStore {
        object: Object,
        index: Value,
        value: Value,
    },
    /// An atomic operation on a word of an object. The old value.
    ObjectAtomic {
        object: Object,
        function: AtomicOp,
        index: Value,
        value: Value,
    },
    /// An atomic compare-exchange on a word of an object. The old value.
    ObjectCompareExchange {
        object: Object,
        index: Value,
        expected: Value,
        value: Value,
    },
    /// Words of an object whose size is known only when it is bound.
    ObjectLength(Object),
}

impl Op {
    /// Whether the value belongs to no block.
    pub(crate) const fn is_floating(&self) -> bool {
        matches!(
            self,
            Self::Const(_)
                | Self::Argument(_)
                | Self::SliceAddress(_)
                | Self::SliceLength(_)
                | Self::StackPointer
                | Self::Builtin(_)
                | Self::ObjectLength(_)
        )
    }

    /// Whether it depends on its operands only: equal operations have equal results, and unused
    /// ones can be removed.
    pub(crate) const fn is_pure(&self) -> bool {
        self.is_floating()
            || matches!(
                self,
                Self::Unary(..) | Self::Binary(..) | Self::Select { .. }
            )
    }

    /// Whether it can be removed if nothing uses its result. Loads of linear memory can trap, so
    /// they cannot.
    pub(crate) const fn is_removable(&self) -> bool {
        self.is_pure()
            || matches!(
                self,
                Self::ObjectLoad { .. } | Self::MemorySize | Self::Param
            )
    }

    /// Calls a function for each operand.
    pub(crate) fn for_each_operand(&self, mut visit: impl FnMut(Value)) {
        self.clone().for_each_operand_mut(|value| visit(*value));
    }

    /// Calls a function for each operand, which it may replace.
    pub(crate) fn for_each_operand_mut(&mut self, mut visit: impl FnMut(&mut Value)) {
        match self {
            Self::Param
            | Self::Const(_)
            | Self::Argument(_)
            | Self::SliceAddress(_)
            | Self::SliceLength(_)
            | Self::StackPointer
            | Self::Builtin(_)
            | Self::MemorySize
            | Self::DataDrop(_)
            | Self::ObjectLength(_) => {}
            Self::Unary(_, value) | Self::MemoryGrow(value) => visit(value),
            Self::Load { address, .. } => visit(address),
            Self::ObjectLoad { index, .. } => visit(index),
            Self::Binary(_, left, right) => [left, right].into_iter().for_each(visit),
            Self::Store { address, value, .. } => [address, value].into_iter().for_each(visit),
            Self::ObjectStore { index, value, .. } | Self::ObjectAtomic { index, value, .. } => {
                [index, value].into_iter().for_each(visit);
            }
            Self::Select { condition, yes, no } => {
                [condition, yes, no].into_iter().for_each(visit);
            }
            Self::ObjectCompareExchange {
                index,
                expected,
                value,
                ..
            } => [index, expected, value].into_iter().for_each(visit),
            Self::MemoryCopy {
                to, from, bytes, ..
            }
            | Self::MemoryInit {
                to, from, bytes, ..
            } => [to, from, bytes].into_iter().for_each(visit),
            Self::MemoryFill {
                to, value, bytes, ..
            } => [to, value, bytes].into_iter().for_each(visit),
            Self::Host { args, .. } => args.iter_mut().for_each(visit),
            Self::TrapIf {
                condition, words, ..
            } => {
                visit(condition);
                words.iter_mut().for_each(visit);
            }
        }
    }
}
