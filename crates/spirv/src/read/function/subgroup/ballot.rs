//! Ballots: bit masks of lanes in four words, and queries on them.
//!
//! naga has the ballot itself; all queries are expanded to bit operations on its words.

use anywarp_program::naga::{
    BinaryOperator as Binary, Expression, Handle, MathFunction as Math, Scalar, ScalarKind,
    Statement, Type, TypeInner, VectorSize,
};
use rspirv::spirv::{GroupOperation, Op};

use super::Expr;
use crate::error::Result;
use crate::module::{Id, Instruction};
use crate::read::function::body::Body;

/// The number of words in a ballot.
const WORDS: u32 = 4;

impl Body<'_, '_> {
    pub(in crate::read::function) fn ballot_instruction(
        &mut self,
        instruction: &Instruction<'_>,
    ) -> Result<()> {
        let unsigned = Some(ScalarKind::Uint);
        let value = match instruction.op {
            Op::SubgroupBallotKHR => self.ballot_of(instruction, instruction.id(0)?)?,
            Op::GroupNonUniformBallot => {
                self.over_subgroup(instruction)?;
                self.ballot_of(instruction, instruction.id(1)?)?
            }
            Op::GroupNonUniformInverseBallot => {
                self.over_subgroup(instruction)?;
                let ballot = self.operand(instruction.id(1)?, unsigned)?;
                let lane = self.own_lane();
                self.is_in_ballot(ballot, lane)
            }
            Op::GroupNonUniformBallotBitExtract => {
                self.over_subgroup(instruction)?;
                let ballot = self.operand(instruction.id(1)?, unsigned)?;
                let lane = self.operand(instruction.id(2)?, unsigned)?;
                self.is_in_ballot(ballot, lane)
            }
            Op::GroupNonUniformBallotBitCount => {
                self.over_subgroup(instruction)?;
                let count = self.ballot_count(instruction)?;
                self.result(instruction.result_type()?, count, unsigned)?
            }
            Op::GroupNonUniformBallotFindLSB => {
                self.over_subgroup(instruction)?;
                let ballot = self.operand(instruction.id(1)?, unsigned)?;
                let bit = self.first_in_ballot(ballot, Math::FirstTrailingBit, [3, 2, 1, 0]);
                self.result(instruction.result_type()?, bit, unsigned)?
            }
            Op::GroupNonUniformBallotFindMSB => {
                self.over_subgroup(instruction)?;
                let ballot = self.operand(instruction.id(1)?, unsigned)?;
                let count = self.lane_count();
                let mask = self.lanes_below(count);
                let ballot = self.two(Binary::And, ballot, mask);
                let bit = self.first_in_ballot(ballot, Math::FirstLeadingBit, [0, 1, 2, 3]);
                self.result(instruction.result_type()?, bit, unsigned)?
            }
            Op::GroupNonUniformPartitionEXT => {
                let mask = self.partition(instruction.id(0)?)?;
                self.result(instruction.result_type()?, mask, unsigned)?
            }
            _ => return Err(instruction.unsupported("this instruction")),
        };
        self.set(instruction, value)
    }

    fn ballot_of(&mut self, instruction: &Instruction<'_>, predicate: Id) -> Result<Expr> {
        let predicate = self.value(predicate)?;
        let ballot = self.ballot(Some(predicate));
        self.result(instruction.result_type()?, ballot, Some(ScalarKind::Uint))
    }

    /// The ballot of the active lanes for which the predicate is true.
    pub(super) fn ballot(&mut self, predicate: Option<Expr>) -> Expr {
        let result = self.add_apart(Expression::SubgroupBallotResult);
        self.push(Statement::SubgroupBallot { result, predicate });
        result
    }

    pub(super) fn ballot_type(&mut self) -> Handle<Type> {
        self.reader.insert_type(TypeInner::Vector {
            size: VectorSize::Quad,
            scalar: Scalar::U32,
        })
    }

