//! Types of the literals whose width the grammar leaves open.
//!
//! In: instructions, in order. Out: the type of a constant's literal, and of the literals of a switch. Only earlier
//! instructions are considered, as SPIR-V requires definitions before uses.

use std::collections::HashMap;

use rspirv::grammar::OperandKind;
use rspirv::spirv::Op;

use super::grammar;

/// The type of a numeric literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumericType {
    /// 8, 16, 32 or 64 bits.
    Integer { width: u32, is_signed: bool },
    /// 16, 32 or 64 bits.
    Float { width: u32 },
}

/// The numeric types and the values of such types defined so far.
#[derive(Debug, Default)]
pub(super) struct NumericTypes {
    types: HashMap<u32, NumericType>,
    /// From ids of values to their numeric types.
    values: HashMap<u32, u32>,
}

impl NumericTypes {
    /// Records an instruction, given with its first word.
    pub(super) fn note(&mut self, words: &[u32]) {
        let [first, operands @ ..] = words else {
            return;
        };
        let number = match (Op::from_u32(first & 0xffff), operands) {
            (Some(Op::TypeInt), [_, width @ (8 | 16 | 32 | 64), is_signed @ (0 | 1)]) => {
                Some(NumericType::Integer {
                    width: *width,
                    is_signed: *is_signed == 1,
                })
            }
            (Some(Op::TypeFloat), [_, width @ (16 | 32 | 64)]) => {
                Some(NumericType::Float { width: *width })
            }
            _ => None,
        };
        if let (Some(number), [id, ..]) = (number, operands) {
            self.types.insert(*id, number);
        } else if let [ty, result, ..] = operands
            && self.types.contains_key(ty)
            && is_typed(first & 0xffff)
        {
            self.values.insert(*result, *ty);
        }
    }

    /// Removes what [`Self::note`] recorded for an instruction.
    pub(super) fn forget(&mut self, words: &[u32]) {
        if let [_, id, ..] = words {
            self.types.remove(id);
        }
        if let [_, _, id, ..] = words {
            self.values.remove(id);
        }
    }

    /// The numeric type with an id.
    pub(super) fn of_type(&self, ty: u32) -> Option<NumericType> {
        self.types.get(&ty).copied()
    }

    /// The numeric type of a value.
    pub(super) fn of_value(&self, value: u32) -> Option<NumericType> {
        self.of_type(*self.values.get(&value)?)
    }
}

fn is_typed(opcode: u32) -> bool {
    let grammar = grammar::instruction(opcode);
    let first = grammar.and_then(|grammar| grammar.operands.first());
    first.is_some_and(|first| first.kind == OperandKind::IdResultType)
}
