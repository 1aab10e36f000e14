//! Transfer functions of the abstract interpretation: the effect of one instruction on the abstract state.
//!
//! Only instructions that form addresses, masks and limits are modelled. The result of any other instruction is
//! unknown, and so are the flags after it.

use std::mem::offset_of;

use anywarp_lanes::ir::{Context, Op};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use super::class::{InstClass, InstInfo, RSI, Reg, condition, move_condition, reg};
use super::condition::tests_condition;
use super::domain::{
    AbstractValue, Flags, LaneChoice, LaneTest, PathCondition, PointerBase, Scalar, State, Width,
};
use super::error::ScanError;
use super::memory::{GroupScope, narrowed, operand};

/// The sign bit of a word.
const SIGN: u32 = 1 << 31;
/// Predicates of `vpcmpud`.
const LESS: u64 = 1;
const NOT_EQUAL: u64 = 4;
/// The bits that `kortestw` tests: the carry flag is set if all of them are.
const KORTESTW_BITS: u32 = 16;

impl GroupScope<'_> {
    /// Interprets an instruction that is not a jump.
    pub(super) fn transfer(
        &self,
        state: &mut State,
        instruction: &Instruction,
        InstInfo {
            class,
            memory,
            writes,
        }: InstInfo,
    ) -> Result<(), ScanError> {
        if matches!(class, InstClass::Nop) {
            return Ok(());
        }
        let memory = memory
            .map(u32::from)
            .filter(|_| class != InstClass::LoadsAddress);
        let found = match memory {
            Some(at) => {
                let stored = match at {
                    0 if instruction.op_count() == 2 => {
                        operand(state, instruction, 1, self.rules.lanes)
                    }
                    _ => AbstractValue::Unknown,
                };
                self.access_operand(state, instruction, class, at, stored)?
            }
            None => AbstractValue::Unknown,
        };
        let value = |state: &State, at: u32| match memory {
            Some(place) if place == at => found,
            _ => operand(state, instruction, at, self.rules.lanes),
        };
        let (result, flags) = match class {
            InstClass::WritesFlags => (
                AbstractValue::Unknown,
                self.compared(state, instruction, &value),
            ),
            _ => {
                let result = self.result(state, instruction, &value);
                let into = reg(instruction.op0_register());
                let result = into.map_or(result, |view| narrowed(result, view, self.rules.lanes));
                (result, flags_after(state, instruction))
            }
        };
        write(state, instruction, writes, result);
        state.flags = flags;
        Ok(())
    }

    fn compared(
        &self,
        state: &State,
        instruction: &Instruction,
        value: &impl Fn(&State, u32) -> AbstractValue,
    ) -> Flags {
        let (a, b) = (value(state, 0), value(state, 1));
        let is_same = instruction.op_kind(0) == OpKind::Register
            && instruction.op_kind(1) == OpKind::Register
            && instruction.op0_register() == instruction.op1_register();
        let width = match (instruction.op_kind(0), instruction.memory_size().size()) {
            (OpKind::Register, _) => {
                reg(instruction.op0_register()).map_or(0, |register| register.bytes)
            }
            (_, bytes) => bytes as u8,
        };
        let width = match width {
            4 => Some(Width::Narrow),
            8 => Some(Width::Wide),
            _ => None,
        };
        match (instruction.mnemonic(), width, a) {
            (Mnemonic::Cmp, Some(width), _) => Flags::Compare(a, b, width),
            (Mnemonic::Test, Some(Width::Narrow), AbstractValue::MaskBits(..)) if is_same => {
                reg(instruction.op0_register())
                    .map_or(Flags::Unknown, |register| Flags::Zero(register.number))
            }
            (Mnemonic::Test, Some(Width::Narrow), _) if is_same => {
                Flags::Compare(a, AbstractValue::Word(Scalar::Const(0)), Width::Narrow)
            }
            (Mnemonic::Kortestw, _, AbstractValue::Vector(mask)) if is_same => Flags::Mask(mask),
            (Mnemonic::Kortestw, _, AbstractValue::Unexpected(test, vector, mask)) if is_same => {
                Flags::Unexpected(test, vector, mask)
            }
            (Mnemonic::Vtestps, _, AbstractValue::Vector(mask)) if is_same => Flags::AnyLane(mask),
            (Mnemonic::Vtestps, _, AbstractValue::AsExpected(test, vector)) => match b {
                AbstractValue::Vector(mask) => Flags::AllExpected(test, vector, mask),
                _ => Flags::Unknown,
            },
            _ => Flags::Unknown,
        }
    }

    /// The value that an instruction writes to its first operand.
    fn result(
        &self,
        state: &State,
        instruction: &Instruction,
        value: &impl Fn(&State, u32) -> AbstractValue,
    ) -> AbstractValue {
        use AbstractValue as A;
        use Mnemonic as M;
        let of = |at: u32| value(state, at);
        let into = reg(instruction.op0_register());
        let is_wide = into.is_some_and(|register| register.bytes == 8);
        match instruction.mnemonic() {
            M::Mov if is_wide => of(1),
            M::Mov if into.is_some_and(|register| register.bytes == 4) => of(1).narrow(),
            M::Xor if is_same_register(instruction) => A::Word(Scalar::Const(0)),
            M::Movsxd => match of(1) {
                A::Word(word) => A::Signed(word),
                A::Element(vector, LaneChoice::Lane(0)) => A::SignedFirst(vector),
                _ => A::Unknown,
            },
            M::Lea => self.address(state, instruction, is_wide),
            M::Tzcnt => match of(1) {
                A::MaskBits(mask, true) => A::ActiveLane(mask),
                _ => A::Unknown,
            },
            M::Blsr => match of(1) {
                A::MaskBits(mask, _) => A::MaskBits(mask, false),
                _ => A::Unknown,
            },
            M::Vmovmskps => match of(1) {
                A::Vector(mask) => A::MaskBits(mask, false),
                _ => A::Unknown,
            },
            M::Kmovw => mask_move(of(1), into),
            _ => match move_condition(instruction) {
                Some(condition) if is_wide => self.or_zeros(state, condition, of(0), of(1)),
                Some(_) => A::Unknown,
                None => self.vector_result(state, instruction, &of),
            },
        }
    }

    /// The value that a vector instruction writes: the parts of masks of bounds checks.
    fn vector_result(
        &self,
        state: &State,
        instruction: &Instruction,
        of: &impl Fn(u32) -> AbstractValue,
    ) -> AbstractValue {
        use AbstractValue as A;
        use Mnemonic as M;
        let is_plain = instruction.op_mask() == Register::None;
        match instruction.mnemonic() {
            M::Vmovd => match of(1) {
                A::Word(word) => A::FirstLane(word),
                A::FirstOf(vector) => A::Element(vector, LaneChoice::Lane(0)),
                _ => A::Unknown,
            },
            M::Vmovdqu | M::Vmovdqu32 | M::Vmovdqa | M::Vmovdqa32 | M::Vmovaps if is_plain => of(1),
            M::Vpbroadcastd if is_plain => match of(1) {
                A::Word(word) | A::FirstLane(word) => A::Splat(word),
                A::FirstOf(vector) => A::Expected(LaneTest::Equal, vector),
                A::Pool(at) => self.pool_word(at).map_or(A::Unknown, A::Splat),
                _ => A::Unknown,
            },
            M::Vpaddd if is_plain && !instruction.is_broadcast() => self.sum(of(1), of(2)),
            M::Vpxor => self.inverted(of(1), of(2)),
            M::Vpcmpgtd => self.inverted_bounds_mask(of(1), of(2)),
            M::Vpand => match (of(1), of(2)) {
                (A::BoundsMask(index, limit, None), A::Vector(mask)) => {
                    A::BoundsMask(index, limit, Some(mask))
                }
                _ => A::Unknown,
            },
            M::Vpcmpeqd if is_plain => match (of(1), of(2)) {
                (A::Expected(test, vector), A::Vector(other)) if vector == other => {
                    A::AsExpected(test, vector)
                }
                _ => A::Unknown,
            },
            M::Vpcmpud if instruction.immediate(3) == LESS => {
                self.bounds_mask(state, instruction, of(1), of(2))
            }
            M::Vpcmpud if instruction.immediate(3) == NOT_EQUAL && !instruction.is_broadcast() => {
                let mask = reg(instruction.op_mask()).map(|register| state.get(register.number));
                unexpected(of(1), of(2), mask)
            }
            _ => A::Unknown,
        }
    }

    /// The sum of lanes and constants.
    fn sum(&self, lanes: AbstractValue, constants: AbstractValue) -> AbstractValue {
        use AbstractValue as A;
        match (lanes, constants) {
            (A::Splat(word), A::Pool(at)) => A::SplatPlusConstant(word, at),
            (A::Expected(LaneTest::Equal, vector), A::Pool(at)) => match self.stride(at) {
                Some(stride) => A::Expected(LaneTest::Stride(stride), vector),
                None => A::Unknown,
            },
            _ => A::Unknown,
        }
    }

    /// Lanes with inverted signs: AVX2 compares unsigned numbers as signed ones.
    fn inverted(&self, lanes: AbstractValue, constants: AbstractValue) -> AbstractValue {
        use AbstractValue as A;
        match (lanes, constants) {
            (A::Splat(word), A::Pool(at)) if self.is_signs(at) => A::InvertedSplat(word),
            (A::SplatPlusConstant(word, from), A::Pool(at)) if self.is_signs(at) => {
                A::InvertedSplatPlusConstant(word, from)
            }
            _ => A::Unknown,
        }
    }

    /// The mask of lanes with an index below a limit, both with inverted signs.
    fn inverted_bounds_mask(&self, limit: AbstractValue, index: AbstractValue) -> AbstractValue {
        use AbstractValue as A;
        match (limit, index) {
            (A::InvertedSplat(limit), A::InvertedSplatPlusConstant(index, at))
                if self.is_numbers(at) =>
            {
                A::BoundsMask(index, limit, None)
            }
            _ => A::Unknown,
        }
    }

    /// The mask of lanes with an index below a limit.
    fn bounds_mask(
        &self,
        state: &State,
        instruction: &Instruction,
        from: AbstractValue,
        limit: AbstractValue,
    ) -> AbstractValue {
        let limit = match limit {
            _ if !instruction.is_broadcast() => None,
            AbstractValue::Pool(at) => self.pool_word(at),
            limit => limit.scalar(),
        };
        let mask = match instruction.op_mask() {
            Register::None => Some(None),
            mask => match reg(mask).map(|register| state.get(register.number)) {
                Some(AbstractValue::Vector(mask)) => Some(Some(mask)),
                _ => None,
            },
        };
        match (from, limit, mask) {
            (AbstractValue::SplatPlusConstant(index, at), Some(limit), Some(mask))
                if self.is_numbers(at) =>
            {
                AbstractValue::BoundsMask(index, limit, mask)
            }
            _ => AbstractValue::Unknown,
        }
    }

    fn pool_word(&self, at: u32) -> Option<Scalar> {
        let bytes = self.rules.pool.get(at as usize..at as usize + 4)?;
        let word = u32::from_le_bytes(bytes.try_into().ok()?);
        Some(Scalar::Const(word))
    }

    /// Whether a constant is the sign bit in every lane.
    fn is_signs(&self, at: u32) -> bool {
        let words = self.rules.pool_words(at);
        words.is_some_and(|mut words| words.all(|word| word == SIGN))
    }

    /// Whether a constant has in each lane the lane's number.
    fn is_numbers(&self, at: u32) -> bool {
        let words = self.rules.pool_words(at);
        words.is_some_and(|words| words.eq(0..self.rules.lanes))
    }

    /// The factor by which a constant has in each lane the lane's number.
    fn stride(&self, at: u32) -> Option<u32> {
        let stride = self.rules.pool_words(at)?.nth(1)?;
        let numbers = (0..self.rules.lanes).map(|lane| lane.wrapping_mul(stride));
        self.rules.pool_words(at)?.eq(numbers).then_some(stride)
    }

    /// The result of `lea`.
    fn address(&self, state: &State, instruction: &Instruction, is_wide: bool) -> AbstractValue {
        let displacement = instruction.memory_displacement64() as i64;
        let (Some(base), Ok(near)) = (reg(instruction.memory_base()), i32::try_from(displacement))
        else {
            return AbstractValue::Unknown;
        };
        let index = instruction.memory_index();
        if base.number == RSI {
            let is_plain = index == Register::None && is_wide;
            let address = AbstractValue::Pointer(PointerBase::Frame, None, displacement);
            return if is_plain {
                address
            } else {
                AbstractValue::Unknown
            };
        }
        let is_counted = instruction.memory_index_scale() == 4 && is_wide;
        let index = match index {
            Register::None => None,
            index => Some(reg(index).map_or(AbstractValue::Unknown, |register| {
                state.get(register.number)
            })),
        };
        match (state.get(base.number), index) {
            (AbstractValue::Pointer(base, counted, bytes), None) if is_wide => {
                AbstractValue::Pointer(base, counted, bytes + displacement)
            }
            (AbstractValue::Pointer(base, None, bytes), Some(AbstractValue::Word(word)))
                if is_counted =>
            {
                AbstractValue::Pointer(base, Some(word), bytes + displacement)
            }
            (AbstractValue::Word(word), None) if is_wide => {
                AbstractValue::WordPlusConstant(word, near)
            }
            (AbstractValue::Word(word), None) => AbstractValue::WrappingSum(word, near as u32),
            _ => AbstractValue::Unknown,
        }
    }

    /// A conditional move between an address and the address of zeros: the result of [`Op::AdvanceOrZeros`] if the flags are
    /// those of its condition.
    fn or_zeros(
        &self,
        state: &State,
        replaced_if: u8,
        address: AbstractValue,
        other: AbstractValue,
    ) -> AbstractValue {
        let zeros = PointerBase::ContextField(offset_of!(Context, zeros) as u32);
        let origin = self.origin.filter(|inst| inst.op == Op::AdvanceOrZeros);
        let (Some(inst), true) = (origin, other == AbstractValue::Pointer(zeros, None, 0)) else {
            return AbstractValue::Unknown;
        };
        let at = &inst.operands;
        let exists = tests_condition(self.rules.ir, state.flags, replaced_if ^ 1, at[2]);
        let is_there = self.rules.is_advanced(address, at[0], at[1]);
        match inst.result {
            Some(result) if exists && is_there => {
                AbstractValue::Pointer(PointerBase::Value(result), None, 0)
            }
            _ => AbstractValue::Unknown,
        }
    }

    /// The state on the edge where a condition holds.
    pub(super) fn refine(&self, state: &mut State, holds: u8) {
        let lanes = self.rules.lanes;
        let all = self.rules.ir.function.all_lanes();
        let fact = match state.flags {
            Flags::Compare(
                AbstractValue::WordPlusConstant(index, more),
                AbstractValue::Word(limit),
                Width::Wide,
            ) if holds == condition::NOT_ABOVE && more == lanes as i32 => {
                Some(PathCondition::Row(index, limit))
            }
            Flags::Compare(
                AbstractValue::Word(limit),
                AbstractValue::Word(Scalar::Const(end)),
                Width::Wide,
            ) if holds == condition::NOT_BELOW && end >= lanes => {
                Some(PathCondition::Row(Scalar::Const(end - lanes), limit))
            }
            Flags::Compare(
                AbstractValue::Word(index),
                AbstractValue::Word(Scalar::Const(last)),
                Width::Narrow,
            ) if holds == condition::NOT_ABOVE => {
                let limit = last.checked_add(lanes);
                limit.map(|limit| PathCondition::Row(index, Scalar::Const(limit)))
            }
            Flags::Compare(
                AbstractValue::MaskBits(mask, _),
                AbstractValue::Word(Scalar::Const(bits)),
                Width::Narrow,
            ) if holds == condition::EQUAL && bits == all => Some(PathCondition::AllLanes(mask)),
            Flags::Mask(mask) if holds == condition::BELOW && lanes == KORTESTW_BITS => {
                Some(PathCondition::AllLanes(mask))
            }
            Flags::AnyLane(mask) if holds == condition::NOT_EQUAL => {
                Some(PathCondition::AnyLane(mask))
            }
            Flags::Unexpected(test, vector, mask) if holds == condition::EQUAL => {
                Some(PathCondition::Expected(test, vector, mask))
            }
            Flags::AllExpected(test, vector, mask) if holds == condition::BELOW => {
                Some(PathCondition::Expected(test, vector, mask))
            }
            Flags::Zero(register) if holds == condition::NOT_EQUAL => {
                if let AbstractValue::MaskBits(mask, _) = state.get(register) {
                    let flags = state.flags;
                    state.set(register, AbstractValue::MaskBits(mask, true));
                    state.flags = flags;
                }
                None
            }
            _ => None,
        };
        if let Some(fact) = fact {
            state.assume(fact);
        }
    }
}

