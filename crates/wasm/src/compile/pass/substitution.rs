//! Which value replaces which: a union-find forest with path halving.

use crate::compile::ir::{Function, Value};

/// The replacements of one pass. Values that are added later are not replaced.
pub(super) struct Substitution {
    targets: Vec<Value>,
    is_empty: bool,
}

impl Substitution {
    /// No replacements.
    pub(super) fn new(function: &Function) -> Self {
        let count = u32::try_from(function.value_count()).unwrap_or(u32::MAX);
        Self {
            targets: (0..count).map(Value).collect(),
            is_empty: true,
        }
    }

    /// Replaces a value by another one, which may have a replacement itself. The value must not be
    /// that replacement.
    pub(super) fn replace(&mut self, value: Value, by: Value) {
        let by = self.find(by);
        debug_assert_ne!(value, by);
        self.targets[value.0 as usize] = by;
        self.is_empty = false;
    }

    /// Whether nothing is replaced.
    pub(super) const fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// What a value becomes.
    pub(super) fn find(&mut self, value: Value) -> Value {
        let mut at = value.0 as usize;
        loop {
            let Some(&next) = self.targets.get(at) else {
                return Value(at as u32);
            };
            if next.0 as usize == at {
                return next;
            }
            if let Some(&after) = self.targets.get(next.0 as usize) {
                self.targets[at] = after;
            }
            at = next.0 as usize;
        }
    }

    /// Whether a value is replaced.
    pub(super) fn is_replaced(&self, value: Value) -> bool {
        let target = self.targets.get(value.0 as usize);
        target.is_some_and(|&target| target != value)
    }

    /// Replaces the operands of all instructions and terminators.
    pub(super) fn apply(&mut self, function: &mut Function) {
        if self.is_empty {
            return;
        }
        for block in function.block_ids() {
            let insts = std::mem::take(&mut function.block_mut(block).insts);
            for &inst in &insts {
                self.apply_to(function, inst);
            }
            let data = function.block_mut(block);
            data.insts = insts;
            data.terminator
                .for_each_operand_mut(|operand| *operand = self.find(*operand));
        }
    }

    /// Replaces the operands of an instruction.
    pub(super) fn apply_to(&mut self, function: &mut Function, inst: Value) {
        let op = function.op_mut(inst);
        op.for_each_operand_mut(|operand| *operand = self.find(*operand));
    }
}
