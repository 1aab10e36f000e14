//! Semantics of the operations of the vector IR on one word or one lane. This is the only definition.
//!
//! In: an operation and the bits of its operands. Out: the bits of the result. Nothing panics, whatever the bits are.
//! The evaluator and constant folding both use these functions, so that they agree. The payload of a NaN result is not
//! defined.

use half::f16;

use crate::ir::{
    AtomicOp, F64Op, LaneBinary, LaneCompare, LaneUnary, MaskBinary, WordBinary, WordCompare,
};

/// Arithmetic and bitwise operations on words.
pub fn word_binary(op: WordBinary, a: u32, b: u32) -> u32 {
    let (signed_a, signed_b) = (a as i32, b as i32);
    match op {
        WordBinary::Add => a.wrapping_add(b),
        WordBinary::Sub => a.wrapping_sub(b),
        WordBinary::Mul => a.wrapping_mul(b),
        WordBinary::And => a & b,
        WordBinary::Or => a | b,
        WordBinary::Xor => a ^ b,
        WordBinary::Shl => a.wrapping_shl(b),
        WordBinary::ShrU => a.wrapping_shr(b),
        WordBinary::ShrS => signed_a.wrapping_shr(b) as u32,
        WordBinary::DivU => a.checked_div(b).unwrap_or(a),
        WordBinary::DivS => signed_a.checked_div(signed_b).unwrap_or(signed_a) as u32,
        WordBinary::RemU => a.checked_rem(b).unwrap_or(0),
        WordBinary::RemS => signed_a.checked_rem(signed_b).unwrap_or(0) as u32,
        WordBinary::MinU => a.min(b),
        WordBinary::MaxU => a.max(b),
        WordBinary::MinS => signed_a.min(signed_b) as u32,
        WordBinary::MaxS => signed_a.max(signed_b) as u32,
        WordBinary::MulHighU => ((u64::from(a) * u64::from(b)) >> 32) as u32,
    }
}

/// A comparison of words.
pub fn word_compare(op: WordCompare, a: u32, b: u32) -> bool {
    match op {
        WordCompare::Eq => a == b,
        WordCompare::Ne => a != b,
        WordCompare::LtU => a < b,
        WordCompare::LeU => a <= b,
        WordCompare::LtS => (a as i32) < b as i32,
        WordCompare::LeS => a as i32 <= b as i32,
    }
}

/// A binary operation in one lane.
pub fn lane_binary(op: LaneBinary, a: u32, b: u32) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let result = match op {
        LaneBinary::AddF => x + y,
        LaneBinary::SubF => x - y,
        LaneBinary::MulF => x * y,
        LaneBinary::DivF => x / y,
        LaneBinary::MinF => return if x < y { a } else { b },
        LaneBinary::MaxF => return if x > y { a } else { b },
        LaneBinary::ScaleF => scale(x, y),
        LaneBinary::Int(op) => return word_binary(op, a, b),
    };
    result.to_bits()
}

/// `x * 2^floor(y)`, rounded once.
fn scale(x: f32, y: f32) -> f32 {
    if y.is_nan() {
        return y;
    }
    // Beyond this every finite number has become zero or infinity, and f64 still holds both the power and the product.
    let exponent = y.floor().clamp(-400.0, 400.0) as i32;
    (f64::from(x) * 2f64.powi(exponent)) as f32
}

/// A comparison in one lane.
pub fn lane_compare(op: LaneCompare, a: u32, b: u32) -> bool {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    match op {
        LaneCompare::EqF => x == y,
        LaneCompare::NeF => x != y,
        LaneCompare::LtF => x < y,
        LaneCompare::LeF => x <= y,
        LaneCompare::NltF => x.partial_cmp(&y).is_none_or(|order| order.is_ge()),
        LaneCompare::NleF => x.partial_cmp(&y).is_none_or(|order| order.is_gt()),
        LaneCompare::Int(op) => word_compare(op, a, b),
    }
}

