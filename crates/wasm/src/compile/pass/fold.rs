//! Constant folding and algebraic simplification of pure operations.
//!
//! Each instruction is rewritten by local rules until none applies (`rules`), in reverse
//! postorder, so that operands are simple already. Float arithmetic is only folded if its result is
//! not a NaN, whose payload would depend on the machine; no rule changes the order of float
//! arithmetic.

mod compare;
mod integer;
mod logic;

use super::{Substitution, constant};
use crate::compile::ir::{Binary, Block, Cfg, Function, Op, Type, Unary, Value};

/// Rules that rewrite an instruction in turn; each makes it simpler, so few apply.
const MAX_REWRITES: usize = 16;

/// What a rule makes of an instruction.
enum Simpler {
    /// A value that exists.
    Value(Value),
    /// Another operation of the same type.
    Op(Op),
}

/// Returns whether something has changed.
pub(super) fn run(function: &mut Function) -> bool {
    let mut substitution = Substitution::new(function);
    let mut has_changed = false;
    for block in Cfg::new(function).order {
        let insts = std::mem::take(&mut function.block_mut(block).insts);
        for inst in insts {
            substitution.apply_to(function, inst);
            let mut folder = Folder { function, block };
            match folder.simplify(inst, &mut has_changed) {
                Some(value) => substitution.replace(inst, value),
                None => function.block_mut(block).insts.push(inst),
            }
        }
    }
    substitution.apply(function);
    has_changed || !substitution.is_empty()
}

/// The block being rewritten: new instructions go to its end so far.
struct Folder<'a> {
    function: &'a mut Function,
    block: Block,
}

impl Folder<'_> {
    /// Rewrites an instruction, or returns the value that replaces it.
    fn simplify(&mut self, inst: Value, has_changed: &mut bool) -> Option<Value> {
        for _ in 0..MAX_REWRITES {
            let op = self.function.op(inst).clone();
            match self.rules(&op, self.function.ty(inst))? {
                Simpler::Value(value) => return Some(value),
                Simpler::Op(op) => {
                    *self.function.op_mut(inst) = op;
                    *has_changed = true;
                }
            }
        }
        None
    }

    fn rules(&mut self, op: &Op, ty: Type) -> Option<Simpler> {
        match *op {
            Op::Unary(unary, operand) => self.unary(unary, operand, ty),
            Op::Binary(binary, left, right) => self.binary(binary, left, right, ty),
            Op::Select { condition, yes, no } => self.select(condition, yes, no, ty),
            _ => None,
        }
    }

    fn unary(&mut self, unary: Unary, operand: Value, ty: Type) -> Option<Simpler> {
        let from = self.function.ty(operand);
        if let Some(bits) = self.function.as_const(operand) {
            let result = constant::unary(unary, from, bits);
            let is_bitwise = matches!(unary, Unary::Abs | Unary::Neg | Unary::Reinterpret(_));
            let can_fold = is_bitwise || !constant::is_nan(ty, result);
            return can_fold.then(|| self.constant(ty, result));
        }
        if unary == Unary::Not {
            return self.not(operand);
        }
        let Op::Unary(inner, source) = *self.function.op(operand) else {
            return None;
        };
        match (unary, inner) {
            (Unary::Wrap, Unary::ZeroExtend | Unary::SignExtend) | (Unary::Neg, Unary::Neg) => {
                Some(Simpler::Value(source))
            }
            (Unary::Reinterpret(_), Unary::Reinterpret(_)) => Some(Simpler::Value(source)),
            (Unary::Abs, Unary::Abs)
            | (Unary::Extend8, Unary::Extend8)
            | (Unary::Extend16, Unary::Extend8 | Unary::Extend16)
            | (Unary::Extend32, Unary::Extend8 | Unary::Extend16 | Unary::Extend32)
            | (Unary::Extend32, Unary::SignExtend) => Some(Simpler::Value(operand)),
            (Unary::Abs, Unary::Neg)
            | (Unary::Extend8, Unary::Extend16 | Unary::Extend32)
            | (Unary::Extend16, Unary::Extend32) => Some(Simpler::Op(Op::Unary(unary, source))),
            (Unary::SignExtend, Unary::BoolToI32) => {
                Some(Simpler::Op(Op::Unary(Unary::ZeroExtend, operand)))
            }
            _ => None,
        }
    }

    fn binary(&mut self, binary: Binary, left: Value, right: Value, ty: Type) -> Option<Simpler> {
        let operand = self.function.ty(left);
        let constants = (self.function.as_const(left), self.function.as_const(right));
        if let (Some(a), Some(b)) = constants {
            let result = constant::binary(binary, operand, a, b)?;
            let can_fold = binary == Binary::CopySign || !constant::is_nan(ty, result);
            return can_fold.then(|| self.constant(ty, result));
        }
        if constants.0.is_some() && binary.is_commutative() {
            return Some(Simpler::Op(Op::Binary(binary, right, left)));
        }
        match (binary.is_comparison(), operand) {
            (true, _) => self.compare(binary, left, right),
            (false, Type::Bool) => self.logic(binary, left, right),
            (false, Type::I32 | Type::I64) => self.integer(binary, left, right, operand),
            _ => None,
        }
    }

    fn constant(&mut self, ty: Type, bits: u64) -> Simpler {
        Simpler::Value(self.function.constant(ty, bits))
    }

    /// A new instruction before the one being rewritten.
    fn insert(&mut self, op: Op, ty: Type) -> Value {
        self.function.push(self.block, op, ty)
    }

    /// The condition of which an integer is the 1 or 0.
    fn as_condition(&self, value: Value) -> Option<Value> {
        match *self.function.op(value) {
            Op::Unary(Unary::BoolToI32, condition) => Some(condition),
            Op::Unary(Unary::ZeroExtend, inner) => match *self.function.op(inner) {
                Op::Unary(Unary::BoolToI32, condition) => Some(condition),
                _ => None,
            },
            _ => None,
        }
    }

    /// A condition as 1 or 0 of an integer type.
    fn integer_of(&mut self, condition: Value, ty: Type) -> Simpler {
        let to_word = Op::Unary(Unary::BoolToI32, condition);
        if ty == Type::I32 {
            return Simpler::Op(to_word);
        }
        let word = self.insert(to_word, Type::I32);
        Simpler::Op(Op::Unary(Unary::ZeroExtend, word))
    }
}

