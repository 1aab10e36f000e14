//! The operations in Rust.

use crate::compile::ir::{Binary, Type, Unary};

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn of_f(value: f32) -> u64 {
    value.to_bits().into()
}

fn of_i(value: i32) -> u64 {
    value.cast_unsigned().into()
}

/// The result of an operation with one operand; `None` if it has no meaning for the type.
pub(super) fn unary(op: Unary, ty: Type, a: u64) -> Option<u64> {
    let w = a as u32;
    Some(match (op, ty) {
        (Unary::Not, Type::Bool) => a ^ 1,
        (Unary::BoolToI32, Type::Bool) => a,
        (Unary::CountLeadingZeros, Type::I32) => w.leading_zeros().into(),
        (Unary::CountLeadingZeros, Type::I64) => a.leading_zeros().into(),
        (Unary::CountTrailingZeros, Type::I32) => w.trailing_zeros().into(),
        (Unary::CountTrailingZeros, Type::I64) => a.trailing_zeros().into(),
        (Unary::CountOnes, Type::I32) => w.count_ones().into(),
        (Unary::CountOnes, Type::I64) => a.count_ones().into(),
        (Unary::Extend8, Type::I32) => of_i((w as i8).into()),
        (Unary::Extend8, Type::I64) => i64::from(a as i8).cast_unsigned(),
        (Unary::Extend16, Type::I32) => of_i((w as i16).into()),
        (Unary::Extend16, Type::I64) => i64::from(a as i16).cast_unsigned(),
        (Unary::Extend32, Type::I64) => i64::from(a as i32).cast_unsigned(),
        (Unary::Wrap, Type::I64) => w.into(),
        (Unary::SignExtend, Type::I32) => i64::from(w as i32).cast_unsigned(),
        (Unary::ZeroExtend, Type::I32) => a,
        (Unary::Abs, Type::F32) => a & 0x7fff_ffff,
        (Unary::Abs, Type::F64) => a & (u64::MAX >> 1),
        (Unary::Neg, Type::F32) => a ^ 0x8000_0000,
        (Unary::Neg, Type::F64) => a ^ (1 << 63),
        (Unary::Ceil, Type::F32) => of_f(f(a).ceil()),
        (Unary::Ceil, Type::F64) => d(a).ceil().to_bits(),
        (Unary::Floor, Type::F32) => of_f(f(a).floor()),
        (Unary::Floor, Type::F64) => d(a).floor().to_bits(),
        (Unary::Truncate, Type::F32) => of_f(f(a).trunc()),
        (Unary::Truncate, Type::F64) => d(a).trunc().to_bits(),
        (Unary::Nearest, Type::F32) => of_f(f(a).round_ties_even()),
        (Unary::Nearest, Type::F64) => d(a).round_ties_even().to_bits(),
        (Unary::Sqrt, Type::F32) => of_f(f(a).sqrt()),
        (Unary::Sqrt, Type::F64) => d(a).sqrt().to_bits(),
        (Unary::TruncateSaturateSigned(Type::I32), Type::F32) => of_i(f(a) as i32),
        (Unary::TruncateSaturateSigned(Type::I32), Type::F64) => of_i(d(a) as i32),
        (Unary::TruncateSaturateSigned(Type::I64), Type::F32) => (f(a) as i64).cast_unsigned(),
        (Unary::TruncateSaturateSigned(Type::I64), Type::F64) => (d(a) as i64).cast_unsigned(),
        (Unary::TruncateSaturateUnsigned(Type::I32), Type::F32) => (f(a) as u32).into(),
        (Unary::TruncateSaturateUnsigned(Type::I32), Type::F64) => (d(a) as u32).into(),
        (Unary::TruncateSaturateUnsigned(Type::I64), Type::F32) => f(a) as u64,
        (Unary::TruncateSaturateUnsigned(Type::I64), Type::F64) => d(a) as u64,
        (Unary::ConvertSigned(Type::F32), Type::I32) => of_f(w as i32 as f32),
        (Unary::ConvertSigned(Type::F32), Type::I64) => of_f(a.cast_signed() as f32),
        (Unary::ConvertSigned(Type::F64), Type::I32) => f64::from(w as i32).to_bits(),
        (Unary::ConvertSigned(Type::F64), Type::I64) => (a.cast_signed() as f64).to_bits(),
        (Unary::ConvertUnsigned(Type::F32), Type::I32) => of_f(w as f32),
        (Unary::ConvertUnsigned(Type::F32), Type::I64) => of_f(a as f32),
        (Unary::ConvertUnsigned(Type::F64), Type::I32) => f64::from(w).to_bits(),
        (Unary::ConvertUnsigned(Type::F64), Type::I64) => (a as f64).to_bits(),
        (Unary::Demote, Type::F64) => of_f(d(a) as f32),
        (Unary::Promote, Type::F32) => f64::from(f(a)).to_bits(),
        (Unary::Reinterpret(Type::F32), Type::I32)
        | (Unary::Reinterpret(Type::I32), Type::F32)
        | (Unary::Reinterpret(Type::F64), Type::I64)
        | (Unary::Reinterpret(Type::I64), Type::F64) => a,
        _ => return None,
    })
}

