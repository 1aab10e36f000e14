//! The provenance of results, by operation.

use super::super::super::ir::{Access, Binary, Op, Type, Unary, Value, Width};
use super::{Base, Provenance, Provenances};

/// Of the low and the high word.
type Halves = (Provenance, Provenance);

const NUMBERS: Halves = (Provenance::NUMBER, Provenance::NUMBER);

impl Provenances<'_> {
    /// The provenance of a floating value.
    pub(super) fn floating(&self, op: &Op, ty: Type) -> Halves {
        match *op {
            Op::Const(_) if ty == Type::F32 => (Provenance::Constant, Provenance::Constant),
            Op::Const(bits) => (
                self.statics.classify(bits as u32),
                self.statics.classify((bits >> 32) as u32),
            ),
            Op::SliceAddress(slice) => (Provenance::base(Base::Slice(slice)), Provenance::NUMBER),
            Op::StackPointer => (Provenance::base(Base::Frame), Provenance::NUMBER),
            _ => NUMBERS,
        }
    }

    /// The provenance of an instruction's result.
    pub(super) fn transfer(&self, op: &Op, ty: Type) -> Halves {
        match *op {
            Op::Unary(unary, operand) => self.unary(unary, operand),
            Op::Binary(binary, left, right) => match ty {
                Type::I32 => (self.binary(binary, left, right), Provenance::NUMBER),
                Type::I64 => self.binary64(binary, left, right),
                _ => NUMBERS,
            },
            Op::Select { yes, no, .. } => {
                let [low, high] = [&self.low, &self.high]
                    .map(|half| half[yes.0 as usize].clone().meet(&half[no.0 as usize]));
                (low, high)
            }
            Op::Load { access, address } => self.load(access, address),
            _ => NUMBERS,
        }
    }

    fn halves(&self, value: Value) -> Halves {
        let [low, high] = [&self.low, &self.high].map(|half| half[value.0 as usize].clone());
        (low, high)
    }

    fn unary(&self, unary: Unary, operand: Value) -> Halves {
        let (low, high) = self.halves(operand);
        match unary {
            Unary::Reinterpret(_) => (low, high),
            Unary::Wrap => (low, Provenance::NUMBER),
            Unary::ZeroExtend => (low, Provenance::Constant),
            Unary::SignExtend => (low, Provenance::NUMBER),
            Unary::Not | Unary::BoolToI32 => NUMBERS,
            _ => {
                let result = match self.function.ty(operand).bits() {
                    64 => low.opaque(&high),
                    _ => low.opaque(&Provenance::Constant),
                };
                (result.clone(), result)
            }
        }
    }

    fn binary(&self, binary: Binary, left: Value, right: Value) -> Provenance {
        let (first, second) = (self.of(left), self.of(right));
        let constants = (self.function.as_word(left), self.function.as_word(right));
        match (binary, constants) {
            (Binary::Add, _) => first.plus(second, 1),
            (Binary::Sub, _) => first.plus(second, u32::MAX),
            (Binary::Mul, (_, Some(factor))) => Provenance::NUMBER.plus(first, factor),
            (Binary::Mul, (Some(factor), _)) => Provenance::NUMBER.plus(second, factor),
            (Binary::Shl, (_, Some(count))) => Provenance::NUMBER.plus(first, 1 << (count & 31)),
            // Rounding down, and the low bits of an aligned address.
            (Binary::And, (_, Some(mask))) if mask.wrapping_neg().is_power_of_two() => {
                Provenance::NUMBER.plus(first, 1)
            }
            (Binary::Or, (_, Some(0..64))) => Provenance::NUMBER.plus(first, 1),
            _ => first.opaque(second),
        }
    }

    /// 64-bit operations: the ways in which compilers put two words together and take them apart.
    fn binary64(&self, binary: Binary, left: Value, right: Value) -> Halves {
        let (low, high) = self.halves(left);
        let (other_low, other_high) = self.halves(right);
        match (binary, self.function.as_const(right)) {
            (Binary::ShrUnsigned, Some(32)) => (high, Provenance::Constant),
            (Binary::Shl, Some(32)) => (Provenance::Constant, low),
            (Binary::Or, _) => (joined(low, other_low), joined(high, other_high)),
            _ => {
                let result = low.opaque(&high).opaque(&other_low).opaque(&other_high);
                (result.clone(), result)
            }
        }
    }

    fn load(&self, access: Access, address: Value) -> Halves {
        let region = self.region(address, access.offset);
        let fixed = self.fixed_address(address, access.offset);
        let word = |at: u32| {
            let fixed = fixed.map(|first| first.wrapping_add(at));
            self.contents.load(self.statics, region, fixed)
        };
        match (access.bytes(), access.width) {
            (8, _) => (word(0), word(4)),
            (4, Width::Full) => (word(0), Provenance::NUMBER),
            (4, _) => (word(0), Provenance::Constant),
            _ => {
                let part = word(0).opaque(&Provenance::Constant);
                (part.clone(), part)
            }
        }
    }
}

/// Two halves of which one is usually 0.
fn joined(left: Provenance, right: Provenance) -> Provenance {
    match (&left, &right) {
        (Provenance::Constant, _) => right,
        (_, Provenance::Constant) => left,
        _ => left.opaque(&right),
    }
}
