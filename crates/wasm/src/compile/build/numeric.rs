//! Arithmetic and comparisons, with the checks of divisions.

use wasmparser::Operator;

use super::builder::Builder;
use crate::TrapCode;
use crate::compile::ir::{Binary, Op, Type, Unary, Value};

/// Operators as rows: `Operator => Operation`.
macro_rules! rows {
    ($operator:ident { $($($wasm:ident)|+ => $operation:expr,)* }) => {
        Some(match $operator {
            $($(Operator::$wasm)|+ => $operation,)*
            _ => return None,
        })
    };
}

/// A unary operator of the same type.
fn unary(operator: &Operator<'_>) -> Option<Unary> {
    rows!(operator {
        I32Clz | I64Clz => Unary::CountLeadingZeros,
        I32Ctz | I64Ctz => Unary::CountTrailingZeros,
        I32Popcnt | I64Popcnt => Unary::CountOnes,
        I32Extend8S | I64Extend8S => Unary::Extend8,
        I32Extend16S | I64Extend16S => Unary::Extend16,
        I64Extend32S => Unary::Extend32,
        F32Abs | F64Abs => Unary::Abs,
        F32Neg | F64Neg => Unary::Neg,
        F32Ceil | F64Ceil => Unary::Ceil,
        F32Floor | F64Floor => Unary::Floor,
        F32Trunc | F64Trunc => Unary::Truncate,
        F32Nearest | F64Nearest => Unary::Nearest,
        F32Sqrt | F64Sqrt => Unary::Sqrt,
    })
}

/// The order of the operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Same,
    Exchanged,
}

use Order::{Exchanged, Same};

/// A binary operator.
fn binary(operator: &Operator<'_>) -> Option<(Binary, Order)> {
    rows!(operator {
        I32Add | I64Add | F32Add | F64Add => (Binary::Add, Same),
        I32Sub | I64Sub | F32Sub | F64Sub => (Binary::Sub, Same),
        I32Mul | I64Mul | F32Mul | F64Mul => (Binary::Mul, Same),
        F32Div | F64Div => (Binary::Div, Same),
        I32DivS | I64DivS => (Binary::DivSigned, Same),
        I32DivU | I64DivU => (Binary::DivUnsigned, Same),
        I32RemS | I64RemS => (Binary::RemSigned, Same),
        I32RemU | I64RemU => (Binary::RemUnsigned, Same),
        I32And | I64And => (Binary::And, Same),
        I32Or | I64Or => (Binary::Or, Same),
        I32Xor | I64Xor => (Binary::Xor, Same),
        I32Shl | I64Shl => (Binary::Shl, Same),
        I32ShrS | I64ShrS => (Binary::ShrSigned, Same),
        I32ShrU | I64ShrU => (Binary::ShrUnsigned, Same),
        I32Rotl | I64Rotl => (Binary::RotateLeft, Same),
        I32Rotr | I64Rotr => (Binary::RotateRight, Same),
        F32Min | F64Min => (Binary::Min, Same),
        F32Max | F64Max => (Binary::Max, Same),
        F32Copysign | F64Copysign => (Binary::CopySign, Same),
        I32Eq | I64Eq | F32Eq | F64Eq => (Binary::Eq, Same),
        I32Ne | I64Ne | F32Ne | F64Ne => (Binary::Ne, Same),
        I32LtS | I64LtS => (Binary::LtSigned, Same),
        I32LtU | I64LtU => (Binary::LtUnsigned, Same),
        I32GtS | I64GtS => (Binary::LtSigned, Exchanged),
        I32GtU | I64GtU => (Binary::LtUnsigned, Exchanged),
        I32LeS | I64LeS => (Binary::LeSigned, Same),
        I32LeU | I64LeU => (Binary::LeUnsigned, Same),
        I32GeS | I64GeS => (Binary::LeSigned, Exchanged),
        I32GeU | I64GeU => (Binary::LeUnsigned, Exchanged),
        F32Lt | F64Lt => (Binary::Lt, Same),
        F32Gt | F64Gt => (Binary::Lt, Exchanged),
        F32Le | F64Le => (Binary::Le, Same),
        F32Ge | F64Ge => (Binary::Le, Exchanged),
    })
}

impl Builder<'_> {
    /// Arithmetic or a comparison. Whether the operator is one.
    pub(super) fn numeric(&mut self, operator: &Operator<'_>) -> bool {
        let value = if let Some(unary) = unary(operator) {
            let operand = self.pop_number();
            self.unary(unary, operand)
        } else if let Some((binary, order)) = binary(operator) {
            let (right, left) = (self.pop(), self.pop());
            match order {
                Same => self.arithmetic(binary, left, right),
                Exchanged => self.arithmetic(binary, right, left),
            }
        } else if matches!(operator, Operator::I32Eqz | Operator::I64Eqz) {
            let operand = self.pop();
            self.is_zero(operand)
        } else {
            return false;
        };
        self.stack.push(value);
        true
    }

    fn arithmetic(&mut self, binary: Binary, left: Value, right: Value) -> Value {
        if let Some(condition) = self.logical(binary, left, right) {
            return condition;
        }
        let (left, right) = (self.number(left), self.number(right));
        match binary {
            Binary::DivSigned | Binary::DivUnsigned | Binary::RemSigned | Binary::RemUnsigned => {
                self.check_division(binary, left, right);
            }
            Binary::Add => {
                if let Some(value) = self.restored(left, right) {
                    return value;
                }
            }
            _ => {}
        }
        self.binary(binary, left, right)
    }

    /// The number that `left + right` restores, if it is `(number - right) + right`: functions
    /// leave their stack frame so, and the stack pointer must not seem to change in a loop.
    fn restored(&self, left: Value, right: Value) -> Option<Value> {
        match *self.function.op(left) {
            Op::Binary(Binary::Sub, number, subtracted)
                if subtracted == right && self.function.ty(left) == Type::I32 =>
            {
                Some(number)
            }
            _ => None,
        }
    }

    /// The checks before an integer division.
    fn check_division(&mut self, binary: Binary, left: Value, right: Value) {
        let ty = self.function.ty(left);
        let divisor = self.function.as_const(right);
        if divisor.is_none_or(|divisor| divisor == 0) {
            let zero = self.function.constant(ty, 0);
            let is_zero = self.binary(Binary::Eq, right, zero);
            self.trap_if(is_zero, TrapCode::DivideByZero);
        }
        let (smallest, minus_one) = match ty {
            Type::I64 => (1 << 63, u64::MAX),
            _ => (1 << 31, u64::from(u32::MAX)),
        };
        let dividend = self.function.as_const(left);
        let can_overflow = binary == Binary::DivSigned
            && divisor.is_none_or(|divisor| divisor == minus_one)
            && dividend.is_none_or(|dividend| dividend == smallest);
        if can_overflow {
            let smallest = self.function.constant(ty, smallest);
            let minus_one = self.function.constant(ty, minus_one);
            let is_smallest = self.binary(Binary::Eq, left, smallest);
            let is_minus_one = self.binary(Binary::Eq, right, minus_one);
            let overflows = self.binary(Binary::And, is_smallest, is_minus_one);
            self.trap_if(overflows, TrapCode::IntegerOverflow);
        }
    }
}
