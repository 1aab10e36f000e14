//! Constant folding of `OpSpecConstantOp` on integers and booleans.
//!
//! In: an operation whose operands may be constants. Out: a literal, if all operands are literals.

use anywarp_program::naga::Literal;
use rspirv::spirv::Op;

use super::constants::{Constant, Constants};
use super::types::{Type, Types};
use crate::error::Result;
use crate::module::{Id, Instruction};

/// The value of an operation on constants. `None` if it depends on a specialization constant, is neither an integer
/// nor a boolean, or is undefined (such as a division by zero).
pub(super) fn fold(
    instruction: &Instruction<'_>,
    constants: &Constants<'_>,
    types: &Types,
) -> Result<Option<Literal>> {
    let to = instruction.result_type()?;
    if instruction.op == Op::CompositeExtract {
        return Ok(part(instruction, constants).and_then(|id| literal(id, constants, types)));
    }
    let mut operands = Vec::new();
    for id in instruction.used() {
        let Some(value) = literal(id, constants, types).and_then(number) else {
            return Ok(None);
        };
        let Some((ty, _)) = constants.get(id) else {
            return Ok(None);
        };
        operands.push(Operand {
            bits: value,
            width: width(types, ty),
        });
    }
    let value = match operands.as_slice() {
        [a] => unary(instruction.op, *a),
        [a, b] => binary(instruction.op, *a, *b),
        [condition, a, b] if instruction.op == Op::Select => {
            Some(if condition.bits != 0 { a.bits } else { b.bits })
        }
        _ => None,
    };
    Ok(value.and_then(|value| made(types, to, value)))
}

#[derive(Clone, Copy)]
struct Operand {
    /// Sign- or zero-extended according to its type.
    bits: i128,
    width: u32,
}

impl Operand {
    fn unsigned(self) -> i128 {
        self.bits & ((1 << self.width) - 1)
    }

    fn signed(self) -> i128 {
        extended(self.bits, self.width)
    }
}

fn extended(value: i128, width: u32) -> i128 {
    let unused = 128 - width;
    value << unused >> unused
}

fn width(types: &Types, ty: Id) -> u32 {
    match types.get(ty) {
        Ok(Type::Int { bits, .. }) => *bits,
        _ => 32,
    }
}

fn literal(id: Id, constants: &Constants<'_>, types: &Types) -> Option<Literal> {
    match constants.get(id)? {
        (_, Constant::Literal(literal)) => Some(*literal),
        (ty, Constant::Zero) => made(types, ty, 0),
        _ => None,
    }
}

fn number(literal: Literal) -> Option<i128> {
    Some(match literal {
        Literal::Bool(value) => value.into(),
        Literal::I32(value) => value.into(),
        Literal::U32(value) => value.into(),
        Literal::I64(value) => value.into(),
        Literal::U64(value) => value.into(),
        _ => return None,
    })
}

/// A number as a literal of a type, wrapped to its width.
fn made(types: &Types, ty: Id, value: i128) -> Option<Literal> {
    Some(match *types.get(ty).ok()? {
        Type::Bool => Literal::Bool(value != 0),
        Type::Int { bits, is_signed } => {
            let signed = extended(value, bits);
            let unsigned = value & ((1 << bits) - 1);
            match (bits, is_signed) {
                (64, true) => Literal::I64(signed as i64),
                (64, false) => Literal::U64(unsigned as u64),
                (_, true) => Literal::I32(signed as i32),
                (_, false) => Literal::U32(unsigned as u32),
            }
        }
        _ => return None,
    })
}

fn part(instruction: &Instruction<'_>, constants: &Constants<'_>) -> Option<Id> {
    let mut whole = instruction.id(0).ok()?;
    for index in instruction.operands.get(1..)? {
        let (_, Constant::Composite(parts)) = constants.get(whole)? else {
            return None;
        };
        whole = *parts.get(*index as usize)?;
    }
    Some(whole)
}

fn unary(op: Op, a: Operand) -> Option<i128> {
    Some(match op {
        Op::SConvert => a.signed(),
        Op::UConvert => a.unsigned(),
        Op::SNegate => -a.signed(),
        Op::Not => !a.bits,
        Op::LogicalNot => (a.bits == 0).into(),
        _ => return None,
    })
}

fn binary(op: Op, a: Operand, b: Operand) -> Option<i128> {
    let (signed, unsigned) = ((a.signed(), b.signed()), (a.unsigned(), b.unsigned()));
    let shift = u32::try_from(unsigned.1)
        .ok()
        .filter(|amount| *amount < a.width);
    Some(match op {
        Op::IAdd => a.bits + b.bits,
        Op::ISub => a.bits - b.bits,
        // 64-bit operands can overflow i128; the low 64 bits of the wrapped product are still exact.
        Op::IMul => a.bits.wrapping_mul(b.bits),
        Op::UDiv => unsigned.0.checked_div(unsigned.1)?,
        Op::UMod => unsigned.0.checked_rem(unsigned.1)?,
        Op::SDiv => signed.0.checked_div(signed.1)?,
        Op::SRem => signed.0.checked_rem(signed.1)?,
        Op::SMod => {
            let rest = signed.0.checked_rem(signed.1)?;
            if rest != 0 && (rest < 0) != (signed.1 < 0) {
                rest + signed.1
            } else {
                rest
            }
        }
        Op::ShiftLeftLogical => unsigned.0 << shift?,
        Op::ShiftRightLogical => unsigned.0 >> shift?,
        Op::ShiftRightArithmetic => signed.0 >> shift?,
        Op::BitwiseAnd => a.bits & b.bits,
        Op::BitwiseOr => a.bits | b.bits,
        Op::BitwiseXor => a.bits ^ b.bits,
        Op::LogicalAnd => a.bits & b.bits,
        Op::LogicalOr => a.bits | b.bits,
        Op::LogicalEqual | Op::IEqual => (unsigned.0 == unsigned.1).into(),
        Op::LogicalNotEqual | Op::INotEqual => (unsigned.0 != unsigned.1).into(),
        Op::ULessThan => (unsigned.0 < unsigned.1).into(),
        Op::ULessThanEqual => (unsigned.0 <= unsigned.1).into(),
        Op::UGreaterThan => (unsigned.0 > unsigned.1).into(),
        Op::UGreaterThanEqual => (unsigned.0 >= unsigned.1).into(),
        Op::SLessThan => (signed.0 < signed.1).into(),
        Op::SLessThanEqual => (signed.0 <= signed.1).into(),
        Op::SGreaterThan => (signed.0 > signed.1).into(),
        Op::SGreaterThanEqual => (signed.0 >= signed.1).into(),
        _ => return None,
    })
}
