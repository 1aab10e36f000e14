//! Which numbers a module has: the types of literals whose width the grammar leaves open.
//!
//! In: instructions, one after the other. Out: the type of a constant's literal, and of the literals
//! of a switch. Only what was seen before counts, as SPIR-V wants it.

use std::collections::HashMap;

use rspirv::grammar::OperandKind;
use rspirv::spirv::Op;

use super::grammar;

/// A type of literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// 8, 16, 32 or 64 bits.
    Integer { width: u32, is_signed: bool },
    /// 16, 32 or 64 bits.
    Float { width: u32 },
}

/// What was seen.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    types: HashMap<u32, Number>,
    /// From values to their types; of types of numbers only.
    values: HashMap<u32, u32>,
}

impl Numbers {
    /// Takes note of an instruction, its first word included.
    pub(super) fn note(&mut self, words: &[u32]) {
        let [first, operands @ ..] = words else {
            return;
        };
        let number = match (Op::from_u32(first & 0xffff), operands) {
            (Some(Op::TypeInt), [_, width @ (8 | 16 | 32 | 64), is_signed @ (0 | 1)]) => {
                Some(Number::Integer {
                    width: *width,
                    is_signed: *is_signed == 1,
                })
            }
            (Some(Op::TypeFloat), [_, width @ (16 | 32 | 64)]) => {
                Some(Number::Float { width: *width })
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

    /// The opposite of [`Self::note`].
    pub(super) fn forget(&mut self, words: &[u32]) {
        if let [_, id, ..] = words {
            self.types.remove(id);
        }
        if let [_, _, id, ..] = words {
            self.values.remove(id);
        }
    }

    /// What a type is.
    pub(super) fn of_type(&self, ty: u32) -> Option<Number> {
        self.types.get(&ty).copied()
    }

    /// What the type of a value is.
    pub(super) fn of_value(&self, value: u32) -> Option<Number> {
        self.of_type(*self.values.get(&value)?)
    }
}

fn is_typed(opcode: u32) -> bool {
    let grammar = grammar::instruction(opcode);
    let first = grammar.and_then(|grammar| grammar.operands.first());
    first.is_some_and(|first| first.kind == OperandKind::IdResultType)
}
