//! Rules for comparisons.

use super::{Folder, Simpler, constant, not};
use crate::compile::ir::{Binary, Op, Type, Unary, Value};

impl Folder<'_> {
    /// A comparison of values that are not both constant.
    pub(super) fn compare(&mut self, binary: Binary, left: Value, right: Value) -> Option<Simpler> {
        let ty = self.function.ty(left);
        if let Some(bits) = self.function.as_const(right)
            && let Some(simpler) = self.compare_selection(binary, left, bits)
        {
            return Some(simpler);
        }
        if ty.is_float() {
            return None;
        }
        if left == right {
            let holds = matches!(binary, Binary::Eq | Binary::LeSigned | Binary::LeUnsigned);
            return Some(self.constant(Type::Bool, u64::from(holds)));
        }
        if ty == Type::Bool {
            return self.compare_conditions(binary, left, right);
        }
        if let Some(simpler) = self.compare_extended(binary, left, right) {
            return Some(simpler);
        }
        if let Some(bits) = self.function.as_const(left) {
            return self.compare_with_left(binary, bits, right);
        }
        self.compare_with_right(binary, left, right)
    }

    /// A constant compared with one of two constants, or with the number of a condition.
    fn compare_selection(&mut self, binary: Binary, left: Value, bits: u64) -> Option<Simpler> {
        let (condition, yes, no) = match *self.function.op(left) {
            Op::Select { condition, yes, no } => (
                condition,
                self.function.as_const(yes)?,
                self.function.as_const(no)?,
            ),
            _ => (self.as_condition(left)?, 1, 0),
        };
        let ty = self.function.ty(left);
        let yes = constant::binary(binary, ty, yes, bits)? != 0;
        let no = constant::binary(binary, ty, no, bits)? != 0;
        Some(match (yes, no) {
            (true, false) => Simpler::Value(condition),
            (false, true) => Simpler::Op(not(condition)),
            (same, _) => self.constant(Type::Bool, u64::from(same)),
        })
    }

    fn compare_conditions(&mut self, binary: Binary, left: Value, right: Value) -> Option<Simpler> {
        let is_true = self.function.as_const(right)? != 0;
        match (binary, is_true) {
            (Binary::Eq, true) | (Binary::Ne, false) => Some(Simpler::Value(left)),
            (Binary::Eq, false) | (Binary::Ne, true) => Some(Simpler::Op(not(left))),
            _ => None,
        }
    }

    /// Compares zero-extended words as words.
    fn compare_extended(&mut self, binary: Binary, left: Value, right: Value) -> Option<Simpler> {
        let is_unsigned = matches!(
            binary,
            Binary::Eq | Binary::Ne | Binary::LtUnsigned | Binary::LeUnsigned
        );
        let word = |value: Value| match *self.function.op(value) {
            Op::Unary(Unary::ZeroExtend, word) => Some(Ok(word)),
            Op::Const(bits) => u32::try_from(bits).ok().map(Err),
            _ => None,
        };
        let (left, right) = match (word(left)?, word(right)?) {
            (Err(_), Err(_)) => return None,
            _ if !is_unsigned || self.function.ty(left) != Type::I64 => return None,
            words => words,
        };
        let left = left.unwrap_or_else(|bits| self.function.word(bits));
        let right = right.unwrap_or_else(|bits| self.function.word(bits));
        Some(Simpler::Op(Op::Binary(binary, left, right)))
    }

    fn compare_with_left(&mut self, binary: Binary, bits: u64, right: Value) -> Option<Simpler> {
        let ty = self.function.ty(right);
        let ones = mask(ty);
        let zero = self.function.constant(ty, 0);
        match (binary, bits) {
            (Binary::LeUnsigned, 0) => Some(self.constant(Type::Bool, 1)),
            (Binary::LtUnsigned, 0) => Some(Simpler::Op(Op::Binary(Binary::Ne, right, zero))),
            (Binary::LtUnsigned, bits) if bits == ones => Some(self.constant(Type::Bool, 0)),
            _ => None,
        }
    }

    fn compare_with_right(&mut self, binary: Binary, left: Value, right: Value) -> Option<Simpler> {
        let ty = self.function.ty(left);
        let bits = self.function.as_const(right)?;
        let zero = self.function.constant(ty, 0);
        match (binary, bits) {
            (Binary::LtUnsigned, 0) => return Some(self.constant(Type::Bool, 0)),
            (Binary::LeUnsigned, bits) if bits == mask(ty) => {
                return Some(self.constant(Type::Bool, 1));
            }
            (Binary::LtUnsigned, 1) | (Binary::LeUnsigned, 0) => {
                return Some(Simpler::Op(Op::Binary(Binary::Eq, left, zero)));
            }
            (Binary::Eq | Binary::Ne, _) => {}
            _ => return None,
        }
        let Op::Binary(inner, a, b) = *self.function.op(left) else {
            return None;
        };
        match (inner, self.function.as_const(b)) {
            (Binary::Add, Some(added)) => {
                let bits = constant::binary(Binary::Sub, ty, bits, added)?;
                let right = self.function.constant(ty, bits);
                Some(Simpler::Op(Op::Binary(binary, a, right)))
            }
            (Binary::Xor, Some(other)) => {
                let right = self.function.constant(ty, bits ^ other);
                Some(Simpler::Op(Op::Binary(binary, a, right)))
            }
            (Binary::Sub | Binary::Xor, _) if bits == 0 => {
                Some(Simpler::Op(Op::Binary(binary, a, b)))
            }
            _ => None,
        }
    }
}

/// All bits of an integer type.
pub(super) const fn mask(ty: Type) -> u64 {
    if matches!(ty, Type::I32) {
        u32::MAX as u64
    } else {
        u64::MAX
    }
}
