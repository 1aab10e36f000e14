//! Instructions that compute on words, lanes and masks.

use super::Generator;
use crate::ir::{
    ContextField, Kind, LaneBinary, LaneCompare, LaneUnary, MaskBinary, Op, Value, WordBinary,
    WordCompare,
};

pub(super) const WORD_ADD: Op = Op::WordBinary(WordBinary::Add);
pub(super) const INT_ADD: Op = Op::Binary(LaneBinary::Int(WordBinary::Add));

/// All binary operations on words.
pub const WORD_BINARY: &[WordBinary] = &[
    WordBinary::Add,
    WordBinary::Sub,
    WordBinary::Mul,
    WordBinary::And,
    WordBinary::Or,
    WordBinary::Xor,
    WordBinary::Shl,
    WordBinary::ShrU,
    WordBinary::ShrS,
    WordBinary::DivU,
    WordBinary::DivS,
    WordBinary::RemU,
    WordBinary::RemS,
    WordBinary::MinU,
    WordBinary::MaxU,
    WordBinary::MinS,
    WordBinary::MaxS,
    WordBinary::MulHighU,
];

/// All comparisons of words.
pub const WORD_COMPARE: &[WordCompare] = &[
    WordCompare::Eq,
    WordCompare::Ne,
    WordCompare::LtU,
    WordCompare::LeU,
    WordCompare::LtS,
    WordCompare::LeS,
];

/// All binary operations on floats.
pub const FLOAT_BINARY: &[LaneBinary] = &[
    LaneBinary::AddF,
    LaneBinary::SubF,
    LaneBinary::MulF,
    LaneBinary::DivF,
    LaneBinary::MinF,
    LaneBinary::MaxF,
    LaneBinary::ScaleF,
];

/// All comparisons of floats.
pub const FLOAT_COMPARE: &[LaneCompare] = &[
    LaneCompare::EqF,
    LaneCompare::NeF,
    LaneCompare::LtF,
    LaneCompare::LeF,
    LaneCompare::NltF,
    LaneCompare::NleF,
];

/// All lane-wise unary operations but the estimate, whose result depends on the CPU.
pub const UNARY: &[LaneUnary] = &[
    LaneUnary::Sqrt,
    LaneUnary::Round,
    LaneUnary::Floor,
    LaneUnary::Ceil,
    LaneUnary::Trunc,
    LaneUnary::FromU,
    LaneUnary::FromS,
    LaneUnary::ToU,
    LaneUnary::ToS,
    LaneUnary::FromHalf,
    LaneUnary::ToHalf,
    LaneUnary::CountOnes,
    LaneUnary::LeadingZeros,
];

const MASK_BINARY: [MaskBinary; 4] = [
    MaskBinary::And,
    MaskBinary::Or,
    MaskBinary::Xor,
    MaskBinary::AndNot,
];

const FIELDS: [ContextField; 7] = [
    ContextField::WorkgroupId(0),
    ContextField::WorkgroupId(1),
    ContextField::WorkgroupId(2),
    ContextField::WorkgroupCount(0),
    ContextField::WorkgroupCount(1),
    ContextField::WorkgroupCount(2),
    ContextField::Subgroup,
];

impl Generator {
    /// Generates an instruction that does not access memory.
    pub(super) fn compute(&mut self) {
        let op = self.op();
        let kinds = op.signature().operands.iter();
        let mut operands: Vec<_> = kinds
            .map(|kind| match kind {
                Kind::Of(ty) => self.draw(*ty),
                Kind::Any => self.draw(crate::ir::Type::Word),
            })
            .collect();
        match op {
            Op::Binary(LaneBinary::ScaleF) => operands[1] = self.clamped(operands[1]),
            Op::Masked(LaneBinary::ScaleF) => operands[2] = self.clamped(operands[2]),
            Op::Unary(LaneUnary::ToHalf) => operands[0] = self.one_nan(operands[0]),
            _ => {}
        }
        let result = self.emit(op, &operands);
        let result = if makes_nan(op) {
            self.one_nan(result)
        } else {
            result
        };
        self.offer(result);
    }

