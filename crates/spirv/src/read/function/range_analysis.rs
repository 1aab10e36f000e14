//! Range analysis: integers that are never negative.
//!
//! GLSL's `%` is `OpSMod`, whose result has the sign of the divisor; the result of WGSL's `%` has the sign of the
//! dividend. They agree if both operands are non-negative. In: an id. Out: whether its sign bit is known to be 0, from
//! its definition and, for loop counters (induction variables), from the loop bound. Conservative: false if unknown.

use rspirv::spirv::{GlslStd450Op as Glsl, Op};

use super::body::Body;
use crate::module::{Function, Id, Instruction, InstructionSet, Merge};

/// The maximum depth of the use-def chain that is analyzed.
const MAX_DEPTH: usize = 8;

impl Body<'_, '_> {
    /// Whether a 32- or 64-bit integer is known to be non-negative.
    pub(super) fn is_never_negative(&self, id: Id) -> bool {
        self.is_positive(id, MAX_DEPTH)
    }

    fn is_positive(&self, id: Id, depth: usize) -> bool {
        if let Some(value) = self.reader.constants.integer(id) {
            return (0..=i32::MAX.into()).contains(&value);
        }
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let Ok(definition) = self.reader.spirv.definition(id) else {
            return false;
        };
        let operand = |at: usize| {
            definition
                .id(at)
                .is_ok_and(|id| self.is_positive(id, depth))
        };
        let number = |at: usize| {
            definition
                .id(at)
                .ok()
                .and_then(|id| self.reader.constants.integer(id))
        };
        match definition.op {
            Op::BitwiseAnd => operand(0) || operand(1),
            Op::BitwiseOr | Op::BitwiseXor => operand(0) && operand(1),
            Op::ShiftRightLogical => number(1).is_some_and(|by| (1..32).contains(&by)),
            Op::ShiftRightArithmetic | Op::SRem | Op::CopyObject => operand(0),
            Op::SDiv => operand(0) && operand(1),
            Op::UDiv => number(1).is_some_and(|by| by > 1),
            Op::SMod | Op::UMod => operand(1),
            Op::Select => operand(1) && operand(2),
            Op::Bitcast => self.has_one_width(&definition) && operand(0),
            Op::ExtInst => self.is_positive_function(&definition, depth),
            Op::Load => definition
                .id(0)
                .is_ok_and(|variable| self.is_counter(variable)),
            _ => false,
        }
    }

    fn has_one_width(&self, instruction: &Instruction<'_>) -> bool {
        let width = |ty: Id| {
            let scalar = self.reader.types.scalar(ty).ok()?;
            self.reader.spirv.definition(scalar).ok()?.optional(0)
        };
        let from = instruction.id(0).and_then(|id| self.type_id(id)).ok();
        let to = instruction
            .result_type
            .filter(|to| self.reader.types.is_numbers(*to));
        let from = from.filter(|from| self.reader.types.is_numbers(*from));
        from.zip(to)
            .is_some_and(|(from, to)| width(from) == width(to))
    }

    fn is_positive_function(&self, instruction: &Instruction<'_>, depth: usize) -> bool {
        let is_glsl = instruction.id(0).is_ok_and(|set| {
            matches!(self.reader.spirv.sets.get(&set), Some(InstructionSet::Glsl))
        });
        let operand = |at: usize| {
            instruction
                .id(at)
                .is_ok_and(|id| self.is_positive(id, depth))
        };
        match instruction.optional(1).and_then(Glsl::from_u32) {
            _ if !is_glsl => false,
            Some(Glsl::SMax) | Some(Glsl::UMin) => operand(2) || operand(3),
            Some(Glsl::SMin) | Some(Glsl::UMax) => operand(2) && operand(3),
            Some(Glsl::SClamp) => operand(3) && operand(4),
            _ => false,
        }
    }

