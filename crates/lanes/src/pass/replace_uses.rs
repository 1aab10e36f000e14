//! Replaces all uses of values by other values (LLVM: replaceAllUsesWith), for many values at once.

use crate::ir::{Function, Value};

/// The replacement of each value. Chains are followed, so that a replacement may itself be replaced later.
#[derive(Clone, Debug)]
pub(crate) struct Replacements {
    by: Vec<Value>,
    is_empty: bool,
}

impl Replacements {
    /// No value is replaced.
    pub(crate) fn new(function: &Function) -> Self {
        Self {
            by: (0..function.types.len() as u32).map(Value).collect(),
            is_empty: true,
        }
    }

    /// Replaces a value by another, which must not be replaced by the first, directly or through a chain.
    pub(crate) fn put(&mut self, old: Value, new: Value) {
        self.by[old.index()] = new;
        self.is_empty = false;
    }

    /// The final replacement of a value, with path compression.
    pub(crate) fn find(&mut self, value: Value) -> Value {
        let mut value = value;
        // Values that were added after this table are not replaced.
        while let Some(&next) = self.by.get(value.index()) {
            if next == value {
                break;
            }
            let after = self.by.get(next.index()).copied().unwrap_or(next);
            self.by[value.index()] = after;
            value = next;
        }
        value
    }

    /// Rewrites every use in a function.
    pub(crate) fn apply(&mut self, function: &mut Function) {
        if self.is_empty {
            return;
        }
        for block in &mut function.blocks {
            for inst in &mut block.insts {
                for operand in &mut inst.operands {
                    *operand = self.find(*operand);
                }
            }
            block.terminator.map_uses(|value| self.find(value));
        }
    }
}