    fn op(&mut self) -> Op {
        let random = &mut self.random;
        let lanes = self.function.lanes;
        let small = random.below(32) as u8;
        match random.below(28) {
            0 => Op::Word(random.word()),
            1 => Op::ContextField(random.pick(&FIELDS)),
            2 | 3 => Op::WordBinary(random.pick(WORD_BINARY)),
            4 => Op::WordCompare(random.pick(WORD_COMPARE)),
            5 => random.pick(&[Op::WordSelect, Op::Any, Op::Ballot]),
            6 => Op::Extract(random.below(lanes as usize) as u8),
            7 | 8 => Op::Splat(random.word()),
            9 => self.pattern(),
            10 => Op::Broadcast,
            11 | 12 => Op::Binary(random.pick(FLOAT_BINARY)),
            13 | 14 => Op::Binary(LaneBinary::Int(random.pick(WORD_BINARY))),
            15 => Op::Unary(random.pick(UNARY)),
            16 => random.pick(&[Op::ShlBy(small), Op::ShrBy(small), Op::SarBy(small)]),
            17 => Op::RotateBy(small),
            18 => random.pick(&[Op::Fma, Op::MaskedFma]),
            19 => Op::Ternary(random.bits() as u8),
            20 => random.pick(&[Op::Select, Op::Permute]),
            21 => Op::Masked(random.pick(FLOAT_BINARY)),
            22 => Op::Masked(LaneBinary::Int(random.pick(WORD_BINARY))),
            23 => Op::Compare(random.pick(FLOAT_COMPARE)),
            24 => Op::Compare(LaneCompare::Int(random.pick(WORD_COMPARE))),
            25 => random.pick(&[
                Op::MaskedCompare(LaneCompare::LtF),
                Op::MaskedCompare(LaneCompare::NleF),
                Op::MaskedCompare(LaneCompare::Int(WordCompare::LtS)),
                Op::MaskedCompare(LaneCompare::Int(WordCompare::LeU)),
            ]),
            26 => Op::MaskBinary(random.pick(&MASK_BINARY)),
            _ => {
                let bits = random.bits() as u32 & (u32::MAX >> (32 - lanes));
                random.pick(&[Op::FromBallot, Op::Mask(bits)])
            }
        }
    }

    fn pattern(&mut self) -> Op {
        let (start, step) = (self.random.word(), self.random.below(5) as u32);
        let is_even = self.random.once_in(2);
        let words: Vec<_> = (0..self.function.lanes)
            .map(|lane| {
                if is_even {
                    start.wrapping_add(lane * step)
                } else {
                    self.random.word()
                }
            })
            .collect();
        Op::Pattern(self.function.pattern(&words))
    }

    /// Clamps a float to finite numbers, for which the result of `ScaleF` is defined.
    fn clamped(&mut self, value: Value) -> Value {
        let (low, high) = ((-1000f32).to_bits(), 1000f32.to_bits());
        let high = self.emit(Op::Splat(high), &[]);
        let below = self.emit(Op::Binary(LaneBinary::MinF), &[value, high]);
        let low = self.emit(Op::Splat(low), &[]);
        self.emit(Op::Binary(LaneBinary::MaxF), &[below, low])
    }

    /// Replaces every NaN by the same NaN.
    fn one_nan(&mut self, value: Value) -> Value {
        let is_number = self.emit(Op::Compare(LaneCompare::EqF), &[value, value]);
        let nan = self.emit(Op::Splat(f32::NAN.to_bits()), &[]);
        self.emit(Op::Select, &[is_number, value, nan])
    }
}

/// Whether the result of an instruction may be a NaN with an undefined payload.
fn makes_nan(op: Op) -> bool {
    use LaneUnary::{Ceil, Floor, FromHalf, Round, Sqrt, Trunc};
    match op {
        Op::Binary(op) | Op::Masked(op) => {
            !matches!(op, LaneBinary::Int(_) | LaneBinary::MinF | LaneBinary::MaxF)
        }
        Op::Unary(op) => matches!(op, Sqrt | Round | Floor | Ceil | Trunc | FromHalf),
        Op::Fma | Op::MaskedFma => true,
        _ => false,
    }
}