/// A unary operation in one lane.
pub fn lane_unary(op: LaneUnary, a: u32) -> u32 {
    let x = f32::from_bits(a);
    let result = match op {
        LaneUnary::Sqrt => x.sqrt(),
        LaneUnary::InverseSqrtEstimate => return inverse_sqrt_estimate(x),
        LaneUnary::Round => x.round_ties_even(),
        LaneUnary::Floor => x.floor(),
        LaneUnary::Ceil => x.ceil(),
        LaneUnary::Trunc => x.trunc(),
        LaneUnary::FromU => a as f32,
        LaneUnary::FromS => a as i32 as f32,
        LaneUnary::ToU => return x as u32,
        LaneUnary::ToS => return x as i32 as u32,
        LaneUnary::FromHalf => f16::from_bits(a as u16).to_f32(),
        LaneUnary::ToHalf => return u32::from(f16::from_f32(x).to_bits()),
        LaneUnary::CountOnes => return a.count_ones(),
        LaneUnary::LeadingZeros => return a.leading_zeros(),
    };
    result.to_bits()
}

/// An estimate with the largest error that is allowed, so that tests fail where code relies on more precision.
fn inverse_sqrt_estimate(x: f32) -> u32 {
    let root = (1.0 / f64::from(x).sqrt()) as f32;
    if root.is_normal() {
        root.to_bits() & !0x3ff
    } else {
        root.to_bits()
    }
}

/// `a * b + c` of floats, rounded once.
pub fn fma(a: u32, b: u32, c: u32) -> u32 {
    f32::from_bits(a)
        .mul_add(f32::from_bits(b), f32::from_bits(c))
        .to_bits()
}

/// Arithmetic on the bits of 64-bit floats. The operand of [`F64Op::FromF32`] has the bits of an `f32`. Missing
/// operands count as 0.
pub fn double(op: F64Op, numbers: &[u64]) -> u64 {
    let at = |place: usize| numbers.get(place).copied().unwrap_or(0);
    let of = |place: usize| f64::from_bits(at(place));
    let result = match op {
        F64Op::Add => of(0) + of(1),
        F64Op::Sub => of(0) - of(1),
        F64Op::Mul => of(0) * of(1),
        F64Op::Div => of(0) / of(1),
        F64Op::Fma => of(0).mul_add(of(1), of(2)),
        F64Op::Sqrt => of(0).sqrt(),
        F64Op::Round => of(0).round_ties_even(),
        F64Op::Floor => of(0).floor(),
        F64Op::Ceil => of(0).ceil(),
        F64Op::Trunc => of(0).trunc(),
        F64Op::FromF32 => f64::from(f32::from_bits(at(0) as u32)),
    };
    result.to_bits()
}

/// Rounds a 64-bit float to the nearest `f32`, given and returned as bits.
pub fn double_to_float(number: u64) -> u32 {
    (f64::from_bits(number) as f32).to_bits()
}

/// Bitwise logic by a truth table: for each bit position, bit `4a + 2b + c` of the table.
pub fn ternary(table: u8, a: u32, b: u32, c: u32) -> u32 {
    let rows = (0..8).filter(|row| table >> row & 1 == 1);
    rows.fold(0, |bits, row| {
        let pick = |word: u32, bit: u32| if row >> bit & 1 == 1 { word } else { !word };
        bits | pick(a, 2) & pick(b, 1) & pick(c, 0)
    })
}

/// Bitwise logic on masks.
pub fn mask_binary(op: MaskBinary, a: u32, b: u32) -> u32 {
    match op {
        MaskBinary::And => a & b,
        MaskBinary::Or => a | b,
        MaskBinary::Xor => a ^ b,
        MaskBinary::AndNot => a & !b,
    }
}

/// The word that an atomic operation stores.
pub fn atomic(op: AtomicOp, old: u32, value: u32) -> u32 {
    let op = match op {
        AtomicOp::Add => WordBinary::Add,
        AtomicOp::Sub => WordBinary::Sub,
        AtomicOp::And => WordBinary::And,
        AtomicOp::Or => WordBinary::Or,
        AtomicOp::Xor => WordBinary::Xor,
        AtomicOp::MinU => WordBinary::MinU,
        AtomicOp::MaxU => WordBinary::MaxU,
        AtomicOp::MinS => WordBinary::MinS,
        AtomicOp::MaxS => WordBinary::MaxS,
        AtomicOp::Exchange => return value,
        AtomicOp::AddF => return lane_binary(LaneBinary::AddF, old, value),
    };
    word_binary(op, old, value)
}

