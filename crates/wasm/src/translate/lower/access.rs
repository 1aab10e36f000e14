//! Local variables and operand stack entries: reading, writing, copies to home slots, and
//! retargeting of the last instruction (a peephole copy elimination).

use super::super::ir::{self, Argument, Inst, Plain, Slot};
use super::Lowering;
use super::stack::{Entry, ValueLocation};
use crate::bytecode::{Format, Op, Type};

impl Lowering<'_> {
    /// Copies an entry's value to its home slot.
    pub(super) fn copy_home(&mut self, entry: Entry) {
        self.plain(ir::copy(entry.home, entry.operand(), entry.width()));
    }

    /// Copies all stack entries that refer to a local to their home slots.
    pub(super) fn materialize_locals(&mut self) {
        for entry in self.stack.materialize_locals() {
            self.copy_home(entry);
        }
    }

    /// The slot that holds an entry's value; a constant is copied to its home first.
    pub(super) fn slot_of(&mut self, entry: Entry) -> Slot {
        match entry.value {
            ValueLocation::Home => entry.home,
            ValueLocation::Local(slot) => slot,
            ValueLocation::Const(_) => {
                self.copy_home(entry);
                entry.home
            }
        }
    }

    pub(super) fn pop_slot(&mut self) -> Slot {
        let entry = self.stack.pop();
        self.slot_of(entry)
    }

    /// Pops values into their home slots, which are consecutive. Returns the first.
    pub(super) fn pop_homes(&mut self, count: usize) -> Slot {
        for entry in self.stack.materialize_last(count) {
            self.copy_home(entry);
        }
        let mut first = self.stack.top();
        for _ in 0..count {
            first = self.stack.pop().home;
        }
        first
    }

    /// Pops the arguments of a call.
    pub(super) fn pop_arguments(&mut self, count: usize) -> Box<[Argument]> {
        let entries = self.stack.last(count);
        let arguments = entries
            .iter()
            .map(|entry| Argument {
                operand: entry.operand(),
                width: entry.width(),
            })
            .collect();
        let len = self.stack.len() - count;
        self.stack.truncate(len);
        arguments
    }

    /// Pushes a result. Returns its home slot, which the caller must write.
    pub(super) fn push_home(&mut self, ty: Type) -> Slot {
        self.stack.push(ValueLocation::Home, ty)
    }

    pub(super) fn local_get(&mut self, index: u32) {
        let construct = self.read_before_write(index);
        let local = &mut self.locals[index as usize];
        local.needs_zero |= construct;
        let (slot, ty) = (local.slot, local.ty);
        self.stack.push(ValueLocation::Local(slot), ty);
    }

    /// Whether a read at this point may see the initial zero of the local: no write precedes it in
    /// a construct that is still open.
    fn read_before_write(&self, index: u32) -> bool {
        let written = self.locals[index as usize].written_in;
        written.is_none_or(|construct| !self.open[construct as usize])
    }

    fn mark_written(&mut self, index: u32) {
        // A write in a closed construct does not dominate the code after it.
        let fresh = self.read_before_write(index);
        let construct = self.construct();
        let local = &mut self.locals[index as usize];
        local.written = true;
        if fresh {
            local.written_in = Some(construct);
        }
    }

    pub(super) fn local_set(&mut self, index: u32) {
        let entry = self.stack.pop();
        self.write_local(index, entry);
    }

    pub(super) fn local_tee(&mut self, index: u32) {
        let entry = self.stack.pop();
        self.write_local(index, entry);
        match entry.value {
            ValueLocation::Const(_) => self.stack.push(entry.value, entry.ty),
            _ => self.stack.push(
                ValueLocation::Local(self.locals[index as usize].slot),
                entry.ty,
            ),
        };
    }

    fn write_local(&mut self, index: u32, entry: Entry) {
        self.mark_written(index);
        let slot = self.locals[index as usize].slot;
        if entry.value == ValueLocation::Local(slot) {
            return;
        }
        let settled = self.stack.materialize_local(slot);
        if settled.is_empty() && entry.value == ValueLocation::Home && self.retarget(entry, slot) {
            return;
        }
        for old in settled {
            self.copy_home(old);
        }
        self.plain(ir::copy(slot, entry.operand(), entry.width()));
    }

    /// Changes the destination of the last instruction, if it is the one that wrote this entry's
    /// home. The value may have been narrowed since it was written.
    pub(super) fn retarget(&mut self, entry: Entry, to: Slot) -> bool {
        let fits = |plain: &Plain| {
            let width = u32::from(plain.op.widths()[0]);
            writes_a(plain.op) && plain.a == entry.home && width == entry.width()
        };
        match self.last_plain() {
            Some(plain) if fits(plain) => {
                plain.a = to;
                true
            }
            _ => false,
        }
    }

    /// The last instruction, if it is in the current basic block.
    pub(super) fn last_plain(&mut self) -> Option<&mut Plain> {
        if self.function.code.len() <= self.fence {
            return None;
        }
        match self.function.code.last_mut() {
            Some(Inst::Plain(plain)) => Some(plain),
            _ => None,
        }
    }
}

/// Whether the slots of the first operand are the only ones that an instruction writes.
pub(crate) fn writes_a(op: Op) -> bool {
    matches!(
        op.format(),
        Format::D
            | Format::Dx
            | Format::Dxy
            | Format::Dxyz
            | Format::Dxi
            | Format::Di
            | Format::Dii
            | Format::Dn
            | Format::Load
            | Format::DxyTo
    )
}
