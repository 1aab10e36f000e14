//! Replacing values by others, everywhere at once.

use crate::ir::{Function, Value};

/// What takes the place of each value; chains are followed, so that a value which is itself replaced later may be
/// named.
#[derive(Clone, Debug)]
pub(crate) struct Replacements {
    by: Vec<Value>,
    is_empty: bool,
}

impl Replacements {
    /// Each value stands for itself.
    pub(crate) fn new(function: &Function) -> Self {
        Self {
            by: (0..function.types.len() as u32).map(Value).collect(),
            is_empty: true,
        }
    }

    /// Puts a value in the place of another. The value must not lead back to the other.
    pub(crate) fn put(&mut self, old: Value, new: Value) {
        self.by[old.index()] = new;
        self.is_empty = false;
    }

    /// What stands for a value. Ways are made shorter as they are gone.
    pub(crate) fn find(&mut self, value: Value) -> Value {
        let mut value = value;
        // Values that were made after this table stand for themselves.
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

    /// Replaces every use in a function.
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
            block.terminator.map_uses(|it| self.find(it));
        }
    }
}
