//! Writes literals.
//!
//! In: a literal. Out: text that denotes exactly that value and type. `i32` and `f32` need no suffix: a literal by
//! itself defaults to these types, and next to a concrete type it takes that type, which is the same in a valid module.
//! All other types have a suffix or a constructor. Infinities and NaN do not occur, because naga refuses them.

use std::fmt::Write;

use anywarp_program::naga::{Arena, Expression, Handle, Literal, Scalar, ScalarKind};

/// Appends a literal; `false` for abstract types, which have no spelling.
pub(super) fn push(literal: Literal, out: &mut String) -> bool {
    // Writing into a string cannot fail.
    let _ = match literal {
        Literal::Bool(value) => {
            out.push_str(if value { "true" } else { "false" });
            Ok(())
        }
        Literal::I32(value) => {
            push_i32(value, out);
            Ok(())
        }
        Literal::U32(value) => {
            push_u32(value, out);
            out.push('u');
            Ok(())
        }
        Literal::F32(value) => return push_f32(value, out),
        Literal::F16(value) => write!(out, "{:?}h", f32::from(value)),
        Literal::F64(value) => write!(out, "{value:?}lf"),
        Literal::U64(value) => write!(out, "{value}lu"),
        // The digits of the smallest number are out of range before the sign is applied.
        Literal::I64(i64::MIN) => write!(out, "i64({} - 1)", i64::MIN + 1),
        Literal::I64(value) => write!(out, "{value}li"),
        Literal::U16(value) => write!(out, "u16({value})"),
        Literal::I16(value) => write!(out, "i16({value})"),
        Literal::AbstractInt(_) | Literal::AbstractFloat(_) => return false,
    };
    true
}

/// Appends a number without the formatting machinery, because texts contain many.
pub(super) fn push_u32(value: u32, out: &mut String) {
    let mut digits = [0_u8; 10];
    let mut first = digits.len();
    let mut rest = value;
    loop {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend(digits[first..].iter().map(|digit| char::from(*digit)));
}

/// Appends a signed number.
pub(super) fn push_i32(value: i32, out: &mut String) {
    if value < 0 {
        out.push('-');
    }
    push_u32(value.unsigned_abs(), out);
}

/// Appends multiples of 1/4 up to 65536, whose shortest decimal representation is exact and unique. `false` for all
/// other values.
fn push_quarters(value: f32, out: &mut String) -> bool {
    let quarters = value.abs() * 4.0;
    // The fraction of NaN is NaN, which is not zero either.
    if quarters >= 65536.0 || quarters.fract() != 0.0 {
        return false;
    }
    if value.is_sign_negative() {
        out.push('-');
    }
    let quarters = quarters as u32;
    push_u32(quarters / 4, out);
    out.push_str([".0", ".25", ".5", ".75"][quarters as usize % 4]);
    true
}

/// Without a suffix the digits are first parsed as `f64`. If that overflows, or double rounding would change the value,
/// the bits are written as a hexadecimal literal.
fn push_f32(value: f32, out: &mut String) -> bool {
    if push_quarters(value, out) {
        return true;
    }
    let start = out.len();
    let _ = write!(out, "{value:?}");
    let exact = out[start..].parse::<f64>().is_ok_and(|wide| {
        wide.abs() <= f64::from(f32::MAX) && (wide as f32).to_bits() == value.to_bits()
    });
    if !exact {
        out.truncate(start);
        push_bits(value, out);
    }
    true
}

/// Appends a hexadecimal float literal.
fn push_bits(value: f32, out: &mut String) {
    let bits = value.to_bits();
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let exponent = (bits >> 23 & 0xff) as i32;
    // The 23 mantissa bits are six hexadecimal digits less one bit.
    let fraction = format!("{:06x}", (bits & 0x7f_ffff) << 1);
    let (whole, power) = match exponent {
        0 => (0, -126),
        exponent => (1, exponent - 127),
    };
    let _ = write!(out, "{sign}0x{whole}.{fraction}p{power:+}");
}

/// Whether the literal begins with a minus sign, and so is a unary expression.
pub(super) fn is_negative(literal: Literal) -> bool {
    match literal {
        Literal::I32(value) => value < 0,
        Literal::F32(value) => value.is_sign_negative(),
        Literal::F16(value) => value.is_sign_negative(),
        Literal::F64(value) => value.is_sign_negative(),
        Literal::I64(value) => value < 0 && value != i64::MIN,
        _ => false,
    }
}

/// The zero of a scalar type; `None` for abstract types.
pub(super) fn zero(scalar: Scalar) -> Option<&'static str> {
    Some(match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => "false",
        (ScalarKind::Sint, 4) => "0",
        (ScalarKind::Uint, 4) => "0u",
        (ScalarKind::Float, 4) => "0.0",
        (ScalarKind::Float, 2) => "0.0h",
        (ScalarKind::Float, 8) => "0.0lf",
        (ScalarKind::Sint, 8) => "0li",
        (ScalarKind::Uint, 8) => "0lu",
        (ScalarKind::Sint, 2) => "i16(0)",
        (ScalarKind::Uint, 2) => "u16(0)",
        _ => return None,
    })
}

/// The literal that results from bitcasting a literal between 32-bit integer types.
pub(super) fn recast(arena: &Arena<Expression>, expression: Handle<Expression>) -> Option<Literal> {
    let Expression::As {
        expr,
        kind,
        convert: None,
    } = arena[expression]
    else {
        return None;
    };
    match (&arena[expr], kind) {
        (Expression::Literal(Literal::I32(value)), ScalarKind::Uint) => {
            Some(Literal::U32(value.cast_unsigned()))
        }
        (Expression::Literal(Literal::U32(value)), ScalarKind::Sint) => {
            Some(Literal::I32(value.cast_signed()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(literal: Literal) -> String {
        let mut out = String::new();
        assert!(push(literal, &mut out));
        out
    }

    #[test]
    fn floats_mean_their_bits() {
        assert_eq!(text(Literal::F32(0.1)), "0.1");
        assert_eq!(text(Literal::F32(-0.0)), "-0.0");
        assert_eq!(text(Literal::F32(1e10)), "10000000000.0");
        assert_eq!(text(Literal::F32(f32::MAX)), "0x1.fffffep+127");
        assert_eq!(text(Literal::F32(f32::from_bits(1))), "1e-45");
        for bits in (0..0x7f80_0000u32).step_by(99_991) {
            let text = text(Literal::F32(f32::from_bits(bits)));
            if !text.starts_with("0x") {
                assert_eq!((text.parse::<f64>().unwrap() as f32).to_bits(), bits);
            }
        }
    }

    #[test]
    fn few_digits_are_those_of_the_shortest_spelling() {
        for eighths in -200_000_i32..200_000 {
            let value = eighths as f32 / 8.0;
            assert_eq!(text(Literal::F32(value)), format!("{value:?}"));
        }
        for value in [0, 7, 10, 4_294_967_295_u32] {
            assert_eq!(text(Literal::U32(value)), format!("{value}u"));
        }
    }

    #[test]
    fn the_least_integers_have_a_spelling() {
        assert_eq!(text(Literal::I32(i32::MIN)), "-2147483648");
        assert_eq!(
            text(Literal::I64(i64::MIN)),
            "i64(-9223372036854775807 - 1)"
        );
    }
}
