//! Builds groups: items for the emitter, operands for the register allocator.
//!
//! A *group* is one instruction of the register allocator, lowered to several items. Between groups the allocator may
//! insert moves, which use the scratch registers and do not preserve the flags. Inside a group nothing comes between
//! items.

use iced_x86::{Code, OpKind, Register};
use regalloc2::{PReg, RegClass, VReg};

use super::machine_inst::{
    Address, AddressRegister, Arg, Condition, GroupItem, Label, MachineInst, RegView, Slot,
};
use super::registers::{CONTEXT, FRAME};
use super::select::Select;
use super::vector::VectorIsa;
use crate::machine_function::InstKind;

/// A virtual register under one register name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reg(pub(crate) VReg, pub(crate) RegView);

pub(crate) fn r32(vreg: VReg) -> Reg {
    Reg(vreg, RegView::R32)
}

pub(crate) fn r64(vreg: VReg) -> Reg {
    Reg(vreg, RegView::R64)
}

pub(crate) fn xmm(vreg: VReg) -> Reg {
    Reg(vreg, RegView::Xmm)
}

pub(crate) fn ymm(vreg: VReg) -> Reg {
    Reg(vreg, RegView::Ymm)
}

pub(crate) fn zmm(vreg: VReg) -> Reg {
    Reg(vreg, RegView::Zmm)
}

pub(crate) fn k(vreg: VReg) -> Reg {
    Reg(vreg, RegView::K)
}

/// The base of an address.
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

/// The index of an address.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Index {
    Reg(Reg),
    Slot(Slot),
    /// The scratch register.
    R11,
    /// The vector scratch register of AVX-512.
    Zmm31,
}

/// A memory operand: base + index * scale + offset.
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

/// An operand of an instruction under construction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    /// Written after all operands are read.
    Def(Reg),
    /// Read.
    Use(Reg),
    /// Read, possibly from a spill slot.
    Any(Reg),
    /// Read as the second value and overwritten (two-address form).
    Tied(Reg, VReg),
    Memory(Memory),
    /// A slot of the same group.
    Slot(Slot),
    Fixed(Register),
    Imm8(u8),
    /// A byte, sign-extended to 32 bits.
    SignedImm8(i8),
    Imm32(i32),
    /// 32 bits, sign-extended to 64.
    Imm64(i32),
}

/// Scratch registers: free inside a group.
pub(crate) const R11: Operand = Operand::Fixed(Register::R11);
pub(crate) const R11D: Operand = Operand::Fixed(Register::R11D);
pub(crate) const R11L: Operand = Operand::Fixed(Register::R11L);

/// A mask register and the masking mode for inactive lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Masking {
    /// Merging-masking: inactive lanes of the destination keep their value.
    Merge(Operand),
    /// Zeroing-masking: inactive lanes become 0. For stores and comparisons, inactive lanes have no effect.
    Zero(Operand),
}