/// The result of an operation with two operands.
pub(super) fn binary(op: Binary, ty: Type, a: u64, b: u64) -> Option<u64> {
    match ty {
        Type::Unit => None,
        Type::Bool => Some(match op {
            Binary::And => a & b,
            Binary::Or => a | b,
            Binary::Xor | Binary::Ne => a ^ b,
            Binary::Eq => u64::from(a == b),
            _ => return None,
        }),
        Type::I32 => binary32(op, a as u32, b as u32),
        Type::I64 => binary64(op, a, b),
        Type::F32 => float(op, f(a).into(), f(b).into(), |op| float32(op, f(a), f(b))),
        Type::F64 => float(op, d(a), d(b), |op| float64(op, d(a), d(b))),
    }
}

macro_rules! integer {
    ($name:ident, $unsigned:ty, $signed:ty) => {
        fn $name(op: Binary, a: $unsigned, b: $unsigned) -> Option<u64> {
            let (x, y) = (a as $signed, b as $signed);
            let count = b as u32;
            Some(match op {
                Binary::Add => a.wrapping_add(b).into(),
                Binary::Sub => a.wrapping_sub(b).into(),
                Binary::Mul => a.wrapping_mul(b).into(),
                Binary::DivSigned if b != 0 => (x.wrapping_div(y) as $unsigned).into(),
                Binary::DivUnsigned if b != 0 => (a / b).into(),
                Binary::RemSigned if b != 0 => (x.wrapping_rem(y) as $unsigned).into(),
                Binary::RemUnsigned if b != 0 => (a % b).into(),
                Binary::And => (a & b).into(),
                Binary::Or => (a | b).into(),
                Binary::Xor => (a ^ b).into(),
                Binary::Shl => a.wrapping_shl(count).into(),
                Binary::ShrSigned => (x.wrapping_shr(count) as $unsigned).into(),
                Binary::ShrUnsigned => a.wrapping_shr(count).into(),
                Binary::RotateLeft => a.rotate_left(count % <$unsigned>::BITS).into(),
                Binary::RotateRight => a.rotate_right(count % <$unsigned>::BITS).into(),
                Binary::Eq => (a == b).into(),
                Binary::Ne => (a != b).into(),
                Binary::LtSigned => (x < y).into(),
                Binary::LtUnsigned => (a < b).into(),
                Binary::LeSigned => (x <= y).into(),
                Binary::LeUnsigned => (a <= b).into(),
                _ => return None,
            })
        }
    };
}

integer!(binary32, u32, i32);
integer!(binary64, u64, i64);

fn float(op: Binary, a: f64, b: f64, arithmetic: impl Fn(Binary) -> Option<u64>) -> Option<u64> {
    Some(match op {
        Binary::Eq => (a == b).into(),
        Binary::Ne => (a != b).into(),
        Binary::Lt => (a < b).into(),
        Binary::Le => (a <= b).into(),
        _ => return arithmetic(op),
    })
}

macro_rules! floats {
    ($name:ident, $float:ty) => {
        fn $name(op: Binary, a: $float, b: $float) -> Option<u64> {
            let is_nan = a.is_nan() || b.is_nan();
            let result = match op {
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div => a / b,
                Binary::CopySign => a.copysign(b),
                Binary::Min | Binary::Max if is_nan => <$float>::NAN,
                Binary::Min if a == b => {
                    if a.is_sign_negative() {
                        a
                    } else {
                        b
                    }
                }
                Binary::Max if a == b => {
                    if a.is_sign_positive() {
                        a
                    } else {
                        b
                    }
                }
                Binary::Min => a.min(b),
                Binary::Max => a.max(b),
                _ => return None,
            };
            Some(result.to_bits().into())
        }
    };
}

floats!(float32, f32);
floats!(float64, f64);
