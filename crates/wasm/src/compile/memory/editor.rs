//! Writes new instructions in place of old ones.
//!
//! In: a block, whose instructions are written one after the other. Out: the same function. An
//! instruction is replaced by recording the new value; uses are changed once, at the end. Constant
//! operands are folded where addresses are computed, so that `clean` finds little to do.

use std::collections::HashMap;

use super::super::analysis::linear::Linear;
use super::super::ir::{
    Binary, Block, Edge, Function, Object, Op, Terminator, Trap, TrapSite, Type, Unary, Value,
};
use crate::TrapCode;

/// The place in a function where instructions are written.
pub(super) struct Editor<'f> {
    pub(super) function: &'f mut Function,
    /// The block at whose end they are written.
    pub(super) block: Block,
    replacement: HashMap<Value, Value>,
}

impl<'f> Editor<'f> {
    pub(super) fn new(function: &'f mut Function) -> Self {
        Self {
            function,
            block: Function::ENTRY,
            replacement: HashMap::new(),
        }
    }

    /// Changes the uses of all replaced values.
    pub(super) fn finish(self) {
        self.function.replace_uses(&self.replacement);
        fold_reinterpretations(self.function);
    }

    /// Replaces a value that is no longer in its block.
    pub(super) fn replace(&mut self, old: Value, new: Value) {
        if old != new {
            self.replacement.insert(old, new);
        }
    }

    pub(super) fn push(&mut self, op: Op, ty: Type) -> Value {
        self.function.push(self.block, op, ty)
    }

    pub(super) fn word(&mut self, bits: u32) -> Value {
        self.function.word(bits)
    }

    pub(super) fn condition(&mut self, holds: bool) -> Value {
        self.function.constant(Type::Bool, u64::from(holds))
    }

    pub(super) fn unary(&mut self, unary: Unary, operand: Value) -> Value {
        let ty = unary.result(self.function.ty(operand));
        self.push(Op::Unary(unary, operand), ty)
    }

    /// The same bits as another type.
    pub(super) fn reinterpret(&mut self, value: Value, ty: Type) -> Value {
        if self.function.ty(value) == ty {
            value
        } else {
            self.unary(Unary::Reinterpret(ty), value)
        }
    }

    pub(super) fn binary(&mut self, binary: Binary, left: Value, right: Value) -> Value {
        let ty = self.function.ty(left);
        if let Some(value) = self.folded(binary, left, right) {
            return value;
        }
        self.push(Op::Binary(binary, left, right), binary.result(ty))
    }

    /// An operation with a constant on the right.
    pub(super) fn binary_word(&mut self, binary: Binary, left: Value, right: u32) -> Value {
        let right = self.word(right);
        self.binary(binary, left, right)
    }

    pub(super) fn select(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        match self.function.as_const(condition) {
            Some(0) => no,
            Some(_) => yes,
            None => {
                let ty = self.function.ty(yes);
                self.push(Op::Select { condition, yes, no }, ty)
            }
        }
    }

    fn folded(&mut self, binary: Binary, left: Value, right: Value) -> Option<Value> {
        use Binary::{Add, And, Mul, Or, Shl, ShrUnsigned, Sub};
        let (first, second) = (self.function.as_const(left), self.function.as_const(right));
        if self.function.ty(left) == Type::Bool {
            return match (binary, first, second) {
                (Or, Some(0), _) | (And, Some(1), _) => Some(right),
                (Or | And, Some(_), _) | (Or, _, Some(0)) | (And, _, Some(1)) => Some(left),
                _ => None,
            };
        }
        let (first, second) = (self.function.as_word(left), self.function.as_word(right));
        if let (Some(first), Some(second)) = (first, second) {
            if binary == Binary::LtUnsigned {
                return Some(self.condition(first < second));
            }
            return folded_words(binary, first, second).map(|word| self.word(word));
        }
        match (binary, first, second) {
            (Add | Or, Some(0), _) | (Mul, Some(1), _) => Some(right),
            (Add | Sub | Or | Shl | ShrUnsigned, _, Some(0))
            | (Mul, _, Some(1))
            | (And, _, Some(u32::MAX)) => Some(left),
            (And, _, Some(0)) => Some(right),
            _ => None,
        }
    }

