//! Conversions, with the checks of those that trap.
//!
//! A trapping conversion is a saturating one after two checks: NaN, then the range. The bounds are
//! numbers of the operand's type, so each comparison is exact ("Numerics" in the WebAssembly
//! specification: a conversion is defined if the truncated number is in the integer's range).

use wasmparser::Operator;

use super::builder::Builder;
use crate::TrapCode;
use crate::compile::ir::{Binary, Type, Unary};

use Type::{F32, F64, I32, I64};

/// Signed or unsigned.
#[derive(Clone, Copy)]
enum Sign {
    Signed,
    Unsigned,
}

use Sign::{Signed, Unsigned};

/// The lower bound of a trapping conversion, and whether the bound itself is inside.
fn lower(from: Type, to: Type, sign: Sign) -> (f64, bool) {
    match (sign, to, from) {
        (Unsigned, ..) => (-1.0, false),
        // The number below the smallest integer is not an `f32`.
        (Signed, I32, F64) => (-2_147_483_649.0, false),
        (Signed, I32, _) => (-2_147_483_648.0, true),
        (Signed, ..) => (-9_223_372_036_854_775_808.0, true),
    }
}

/// The smallest number above the range.
fn upper(to: Type, sign: Sign) -> f64 {
    match (sign, to) {
        (Signed, I32) => 2_147_483_648.0,
        (Unsigned, I32) => 4_294_967_296.0,
        (Signed, _) => 9_223_372_036_854_775_808.0,
        (Unsigned, _) => 18_446_744_073_709_551_616.0,
    }
}

/// The types of a trapping conversion.
fn trapping(operator: &Operator<'_>) -> Option<(Type, Type, Sign)> {
    Some(match operator {
        Operator::I32TruncF32S => (F32, I32, Signed),
        Operator::I32TruncF32U => (F32, I32, Unsigned),
        Operator::I32TruncF64S => (F64, I32, Signed),
        Operator::I32TruncF64U => (F64, I32, Unsigned),
        Operator::I64TruncF32S => (F32, I64, Signed),
        Operator::I64TruncF32U => (F32, I64, Unsigned),
        Operator::I64TruncF64S => (F64, I64, Signed),
        Operator::I64TruncF64U => (F64, I64, Unsigned),
        _ => return None,
    })
}

/// The operation of a conversion that does not trap.
fn total(operator: &Operator<'_>) -> Option<Unary> {
    Some(match operator {
        Operator::I32WrapI64 => Unary::Wrap,
        Operator::I64ExtendI32S => Unary::SignExtend,
        Operator::I64ExtendI32U => Unary::ZeroExtend,
        Operator::I32TruncSatF32S | Operator::I32TruncSatF64S => Unary::TruncateSaturateSigned(I32),
        Operator::I32TruncSatF32U | Operator::I32TruncSatF64U => {
            Unary::TruncateSaturateUnsigned(I32)
        }
        Operator::I64TruncSatF32S | Operator::I64TruncSatF64S => Unary::TruncateSaturateSigned(I64),
        Operator::I64TruncSatF32U | Operator::I64TruncSatF64U => {
            Unary::TruncateSaturateUnsigned(I64)
        }
        Operator::F32ConvertI32S | Operator::F32ConvertI64S => Unary::ConvertSigned(F32),
        Operator::F32ConvertI32U | Operator::F32ConvertI64U => Unary::ConvertUnsigned(F32),
        Operator::F64ConvertI32S | Operator::F64ConvertI64S => Unary::ConvertSigned(F64),
        Operator::F64ConvertI32U | Operator::F64ConvertI64U => Unary::ConvertUnsigned(F64),
        Operator::F32DemoteF64 => Unary::Demote,
        Operator::F64PromoteF32 => Unary::Promote,
        Operator::I32ReinterpretF32 => Unary::Reinterpret(I32),
        Operator::I64ReinterpretF64 => Unary::Reinterpret(I64),
        Operator::F32ReinterpretI32 => Unary::Reinterpret(F32),
        Operator::F64ReinterpretI64 => Unary::Reinterpret(F64),
        _ => return None,
    })
}

impl Builder<'_> {
    /// A conversion. Whether the operator is one.
    pub(super) fn conversion(&mut self, operator: &Operator<'_>) -> bool {
        let unary = if let Some((from, to, sign)) = trapping(operator) {
            self.check_conversion(from, to, sign);
            match sign {
                Signed => Unary::TruncateSaturateSigned(to),
                Unsigned => Unary::TruncateSaturateUnsigned(to),
            }
        } else if let Some(unary) = total(operator) {
            unary
        } else {
            return false;
        };
        let operand = self.pop_number();
        let value = self.unary(unary, operand);
        self.stack.push(value);
        true
    }

    /// Checks the number on top of the operand stack, which stays there.
    fn check_conversion(&mut self, from: Type, to: Type, sign: Sign) {
        let number = self.pop();
        self.stack.push(number);
        let is_nan = self.binary(Binary::Ne, number, number);
        self.trap_if(is_nan, TrapCode::InvalidConversion);
        let (lower, is_inside) = lower(from, to, sign);
        let (lower, upper) = (self.float(from, lower), self.float(from, upper(to, sign)));
        let below = if is_inside { Binary::Lt } else { Binary::Le };
        let below = self.binary(below, number, lower);
        let above = self.binary(Binary::Le, upper, number);
        let outside = self.binary(Binary::Or, below, above);
        self.trap_if(outside, TrapCode::IntegerOverflow);
    }

    /// A constant that both float types have.
    fn float(&mut self, ty: Type, number: f64) -> crate::compile::ir::Value {
        let bits = match ty {
            F32 => u64::from((number as f32).to_bits()),
            _ => number.to_bits(),
        };
        self.function.constant(ty, bits)
    }
}
