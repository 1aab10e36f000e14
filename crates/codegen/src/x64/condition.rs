//! Conditions: comparisons of words and tests of masks, and their use in branches, conditional moves and `setcc`; block
//! terminators.

use std::mem::offset_of;

use anywarp_lanes::ir::{Context, Inst, Op, Type, Value, WordCompare};
use iced_x86::Code;
use regalloc2::VReg;

use super::group_builder::{Base, Memory, Operand, R11L, r32, r64};
use super::machine_inst::{Condition, GroupItem, Label};
use super::select::Select;
use super::vector::VectorIsa;
use crate::machine_function::InstKind;

/// A test that sets the flags; its operands are in registers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    /// A word that is not 0.
    Word(VReg),
    /// A mask that is not empty.
    Mask(VReg),
    /// Two words.
    Compare(Condition, VReg, VReg),
    /// A word and a constant.
    CompareConstant(Condition, VReg, u32),
}

impl<V: VectorIsa> Select<'_, V> {
    /// The test of a condition, which is a word or a mask.
    pub(crate) fn test_of(&mut self, value: Value) -> Test {
        if self.function.type_of(value) == Type::Mask {
            return Test::Mask(self.reg(value));
        }
        match self.values.definition(value) {
            Some(inst) if self.values.is_folded(value) => self.test_of_inst(inst, value),
            _ => Test::Word(self.reg(value)),
        }
    }

    fn test_of_inst(&mut self, inst: &Inst, value: Value) -> Test {
        match inst.op {
            Op::Any => Test::Mask(self.reg(inst.operands[0])),
            Op::WordCompare(compare) => {
                self.comparison(compare, inst.operands[0], inst.operands[1])
            }
            _ => Test::Word(self.reg(value)),
        }
    }

    fn comparison(&mut self, compare: WordCompare, a: Value, b: Value) -> Test {
        let condition = condition_of(compare);
        if let Some(word) = self.values.word(b) {
            return Test::CompareConstant(condition, self.reg(a), word);
        }
        if let Some(word) = self.values.word(a) {
            return Test::CompareConstant(condition.swapped(), self.reg(b), word);
        }
        Test::Compare(condition, self.reg(a), self.reg(b))
    }

    /// Sets the flags inside a group. Returns the condition code under which the test holds.
    pub(crate) fn set_flags(&mut self, test: Test) -> Condition {
        match test {
            Test::Word(word) => {
                let word = Operand::Slot(self.use_slot(r32(word)));
                self.item(Code::Test_rm32_r32, &[word, word]);
                Condition::NotEqual
            }
            Test::Mask(mask) => V::test_mask(self, mask),
            Test::Compare(condition, a, b) => {
                self.item(
                    Code::Cmp_r32_rm32,
                    &[Operand::Use(r32(a)), Operand::Any(r32(b))],
                );
                condition
            }
            Test::CompareConstant(condition, a, 0)
                if matches!(condition, Condition::Equal | Condition::NotEqual) =>
            {
                let a = Operand::Slot(self.use_slot(r32(a)));
                self.item(Code::Test_rm32_r32, &[a, a]);
                condition
            }
            Test::CompareConstant(condition, a, word) => {
                let a = Operand::Any(r32(a));
                match i8::try_from(word as i32) {
                    Ok(small) => self.item(Code::Cmp_rm32_imm8, &[a, Operand::SignedImm8(small)]),
                    Err(_) => self.item(Code::Cmp_rm32_imm32, &[a, Operand::Imm32(word as i32)]),
                }
                condition
            }
        }
    }

    /// A condition as a word: 1 if a comparison holds or a mask is not empty, else 0.
    pub(crate) fn condition_as_word(&mut self, inst: &Inst, result: VReg) {
        let test = match inst.op {
            Op::WordCompare(compare) => {
                self.comparison(compare, inst.operands[0], inst.operands[1])
            }
            _ => Test::Mask(self.reg(inst.operands[0])),
        };
        self.begin();
        let condition = self.set_flags(test);
        self.item(set_code(condition), &[R11L]);
        self.item(Code::Movzx_r32_rm8, &[Operand::Def(r32(result)), R11L]);
        self.end();
    }

    /// A select of words.
    pub(crate) fn word_select(&mut self, operands: &[Value], result: VReg) {
        let test = self.test_of(operands[0]);
        let (yes, no) = (self.reg(operands[1]), self.reg(operands[2]));
        self.begin();
        let result = self.tied_slot(r32(result), no);
        let condition = self.set_flags(test);
        self.item(
            move_code32(condition),
            &[Operand::Slot(result), Operand::Any(r32(yes))],
        );
        self.end();
    }

    /// [`Op::AdvanceOrZeros`]: an address if the condition holds, else the address of zeros.
    pub(crate) fn address_or_zeros(&mut self, operands: &[Value], result: VReg) {
        let memory = self.element(operands[0], operands[1], 0);
        let test = self.test_of(operands[2]);
        self.begin();
        // The result is written before the comparison reads its operands.
        let result = Operand::Slot(self.early_def_slot(r64(result)));
        self.item(Code::Lea_r64_m, &[result, Operand::Memory(memory)]);
        let condition = self.set_flags(test);
        let zeros = Memory::at(Base::Context, offset_of!(Context, zeros) as i32);
        self.item(
            move_code64(condition.not()),
            &[result, Operand::Memory(zeros)],
        );
        self.end();
    }

    /// Ends a block by a branch.
    pub(crate) fn branch(&mut self, condition: Value, successors: &[u32]) {
        let test = self.test_of(condition);
        self.begin();
        let condition = self.set_flags(test);
        self.items.push(GroupItem::Branch(
            condition,
            Label(successors[0]),
            Label(successors[1]),
        ));
        self.end_as(InstKind::Branch);
    }

    /// A return with an outcome.
    pub(crate) fn return_outcome(&mut self, outcome: u32) {
        self.begin();
        let eax = Operand::Fixed(iced_x86::Register::EAX);
        match outcome {
            0 => self.item(Code::Xor_r32_rm32, &[eax, eax]),
            _ => self.item(Code::Mov_r32_imm32, &[eax, Operand::Imm32(outcome as i32)]),
        }
        self.items.push(GroupItem::Return);
        self.end_as(InstKind::Return);
    }

    /// Ends the entry block: branches on the resume point, to the entry or after a barrier.
    pub(crate) fn branch_on_resume(&mut self, successors: &[u32]) {
        let resume = self.resume;
        self.begin();
        let resume = Operand::Slot(self.use_slot(r32(resume)));
        for (number, index) in successors.iter().enumerate().skip(1) {
            match i8::try_from(number) {
                Ok(small) => self.item(Code::Cmp_rm32_imm8, &[resume, Operand::SignedImm8(small)]),
                Err(_) => self.item(
                    Code::Cmp_rm32_imm32,
                    &[resume, Operand::Imm32(number as i32)],
                ),
            }
            self.jump_if(Condition::Equal, Label(*index));
        }
        self.items
            .push(GroupItem::JumpToBlock(Label(successors[0])));
        self.end_as(InstKind::Branch);
    }
}