    /// The value of a linear form.
    pub(super) fn sum(&mut self, form: &Linear) -> Value {
        let is_negative = |factor: u32| factor.cast_signed() < 0 && factor != 1 << 31;
        let mut sum = None;
        for &(value, factor) in form.terms.iter().filter(|(_, f)| !is_negative(*f)) {
            let term = self.product(value, factor);
            sum = Some(match sum {
                Some(sum) => self.binary(Binary::Add, sum, term),
                None => term,
            });
        }
        let mut sum = match sum {
            Some(sum) => self.binary_word(Binary::Add, sum, form.constant),
            None => self.word(form.constant),
        };
        for &(value, factor) in form.terms.iter().filter(|(_, f)| is_negative(*f)) {
            let term = self.product(value, factor.wrapping_neg());
            sum = self.binary(Binary::Sub, sum, term);
        }
        sum
    }

    fn product(&mut self, value: Value, factor: u32) -> Value {
        if factor.is_power_of_two() {
            self.binary_word(Binary::Shl, value, factor.trailing_zeros())
        } else {
            self.binary_word(Binary::Mul, value, factor)
        }
    }

    /// Traps if a condition holds.
    pub(super) fn trap_if(&mut self, condition: Value, trap: Trap) {
        if self.function.as_const(condition) != Some(0) {
            let words = Vec::new();
            let op = Op::TrapIf {
                condition,
                trap,
                words,
            };
            self.push(op, Type::Unit);
        }
    }

    /// The site of a trap, with another code.
    pub(super) fn trap_with_code(&mut self, trap: Trap, code: TrapCode) -> Trap {
        let site = &self.function.traps[trap.0 as usize];
        if site.code == code {
            return trap;
        }
        let site = TrapSite {
            code,
            message: None,
            ..site.clone()
        };
        self.function.add_trap(site)
    }

    pub(super) fn load(&mut self, object: Object, index: Value) -> Value {
        let ty = self.function.object(object).element.ty();
        self.push(Op::ObjectLoad { object, index }, ty)
    }

    pub(super) fn store(&mut self, object: Object, index: Value, value: Value) {
        self.function.objects[object.0 as usize].written = true;
        let ty = self.function.object(object).element.ty();
        let value = self.reinterpret(value, ty);
        let op = Op::ObjectStore {
            object,
            index,
            value,
        };
        self.push(op, Type::Unit);
    }

    /// A loop that runs `count` times: `body` gets the number of the turn, from 0.
    pub(super) fn repeat(&mut self, count: Value, body: impl FnOnce(&mut Self, Value)) {
        let header = self.function.add_block();
        let turn = self.function.add_param(header, Type::I32);
        let inside = self.function.add_block();
        let after = self.function.add_block();
        let zero = self.word(0);
        self.end(Terminator::Jump(Edge {
            block: header,
            args: vec![zero],
        }));
        self.block = header;
        let condition = self.binary(Binary::LtUnsigned, turn, count);
        self.end(Terminator::Branch {
            condition,
            yes: Edge::to(inside),
            no: Edge::to(after),
        });
        self.block = inside;
        body(self, turn);
        let next = self.binary_word(Binary::Add, turn, 1);
        self.end(Terminator::Jump(Edge {
            block: header,
            args: vec![next],
        }));
        self.block = after;
    }

    /// Code under a condition.
    pub(super) fn when(&mut self, condition: Value, body: impl FnOnce(&mut Self)) {
        let inside = self.function.add_block();
        let after = self.function.add_block();
        self.end(Terminator::Branch {
            condition,
            yes: Edge::to(inside),
            no: Edge::to(after),
        });
        self.block = inside;
        body(self);
        self.end(Terminator::Jump(Edge::to(after)));
        self.block = after;
    }

    /// Sets the end of the block.
    pub(super) fn end(&mut self, terminator: Terminator) {
        self.function.block_mut(self.block).terminator = terminator;
    }
}

fn folded_words(binary: Binary, first: u32, second: u32) -> Option<u32> {
    Some(match binary {
        Binary::Add => first.wrapping_add(second),
        Binary::Sub => first.wrapping_sub(second),
        Binary::Mul => first.wrapping_mul(second),
        Binary::And => first & second,
        Binary::Or => first | second,
        Binary::Xor => first ^ second,
        Binary::Shl => first.wrapping_shl(second),
        Binary::ShrUnsigned => first.wrapping_shr(second),
        _ => return None,
    })
}

/// Removes reinterpretations of reinterpreted values, which appear where the element type of an
/// object differs from the type of an access.
fn fold_reinterpretations(function: &mut Function) {
    let mut replacement = HashMap::new();
    for block in function.block_ids() {
        for &inst in &function.block(block).insts {
            if let Op::Unary(Unary::Reinterpret(ty), middle) = *function.op(inst)
                && let Op::Unary(Unary::Reinterpret(_), source) = *function.op(middle)
                && function.ty(source) == ty
            {
                replacement.insert(inst, source);
            }
        }
    }
    function.replace_uses(&replacement);
}
