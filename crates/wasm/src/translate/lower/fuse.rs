//! Instruction selection for constants and conditions: opcodes with an immediate, and fusion of
//! compare and branch.

use super::super::ir::{Inst, Label, Plain, Slot};
use super::Lowering;
use super::stack::{Entry, ValueLocation};
use crate::bytecode::{Op, Type};

/// The condition of a branch: a branch opcode with its operands.
#[derive(Clone, Copy)]
pub(super) struct Condition {
    op: Op,
    x: Slot,
    y: u32,
}

impl Condition {
    /// The negated condition.
    pub(super) fn inverted(self) -> Self {
        Self {
            op: inverse(self.op),
            ..self
        }
    }
}

/// Declares a mapping of opcodes.
macro_rules! opcodes {
    ($(#[$doc:meta])* fn $name:ident { $($from:ident => $to:ident,)* }) => {
        $(#[$doc])*
        fn $name(op: Op) -> Option<Op> {
            match op { $(Op::$from => Some(Op::$to),)* _ => None }
        }
    };
}

opcodes! {
    /// The fused branch of a comparison.
    fn branch {
        I32Eq => BrI32Eq,
        I32Ne => BrI32Ne,
        I32LtS => BrI32LtS,
        I32LtU => BrI32LtU,
        I32GtS => BrI32GtS,
        I32GtU => BrI32GtU,
        I32LeS => BrI32LeS,
        I32LeU => BrI32LeU,
        I32GeS => BrI32GeS,
        I32GeU => BrI32GeU,
        I32EqConst => BrI32EqConst,
        I32NeConst => BrI32NeConst,
        I32LtSConst => BrI32LtSConst,
        I32LtUConst => BrI32LtUConst,
        I32GtSConst => BrI32GtSConst,
        I32GtUConst => BrI32GtUConst,
        I32LeSConst => BrI32LeSConst,
        I32LeUConst => BrI32LeUConst,
        I32GeSConst => BrI32GeSConst,
        I32GeUConst => BrI32GeUConst,
        I32Eqz => BrIfZero,
    }
}

opcodes! {
    /// The opcode with an immediate on the right.
    fn with_constant {
        I32Add => I32AddConst,
        I32Mul => I32MulConst,
        I32And => I32AndConst,
        I32Or => I32OrConst,
        I32Xor => I32XorConst,
        I32Shl => I32ShlConst,
        I32ShrS => I32ShrSConst,
        I32ShrU => I32ShrUConst,
        I32Rotl => I32RotlConst,
        I32Eq => I32EqConst,
        I32Ne => I32NeConst,
        I32LtS => I32LtSConst,
        I32LtU => I32LtUConst,
        I32GtS => I32GtSConst,
        I32GtU => I32GtUConst,
        I32LeS => I32LeSConst,
        I32LeU => I32LeUConst,
        I32GeS => I32GeSConst,
        I32GeU => I32GeUConst,
        I64Add => I64AddConst,
        I64Mul => I64MulConst,
        I64And => I64AndConst,
        I64Or => I64OrConst,
        I64Xor => I64XorConst,
        I64Shl => I64ShlConst,
        I64ShrS => I64ShrSConst,
        I64ShrU => I64ShrUConst,
        I64Rotl => I64RotlConst,
    }
}

opcodes! {
    /// The equivalent operation with swapped operands.
    fn mirrored {
        I32Add => I32Add,
        I32Mul => I32Mul,
        I32And => I32And,
        I32Or => I32Or,
        I32Xor => I32Xor,
        I32Eq => I32Eq,
        I32Ne => I32Ne,
        I32LtS => I32GtS,
        I32LtU => I32GtU,
        I32GtS => I32LtS,
        I32GtU => I32LtU,
        I32LeS => I32GeS,
        I32LeU => I32GeU,
        I32GeS => I32LeS,
        I32GeU => I32LeU,
        I64Add => I64Add,
        I64Mul => I64Mul,
        I64And => I64And,
        I64Or => I64Or,
        I64Xor => I64Xor,
    }
}

/// The branch with the negated condition.
fn inverse(op: Op) -> Op {
    match op {
        Op::BrIf => Op::BrIfZero,
        Op::BrIfZero => Op::BrIf,
        Op::BrI32Eq => Op::BrI32Ne,
        Op::BrI32Ne => Op::BrI32Eq,
        Op::BrI32LtS => Op::BrI32GeS,
        Op::BrI32LtU => Op::BrI32GeU,
        Op::BrI32GtS => Op::BrI32LeS,
        Op::BrI32GtU => Op::BrI32LeU,
        Op::BrI32LeS => Op::BrI32GtS,
        Op::BrI32LeU => Op::BrI32GtU,
        Op::BrI32GeS => Op::BrI32LtS,
        Op::BrI32GeU => Op::BrI32LtU,
        Op::BrI32EqConst => Op::BrI32NeConst,
        Op::BrI32NeConst => Op::BrI32EqConst,
        Op::BrI32LtSConst => Op::BrI32GeSConst,
        Op::BrI32LtUConst => Op::BrI32GeUConst,
        Op::BrI32GtSConst => Op::BrI32LeSConst,
        Op::BrI32GtUConst => Op::BrI32LeUConst,
        Op::BrI32LeSConst => Op::BrI32GtSConst,
        Op::BrI32LeUConst => Op::BrI32GtUConst,
        Op::BrI32GeSConst => Op::BrI32LtSConst,
        Op::BrI32GeUConst => Op::BrI32LtUConst,
        other => other,
    }
}

/// An equivalent operation with another constant, for opcodes that have no immediate variant
/// themselves.
fn substitute(op: Op, constant: u64) -> (Op, u64) {
    match op {
        Op::I32Sub => (Op::I32Add, constant.wrapping_neg() & 0xffff_ffff),
        Op::I64Sub => (Op::I64Add, constant.wrapping_neg()),
        Op::I32Rotr => (Op::I32Rotl, constant.wrapping_neg() & 31),
        Op::I64Rotr => (Op::I64Rotl, constant.wrapping_neg() & 63),
        _ => (op, constant),
    }
}

/// The constant as the immediate word of the instruction, if it fits.
fn immediate(op: Op, constant: u64) -> Option<u32> {
    let wide = op.widths()[1] == 2;
    let word = constant as u32;
    let extended = i64::from(word.cast_signed()).cast_unsigned();
    (!wide || extended == constant).then_some(word)
}

impl Lowering<'_> {
    /// A binary operation.
    pub(super) fn binary(&mut self, op: Op, result: Type) {
        let (y, x) = (self.stack.pop(), self.stack.pop());
        if self.with_right_constant(op, x, y, result) {
            return;
        }
        if let (ValueLocation::Const(_), Some(op)) = (x.value, mirrored(op))
            && !matches!(y.value, ValueLocation::Const(_))
            && self.with_right_constant(op, y, x, result)
        {
            return;
        }
        let (x, y) = (self.slot_of(x), self.slot_of(y));
        let a = self.push_home(result);
        self.plain(Plain {
            op,
            a,
            b: x,
            c: y,
            extra: 0,
        });
    }

    fn with_right_constant(&mut self, op: Op, x: Entry, y: Entry, result: Type) -> bool {
        let ValueLocation::Const(constant) = y.value else {
            return false;
        };
        let (op, constant) = substitute(op, constant);
        let Some(form) = with_constant(op) else {
            return false;
        };
        let Some(word) = immediate(form, constant) else {
            return false;
        };
        let b = self.slot_of(x);
        let a = self.push_home(result);
        self.plain(Plain {
            op: form,
            a,
            b,
            c: 0,
            extra: u64::from(word),
        });
        true
    }

    /// Pops a condition; a comparison that was just emitted is fused with it.
    pub(super) fn pop_condition(&mut self) -> Condition {
        let entry = self.stack.pop();
        let mut condition = match self.take_comparison(entry) {
            Some(condition) => condition,
            None => Condition {
                op: Op::BrIf,
                x: self.slot_of(entry),
                y: 0,
            },
        };
        // `eqz` of a comparison.
        while matches!(condition.op, Op::BrIf | Op::BrIfZero) {
            let zero = condition.op == Op::BrIfZero;
            let inner = Entry {
                home: condition.x,
                value: ValueLocation::Home,
                ..entry
            };
            // Only a home slot has no other users.
            if condition.x != entry.home {
                break;
            }
            match self.take_comparison(inner) {
                Some(next) => condition = if zero { next.inverted() } else { next },
                None => break,
            }
        }
        condition
    }

    fn take_comparison(&mut self, entry: Entry) -> Option<Condition> {
        if entry.value != ValueLocation::Home {
            return None;
        }
        let plain = *self.last_plain()?;
        if plain.a != entry.home {
            return None;
        }
        let op = branch(plain.op)?;
        let second = match op.format() {
            crate::bytecode::Format::Xit => plain.extra as u32,
            _ => plain.c,
        };
        self.function.pop();
        Some(Condition {
            op,
            x: plain.b,
            y: second,
        })
    }

    /// Emits a conditional branch.
    pub(super) fn branch_on(&mut self, condition: Condition, label: Label) {
        self.push(Inst::BrIf {
            op: condition.op,
            x: condition.x,
            y: condition.y,
            label,
        });
        self.set_fence();
    }
}
