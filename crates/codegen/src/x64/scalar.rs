//! Selection of scalar instructions: words and pointers, which are uniform.

use std::mem::offset_of;

use anywarp_lanes::ir::{
    BufferEntry, CallOutcome, Context, ContextField, Inst, Op, Space, Type, Value, WordBinary,
};
use iced_x86::Code;
use regalloc2::VReg;

use super::divide_scalar;
use super::group_builder::{Base, Index, Memory, Operand, R11, r32, r64};
use super::machine_inst::{Condition, GroupItem};
use super::multiply_high;
use super::select::{RDX, Select};
use super::vector::VectorIsa;
use crate::machine_function::InstKind;

/// Selects an instruction with a word or pointer result. Returns false if it is another instruction.
pub(crate) fn compute<V: VectorIsa>(s: &mut Select<'_, V>, inst: &Inst, result: VReg) -> bool {
    let operands = &inst.operands;
    match inst.op {
        Op::Word(word) => s.constant(result, word),
        Op::ContextField(field) => {
            let memory = Memory::at(Base::Context, field_offset(field));
            s.op(
                Code::Mov_r32_rm32,
                &[Operand::Def(r32(result)), Operand::Memory(memory)],
            );
        }
        Op::Base(space) => s.base(space, result),
        Op::Length(buffer) => {
            let memory = s.buffer(buffer, offset_of!(BufferEntry, words));
            s.op(
                Code::Mov_r32_rm32,
                &[Operand::Def(r32(result)), Operand::Memory(memory)],
            );
        }
        Op::WordBinary(op) => s.word_binary(op, operands[0], operands[1], result),
        Op::WordCompare(_) | Op::Any => s.condition_as_word(inst, result),
        Op::WordSelect => s.word_select(operands, result),
        Op::LoadWord(offset) => {
            let memory = s.pointed(operands[0], offset.into());
            s.op(
                Code::Mov_r32_rm32,
                &[Operand::Def(r32(result)), Operand::Memory(memory)],
            );
        }
        Op::LoadPointer(offset) => {
            let memory = s.pointed(operands[0], offset.into());
            s.op(
                Code::Mov_r64_rm64,
                &[Operand::Def(r64(result)), Operand::Memory(memory)],
            );
        }
        Op::Advance => {
            let memory = s.element(operands[0], operands[1], 0);
            s.op(
                Code::Lea_r64_m,
                &[Operand::Def(r64(result)), Operand::Memory(memory)],
            );
        }
        Op::AdvanceOrZeros => s.address_or_zeros(operands, result),
        Op::FrameLoad(at) | Op::FrameLoadAt(at) => return s.frame_load(at, result, inst),
        Op::ActiveLanes => {
            let given = Operand::Any(r32(s.resume));
            s.op(Code::Mov_r32_rm32, &[Operand::Def(r32(result)), given]);
        }
        _ => return false,
    }
    true
}

/// Selects a scalar instruction without a result. Returns false if it is another instruction.
pub(crate) fn effect<V: VectorIsa>(s: &mut Select<'_, V>, inst: &Inst) -> bool {
    match inst.op {
        Op::Poll(number) => {
            s.begin();
            let flag = Memory::at(Base::Context, offset_of!(Context, cancelled) as i32);
            s.item(Code::Mov_r64_rm64, &[R11, Operand::Memory(flag)]);
            s.item(
                Code::Cmp_rm32_imm8,
                &[
                    Operand::Memory(Memory::at(Base::R11, 0)),
                    Operand::SignedImm8(0),
                ],
            );
            s.items.push(GroupItem::ReturnIf(
                Condition::NotEqual,
                CallOutcome::cancelled(number).0,
            ));
            s.end();
            true
        }
        Op::FrameStore(at) | Op::FrameStoreAt(at) => s.frame_store(at, inst),
        Op::Call(number, _) => {
            let lanes = s.reg(inst.operands[0]);
            s.begin();
            s.fixed_use_slot(r32(lanes), RDX);
            s.items.push(GroupItem::Call(number));
            s.end_as(InstKind::Call);
            s.has_calls = true;
            true
        }
        _ => false,
    }
}