/// The 64-bit number that an atomic operation stores.
pub fn atomic_wide(op: AtomicOp, old: u64, value: u64) -> u64 {
    let (signed_old, signed_value) = (old.cast_signed(), value.cast_signed());
    match op {
        AtomicOp::Add => old.wrapping_add(value),
        AtomicOp::Sub => old.wrapping_sub(value),
        AtomicOp::And => old & value,
        AtomicOp::Or => old | value,
        AtomicOp::Xor => old ^ value,
        AtomicOp::MinU => old.min(value),
        AtomicOp::MaxU => old.max(value),
        AtomicOp::MinS => signed_old.min(signed_value).cast_unsigned(),
        AtomicOp::MaxS => signed_old.max(signed_value).cast_unsigned(),
        AtomicOp::Exchange => value,
        AtomicOp::AddF => (f64::from_bits(old) + f64::from_bits(value)).to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_never_traps() {
        let lowest = i32::MIN as u32;
        assert_eq!(word_binary(WordBinary::DivU, 7, 0), 7);
        assert_eq!(word_binary(WordBinary::DivS, lowest, u32::MAX), lowest);
        assert_eq!(word_binary(WordBinary::RemS, lowest, u32::MAX), 0);
        assert_eq!(word_binary(WordBinary::RemU, 7, 0), 0);
        assert_eq!(word_binary(WordBinary::RemS, -7i32 as u32, 3), -1i32 as u32);
    }

    #[test]
    fn minimum_gives_the_second_of_equals() {
        let (zero, negative, nan) = (0.0f32.to_bits(), (-0.0f32).to_bits(), f32::NAN.to_bits());
        assert_eq!(lane_binary(LaneBinary::MinF, zero, negative), negative);
        assert_eq!(lane_binary(LaneBinary::MaxF, negative, zero), zero);
        assert_eq!(lane_binary(LaneBinary::MinF, nan, zero), zero);
        assert_eq!(lane_binary(LaneBinary::MinF, zero, nan), nan);
        assert!(lane_compare(LaneCompare::NltF, nan, zero));
        assert!(!lane_compare(LaneCompare::LeF, nan, zero));
    }

    #[test]
    fn scaling_rounds_once() {
        let scaled = |x: f32, y: f32| {
            f32::from_bits(lane_binary(LaneBinary::ScaleF, x.to_bits(), y.to_bits()))
        };
        assert_eq!(scaled(1.5, -149.0), f32::from_bits(2));
        assert_eq!(scaled(1.0, -150.0), 0.0);
        assert_eq!(scaled(1.0, 3.9), 8.0);
        assert_eq!(scaled(1.0, -0.5), 0.5);
        assert_eq!(scaled(f32::from_bits(1), 149.0), 1.0);
        assert_eq!(scaled(1.0, 1e30), f32::INFINITY);
    }

    #[test]
    fn upper_halves_of_products() {
        assert_eq!(
            word_binary(WordBinary::MulHighU, u32::MAX, u32::MAX),
            u32::MAX - 1
        );
        assert_eq!(word_binary(WordBinary::MulHighU, 1 << 16, 1 << 16), 1);
        assert_eq!(word_binary(WordBinary::MulHighU, 3, 5), 0);
    }

    #[test]
    fn doubles_by_their_bits() {
        let of = |numbers: &[f64]| {
            numbers
                .iter()
                .map(|number| number.to_bits())
                .collect::<Vec<_>>()
        };
        let fused = double(
            F64Op::Fma,
            &of(&[1.0 + f64::EPSILON, 1.0 - f64::EPSILON, -1.0]),
        );
        assert_eq!(f64::from_bits(fused), -f64::EPSILON * f64::EPSILON);
        assert_eq!(
            double(F64Op::FromF32, &[1.5f32.to_bits().into()]),
            1.5f64.to_bits()
        );
        assert_eq!(double_to_float(1e300f64.to_bits()), f32::INFINITY.to_bits());
        assert_eq!(double(F64Op::Add, &[]), 0);
    }

    #[test]
    fn tables_of_three() {
        assert_eq!(ternary(0xe8, 0b1100, 0b1010, 0b0110), 0b1110);
        assert_eq!(
            ternary(0x96, 0b1100, 0b1010, 0b0110),
            0b1100 ^ 0b1010 ^ 0b0110
        );
        assert_eq!(ternary(0xca, !0, 5, 9), 5);
        assert_eq!(ternary(0xca, 0, 5, 9), 9);
    }
}
