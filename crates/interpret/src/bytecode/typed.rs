//! Instructions with an explicit numeric type.
//!
//! Instructions for `bool` and 32-bit types are separate and have no type field, because nearly all code consists
//! of them. All other types share these: 16-bit values are in the low half of a register whose high half is zero,
//! 64-bit values in two registers, the low word first. So moves are independent of the type.

use naga::{Bytes, Scalar, ScalarKind};

use super::{Binary, Geometric, Instr, Matrix, Reg, Ternary, Unary};

/// A numeric type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Bool,
    I16,
    U16,
    F16,
    I32,
    U32,
    F32,
    I64,
    U64,
    F64,
}

impl Number {
    /// The type of naga's scalar; `None` for abstract types, which have no run-time values.
    pub(crate) fn of(scalar: Scalar) -> Option<Self> {
        Self::new(scalar.kind, scalar.width)
    }

    pub(crate) fn new(kind: ScalarKind, width: Bytes) -> Option<Self> {
        Some(match (kind, width) {
            (ScalarKind::Bool, _) => Self::Bool,
            (ScalarKind::Sint, 2) => Self::I16,
            (ScalarKind::Uint, 2) => Self::U16,
            (ScalarKind::Float, 2) => Self::F16,
            (ScalarKind::Sint, 4) => Self::I32,
            (ScalarKind::Uint, 4) => Self::U32,
            (ScalarKind::Float, 4) => Self::F32,
            (ScalarKind::Sint, 8) => Self::I64,
            (ScalarKind::Uint, 8) => Self::U64,
            (ScalarKind::Float, 8) => Self::F64,
            _ => return None,
        })
    }

    /// The bits of a value; a `bool` has those of its register.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::I16 | Self::U16 | Self::F16 => 16,
            Self::Bool | Self::I32 | Self::U32 | Self::F32 => 32,
            Self::I64 | Self::U64 | Self::F64 => 64,
        }
    }

    /// The registers of a value.
    pub(crate) const fn words(self) -> u32 {
        self.bits().div_ceil(32)
    }

    pub(crate) const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    pub(crate) const fn is_signed(self) -> bool {
        matches!(self, Self::I16 | Self::I32 | Self::I64)
    }
}

/// An operation on numbers of any type. The operations are those for 32 bits; the type selects the variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypedOp {
    Unary(Unary),
    /// The amount of a shift is a `u32`, the exponent of `ldexp` an `i32`.
    Binary(Binary),
    /// The condition of a selection is a `bool`; offset and count of bits are `u32`.
    Ternary(Ternary),
    Geometric(Geometric),
    Matrix {
        op: Matrix,
        columns: u8,
        rows: u8,
    },
    /// Operands as in [`Instr::InsertBits`].
    InsertBits,
    /// By value, as WGSL converts.
    Convert(Number),
    /// An integer as a `u32` index; one that does not fit stays larger than any length.
    ToIndex,
}

impl TypedOp {
    /// The instruction for this operation on `n` numbers.
    pub(crate) fn instr(self, of: Number, n: u8, dst: Reg, args: [Reg; 4]) -> Instr {
        let [a, b, c, _] = args;
        if of.bits() != 32 {
            let op = self;
            return Instr::Typed {
                of,
                op,
                n,
                dst,
                args,
            };
        }
        match self {
            Self::Unary(op) => Instr::Unary { op, n, dst, a },
            Self::Binary(op) => Instr::Binary { op, n, dst, a, b },
            Self::Ternary(op) => Instr::Ternary {
                op,
                n,
                dst,
                a,
                b,
                c,
            },
            Self::Geometric(op) => Instr::Geometric {
                op,
                n,
                dst,
                a,
                b,
                c,
            },
            Self::Matrix { op, columns, rows } => Instr::Matrix {
                op,
                columns,
                rows,
                dst,
                a,
                b,
            },
            Self::InsertBits => Instr::InsertBits { n, dst, args },
            Self::Convert(_) | Self::ToIndex => Instr::Typed {
                of,
                op: self,
                n,
                dst,
                args,
            },
        }
    }
}
