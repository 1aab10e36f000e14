//! The operand and result types of each instruction: one table for the builder, the verifier, the printer and the
//! parser.

use super::op::{F64Op, Op, Type};

/// The types that an operand or a result may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Exactly this type.
    Of(Type),
    /// Any type.
    Any,
}

impl Kind {
    /// Whether a type satisfies the constraint.
    pub fn admits(self, ty: Type) -> bool {
        match self {
            Self::Of(expected) => expected == ty,
            Self::Any => true,
        }
    }
}

/// The operands and the result of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its operands, in order.
    pub operands: &'static [Kind],
    /// Its result, if it has one.
    pub result: Option<Kind>,
}

const WORD: Kind = Kind::Of(Type::Word);
const POINTER: Kind = Kind::Of(Type::Pointer);
const LANES: Kind = Kind::Of(Type::Lanes);
const MASK: Kind = Kind::Of(Type::Mask);

impl Op {
    /// The types of its operands and its result.
    pub fn signature(self) -> Signature {
        let (operands, result): (&'static [Kind], _) = match self {
            Self::Word(_) | Self::ContextField(_) | Self::Length(_) | Self::ActiveLanes => {
                (&[], Some(WORD))
            }
            Self::Base(_) => (&[], Some(POINTER)),
            Self::WordBinary(_) | Self::WordCompare(_) => (&[WORD, WORD], Some(WORD)),
            Self::WordSelect => (&[WORD, WORD, WORD], Some(WORD)),
            Self::Any | Self::Ballot => (&[MASK], Some(WORD)),
            Self::Extract(_) => (&[LANES], Some(WORD)),
            Self::LoadWord(_) => (&[POINTER], Some(WORD)),
            Self::LoadPointer(_) => (&[POINTER], Some(POINTER)),
            Self::Advance => (&[POINTER, WORD], Some(POINTER)),
            Self::AdvanceOrZeros => (&[POINTER, WORD, WORD], Some(POINTER)),
            Self::Splat(_) | Self::Pattern(_) => (&[], Some(LANES)),
            Self::Broadcast => (&[WORD], Some(LANES)),
            Self::Binary(_) | Self::Permute => (&[LANES, LANES], Some(LANES)),
            Self::Unary(_)
            | Self::ShlBy(_)
            | Self::ShrBy(_)
            | Self::SarBy(_)
            | Self::RotateBy(_) => (&[LANES], Some(LANES)),
            Self::F64(op, _) => (double(op), Some(LANES)),
            Self::F64ToF32 => (&[LANES, LANES], Some(LANES)),
            Self::Fma | Self::Ternary(_) => (&[LANES, LANES, LANES], Some(LANES)),
            Self::Select => (&[MASK, LANES, LANES], Some(LANES)),
            Self::Masked(_) => (&[LANES, LANES, LANES, MASK], Some(LANES)),
            Self::MaskedFma => (&[LANES, LANES, LANES, LANES, MASK], Some(LANES)),
            Self::Compare(_) => (&[LANES, LANES], Some(MASK)),
            Self::MaskedCompare(_) => (&[LANES, LANES, MASK], Some(MASK)),
            Self::Mask(_) => (&[], Some(MASK)),
            Self::MaskBinary(_) => (&[MASK, MASK], Some(MASK)),
            Self::FromBallot => (&[WORD], Some(MASK)),
            Self::LoadSplat(_) => (&[POINTER], Some(LANES)),
            Self::LoadRow(row) => (load(row.is_limited, row.is_masked), Some(LANES)),
            Self::StoreRow(row) => (store(row.is_limited, row.is_masked), None),
            Self::StoreRowNonTemporal(_) => (store(true, false), None),
            Self::Gather(_) => (&[POINTER, LANES, MASK], Some(LANES)),
            Self::Scatter(_) | Self::ScatterHalves(_) => (&[POINTER, LANES, LANES, MASK], None),
            Self::Atomic(..) => (&[POINTER, LANES, LANES, MASK], Some(LANES)),
            Self::CompareExchange(..) => (&[POINTER, LANES, LANES, LANES, MASK], Some(LANES)),
            Self::Atomic64(..) => (&[POINTER, POINTER, LANES, LANES, LANES, MASK], None),
            Self::CompareExchange64(..) => (
                &[POINTER, POINTER, LANES, LANES, LANES, LANES, LANES, MASK],
                None,
            ),
            Self::FrameStore(_) => (&[Kind::Any], None),
            Self::FrameLoad(_) => (&[], Some(Kind::Any)),
            Self::FrameStoreAt(_) => (&[WORD, Kind::Any], None),
            Self::FrameLoadAt(_) => (&[WORD], Some(Kind::Any)),
            Self::Poll(_) => (&[], None),
            Self::Call(..) => (&[WORD], None),
        };
        Signature { operands, result }
    }
}

/// The operands of an operation on 64-bit floats.
fn double(op: F64Op) -> &'static [Kind] {
    match op {
        F64Op::FromF32 => &[LANES],
        F64Op::Sqrt | F64Op::Round | F64Op::Floor | F64Op::Ceil | F64Op::Trunc => &[LANES, LANES],
        F64Op::Add | F64Op::Sub | F64Op::Mul | F64Op::Div => &[LANES, LANES, LANES, LANES],
        F64Op::Fma => &[LANES, LANES, LANES, LANES, LANES, LANES],
    }
}

/// The operands of a contiguous load.
fn load(is_limited: bool, is_masked: bool) -> &'static [Kind] {
    match (is_limited, is_masked) {
        (false, false) => &[POINTER, WORD],
        (true, false) => &[POINTER, WORD, WORD],
        (false, true) => &[POINTER, WORD, MASK],
        (true, true) => &[POINTER, WORD, WORD, MASK],
    }
}

/// The operands of a contiguous store.
fn store(is_limited: bool, is_masked: bool) -> &'static [Kind] {
    match (is_limited, is_masked) {
        (false, false) => &[POINTER, WORD, LANES],
        (true, false) => &[POINTER, WORD, LANES, WORD],
        (false, true) => &[POINTER, WORD, LANES, MASK],
        (true, true) => &[POINTER, WORD, LANES, WORD, MASK],
    }
}
