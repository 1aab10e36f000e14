//! The value of pure operations of constants, as WebAssembly defines it.
//!
//! In: bits of the operands. Out: bits of the result, or `None` where the IR leaves it open
//! (division by zero). NaN results have the payload that this machine gives them: who folds must
//! not use them ([`is_nan`]).

use crate::compile::ir::{Binary, Type, Unary};

fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn of_f32(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// Whether a value of a type is a NaN.
pub(crate) fn is_nan(ty: Type, bits: u64) -> bool {
    match ty {
        Type::F32 => f32_of(bits).is_nan(),
        Type::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}

/// The result of an operation with one operand of a type.
pub(crate) fn unary(unary: Unary, ty: Type, bits: u64) -> u64 {
    let word = bits as u32;
    match unary {
        Unary::Not => u64::from(bits == 0),
        Unary::BoolToI32 | Unary::Reinterpret(_) | Unary::ZeroExtend => bits,
        Unary::Wrap => u64::from(word),
        Unary::SignExtend => i64::from(word.cast_signed()).cast_unsigned(),
        Unary::Promote => f64::from(f32_of(bits)).to_bits(),
        Unary::Demote => of_f32(f64::from_bits(bits) as f32),
        Unary::ConvertSigned(to) => {
            let value = if ty == Type::I32 {
                i64::from(word.cast_signed())
            } else {
                bits.cast_signed()
            };
            // The rounding is one step, from the integer.
            match to {
                Type::F32 => of_f32(value as f32),
                _ => (value as f64).to_bits(),
            }
        }
        Unary::ConvertUnsigned(Type::F32) => of_f32(bits as f32),
        Unary::ConvertUnsigned(_) => (bits as f64).to_bits(),
        // A promotion to `F64` is exact, so the result is that of the operand.
        Unary::TruncateSaturateSigned(to) => {
            let value = number(ty, bits);
            match to {
                Type::I32 => u64::from((value as i32).cast_unsigned()),
                _ => (value as i64).cast_unsigned(),
            }
        }
        Unary::TruncateSaturateUnsigned(to) => {
            let value = number(ty, bits);
            match to {
                Type::I32 => u64::from(value as u32),
                _ => value as u64,
            }
        }
        _ => match ty {
            Type::I32 => u64::from(integer_32(unary, word)),
            Type::I64 => integer_64(unary, bits),
            Type::F32 => u64::from(float_32(unary, word)),
            _ => float_64(unary, bits),
        },
    }
}

fn number(ty: Type, bits: u64) -> f64 {
    if ty == Type::F32 {
        f64::from(f32_of(bits))
    } else {
        f64::from_bits(bits)
    }
}

fn integer_32(unary: Unary, word: u32) -> u32 {
    match unary {
        Unary::CountLeadingZeros => word.leading_zeros(),
        Unary::CountTrailingZeros => word.trailing_zeros(),
        Unary::CountOnes => word.count_ones(),
        Unary::Extend8 => i32::from(word as i8).cast_unsigned(),
        Unary::Extend16 => i32::from(word as i16).cast_unsigned(),
        _ => word,
    }
}

fn integer_64(unary: Unary, bits: u64) -> u64 {
    match unary {
        Unary::CountLeadingZeros => u64::from(bits.leading_zeros()),
        Unary::CountTrailingZeros => u64::from(bits.trailing_zeros()),
        Unary::CountOnes => u64::from(bits.count_ones()),
        Unary::Extend8 => i64::from(bits as i8).cast_unsigned(),
        Unary::Extend16 => i64::from(bits as i16).cast_unsigned(),
        Unary::Extend32 => i64::from(bits as i32).cast_unsigned(),
        _ => bits,
    }
}

/// Declares the float operations of one width.
macro_rules! floats {
    ($unary:ident, $binary:ident, $compare:ident, $bits:ty, $float:ty) => {
        fn $unary(unary: Unary, bits: $bits) -> $bits {
            const SIGN: $bits = !(<$bits>::MAX >> 1);
            let value = <$float>::from_bits(bits);
            match unary {
                Unary::Abs => return bits & !SIGN,
                Unary::Neg => return bits ^ SIGN,
                Unary::Ceil => value.ceil(),
                Unary::Floor => value.floor(),
                Unary::Truncate => value.trunc(),
                Unary::Nearest => value.round_ties_even(),
                Unary::Sqrt => value.sqrt(),
                _ => value,
            }
            .to_bits()
        }

        fn $binary(binary: Binary, left: $bits, right: $bits) -> $bits {
            const SIGN: $bits = !(<$bits>::MAX >> 1);
            let (a, b) = (<$float>::from_bits(left), <$float>::from_bits(right));
            let is_left_lower = a < b || (a == b && a.is_sign_negative());
            match binary {
                Binary::CopySign => return left & !SIGN | right & SIGN,
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div => a / b,
                Binary::Min | Binary::Max if a.is_nan() || b.is_nan() => <$float>::NAN,
                Binary::Min if is_left_lower => a,
                Binary::Max if !is_left_lower => a,
                _ => b,
            }
            .to_bits()
        }

        fn $compare(binary: Binary, left: $bits, right: $bits) -> bool {
            let (a, b) = (<$float>::from_bits(left), <$float>::from_bits(right));
            match binary {
                Binary::Eq => a == b,
                Binary::Ne => a != b,
                Binary::Lt => a < b,
                _ => a <= b,
            }
        }
    };
}

floats!(float_32, float_binary_32, float_compare_32, u32, f32);
floats!(float_64, float_binary_64, float_compare_64, u64, f64);

/// Declares the integer operations of one width.
macro_rules! integers {
    ($binary:ident, $compare:ident, $bits:ty) => {
        fn $binary(binary: Binary, a: $bits, b: $bits) -> Option<$bits> {
            let (x, y) = (a.cast_signed(), b.cast_signed());
            let count = b as u32;
            Some(match binary {
                Binary::Add => a.wrapping_add(b),
                Binary::Sub => a.wrapping_sub(b),
                Binary::Mul => a.wrapping_mul(b),
                Binary::DivSigned => x.checked_div(y)?.cast_unsigned(),
                Binary::DivUnsigned => a.checked_div(b)?,
                Binary::RemSigned if y == -1 => 0,
                Binary::RemSigned => x.checked_rem(y)?.cast_unsigned(),
                Binary::RemUnsigned => a.checked_rem(b)?,
                Binary::And => a & b,
                Binary::Or => a | b,
                Binary::Xor => a ^ b,
                Binary::Shl => a.wrapping_shl(count),
                Binary::ShrSigned => x.wrapping_shr(count).cast_unsigned(),
                Binary::ShrUnsigned => a.wrapping_shr(count),
                Binary::RotateLeft => a.rotate_left(count % <$bits>::BITS),
                Binary::RotateRight => a.rotate_right(count % <$bits>::BITS),
                _ => return None,
            })
        }

        fn $compare(binary: Binary, a: $bits, b: $bits) -> bool {
            match binary {
                Binary::Eq => a == b,
                Binary::Ne => a != b,
                Binary::LtSigned => a.cast_signed() < b.cast_signed(),
                Binary::LeSigned => a.cast_signed() <= b.cast_signed(),
                Binary::LtUnsigned => a < b,
                _ => a <= b,
            }
        }
    };
}

integers!(integer_binary_32, integer_compare_32, u32);
integers!(integer_binary_64, integer_compare_64, u64);

/// The result of an operation with two operands of a type.
pub(crate) fn binary(binary: Binary, ty: Type, left: u64, right: u64) -> Option<u64> {
    let (a, b) = (left as u32, right as u32);
    if binary.is_comparison() {
        let holds = match ty {
            Type::F32 => float_compare_32(binary, a, b),
            Type::F64 => float_compare_64(binary, left, right),
            Type::I64 => integer_compare_64(binary, left, right),
            _ => integer_compare_32(binary, a, b),
        };
        return Some(u64::from(holds));
    }
    match ty {
        Type::F32 => Some(u64::from(float_binary_32(binary, a, b))),
        Type::F64 => Some(float_binary_64(binary, left, right)),
        Type::I64 => integer_binary_64(binary, left, right),
        _ => integer_binary_32(binary, a, b).map(u64::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edge_cases_of_the_specification() {
        let f = |value: f32| of_f32(value);
        let of = |op, a: f32, b: f32| binary(op, Type::F32, f(a), f(b)).unwrap();
        assert_eq!(of(Binary::Min, 0.0, -0.0), f(-0.0));
        assert_eq!(of(Binary::Min, -0.0, 0.0), f(-0.0));
        assert_eq!(of(Binary::Max, -0.0, 0.0), f(0.0));
        assert_eq!(of(Binary::Max, 0.0, -0.0), f(0.0));
        assert!(is_nan(Type::F32, of(Binary::Min, f32::NAN, 1.0)));
        assert_eq!(of(Binary::Ne, f32::NAN, f32::NAN), 1);
        assert_eq!(unary(Unary::Nearest, Type::F32, f(2.5)), f(2.0));
        assert_eq!(unary(Unary::Nearest, Type::F32, f(-0.4)), f(-0.0));
        let saturate = Unary::TruncateSaturateUnsigned(Type::I32);
        assert_eq!(unary(saturate, Type::F32, f(-1.0)), 0);
        assert_eq!(unary(saturate, Type::F64, 1e10_f64.to_bits()), 0xffff_ffff);
        assert_eq!(unary(saturate, Type::F32, f(f32::NAN)), 0);
        let word = |op, a: i32, b: i32| {
            let bits = |value: i32| u64::from(value.cast_unsigned());
            binary(op, Type::I32, bits(a), bits(b)).map(|bits| (bits as u32).cast_signed())
        };
        assert_eq!(word(Binary::RemSigned, i32::MIN, -1), Some(0));
        assert_eq!(word(Binary::DivSigned, i32::MIN, -1), None);
        assert_eq!(word(Binary::DivUnsigned, 1, 0), None);
        assert_eq!(word(Binary::ShrSigned, -8, 33), Some(-4));
        assert_eq!(word(Binary::RotateRight, 1, 1), Some(i32::MIN));
    }
}