impl<V: VectorIsa> Select<'_, V> {
    /// Adds a group of one machine instruction.
    pub(crate) fn op(&mut self, code: Code, args: &[Operand]) {
        self.begin();
        self.item(code, args);
        self.end();
    }

    /// Adds a group of one machine instruction under a mask.
    pub(crate) fn masked_op(&mut self, code: Code, args: &[Operand], masking: Masking) {
        self.begin();
        self.masked_item(code, args, masking);
        self.end();
    }

    /// Begins a group.
    pub(crate) fn begin(&mut self) {
        debug_assert!(!self.is_open, "groups do not nest");
        self.is_open = true;
        self.first_operand = self.machine.operands.len();
    }

    /// Ends a group after which control continues with the next one.
    pub(crate) fn end(&mut self) {
        self.end_as(InstKind::Plain);
    }

    /// Ends a group.
    pub(crate) fn end_as(&mut self, ending: InstKind) {
        debug_assert!(self.is_open, "a group is ended once");
        self.is_open = false;
        self.machine
            .insts
            .push((self.machine.operands.len() as u32, ending));
        self.item_ends.push(self.items.len() as u32);
        self.origins.push(self.origin);
    }

    fn slot(&mut self, operand: regalloc2::Operand, view: RegView) -> Slot {
        debug_assert!(self.is_open, "operands belong to a group");
        let index = self.machine.operands.len() - self.first_operand;
        self.machine.operands.push(operand);
        Slot {
            index: index as u8,
            view,
        }
    }

    /// A register operand that is read at the beginning of the group (early use).
    pub(crate) fn use_slot(&mut self, reg: Reg) -> Slot {
        self.slot(regalloc2::Operand::reg_use(reg.0), reg.1)
    }

    /// An operand in a register or a spill slot, read at the beginning of the group (early use).
    pub(crate) fn any_slot(&mut self, reg: Reg) -> Slot {
        self.slot(regalloc2::Operand::any_use(reg.0), reg.1)
    }

    /// A register operand that may be read after results are written (late use).
    pub(crate) fn late_use_slot(&mut self, reg: Reg) -> Slot {
        self.slot(regalloc2::Operand::reg_use_at_end(reg.0), reg.1)
    }

    /// A fixed register operand that is read at the beginning of the group (early use).
    pub(crate) fn fixed_use_slot(&mut self, reg: Reg, register: PReg) -> Slot {
        self.slot(regalloc2::Operand::reg_fixed_use(reg.0, register), reg.1)
    }

    /// A register operand that is written after all operands are read (late definition).
    pub(crate) fn def_slot(&mut self, reg: Reg) -> Slot {
        self.slot(regalloc2::Operand::reg_def(reg.0), reg.1)
    }

    /// A fixed register operand that is written after all operands are read (late definition).
    pub(crate) fn fixed_def_slot(&mut self, reg: Reg, register: PReg) -> Slot {
        self.slot(regalloc2::Operand::reg_fixed_def(reg.0, register), reg.1)
    }

    /// A register operand that is written while others are still to be read (early definition).
    pub(crate) fn early_def_slot(&mut self, reg: Reg) -> Slot {
        self.slot(regalloc2::Operand::reg_def_at_start(reg.0), reg.1)
    }

    /// A temporary register of the group.
    pub(crate) fn temp_slot(&mut self, class: RegClass, view: RegView) -> Slot {
        let vreg = self.machine.vreg(class);
        self.slot(regalloc2::Operand::reg_temp(vreg), view)
    }

    /// A fixed temporary register of the group.
    pub(crate) fn fixed_temp_slot(&mut self, register: PReg, view: RegView) -> Slot {
        let vreg = self.machine.vreg(register.class());
        self.slot(
            regalloc2::Operand::reg_fixed_def_at_start(vreg, register),
            view,
        )
    }

    /// A register operand that is read and then overwritten by the result (regalloc2's `Reuse` constraint).
    pub(crate) fn tied_slot(&mut self, result: Reg, value: VReg) -> Slot {
        let from = self.slot(regalloc2::Operand::reg_use(value), result.1);
        self.slot(
            regalloc2::Operand::reg_reuse_def(result.0, from.index.into()),
            result.1,
        )
    }

    /// Adds a machine instruction to the group.
    pub(crate) fn item(&mut self, code: Code, args: &[Operand]) {
        let instr = self.instr(code, args);
        self.items.push(GroupItem::MachineInst(instr));
    }

    /// Adds a machine instruction under a mask.
    pub(crate) fn masked_item(&mut self, code: Code, args: &[Operand], masking: Masking) {
        let mut instr = self.instr(code, args);
        instr.mask = Some(match masking {
            Masking::Merge(operand) => (self.arg(operand), false),
            Masking::Zero(operand) => (self.arg(operand), true),
        });
        self.items.push(GroupItem::MachineInst(instr));
    }

    /// Adds a machine instruction with a `lock` prefix.
    pub(crate) fn locked_item(&mut self, code: Code, args: &[Operand]) {
        let mut instr = self.instr(code, args);
        instr.is_locked = true;
        self.items.push(GroupItem::MachineInst(instr));
    }

    fn instr(&mut self, code: Code, operands: &[Operand]) -> MachineInst {
        let mut args = [None; 4];
        for (arg, operand) in args.iter_mut().zip(operands) {
            *arg = Some(self.arg(*operand));
        }
        MachineInst {
            code,
            args,
            mask: None,
            is_locked: false,
        }
    }

    fn arg(&mut self, operand: Operand) -> Arg {
        match operand {
            Operand::Def(reg) => Arg::Slot(self.def_slot(reg)),
            Operand::Use(reg) => Arg::Slot(self.use_slot(reg)),
            Operand::Any(reg) => Arg::Slot(self.any_slot(reg)),
            Operand::Tied(reg, value) => Arg::Slot(self.tied_slot(reg, value)),
            Operand::Memory(memory) => Arg::Memory(self.address(memory)),
            Operand::Slot(slot) => Arg::Slot(slot),
            Operand::Fixed(register) => Arg::Fixed(register),
            Operand::Imm8(value) => Arg::Immediate(OpKind::Immediate8, value.into()),
            Operand::SignedImm8(value) => Arg::Immediate(OpKind::Immediate8to32, value.into()),
            Operand::Imm32(value) => Arg::Immediate(OpKind::Immediate32, value),
            Operand::Imm64(value) => Arg::Immediate(OpKind::Immediate32to64, value),
        }
    }

    fn address(&mut self, memory: Memory) -> Address {
        let base = match memory.base {
            Base::Reg(vreg) => AddressRegister::Slot(self.use_slot(r64(vreg))),
            Base::Slot(slot) => AddressRegister::Slot(Slot {
                view: RegView::R64,
                ..slot
            }),
            Base::Context => AddressRegister::Fixed(CONTEXT),
            Base::Frame | Base::Scratch => AddressRegister::Fixed(FRAME),
            Base::Pool => AddressRegister::Pool,
            Base::Stack => AddressRegister::Fixed(Register::RSP),
            Base::R11 => AddressRegister::Fixed(Register::R11),
        };
        Address {
            base,
            index: memory.index.map(|index| match index {
                Index::Reg(reg) => AddressRegister::Slot(self.use_slot(reg)),
                Index::Slot(slot) => AddressRegister::Slot(slot),
                Index::R11 => AddressRegister::Fixed(Register::R11),
                Index::Zmm31 => AddressRegister::Fixed(Register::ZMM31),
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

    /// Binds a label to the current position.
    pub(crate) fn bind(&mut self, label: Label) {
        self.items.push(GroupItem::Bind(label));
    }

    /// Adds a conditional jump inside the group.
    pub(crate) fn jump_if(&mut self, condition: Condition, label: Label) {
        self.items.push(GroupItem::JumpIf(condition, label));
    }
}
