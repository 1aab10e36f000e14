//! Superinstructions: fuses frequent sequences of instructions into one entry, which saves
//! dispatches. Each method here decodes one kind of sequence and returns its length in words, or
//! `None` if the instructions cannot be fused.
//!
//! Only the first instruction of a sequence may be a jump target. Every instruction of it still
//! writes its result slot.

use crate::bytecode::{Format, Op};

use super::super::handlers::{self, OperandForm, Source};
use super::super::memory::Memory;
use super::super::program::Ins;
use super::super::window::ValueKind;
use super::Decoder;
use super::layout::instruction;

/// An instruction of the bytecode, not yet decoded.
#[derive(Clone, Copy)]
pub(super) struct RawInstruction {
    pub(super) word: usize,
    pub(super) op: Op,
    pub(super) words: usize,
}

impl<M: Memory> Decoder<'_, M> {
    /// Decodes a sequence that can be fused; returns its length in words. If it cannot be, the
    /// state of held slots may be wrong afterwards.
    pub(super) fn superinstruction(&mut self, first: RawInstruction) -> Option<usize> {
        let second = self.following(first)?;
        match (first.op, second.op) {
            (Op::Const | Op::Const64, _) => self.with_constant(first, second),
            (Op::I32Add | Op::I32Sub | Op::I32AddConst, Op::Jump) => {
                self.op_and_jump(first, second)
            }
            (Op::I32AddConst, _) => self.count_and_branch(first, second),
            (Op::I32ShlConst | Op::I32Add, _)
                if matches!(second.op.format(), Format::Load | Format::Store) =>
            {
                self.indexed_access(first, second)
            }
            (
                Op::I32ShlConst
                | Op::I32ShrUConst
                | Op::I32RotlConst
                | Op::I64ShlConst
                | Op::I64ShrUConst
                | Op::I64RotlConst,
                _,
            ) => self.shift_then(first, second),
            (_, Op::BrIf | Op::BrIfZero) => self.compare_and_branch(first, second),
            _ => None,
        }
    }

    /// The next instruction, if it is not a jump target.
    fn following(&self, raw: RawInstruction) -> Option<RawInstruction> {
        let word = raw.word + raw.words;
        if self.layout.is_label(word) {
            return None;
        }
        let instruction = instruction(&self.source.code, word).ok()?;
        Some(RawInstruction {
            word,
            op: instruction.op,
            words: instruction.words(),
        })
    }

    fn bytes(&self, raw: RawInstruction) -> [u8; 4] {
        self.source.code[raw.word].to_le_bytes()
    }

    /// A later word of an instruction.
    fn word(&self, raw: RawInstruction, index: usize) -> u32 {
        self.source.code[raw.word + index]
    }

    /// A constant and an operation that uses it, and a conditional branch if one follows.
    fn with_constant(&mut self, constant: RawInstruction, raw: RawInstruction) -> Option<usize> {
        let [_, slot, ..] = self.bytes(constant);
        let [_, a, mut b, mut c] = self.bytes(raw);
        let kinds = handlers::kinds(raw.op)?;
        let width = if constant.op == Op::Const64 { 2 } else { 1 };
        if raw.op.format() != Format::Dxy || kinds.y?.width() != width {
            return None;
        }
        if b == slot && c != slot && handlers::commutes(raw.op) {
            (b, c) = (c, b);
        }
        if c != slot {
            return None;
        }
        self.cached_slots.invalidate(slot, width);
        let x = self.source_of(b, kinds.x);
        let mut ins = Ins {
            handler: handlers::data,
            a,
            b,
            c,
            d: 0,
            imm: self.word(constant, 1),
        };
        let mut words = constant.words + raw.words;
        let high = (width == 2).then(|| self.word(constant, 2));
        self.finish(a, kinds);
        if let Some((branch, handler)) = self.branch_by(raw, x) {
            let low = ins.imm;
            let target = self.word(branch, 1);
            (ins.handler, ins.imm) = (handler, target);
            ins.d = u8::from(target as usize <= branch.word);
            words += branch.words;
            self.targets.push(self.code.len());
            self.push(raw.word, ins);
            self.data(raw.word, [0, 0], low);
        } else {
            let y = Source::Immediate;
            let back = false;
            ins.handler = handlers::of(raw.op, OperandForm { x, y, back })?;
            self.push(raw.word, ins);
        }
        if let Some(high) = high {
            self.data(raw.word, [0, 0], high);
        }
        Some(words)
    }

    /// The branch on the result of a comparison with a constant, and the handler of the sequence.
    fn branch_by(
        &self,
        raw: RawInstruction,
        x: Source,
    ) -> Option<(RawInstruction, super::Handler<M>)> {
        let branch = self.following(raw)?;
        let when = match branch.op {
            Op::BrIf => true,
            Op::BrIfZero => false,
            _ => return None,
        };
        if self.bytes(branch)[1] != self.bytes(raw)[1] {
            return None;
        }
        let form = OperandForm {
            x,
            y: Source::NextEntry,
            back: false,
        };
        Some((branch, handlers::compare_and_branch(raw.op, form, when)?))
    }

    /// An operation and a back edge.
    fn op_and_jump(&mut self, raw: RawInstruction, jump: RawInstruction) -> Option<usize> {
        let [_, a, b, mut c] = self.bytes(raw);
        let target = self.word(jump, 1);
        if target as usize > jump.word {
            return None;
        }
        let mut form = self.form(raw.op, [a, b, c], 0);
        if raw.op == Op::I32AddConst {
            c = i8::try_from(self.word(raw, 1) as i32).ok()? as u8;
            form.y = Source::Immediate;
        }
        let ins = Ins {
            handler: handlers::op_and_jump(raw.op, form)?,
            a,
            b,
            c,
            d: 0,
            imm: target,
        };
        self.finish(a, handlers::kinds(raw.op)?);
        self.targets.push(self.code.len());
        self.push(raw.word, ins);
        Some(raw.words + jump.words)
    }

    /// A loop counter: an addition of a constant, and a branch back on a comparison of the sum.
    fn count_and_branch(&mut self, raw: RawInstruction, branch: RawInstruction) -> Option<usize> {
        let [_, a, from, _] = self.bytes(raw);
        let [_, x, y, _] = self.bytes(branch);
        let step = i8::try_from(self.word(raw, 1) as i32).ok()?;
        let (target, constant) = match branch.op.format() {
            Format::Xt | Format::Xyt => (self.word(branch, 1), None),
            Format::Xit => (self.word(branch, 2), Some(self.word(branch, 1))),
            _ => return None,
        };
        if a != from || a != x || target as usize > branch.word {
            return None;
        }
        let short = constant.map(|constant| i16::try_from(constant as i32));
        let (y, [b, c]) = match short {
            None => (Source::Slot, [y, 0]),
            Some(Ok(short)) => (Source::Immediate, short.to_le_bytes()),
            Some(Err(_)) => (Source::NextEntry, [0, 0]),
        };
        let ins = Ins {
            handler: handlers::count_and_branch(branch.op, y)?,
            a,
            b,
            c,
            d: step as u8,
            imm: target,
        };
        self.cached_slots.insert(a, ValueKind::Word);
        self.targets.push(self.code.len());
        self.push(branch.word, ins);
        if let (Source::NextEntry, Some(constant)) = (y, constant) {
            self.data(branch.word, [0, 0], constant);
        }
        Some(raw.words + branch.words)
    }

    /// A shift, and an operation on its result.
    fn shift_then(&mut self, shift: RawInstruction, raw: RawInstruction) -> Option<usize> {
        let [_, shifted, b, _] = self.bytes(shift);
        let [_, a, x, y] = self.bytes(raw);
        let other = match (x == shifted, y == shifted) {
            (true, false) => y,
            (false, true) => x,
            _ => return None,
        };
        let kinds = handlers::kinds(raw.op)?;
        let width = kinds.to?.width();
        let overlap = |slot: u8| u16::from(slot.abs_diff(shifted)) < width;
        // The shift result may overwrite its operand.
        let same = other == b && !overlap(b);
        let source = self.source_of(b, kinds.x);
        let ins = Ins {
            handler: handlers::shift_then(shift.op, raw.op, source, same)?,
            a,
            b,
            c: shifted,
            d: (self.word(shift, 1) % (32 * u32::from(width))) as u8,
            imm: other.into(),
        };
        self.cached_slots.invalidate(shifted, width);
        self.finish(a, kinds);
        self.push(raw.word, ins);
        Some(shift.words + raw.words)
    }

    /// An address computation, and a load or store.
    fn indexed_access(&mut self, raw: RawInstruction, access: RawInstruction) -> Option<usize> {
        let [_, address, mut x, mut y] = self.bytes(raw);
        let [_, a, b, memory] = self.bytes(access);
        let is_load = match access.op.format() {
            Format::Load => true,
            Format::Store => false,
            _ => return None,
        };
        let used = if is_load { b } else { a };
        if used != address || memory != 0 {
            return None;
        }
        if raw.op == Op::I32ShlConst {
            y = (self.word(raw, 1) % 32) as u8;
        } else if self.cached_slots.contains(y, ValueKind::Word) {
            (x, y) = (y, x);
        }
        let kinds = handlers::kinds(access.op)?;
        let mut form = OperandForm {
            x: self.source_of(x, Some(ValueKind::Word)),
            ..OperandForm::default()
        };
        self.cached_slots.invalidate(address, 1);
        if !is_load && form.x == Source::Slot {
            form.y = self.source_of(b, kinds.y);
        }
        let (a, b, c, d) = if is_load {
            (a, x, y, address)
        } else {
            (address, b, x, y)
        };
        let ins = Ins {
            handler: handlers::indexed_access(raw.op, access.op, form)?,
            a,
            b,
            c,
            d,
            imm: self.word(access, 1),
        };
        self.finish(a, kinds);
        self.push(access.word, ins);
        Some(raw.words + access.words)
    }

    /// A comparison, and a branch on its result.
    fn compare_and_branch(&mut self, raw: RawInstruction, branch: RawInstruction) -> Option<usize> {
        let [_, a, b, c] = self.bytes(raw);
        let [_, x, ..] = self.bytes(branch);
        if a != x || raw.op.format() != Format::Dxy {
            return None;
        }
        let kinds = handlers::kinds(raw.op)?;
        let target = self.word(branch, 1);
        let form = self.form(raw.op, [a, b, c], 0);
        let ins = Ins {
            handler: handlers::compare_and_branch(raw.op, form, branch.op == Op::BrIf)?,
            a,
            b,
            c,
            d: u8::from(target as usize <= branch.word),
            imm: target,
        };
        self.finish(a, kinds);
        self.targets.push(self.code.len());
        self.push(raw.word, ins);
        Some(raw.words + branch.words)
    }
}