/// The mask of lanes, of those in a mask, that are not as a run-time test expects.
fn unexpected(
    expected: AbstractValue,
    lanes: AbstractValue,
    mask: Option<AbstractValue>,
) -> AbstractValue {
    use AbstractValue as A;
    match (expected, lanes, mask) {
        (A::Expected(test, vector), A::Vector(other), Some(A::Vector(mask))) if vector == other => {
            A::Unexpected(test, vector, mask)
        }
        _ => A::Unknown,
    }
}

/// A move from or to a mask register.
fn mask_move(from: AbstractValue, into: Option<Reg>) -> AbstractValue {
    match (from, into) {
        (AbstractValue::Vector(mask), Some(into)) if into.is_general() => {
            AbstractValue::MaskBits(mask, false)
        }
        (AbstractValue::Vector(mask), Some(_)) => AbstractValue::Vector(mask),
        _ => AbstractValue::Unknown,
    }
}

/// Replaces the values of written registers.
fn write(state: &mut State, instruction: &Instruction, mut writes: u64, result: AbstractValue) {
    if writes.count_ones() == 1 && result != AbstractValue::Unknown {
        // Instructions with a known result write it to their first operand.
        if let Some(into) = reg(instruction.op0_register()) {
            return state.set(into.number, result);
        }
    }
    while writes != 0 {
        state.set(writes.trailing_zeros() as u8, AbstractValue::Unknown);
        writes &= writes - 1;
    }
}

/// The flags after an instruction that is not a comparison. Moves and vector instructions leave them unchanged.
fn flags_after(state: &State, instruction: &Instruction) -> Flags {
    use Mnemonic as M;
    let written = reg(instruction.op0_register()).map(|register| register.number);
    match instruction.mnemonic() {
        M::Mov | M::Lea | M::Movsxd | M::Movzx => match state.flags {
            Flags::Zero(register) if Some(register) == written => Flags::Unknown,
            flags => flags,
        },
        M::Blsr => written.map_or(Flags::Unknown, Flags::Zero),
        _ => Flags::Unknown,
    }
}

fn is_same_register(instruction: &Instruction) -> bool {
    instruction.op_kind(1) == OpKind::Register
        && instruction.op0_register() == instruction.op1_register()
        && reg(instruction.op0_register()).is_some_and(|register| register.bytes == 4)
}
