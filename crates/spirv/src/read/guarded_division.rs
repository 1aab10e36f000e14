//! Pattern matching of guarded division helpers.
//!
//! A division by zero is undefined in SPIR-V and defined in WGSL, so WGSL compilers emit helper functions that replace
//! such divisors by 1. In: a function. Out: the operator `/` or `%` if the function computes exactly that, so that
//! calls of it become the operator again. The helpers are recognized by their computation, not by their names:
//! `divisor = select(b == 0 || (a == MIN && b == -1), 1, b)`, then `a / divisor`, or the remainder, which may be `a -
//! a / divisor * divisor`. Unsigned helpers have the first condition only.

use anywarp_program::naga::BinaryOperator;
use rspirv::spirv::Op;

use super::Reader;
use super::constants::Constant;
use super::types::Type;
use crate::module::{Function, Id, Instruction};

/// A candidate function.
struct GuardCandidate<'r, 'a> {
    reader: &'r Reader<'a>,
    left: Id,
    right: Id,
    bits: u32,
    is_signed: bool,
}

impl Reader<'_> {
    /// The operator that a function is equivalent to.
    pub(super) fn guarded_operator(&self, function: &Function<'_>) -> Option<BinaryOperator> {
        let [left, right] = &function.parameters[..] else {
            return None;
        };
        let [block] = &function.blocks[..] else {
            return None;
        };
        let ty = function.result_type;
        if left.result_type != Some(ty) || right.result_type != Some(ty) {
            return None;
        }
        let scalar = self.types.scalar(ty).ok()?;
        let Type::Int { bits, is_signed } = *self.types.get(scalar).ok()? else {
            return None;
        };
        let end = block.terminator();
        let is_plain = block
            .inside()
            .all(|instruction| is_computed(instruction.op));
        if end.op != Op::ReturnValue || !is_plain || !matches!(bits, 32 | 64) {
            return None;
        }
        let guarded = GuardCandidate {
            reader: self,
            left: left.result?,
            right: right.result?,
            bits,
            is_signed,
        };
        guarded.operator(end.id(0).ok()?)
    }
}

/// The opcodes in such a helper.
fn is_computed(op: Op) -> bool {
    matches!(
        op,
        Op::IEqual
            | Op::LogicalAnd
            | Op::LogicalOr
            | Op::Select
            | Op::UDiv
            | Op::SDiv
            | Op::UMod
            | Op::SRem
            | Op::IMul
            | Op::ISub
    )
}

impl<'a> GuardCandidate<'_, 'a> {
    fn definition(&self, id: Id, op: Op) -> Option<Instruction<'a>> {
        let made = self.reader.spirv.definition(id).ok();
        made.filter(|definition| definition.op == op)
    }

    fn operator(&self, result: Id) -> Option<BinaryOperator> {
        let (divide, rest) = if self.is_signed {
            (Op::SDiv, Op::SRem)
        } else {
            (Op::UDiv, Op::UMod)
        };
        if self.divides(result, divide).is_some() {
            return Some(BinaryOperator::Divide);
        }
        if self.divides(result, rest).is_some() {
            return Some(BinaryOperator::Modulo);
        }
        let difference = self.definition(result, Op::ISub)?;
        let product = self.definition(difference.id(1).ok()?, Op::IMul)?;
        let (first, second) = (product.id(0).ok()?, product.id(1).ok()?);
        let is_product = |quotient, divisor| self.divides(quotient, divide) == Some(divisor);
        let is_rest = difference.id(0).ok()? == self.left
            && (is_product(first, second) || is_product(second, first));
        is_rest.then_some(BinaryOperator::Modulo)
    }

    /// The guarded divisor of an instruction that divides the first parameter.
    fn divides(&self, id: Id, op: Op) -> Option<Id> {
        let definition = self.definition(id, op)?;
        let divisor = definition.id(1).ok()?;
        (definition.id(0).ok()? == self.left && self.is_divisor(divisor)).then_some(divisor)
    }

    fn is_divisor(&self, id: Id) -> bool {
        let Some(select) = self.definition(id, Op::Select) else {
            return false;
        };
        let operands: Vec<Id> = select.ids(0).collect();
        let [condition, one, right] = operands[..] else {
            return false;
        };
        let is_guard = if self.is_signed {
            self.is_either(condition)
        } else {
            self.equals(condition, self.right, 0)
        };
        is_guard && right == self.right && self.is_all(one, 1)
    }

    /// Whether a condition is: the divisor is 0, or the quotient overflows.
    fn is_either(&self, id: Id) -> bool {
        let least = match self.bits {
            64 => i64::MIN,
            _ => i32::MIN.into(),
        };
        let is_zero = |id| self.equals(id, self.right, 0);
        let is_least = |id| self.equals(id, self.left, least);
        let is_minus_one = |id| self.equals(id, self.right, -1);
        let overflows = |id| self.both(id, Op::LogicalAnd, &is_least, &is_minus_one);
        self.both(id, Op::LogicalOr, &is_zero, &overflows)
    }

    /// Whether an instruction has this opcode and operands that satisfy the two predicates, in either order.
    fn both(
        &self,
        id: Id,
        op: Op,
        first: &dyn Fn(Id) -> bool,
        second: &dyn Fn(Id) -> bool,
    ) -> bool {
        let operands = self.definition(id, op);
        let operands =
            operands.and_then(|definition| Some((definition.id(0).ok()?, definition.id(1).ok()?)));
        operands.is_some_and(|(left, right)| {
            (first(left) && second(right)) || (first(right) && second(left))
        })
    }

    fn equals(&self, id: Id, value: Id, number: i64) -> bool {
        let is_value = |id| id == value;
        let is_number = |id| self.is_all(id, number);
        self.both(id, Op::IEqual, &is_value, &is_number)
    }

    /// Whether a constant is this number, or a vector with this number in all components.
    fn is_all(&self, id: Id, number: i64) -> bool {
        let constants = &self.reader.constants;
        match constants.get(id) {
            Some((_, Constant::Composite(parts))) => parts
                .iter()
                .all(|part| constants.integer(*part) == Some(number)),
            _ => constants.integer(id) == Some(number),
        }
    }
}
