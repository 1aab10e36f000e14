//! The abstract operand stack during lowering.
//!
//! What always holds: `pending` counts the entries that refer to each local, so that a write to a
//! local finds them without a scan.

use super::super::ir::{Operand, Slot};
use crate::bytecode::Type;

/// The location of an entry's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueLocation {
    /// In its home slot.
    Home,
    /// In a local variable's slot.
    Local(Slot),
    /// A constant that has not been emitted.
    Const(u64),
}

/// An entry of the operand stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub value: ValueLocation,
    pub ty: Type,
    /// The home slot: the slot at the entry's stack height.
    pub home: Slot,
}

impl Entry {
    pub(super) fn operand(self) -> Operand {
        match self.value {
            ValueLocation::Home => Operand::Slot(self.home),
            ValueLocation::Local(slot) => Operand::Slot(slot),
            ValueLocation::Const(bits) => Operand::Const(bits),
        }
    }

    pub(super) fn width(self) -> u32 {
        self.ty.slots()
    }
}

/// The operand stack.
#[derive(Default)]
pub(super) struct Stack {
    entries: Vec<Entry>,
    base: Slot,
    peak: Slot,
    /// For each slot of a local, the number of entries that refer to it.
    pending: Vec<u32>,
    /// Entries below this index do not refer to locals.
    settled: usize,
}

impl Stack {
    /// An empty stack after this many slots of locals.
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

    /// Extends the frame to slots above the top.
    pub(super) fn reach(&mut self, end: Slot) {
        self.peak = self.peak.max(end);
    }

    pub(super) fn push(&mut self, value: ValueLocation, ty: Type) -> Slot {
        let home = self.top();
        if let ValueLocation::Local(slot) = value {
            self.pending[slot as usize] += 1;
        }
        self.entries.push(Entry { value, ty, home });
        self.peak = self.peak.max(home + ty.slots());
        home
    }

    /// Pops an entry. Validation guarantees that there is one.
    pub(super) fn pop(&mut self) -> Entry {
        let entry = self.entries.pop().expect("validated: an operand");
        if let ValueLocation::Local(slot) = entry.value {
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

    /// The topmost entries, without popping them.
    pub(super) fn last(&self, count: usize) -> &[Entry] {
        &self.entries[self.entries.len() - count..]
    }

    /// Changes the entries that refer to this local to homes, and returns them as they were.
    pub(super) fn materialize_local(&mut self, slot: Slot) -> Vec<Entry> {
        let mut found = Vec::new();
        let mut pending = self.pending[slot as usize];
        for entry in self.entries.iter_mut().rev() {
            if pending == 0 {
                break;
            }
            if entry.value == ValueLocation::Local(slot) {
                found.push(*entry);
                entry.value = ValueLocation::Home;
                pending -= 1;
            }
        }
        self.pending[slot as usize] = 0;
        found
    }

    /// Changes all entries that refer to locals to homes, and returns them as they were.
    pub(super) fn materialize_locals(&mut self) -> Vec<Entry> {
        let mut found = Vec::new();
        for entry in &mut self.entries[self.settled..] {
            if let ValueLocation::Local(slot) = entry.value {
                found.push(*entry);
                entry.value = ValueLocation::Home;
                self.pending[slot as usize] -= 1;
            }
        }
        self.settled = self.entries.len();
        found
    }

    /// Changes the topmost entries to homes, and returns those that were not, as they were.
    pub(super) fn materialize_last(&mut self, count: usize) -> Vec<Entry> {
        let first = self.entries.len() - count;
        let mut found = Vec::new();
        for entry in &mut self.entries[first..] {
            if entry.value == ValueLocation::Home {
                continue;
            }
            if let ValueLocation::Local(slot) = entry.value {
                self.pending[slot as usize] -= 1;
            }
            found.push(*entry);
            entry.value = ValueLocation::Home;
        }
        found
    }
}
