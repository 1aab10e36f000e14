//! The operand stack while a function is lowered.

use crate::bytecode::Type;
use crate::ir::{Operand, Slot};

/// Where an entry's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// In its home.
    Home,
    /// In a local variable's slot.
    Local(Slot),
    /// Nowhere yet.
    Const(u64),
}

/// A value on the stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub value: Value,
    pub ty: Type,
    /// The slot at its height.
    pub home: Slot,
}

impl Entry {
    pub(super) fn operand(self) -> Operand {
        match self.value {
            Value::Home => Operand::Slot(self.home),
            Value::Local(slot) => Operand::Slot(slot),
            Value::Const(bits) => Operand::Const(bits),
        }
    }

    pub(super) fn width(self) -> u32 {
        self.ty.slots()
    }
}

/// The stack.
#[derive(Default)]
pub(super) struct Stack {
    entries: Vec<Entry>,
    base: Slot,
    peak: Slot,
    /// For each slot of a local, how many entries stand for it.
    pending: Vec<u32>,
    /// Entries below this one stand for no local.
    settled: usize,
}

impl Stack {
    /// An empty stack behind this many slots of locals.
    pub(super) fn new(base: Slot) -> Self {
        Self {
            base,
            peak: base,
            pending: vec![0; base as usize],
            ..Self::default()
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn top(&self) -> Slot {
        let top = self.entries.last();
        top.map_or(self.base, |entry| entry.home + entry.width())
    }

    pub(super) fn peak(&self) -> Slot {
        self.peak
    }

    /// Makes room for slots above the top.
    pub(super) fn reach(&mut self, end: Slot) {
        self.peak = self.peak.max(end);
    }

    pub(super) fn push(&mut self, value: Value, ty: Type) -> Slot {
        let home = self.top();
        if let Value::Local(slot) = value {
            self.pending[slot as usize] += 1;
        }
        self.entries.push(Entry { value, ty, home });
        self.peak = self.peak.max(home + ty.slots());
        home
    }

    /// Takes the top. Validation has seen to it that there is one.
    pub(super) fn pop(&mut self) -> Entry {
        let entry = self.entries.pop().expect("validated: an operand");
        if let Value::Local(slot) = entry.value {
            self.pending[slot as usize] -= 1;
        }
        self.settled = self.settled.min(self.entries.len());
        entry
    }

    pub(super) fn truncate(&mut self, len: usize) {
        while self.entries.len() > len {
            self.pop();
        }
    }

    /// The topmost entries.
    pub(super) fn last(&self, count: usize) -> &[Entry] {
        &self.entries[self.entries.len() - count..]
    }

    /// Turns entries that stand for this local into homes, and gives them.
    pub(super) fn settle_local(&mut self, slot: Slot) -> Vec<Entry> {
        let mut found = Vec::new();
        let mut pending = self.pending[slot as usize];
        for entry in self.entries.iter_mut().rev() {
            if pending == 0 {
                break;
            }
            if entry.value == Value::Local(slot) {
                found.push(*entry);
                entry.value = Value::Home;
                pending -= 1;
            }
        }
        self.pending[slot as usize] = 0;
        found
    }

    /// Turns all entries that stand for locals into homes, and gives them.
    pub(super) fn settle_locals(&mut self) -> Vec<Entry> {
        let mut found = Vec::new();
        for entry in &mut self.entries[self.settled..] {
            if let Value::Local(slot) = entry.value {
                found.push(*entry);
                entry.value = Value::Home;
                self.pending[slot as usize] -= 1;
            }
        }
        self.settled = self.entries.len();
        found
    }

    /// Turns the topmost entries into homes, and gives those that were none.
    pub(super) fn settle_last(&mut self, count: usize) -> Vec<Entry> {
        let first = self.entries.len() - count;
        let mut found = Vec::new();
        for entry in &mut self.entries[first..] {
            if entry.value == Value::Home {
                continue;
            }
            if let Value::Local(slot) = entry.value {
                self.pending[slot as usize] -= 1;
            }
            found.push(*entry);
            entry.value = Value::Home;
        }
        found
    }
}