fn not(condition: Value) -> Op {
    Op::Unary(Unary::Not, condition)
}

#[cfg(test)]
mod tests {
    use super::super::test::{check, unchanged};

    #[test]
    fn constants_and_identities() {
        check(
            super::run,
            "kernel f(i32) -> i32, i32, f32, i64
            b0:
              v0: i32 = Add 3, 4
              v1: i32 = Mul arg0, 1
              v2: i32 = Add v1, v0
              v3: i32 = Sub v2, 2
              v4: f32 = Div 1.0f, 2.0f
              v5: i64 = ZeroExtend v3
              v6: i32 = Wrap v5
              v7: bool = Eq v6, 8
              v8: i32 = BoolToI32 v7
              v9: bool = Ne v8, 0
              v10: bool = Not v9
              v11: i32 = Select v10, v3, 5
              return v3, v11, v4, v5",
            "kernel f(i32) -> i32, i32, f32, i64
            b0:
              v2: i32 = Add arg0, 7
              v3: i32 = Add arg0, 5
              v5: i64 = ZeroExtend v3
              v7: bool = Eq arg0, 3
              v8: i32 = BoolToI32 v7
              v10: bool = Ne arg0, 3
              v11: i32 = Select v10, v3, 5
              return v3, v11, 0.5f, v5",
        );
    }

    #[test]
    fn conditions() {
        check(
            super::run,
            "kernel f(i32, i32) -> i32, i32
            b0:
              v0: bool = LtUnsigned arg0, arg1
              v1: bool = LeSigned arg0, arg1
              v2: i32 = BoolToI32 v0
              v3: i32 = BoolToI32 v1
              v4: i32 = And v2, v3
              v5: i32 = Xor v4, 1
              v6: bool = Ne v5, 0
              v7: i32 = Select v6, 1, 0
              v8: bool = Select v0, v1, false
              v9: i32 = BoolToI32 v8
              return v7, v9",
            "kernel f(i32, i32) -> i32, i32
            b0:
              v0: bool = LtUnsigned arg0, arg1
              v1: bool = LeSigned arg0, arg1
              v2: i32 = BoolToI32 v0
              v3: i32 = BoolToI32 v1
              v15: bool = And v0, v1
              v4: i32 = BoolToI32 v15
              v16: bool = Not v15
              v5: i32 = BoolToI32 v16
              v17: bool = Not v15
              v7: i32 = BoolToI32 v17
              v8: bool = And v0, v1
              v9: i32 = BoolToI32 v8
              return v7, v9",
        );
    }

    #[test]
    fn floats_stay() {
        unchanged(
            super::run,
            "kernel f(f32, i32) -> f32, f32
            b0:
              v0: f32 = Add arg0, 0.0f
              v1: f32 = Div 0.0f, 0.0f
              v2: bool = Eq v0, v0
              v3: f32 = Select v2, v0, v1
              v4: f32 = Mul v0, v3
              return v4, v1",
        );
    }
}
