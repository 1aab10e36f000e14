//! Puts instructions together: items for the emitter, operands for the register allocator.
//!
//! One instruction of the allocator is a *group* of items. Between groups the allocator may put moves, which use the
//! scratch registers and do not keep the flags; inside of a group nothing comes between items.

use iced_x86::{Code, OpKind, Register};
use regalloc2::{Operand, PReg, RegClass, VReg};

use super::item::{Address, Arg, Condition, Instr, Item, Label, Place, Slot, View};
use super::registers::{CONTEXT, FRAME};
use super::select::Select;
use crate::machine::Ending;

/// A virtual register, seen in a certain way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reg(pub(crate) VReg, pub(crate) View);

pub(crate) fn r32(vreg: VReg) -> Reg {
    Reg(vreg, View::R32)
}

pub(crate) fn r64(vreg: VReg) -> Reg {
    Reg(vreg, View::R64)
}

pub(crate) fn xmm(vreg: VReg) -> Reg {
    Reg(vreg, View::Xmm)
}

pub(crate) fn ymm(vreg: VReg) -> Reg {
    Reg(vreg, View::Ymm)
}

pub(crate) fn zmm(vreg: VReg) -> Reg {
    Reg(vreg, View::Zmm)
}

pub(crate) fn k(vreg: VReg) -> Reg {
    Reg(vreg, View::K)
}

/// What an address begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Base {
    Reg(VReg),
    Slot(Slot),
    Context,
    Frame,
    Pool,
    Scratch,
    Stack,
    /// The scratch register.
    R11,
}

/// What an address counts with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Index {
    Reg(Reg),
    Slot(Slot),
    /// The scratch register.
    R11,
    /// The scratch register for vectors of AVX-512.
    Zmm31,
}

/// An operand in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub(crate) base: Base,
    pub(crate) index: Option<Index>,
    pub(crate) scale: u8,
    pub(crate) offset: i32,
    pub(crate) is_broadcast: bool,
}

impl Memory {
    pub(crate) fn at(base: Base, offset: i32) -> Self {
        Self {
            base,
            index: None,
            scale: 1,
            offset,
            is_broadcast: false,
        }
    }

    pub(crate) fn indexed(self, index: Index, scale: u8) -> Self {
        Self {
            index: Some(index),
            scale,
            ..self
        }
    }

    pub(crate) fn broadcast(self) -> Self {
        Self {
            is_broadcast: true,
            ..self
        }
    }
}

/// An operand of an instruction that is being put together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// Written, after everything is read.
    Def(Reg),
    /// Read.
    Use(Reg),
    /// Read, from the stack if it is there.
    Any(Reg),
    /// Written, and read before as another value.
    Tied(Reg, VReg),
    Memory(Memory),
    /// A slot of the same group.
    Slot(Slot),
    Fixed(Register),
    Imm8(u8),
    /// A byte whose sign is extended to 32 bits.
    SignedImm8(i8),
    Imm32(i32),
    /// 32 bits whose sign is extended to 64.
    Imm64(i32),
}

/// Scratch registers: free inside of a group.
pub(crate) const R11: Part = Part::Fixed(Register::R11);
pub(crate) const R11D: Part = Part::Fixed(Register::R11D);
pub(crate) const R11L: Part = Part::Fixed(Register::R11L);

/// A mask register, and what happens outside of it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Masking {
    /// Lanes keep what the destination had.
    Keep(Part),
    /// Lanes become 0. Of stores and comparisons: nothing happens.
    Zero(Part),
}