    pub(super) fn is_in_ballot(&mut self, ballot: Expr, lane: Expr) -> Expr {
        let (index, bit) = self.ballot_place(lane);
        let word = self.add(Expression::Access {
            base: ballot,
            index,
        });
        let one = self.word(1);
        let zero = self.word(0);
        let shifted = self.two(Binary::ShiftRight, word, bit);
        let bit = self.two(Binary::And, shifted, one);
        self.two(Binary::NotEqual, bit, zero)
    }

    /// The word index and the bit index of a lane in a ballot.
    pub(super) fn ballot_place(&mut self, lane: Expr) -> (Expr, Expr) {
        let five = self.word(5);
        let index = self.two(Binary::ShiftRight, lane, five);
        // Keeps the index in bounds. A valid lane is always in bounds.
        let last = self.word(WORDS - 1);
        let index = self.two(Binary::And, index, last);
        let rest = self.word(31);
        (index, self.two(Binary::And, lane, rest))
    }

    fn ballot_count(&mut self, instruction: &Instruction<'_>) -> Result<Expr> {
        let ballot = self.operand(instruction.id(2)?, Some(ScalarKind::Uint))?;
        let end = match GroupOperation::from_u32(instruction.word(1)?) {
            Some(GroupOperation::Reduce) => self.lane_count(),
            Some(GroupOperation::ExclusiveScan) => self.own_lane(),
            Some(GroupOperation::InclusiveScan) => {
                let lane = self.own_lane();
                let one = self.word(1);
                self.two(Binary::Add, lane, one)
            }
            _ => return Err(instruction.invalid("ballots are counted whole or in scans")),
        };
        let mask = self.lanes_below(end);
        let counted = self.two(Binary::And, ballot, mask);
        let counts = self.function_of(Math::CountOneBits, &[counted]);
        let one = self.word(1);
        let ones = self.splat(one);
        Ok(self.function_of(Math::Dot, &[counts, ones]))
    }

    fn splat(&mut self, value: Expr) -> Expr {
        let size = VectorSize::Quad;
        self.add(Expression::Splat { size, value })
    }

    /// The ballot of all lanes below `end`.
    fn lanes_below(&mut self, end: Expr) -> Expr {
        let ty = self.ballot_type();
        let starts = (0..WORDS).map(|word| self.word(word * 32)).collect();
        let starts = self.add(Expression::Compose {
            ty,
            components: starts,
        });
        let end = self.splat(end);
        let skipped = self.function_of(Math::Min, &[starts, end]);
        let count = self.two(Binary::Subtract, end, skipped);
        let one = self.word(1);
        let ones = self.splat(one);
        let bit = self.two(Binary::ShiftLeft, ones, count);
        let below = self.two(Binary::Subtract, bit, ones);
        let all = self.word(u32::MAX);
        let accept = self.splat(all);
        let whole = self.word(32);
        let whole = self.splat(whole);
        let condition = self.two(Binary::GreaterEqual, count, whole);
        self.add(Expression::Select {
            condition,
            accept,
            reject: below,
        })
    }

    /// The bit found by `math` in the last non-zero word in this order; lanes are counted over all words.
    fn first_in_ballot(&mut self, ballot: Expr, math: Math, order: [u32; 4]) -> Expr {
        let mut found = None;
        for index in order {
            let word = self.add(Expression::AccessIndex {
                base: ballot,
                index,
            });
            let bit = self.function_of(math, &[word]);
            let start = self.word(index * 32);
            let bit = self.two(Binary::Add, bit, start);
            let zero = self.word(0);
            found = Some(match found {
                None => bit,
                Some(reject) => {
                    let condition = self.two(Binary::NotEqual, word, zero);
                    self.add(Expression::Select {
                        condition,
                        accept: bit,
                        reject,
                    })
                }
            });
        }
        found.expect("a ballot has words")
    }
}