    /// Whether a local variable is a loop counter: it is only assigned non-negative constants and incremented by 1 in
    /// the continue block of a loop that continues only while it is less than a bound, so it cannot overflow.
    fn is_counter(&self, variable: Id) -> bool {
        let mut functions = self.reader.spirv.functions.iter();
        let is_first = |function: &&Function<'_>| {
            let mut first = function
                .blocks
                .iter()
                .take(1)
                .flat_map(|block| block.body());
            first.any(|instruction| {
                instruction.op == Op::Variable && instruction.result == Some(variable)
            })
        };
        let Some(function) = functions.find(is_first) else {
            return false;
        };
        let mut counts = 0;
        for (at, block) in function.blocks.iter().enumerate() {
            for instruction in block.inside() {
                let mut is_used = false;
                instruction.each_used(|id| is_used |= id == variable);
                let is_fine = match instruction.op {
                    // The operand after the storage class is the initializer.
                    Op::Variable if instruction.result == Some(variable) => {
                        instruction.id(1).is_err()
                            || instruction.id(1).is_ok_and(|value| self.is_small(value))
                    }
                    _ if !is_used => true,
                    Op::Load => true,
                    Op::Store if instruction.id(0).is_ok_and(|to| to == variable) => {
                        let value = instruction.id(1).unwrap_or(variable);
                        let is_small = self.is_small(value);
                        counts += usize::from(!is_small);
                        is_small || self.is_count(function, at, variable, value)
                    }
                    _ => false,
                };
                if !is_fine {
                    return false;
                }
            }
        }
        counts <= 1
    }

    /// Whether a value is a non-negative constant that can be incremented without overflow.
    fn is_small(&self, value: Id) -> bool {
        let number = self.reader.constants.integer(value);
        number.is_some_and(|number| (0..i32::MAX.into()).contains(&number))
    }

    /// Whether a value is the variable plus 1, computed in the continue block of a loop that the variable bounds.
    fn is_count(&self, function: &Function<'_>, at: usize, variable: Id, value: Id) -> bool {
        let label = function.blocks[at].label;
        let is_here = |id: Id| self.reader.spirv.is_defined_in(&function.blocks[at], id);
        let Ok(sum) = self.reader.spirv.definition(value) else {
            return false;
        };
        let is_sum = sum.op == Op::IAdd
            // A load in an earlier block might not be the current value.
            && sum
                .id(0)
                .is_ok_and(|operand| self.is_load(operand, variable) && is_here(operand))
            && sum
                .id(1)
                .is_ok_and(|operand| self.reader.constants.integer(operand) == Some(1));
        is_sum
            && is_here(value)
            && function.blocks.iter().any(|header| match header.merge() {
                Some(Merge::Loop {
                    merge, continuing, ..
                }) => continuing == label && self.is_bounded(function, header, merge, variable),
                _ => false,
            })
    }

    /// Whether a loop continues only while the variable is less than a bound.
    fn is_bounded(
        &self,
        function: &Function<'_>,
        header: &crate::module::Block<'_>,
        merge: Id,
        variable: Id,
    ) -> bool {
        let mut end = header.terminator();
        let mut block = header;
        if end.op == Op::Branch {
            let next = end
                .id(0)
                .ok()
                .and_then(|label| self.reader.spirv.block_of(label));
            let Some(next) = next.and_then(|at| function.blocks.get(at)) else {
                return false;
            };
            block = next;
            end = next.terminator();
        }
        let is_plain = block.merge().is_none() || std::ptr::eq(block, header);
        let condition = end.id(0).ok().filter(|_| end.op == Op::BranchConditional);
        let Some(less) = condition.and_then(|id| self.reader.spirv.definition(id).ok()) else {
            return false;
        };
        let is_here = |id: Id| self.reader.spirv.is_defined_in(block, id);
        let stores = block
            .body()
            .any(|instruction| instruction.op == Op::Store || instruction.op == Op::FunctionCall);
        is_plain
            && !stores
            && end.id(2).is_ok_and(|to| to == merge)
            && less.op == Op::SLessThan
            && less
                .id(0)
                .is_ok_and(|operand| self.is_load(operand, variable) && is_here(operand))
    }

    fn is_load(&self, id: Id, variable: Id) -> bool {
        let made = self.reader.spirv.definition(id);
        made.is_ok_and(|instruction| {
            instruction.op == Op::Load && instruction.id(0).is_ok_and(|from| from == variable)
        })
    }
}