impl Select<'_> {
    /// One instruction of the machine as a group.
    pub(crate) fn op(&mut self, code: Code, parts: &[Part]) {
        self.begin();
        self.item(code, parts);
        self.end();
    }

    /// One instruction under a mask as a group.
    pub(crate) fn masked_op(&mut self, code: Code, parts: &[Part], masking: Masking) {
        self.begin();
        self.masked_item(code, parts, masking);
        self.end();
    }

    /// Begins a group.
    pub(crate) fn begin(&mut self) {
        debug_assert!(!self.is_open, "groups do not nest");
        self.is_open = true;
        self.first_operand = self.machine.operands.len();
    }

    /// Ends a group that does not end its block.
    pub(crate) fn end(&mut self) {
        self.end_as(Ending::No);
    }

    /// Ends a group.
    pub(crate) fn end_as(&mut self, ending: Ending) {
        debug_assert!(self.is_open, "a group is ended once");
        self.is_open = false;
        self.machine
            .insts
            .push((self.machine.operands.len() as u32, ending));
        self.item_ends.push(self.items.len() as u32);
        self.origins.push(self.origin);
    }

    fn slot(&mut self, operand: Operand, view: View) -> Slot {
        debug_assert!(self.is_open, "operands belong to a group");
        let index = self.machine.operands.len() - self.first_operand;
        self.machine.operands.push(operand);
        Slot {
            index: index as u8,
            view,
        }
    }

    /// A register that is read at the beginning of the group.
    pub(crate) fn use_slot(&mut self, reg: Reg) -> Slot {
        self.slot(Operand::reg_use(reg.0), reg.1)
    }

    /// A register, or the stack, that is read at the beginning of the group.
    pub(crate) fn any_slot(&mut self, reg: Reg) -> Slot {
        self.slot(Operand::any_use(reg.0), reg.1)
    }

    /// A register that is read anywhere in the group, also after results are written.
    pub(crate) fn late_use_slot(&mut self, reg: Reg) -> Slot {
        self.slot(Operand::reg_use_at_end(reg.0), reg.1)
    }

    /// A register that is read at the beginning of the group.
    pub(crate) fn fixed_use_slot(&mut self, reg: Reg, place: PReg) -> Slot {
        self.slot(Operand::reg_fixed_use(reg.0, place), reg.1)
    }

    /// A register that is written after everything is read.
    pub(crate) fn def_slot(&mut self, reg: Reg) -> Slot {
        self.slot(Operand::reg_def(reg.0), reg.1)
    }

    /// A register that is written after everything is read.
    pub(crate) fn fixed_def_slot(&mut self, reg: Reg, place: PReg) -> Slot {
        self.slot(Operand::reg_fixed_def(reg.0, place), reg.1)
    }

    /// A register that is written while others are still to be read.
    pub(crate) fn early_def_slot(&mut self, reg: Reg) -> Slot {
        self.slot(Operand::reg_def_at_start(reg.0), reg.1)
    }

    /// A register for the group alone.
    pub(crate) fn temp_slot(&mut self, class: RegClass, view: View) -> Slot {
        let vreg = self.machine.vreg(class);
        self.slot(Operand::reg_temp(vreg), view)
    }

    /// A certain register for the group alone.
    pub(crate) fn fixed_temp_slot(&mut self, place: PReg, view: View) -> Slot {
        let vreg = self.machine.vreg(place.class());
        self.slot(Operand::reg_fixed_def_at_start(vreg, place), view)
    }

    /// A register that has one value at the beginning and another at the end.
    pub(crate) fn tied_slot(&mut self, result: Reg, value: VReg) -> Slot {
        let from = self.slot(Operand::reg_use(value), result.1);
        self.slot(
            Operand::reg_reuse_def(result.0, from.index.into()),
            result.1,
        )
    }

    /// One instruction of the machine.
    pub(crate) fn item(&mut self, code: Code, parts: &[Part]) {
        let instr = self.instr(code, parts);
        self.items.push(Item::Instr(instr));
    }

    /// One instruction of the machine under a mask.
    pub(crate) fn masked_item(&mut self, code: Code, parts: &[Part], masking: Masking) {
        let mut instr = self.instr(code, parts);
        instr.mask = Some(match masking {
            Masking::Keep(part) => (self.arg(part), false),
            Masking::Zero(part) => (self.arg(part), true),
        });
        self.items.push(Item::Instr(instr));
    }

    /// One instruction of the machine that others see as one step.
    pub(crate) fn locked_item(&mut self, code: Code, parts: &[Part]) {
        let mut instr = self.instr(code, parts);
        instr.is_locked = true;
        self.items.push(Item::Instr(instr));
    }

    fn instr(&mut self, code: Code, parts: &[Part]) -> Instr {
        let mut args = [None; 4];
        for (arg, part) in args.iter_mut().zip(parts) {
            *arg = Some(self.arg(*part));
        }
        Instr {
            code,
            args,
            mask: None,
            is_locked: false,
        }
    }

    fn arg(&mut self, part: Part) -> Arg {
        match part {
            Part::Def(reg) => Arg::Slot(self.def_slot(reg)),
            Part::Use(reg) => Arg::Slot(self.use_slot(reg)),
            Part::Any(reg) => Arg::Slot(self.any_slot(reg)),
            Part::Tied(reg, value) => Arg::Slot(self.tied_slot(reg, value)),
            Part::Memory(memory) => Arg::Memory(self.address(memory)),
            Part::Slot(slot) => Arg::Slot(slot),
            Part::Fixed(register) => Arg::Fixed(register),
            Part::Imm8(value) => Arg::Immediate(OpKind::Immediate8, value.into()),
            Part::SignedImm8(value) => Arg::Immediate(OpKind::Immediate8to32, value.into()),
            Part::Imm32(value) => Arg::Immediate(OpKind::Immediate32, value),
            Part::Imm64(value) => Arg::Immediate(OpKind::Immediate32to64, value),
        }
    }

    fn address(&mut self, memory: Memory) -> Address {
        let base = match memory.base {
            Base::Reg(vreg) => Place::Slot(self.use_slot(r64(vreg))),
            Base::Slot(slot) => Place::Slot(Slot {
                view: View::R64,
                ..slot
            }),
            Base::Context => Place::Fixed(CONTEXT),
            Base::Frame | Base::Scratch => Place::Fixed(FRAME),
            Base::Pool => Place::Pool,
            Base::Stack => Place::Fixed(Register::RSP),
            Base::R11 => Place::Fixed(Register::R11),
        };
        Address {
            base,
            index: memory.index.map(|index| match index {
                Index::Reg(reg) => Place::Slot(self.use_slot(reg)),
                Index::Slot(slot) => Place::Slot(slot),
                Index::R11 => Place::Fixed(Register::R11),
                Index::Zmm31 => Place::Fixed(Register::ZMM31),
            }),
            scale: memory.scale,
            offset: match memory.base {
                Base::Scratch => memory.offset + self.scratch_start(),
                _ => memory.offset,
            },
            is_broadcast: memory.is_broadcast,
        }
    }

    /// A new label.
    pub(crate) fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    /// The label is here.
    pub(crate) fn bind(&mut self, label: Label) {
        self.items.push(Item::Bind(label));
    }

    /// A jump inside of the group.
    pub(crate) fn jump_if(&mut self, condition: Condition, label: Label) {
        self.items.push(Item::JumpIf(condition, label));
    }
}
