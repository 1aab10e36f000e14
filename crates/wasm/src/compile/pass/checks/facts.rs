//! The conditions that are known at a place.

use std::collections::HashMap;

use super::super::conditions::{Fact, parts};
use super::ranges::{Range, range};
use crate::compile::ir::{Binary, Builtin, Function, Op, Type, Unary, Value};

/// A condition up to negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// Operands in order.
    Equal(Value, Value),
    LessUnsigned(Value, Value),
    LessSigned(Value, Value),
    Other(Value),
}

/// What is known, as a stack.
#[derive(Debug, Default)]
pub(super) struct Facts {
    known: HashMap<Key, bool>,
    ranges: HashMap<Value, Range>,
    log: Vec<Entry>,
}

/// How one entry of a table is undone.
#[derive(Debug)]
enum Entry {
    Condition(Key),
    Range(Value, Option<Range>),
}

impl Facts {
    /// The number of entries.
    pub(super) const fn len(&self) -> usize {
        self.log.len()
    }

    /// Forgets the latest entries.
    pub(super) fn forget(&mut self, len: usize) {
        for entry in self.log.drain(len..).rev() {
            match entry {
                Entry::Condition(key) => drop(self.known.remove(&key)),
                Entry::Range(value, Some(range)) => drop(self.ranges.insert(value, range)),
                Entry::Range(value, None) => drop(self.ranges.remove(&value)),
            }
        }
    }

    /// Adds a fact and what follows from it.
    pub(super) fn learn(&mut self, function: &Function, fact: Fact) {
        for (condition, holds) in parts(function, fact) {
            let (key, is_negated) = key(function, condition);
            let holds = holds != is_negated;
            if self.known.contains_key(&key) {
                continue;
            }
            self.known.insert(key, holds);
            self.log.push(Entry::Condition(key));
            self.learn_range(function, key, holds);
        }
    }

    fn learn_range(&mut self, function: &Function, key: Key, holds: bool) {
        let word = |value| function.as_word(value);
        match (key, holds) {
            (Key::LessUnsigned(value, limit), true) if word(limit).is_some_and(|k| k > 0) => {
                self.narrow(function, value, (0, word(limit).unwrap_or(1) - 1));
            }
            (Key::LessUnsigned(value, limit), false) => {
                self.narrow(function, value, (word(limit).unwrap_or(0), u32::MAX));
                self.narrow(function, limit, (0, word(value).unwrap_or(u32::MAX)));
            }
            (Key::LessUnsigned(limit, value), true) => {
                let low = word(limit).and_then(|k| k.checked_add(1)).unwrap_or(0);
                self.narrow(function, value, (low, u32::MAX));
            }
            (Key::Equal(left, right), true) => {
                for (value, other) in [(left, right), (right, left)] {
                    if let Some(word) = word(other) {
                        self.narrow(function, value, (word, word));
                    }
                }
            }
            _ => {}
        }
    }

    fn narrow(&mut self, function: &Function, value: Value, (low, high): Range) {
        let (old_low, old_high) = self.range(function, value);
        let new = (low.max(old_low), high.min(old_high));
        // An empty range is code that never runs.
        if function.ty(value) == Type::I32 && new != (old_low, old_high) && new.0 <= new.1 {
            let old = self.ranges.insert(value, new);
            self.log.push(Entry::Range(value, old));
        }
    }

    /// The range of a word, as unsigned numbers.
    pub(super) fn range(&self, function: &Function, value: Value) -> Range {
        range(function, &self.ranges, value)
    }

    /// Whether a condition is known to hold, or not to hold.
    pub(super) fn decide(&self, function: &Function, condition: Value) -> Option<bool> {
        if let Some(bits) = function.as_const(condition) {
            return Some(bits != 0);
        }
        let (key, is_negated) = key(function, condition);
        let holds = match self.known.get(&key) {
            Some(&holds) => Some(holds),
            None => self.decide_by_range(function, key),
        };
        holds.map(|holds| holds != is_negated)
    }

    fn decide_by_range(&self, function: &Function, key: Key) -> Option<bool> {
        let (left, right) = match key {
            Key::Equal(left, right) | Key::LessUnsigned(left, right) => (left, right),
            Key::LessSigned(..) | Key::Other(_) => return None,
        };
        if function.ty(left) != Type::I32 {
            return None;
        }
        if let (Op::Builtin(Builtin::LocalId(a)), Op::Builtin(Builtin::WorkgroupSize(b)))
        | (Op::Builtin(Builtin::WorkgroupId(a)), Op::Builtin(Builtin::NumWorkgroups(b))) =
            (function.op(left), function.op(right))
            && a == b
        {
            return Some(matches!(key, Key::LessUnsigned(..)));
        }
        let (a, b) = (self.range(function, left), self.range(function, right));
        let is_apart = a.1 < b.0 || b.1 < a.0;
        match key {
            Key::Equal(..) if is_apart => Some(false),
            Key::LessUnsigned(..) if a.1 < b.0 => Some(true),
            Key::LessUnsigned(..) if a.0 >= b.1 => Some(false),
            _ => None,
        }
    }
}

/// The key of a condition and whether the condition is its negation.
fn key(function: &Function, condition: Value) -> (Key, bool) {
    let op = function.op(condition);
    if let Op::Unary(Unary::Not, inner) = *op {
        // `fold` leaves no double negation.
        return (plain_key(function, inner).0, !plain_key(function, inner).1);
    }
    plain_key(function, condition)
}

fn plain_key(function: &Function, condition: Value) -> (Key, bool) {
    let Op::Binary(binary, left, right) = *function.op(condition) else {
        return (Key::Other(condition), false);
    };
    // Comparisons of floats do not order them: only equal operations are equal.
    let is_float = function.ty(left).is_float();
    match binary {
        Binary::Eq | Binary::Ne if !is_float => {
            let (left, right) = (left.min(right), left.max(right));
            (Key::Equal(left, right), binary == Binary::Ne)
        }
        Binary::LtUnsigned => (Key::LessUnsigned(left, right), false),
        Binary::LeUnsigned => (Key::LessUnsigned(right, left), true),
        Binary::LtSigned => (Key::LessSigned(left, right), false),
        Binary::LeSigned => (Key::LessSigned(right, left), true),
        _ => (Key::Other(condition), false),
    }
}