impl<V: VectorIsa> Select<'_, V> {
    /// A constant word.
    pub(crate) fn constant(&mut self, result: VReg, word: u32) {
        let result = Operand::Def(r32(result));
        match word {
            0 => {
                self.begin();
                let Operand::Def(reg) = result else { return };
                let slot = Operand::Slot(self.def_slot(reg));
                self.item(Code::Xor_r32_rm32, &[slot, slot]);
                self.end();
            }
            _ => self.op(Code::Mov_r32_imm32, &[result, Operand::Imm32(word as i32)]),
        }
    }

    /// The memory operand at `offset` bytes in a buffer's entry.
    fn buffer(&mut self, number: u32, offset: usize) -> Memory {
        let entries = self.temp(Type::Pointer);
        let memory = Memory::at(Base::Context, offset_of!(Context, buffers) as i32);
        self.op(
            Code::Mov_r64_rm64,
            &[Operand::Def(r64(entries)), Operand::Memory(memory)],
        );
        let offset = number as usize * size_of::<BufferEntry>() + offset;
        Memory::at(Base::Reg(entries), offset as i32)
    }

    fn base(&mut self, space: Space, result: VReg) {
        let memory = match space {
            Space::Buffer(number) => self.buffer(number, offset_of!(BufferEntry, start)),
            Space::Workgroup => Memory::at(Base::Context, offset_of!(Context, workgroup) as i32),
            Space::Immediates => Memory::at(Base::Context, offset_of!(Context, immediates) as i32),
            Space::Constants => Memory::at(Base::Context, offset_of!(Context, constants) as i32),
            Space::Frame(offset) => {
                let memory = Memory::at(Base::Frame, offset as i32);
                self.op(
                    Code::Lea_r64_m,
                    &[Operand::Def(r64(result)), Operand::Memory(memory)],
                );
                return;
            }
        };
        self.op(
            Code::Mov_r64_rm64,
            &[Operand::Def(r64(result)), Operand::Memory(memory)],
        );
    }

    fn word_binary(&mut self, op: WordBinary, a: Value, b: Value, result: VReg) {
        use WordBinary as W;
        let is_swapped = matches!(op, W::Add | W::Mul | W::And | W::Or | W::Xor)
            && self.values.word(a).is_some();
        let (a, b) = if is_swapped { (b, a) } else { (a, b) };
        match (op, self.values.word(b)) {
            (W::Add, Some(word)) => self.add_constant(a, word, result),
            (W::Sub, Some(word)) => self.add_constant(a, word.wrapping_neg(), result),
            (W::Add, None) => self.sum(a, b, result),
            (W::Mul, Some(word)) if !word.is_power_of_two() => {
                let a = Operand::Any(r32(self.reg(a)));
                let args = [Operand::Def(r32(result)), a, Operand::Imm32(word as i32)];
                self.op(Code::Imul_r32_rm32_imm32, &args);
            }
            (W::Mul, Some(word)) => self.shift(W::Shl, a, word.trailing_zeros(), result),
            (W::Shl | W::ShrU | W::ShrS, Some(amount)) => self.shift(op, a, amount % 32, result),
            (W::Shl | W::ShrU | W::ShrS, None) => {
                let code = match op {
                    W::Shl => Code::VEX_Shlx_r32_rm32_r32,
                    W::ShrU => Code::VEX_Shrx_r32_rm32_r32,
                    _ => Code::VEX_Sarx_r32_rm32_r32,
                };
                let args = [
                    Operand::Def(r32(result)),
                    Operand::Any(r32(self.reg(a))),
                    Operand::Use(r32(self.reg(b))),
                ];
                self.op(code, &args);
            }
            (W::DivU | W::DivS | W::RemU | W::RemS, _) => {
                divide_scalar::divide(self, op, a, b, result);
            }
            (W::MulHighU, _) => multiply_high::multiply_high(self, a, b, result),
            (W::MinU | W::MaxU | W::MinS | W::MaxS, _) => self.choose(op, a, b, result),
            (_, constant) => self.destructive(op, a, b, constant, result),
        }
    }

    fn add_constant(&mut self, a: Value, word: u32, result: VReg) {
        let memory = Memory::at(Base::Reg(self.reg(a)), word as i32);
        self.op(
            Code::Lea_r32_m,
            &[Operand::Def(r32(result)), Operand::Memory(memory)],
        );
    }

    fn sum(&mut self, a: Value, b: Value, result: VReg) {
        let index = Index::Reg(r64(self.reg(b)));
        let memory = Memory::at(Base::Reg(self.reg(a)), 0).indexed(index, 1);
        self.op(
            Code::Lea_r32_m,
            &[Operand::Def(r32(result)), Operand::Memory(memory)],
        );
    }

    fn shift(&mut self, op: WordBinary, a: Value, amount: u32, result: VReg) {
        let code = match op {
            WordBinary::Shl => Code::Shl_rm32_imm8,
            WordBinary::ShrU => Code::Shr_rm32_imm8,
            _ => Code::Sar_rm32_imm8,
        };
        let a = self.reg(a);
        let args = [Operand::Tied(r32(result), a), Operand::Imm8(amount as u8)];
        self.op(code, &args);
    }

    /// Two-address instructions: the result replaces the first operand.
    fn destructive(
        &mut self,
        op: WordBinary,
        a: Value,
        b: Value,
        constant: Option<u32>,
        result: VReg,
    ) {
        use WordBinary as W;
        let a = self.reg(a);
        if let Some(word) = constant {
            let code = match op {
                W::And => Code::And_rm32_imm32,
                W::Or => Code::Or_rm32_imm32,
                _ => Code::Xor_rm32_imm32,
            };
            self.op(
                code,
                &[Operand::Tied(r32(result), a), Operand::Imm32(word as i32)],
            );
            return;
        }
        let code = match op {
            W::Sub => Code::Sub_r32_rm32,
            W::Mul => Code::Imul_r32_rm32,
            W::And => Code::And_r32_rm32,
            W::Or => Code::Or_r32_rm32,
            _ => Code::Xor_r32_rm32,
        };
        let b = Operand::Any(r32(self.reg(b)));
        self.op(code, &[Operand::Tied(r32(result), a), b]);
    }

    /// The minimum or maximum of two words.
    fn choose(&mut self, op: WordBinary, a: Value, b: Value, result: VReg) {
        let code = match op {
            WordBinary::MinU => Code::Cmova_r32_rm32,
            WordBinary::MaxU => Code::Cmovb_r32_rm32,
            WordBinary::MinS => Code::Cmovg_r32_rm32,
            _ => Code::Cmovl_r32_rm32,
        };
        let (a, b) = (self.reg(a), self.reg(b));
        self.begin();
        let chosen = Operand::Slot(self.tied_slot(r32(result), a));
        let other = Operand::Slot(self.use_slot(r32(b)));
        self.item(Code::Cmp_r32_rm32, &[chosen, other]);
        self.item(code, &[chosen, other]);
        self.end();
    }

    /// The memory operand of a frame store or load, and the value that a frame store stores.
    pub(crate) fn frame_operand(&mut self, at: u32, inst: &Inst) -> (Memory, Option<Value>) {
        let memory = Memory::at(Base::Frame, at as i32);
        match (inst.op, &inst.operands[..]) {
            (Op::FrameStoreAt(_) | Op::FrameLoadAt(_), [bytes, value @ ..]) => {
                let bytes = Index::Reg(r64(self.reg(*bytes)));
                (memory.indexed(bytes, 1), value.first().copied())
            }
            (_, value) => (memory, value.first().copied()),
        }
    }

    fn frame_store(&mut self, at: u32, inst: &Inst) -> bool {
        let ty = inst
            .operands
            .last()
            .map(|value| self.function.type_of(*value));
        if !matches!(ty, Some(Type::Word | Type::Pointer)) {
            return false;
        }
        let (memory, Some(value)) = self.frame_operand(at, inst) else {
            return false;
        };
        let memory = Operand::Memory(memory);
        let register = self.reg(value);
        match ty {
            Some(Type::Word) => self.op(Code::Mov_rm32_r32, &[memory, Operand::Use(r32(register))]),
            _ => self.op(Code::Mov_rm64_r64, &[memory, Operand::Use(r64(register))]),
        }
        true
    }

    fn frame_load(&mut self, at: u32, result: VReg, inst: &Inst) -> bool {
        let ty = inst.result.map(|value| self.function.type_of(value));
        if !matches!(ty, Some(Type::Word | Type::Pointer)) {
            return false;
        }
        let memory = Operand::Memory(self.frame_operand(at, inst).0);
        match ty {
            Some(Type::Word) => self.op(Code::Mov_r32_rm32, &[Operand::Def(r32(result)), memory]),
            _ => self.op(Code::Mov_r64_rm64, &[Operand::Def(r64(result)), memory]),
        }
        true
    }
}

fn field_offset(field: ContextField) -> i32 {
    let offset = match field {
        ContextField::WorkgroupId(axis) => {
            offset_of!(Context, workgroup_id) + usize::from(axis) * 4
        }
        ContextField::WorkgroupCount(axis) => {
            offset_of!(Context, workgroup_count) + usize::from(axis) * 4
        }
        ContextField::Subgroup => offset_of!(Context, subgroup),
    };
    offset as i32
}