/// The condition code of a comparison.
pub(crate) fn condition_of(compare: WordCompare) -> Condition {
    match compare {
        WordCompare::Eq => Condition::Equal,
        WordCompare::Ne => Condition::NotEqual,
        WordCompare::LtU => Condition::Below,
        WordCompare::LeU => Condition::NotAbove,
        WordCompare::LtS => Condition::Less,
        WordCompare::LeS => Condition::NotGreater,
    }
}

fn set_code(condition: Condition) -> Code {
    match condition {
        Condition::Below => Code::Setb_rm8,
        Condition::NotBelow => Code::Setae_rm8,
        Condition::Equal => Code::Sete_rm8,
        Condition::NotEqual => Code::Setne_rm8,
        Condition::NotAbove => Code::Setbe_rm8,
        Condition::Above => Code::Seta_rm8,
        Condition::Less => Code::Setl_rm8,
        Condition::NotLess => Code::Setge_rm8,
        Condition::NotGreater => Code::Setle_rm8,
        Condition::Greater => Code::Setg_rm8,
    }
}

fn move_code32(condition: Condition) -> Code {
    match condition {
        Condition::Below => Code::Cmovb_r32_rm32,
        Condition::NotBelow => Code::Cmovae_r32_rm32,
        Condition::Equal => Code::Cmove_r32_rm32,
        Condition::NotEqual => Code::Cmovne_r32_rm32,
        Condition::NotAbove => Code::Cmovbe_r32_rm32,
        Condition::Above => Code::Cmova_r32_rm32,
        Condition::Less => Code::Cmovl_r32_rm32,
        Condition::NotLess => Code::Cmovge_r32_rm32,
        Condition::NotGreater => Code::Cmovle_r32_rm32,
        Condition::Greater => Code::Cmovg_r32_rm32,
    }
}

fn move_code64(condition: Condition) -> Code {
    match condition {
        Condition::Below => Code::Cmovb_r64_rm64,
        Condition::NotBelow => Code::Cmovae_r64_rm64,
        Condition::Equal => Code::Cmove_r64_rm64,
        Condition::NotEqual => Code::Cmovne_r64_rm64,
        Condition::NotAbove => Code::Cmovbe_r64_rm64,
        Condition::Above => Code::Cmova_r64_rm64,
        Condition::Less => Code::Cmovl_r64_rm64,
        Condition::NotLess => Code::Cmovge_r64_rm64,
        Condition::NotGreater => Code::Cmovle_r64_rm64,
        Condition::Greater => Code::Cmovg_r64_rm64,
    }
}
