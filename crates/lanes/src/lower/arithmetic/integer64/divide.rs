//! 64-bit quotient and remainder.
//!
//! If the high words of all lanes are zero, this is a 32-bit division. Otherwise shift-and-subtract long division,
//! one bit per iteration.

use crate::ir::{
    Edge, LaneCompare, MaskBinary, Op, Terminator, Type, Value, WordBinary, WordCompare,
};

use super::{known, pair};
use crate::lower::Lowering;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};

/// Quotient and remainder, two words each.
type QuotientRemainder = [Value; 4];

impl Lowering<'_> {
    /// Quotient and remainder; dividend and zero if the divisor is zero.
    pub(super) fn wide_divide(
        &mut self,
        is_signed: bool,
        a: &[Scalar],
        b: &[Scalar],
    ) -> (Scalars, Scalars) {
        if !is_signed {
            return self.divide_sizes(a, b);
        }
        let (x, y) = (self.wide_size(a), self.wide_size(b));
        let (quotient, rest) = self.divide_sizes(&x, &y);
        let signs = self.integer(WordBinary::Xor, &a[1], &b[1]);
        let differ = self.integer_compare(WordCompare::LtS, &signs, &Scalar::ZERO);
        // For a zero divisor, the dividend with its sign.
        let is_none = self.wide_equal(b, &known(0));
        let is_negative = self.is_negative(a);
        let minus = self.wide_sub(&known(0), &quotient);
        let quotient = self.wide_choose(&differ, &minus, &quotient);
        let quotient = self.wide_choose(&is_none, a, &quotient);
        let minus = self.wide_sub(&known(0), &rest);
        (quotient, self.wide_choose(&is_negative, &minus, &rest))
    }

    /// Unsigned quotient and remainder.
    fn divide_sizes(&mut self, a: &[Scalar], b: &[Scalar]) -> (Scalars, Scalars) {
        let of: Vec<&Scalar> = a.iter().chain(b).collect();
        let [low, high] = [0, 1].map(|word| self.lanes(&a[word]));
        let [by_low, by_high] = [0, 1].map(|word| self.lanes(&b[word]));
        let any_high = self.int(WordBinary::Or, high, by_high);
        let zero = self.splat(0);
        let is_long = self.compare(LaneCompare::Int(WordCompare::Ne), any_high, zero);
        let is_long = self.active(is_long);
        let is_long = self.emit(Op::Any, &[is_long], Type::Word);
        let [short, long, done] = [(); 3].map(|()| self.function.add_block());
        self.end(Terminator::Branch(is_long, Edge::to(long), Edge::to(short)));
        self.control.block = short;
        let zero = self.splat(0);
        let quotient = self.int(WordBinary::DivU, low, by_low);
        let rest = self.int(WordBinary::RemU, low, by_low);
        self.end(Terminator::Jump(Edge {
            block: done,
            arguments: vec![quotient, zero, rest, zero],
        }));
        self.control.block = long;
        let divided = self.divide_bit_by_bit([low, high], [by_low, by_high]);
        self.end(Terminator::Jump(Edge {
            block: done,
            arguments: divided.to_vec(),
        }));
        self.control.block = done;
        let results = [(); 4].map(|()| {
            let value = self.function.add_parameter(done, Type::Lanes);
            self.result(value, &of)
        });
        let [low, high, rest_low, rest_high] = results;
        (pair(low, high), pair(rest_low, rest_high))
    }

    fn divide_bit_by_bit(&mut self, number: [Value; 2], by: [Value; 2]) -> QuotientRemainder {
        let (head, exit) = (self.function.add_block(), self.function.add_block());
        let (first, zero) = (self.word_const(0), self.splat(0));
        self.end(Terminator::Jump(Edge {
            block: head,
            arguments: vec![first, number[0], number[1], zero, zero],
        }));
        self.control.block = head;
        let step = self.function.add_parameter(head, Type::Word);
        let state = [(); 4].map(|()| self.function.add_parameter(head, Type::Lanes));
        let next = self.division_step(state, by);
        let one = self.word_const(1);
        let step = self.word_binary(WordBinary::Add, step, one);
        let all = self.word_const(64);
        let goes_on = self.word_compare(WordCompare::LtU, step, all);
        let back_edge = Edge {
            block: head,
            arguments: std::iter::once(step).chain(next).collect(),
        };
        self.end(Terminator::Branch(goes_on, back_edge, Edge::to(exit)));
        self.control.block = exit;
        let any = self.int(WordBinary::Or, by[0], by[1]);
        let zero = self.splat(0);
        let is_none = self.compare(LaneCompare::Int(WordCompare::Eq), any, zero);
        let [low, high, rest_low, rest_high] = next;
        [
            self.select(is_none, number[0], low),
            self.select(is_none, number[1], high),
            self.select(is_none, zero, rest_low),
            self.select(is_none, zero, rest_high),
        ]
    }

    /// Shifts one bit of the dividend into the remainder, and one bit of the quotient into its place.
    fn division_step(
        &mut self,
        [low, high, rest_low, rest_high]: QuotientRemainder,
        by: [Value; 2],
    ) -> QuotientRemainder {
        let zero = self.splat(0);
        // The bit shifted out of the remainder: if it is set, the divisor fits.
        let is_over = self.compare(LaneCompare::Int(WordCompare::LtS), rest_high, zero);
        let rest_high = self.shifted_in(rest_high, rest_low);
        let rest_low = self.shifted_in(rest_low, high);
        let high = self.shifted_in(high, low);
        let low = self.emit(Op::ShlBy(1), &[low], Type::Lanes);
        let borrows = self.compare(LaneCompare::Int(WordCompare::LtU), rest_low, by[0]);
        let less = self.compare(LaneCompare::Int(WordCompare::LtU), rest_high, by[1]);
        let is_equal = self.compare(LaneCompare::Int(WordCompare::Eq), rest_high, by[1]);
        let equal_less = self.mask_binary(MaskBinary::And, is_equal, borrows);
        let less = self.mask_binary(MaskBinary::Or, less, equal_less);
        let less = self.without(less, is_over);
        let one = self.splat(1);
        let borrow = self.select(borrows, one, zero);
        let less_low = self.int(WordBinary::Sub, rest_low, by[0]);
        let less_high = self.int(WordBinary::Sub, rest_high, by[1]);
        let less_high = self.int(WordBinary::Sub, less_high, borrow);
        let with_bit = self.int(WordBinary::Or, low, one);
        [
            self.select(less, low, with_bit),
            high,
            self.select(less, rest_low, less_low),
            self.select(less, rest_high, less_high),
        ]
    }

    /// `word` shifted left by one, with the highest bit of `below` shifted in.
    fn shifted_in(&mut self, word: Value, below: Value) -> Value {
        let word = self.emit(Op::ShlBy(1), &[word], Type::Lanes);
        let bit = self.emit(Op::ShrBy(31), &[below], Type::Lanes);
        self.int(WordBinary::Or, word, bit)
    }
}
