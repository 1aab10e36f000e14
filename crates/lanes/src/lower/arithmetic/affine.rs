//! Affine scalars: a uniform word, or 0, plus a constant for each lane. What they are computed into is affine where that
//! is exact.
//!
//! Sums, differences and multiples by constants always are. A word with enough low bits that are 0 and constants that
//! fit these bits are added without carries; bitwise operations, right shifts, and quotients and remainders by powers of
//! two then apply to the word and to the constants separately: `id.x / 256u`, `lane % 8u`, `i ^ 4u`. If all constants
//! are equal, the result is uniform.

use std::rc::Rc;

use crate::arithmetic::word_binary;
use crate::ir::{Value, WordBinary};
use crate::lower::Lowering;
use crate::lower::arithmetic::scalar::Scalar;

/// A word, or 0, and a constant for each lane.
type Parts = (Option<Value>, Rc<[u32]>);

impl Lowering<'_> {
    /// The result of an operation on affine scalars, if it is affine. At least one must not be uniform.
    pub(super) fn affine(&mut self, op: WordBinary, a: &Scalar, b: &Scalar) -> Option<Scalar> {
        let is_affine = |scalar: &Scalar| matches!(scalar, Scalar::Affine(..));
        if !is_affine(a) && !is_affine(b) {
            return None;
        }
        use WordBinary as W;
        match (op, b) {
            (W::Add | W::Sub, _) => self.affine_sum(op, a, b),
            (W::Mul, _) => self.affine_product(op, a, b),
            (W::Shl, Scalar::Known(_)) => self.affine_product(op, a, b),
            (W::And | W::Or | W::Xor, _) => self.affine_bits(op, a, b),
            (W::ShrU | W::ShrS, &Scalar::Known(by)) => self.affine_shift(op, a, by),
            (W::DivU, &Scalar::Known(by)) if by.is_power_of_two() => {
                self.affine_shift(W::ShrU, a, by.trailing_zeros())
            }
            (W::RemU, &Scalar::Known(by)) if by.is_power_of_two() => {
                self.affine_bits(W::And, a, &Scalar::Known(by - 1))
            }
            _ => None,
        }
    }

    /// Splits a scalar into a word and a constant for each lane, if it is affine.
    fn parts(&mut self, scalar: &Scalar) -> Option<Parts> {
        let zeros = vec![0; self.function.lanes as usize].into();
        match scalar {
            Scalar::Known(0) => Some((None, zeros)),
            Scalar::Affine(base, pattern) => Some((*base, pattern.clone())),
            Scalar::Known(_) | Scalar::Word(_) => Some((self.word(scalar), zeros)),
            Scalar::UniformLanes(_) | Scalar::Lanes(_) | Scalar::Mask(_) => None,
        }
    }

    fn affine_sum(&mut self, op: WordBinary, a: &Scalar, b: &Scalar) -> Option<Scalar> {
        let (x, p) = self.parts(a)?;
        let (y, q) = self.parts(b)?;
        let base = match (x, y) {
            (base, None) => base,
            (None, Some(base)) if op == WordBinary::Add => Some(base),
            (None, Some(base)) => {
                let zero = self.word_const(0);
                Some(self.word_binary(op, zero, base))
            }
            (Some(x), Some(y)) => Some(self.word_binary(op, x, y)),
        };
        Some(Scalar::Affine(base, each(op, &p, &q)))
    }

    fn affine_product(&mut self, op: WordBinary, a: &Scalar, b: &Scalar) -> Option<Scalar> {
        let (base, pattern, by) = match (a, b) {
            (Scalar::Affine(base, pattern), Scalar::Known(by))
            | (Scalar::Known(by), Scalar::Affine(base, pattern)) => (*base, pattern, *by),
            _ => return None,
        };
        let scaled = base
            .map(|base| self.integer(op, &Scalar::Word(base), &Scalar::Known(by)))
            .and_then(|scaled| self.word(&scaled));
        Some(Scalar::Affine(scaled, each_by(op, pattern, by)))
    }

    /// A bitwise operation: on the words, and on the constants, which fit the bits that are 0 in both words.
    fn affine_bits(&mut self, op: WordBinary, a: &Scalar, b: &Scalar) -> Option<Scalar> {
        let aligned = |lowering: &mut Self, scalar: &Scalar| match *scalar {
            // The constant is split at the other operand's alignment.
            Scalar::Known(_) => Some(32),
            _ => {
                let (base, _) = lowering.parts(scalar)?;
                Some(base.map_or(32, |base| lowering.function.zero_bits(base)))
            }
        };
        let bits = aligned(self, a)?.min(aligned(self, b)?);
        let (x, p) = self.split_affine(a, bits)?;
        let (y, q) = self.split_affine(b, bits)?;
        let base = self.integer(op, &x, &y);
        let pattern = each(op, &p, &q);
        Some(self.affine_or_uniform(&base, pattern))
    }

    fn affine_shift(&mut self, op: WordBinary, a: &Scalar, by: u32) -> Option<Scalar> {
        let bits = match self.parts(a)?.0 {
            None => 32,
            Some(base) => self.function.zero_bits(base),
        };
        let (base, pattern) = self.split_affine(a, bits)?;
        // The sign is a bit of the word, if there is one.
        let is_positive = pattern.iter().all(|offset| offset >> 31 == 0);
        let low = match (&base, op) {
            (Scalar::Known(0), op) => op,
            (_, WordBinary::ShrS) if !is_positive => return None,
            _ => WordBinary::ShrU,
        };
        let base = self.integer(op, &base, &Scalar::Known(by));
        let pattern = each_by(low, &pattern, by);
        Some(self.affine_or_uniform(&base, pattern))
    }

    /// Splits a scalar into a word whose low `bits` are 0, and constants that fit them.
    fn split_affine(&mut self, scalar: &Scalar, bits: u32) -> Option<(Scalar, Rc<[u32]>)> {
        let low = u32::MAX.checked_shr(32 - bits).unwrap_or(0);
        if let Scalar::Known(word) = *scalar {
            let pattern = vec![word & low; self.function.lanes as usize];
            return Some((Scalar::Known(word & !low), pattern.into()));
        }
        let (base, pattern) = self.parts(scalar)?;
        let fits = pattern.iter().all(|offset| offset & !low == 0);
        let base = base.map_or(Scalar::ZERO, Scalar::Word);
        fits.then_some((base, pattern))
    }

    /// A uniform scalar plus constants, which is uniform if all of these are equal.
    fn affine_or_uniform(&mut self, base: &Scalar, pattern: Rc<[u32]>) -> Scalar {
        let first = pattern[0];
        if pattern.iter().all(|offset| *offset == first) {
            return self.add(base, &Scalar::Known(first));
        }
        let base = match base {
            Scalar::Known(0) => None,
            base => self.word(base),
        };
        Scalar::Affine(base, pattern)
    }
}

fn each(op: WordBinary, x: &[u32], y: &[u32]) -> Rc<[u32]> {
    let pairs = x.iter().zip(y);
    pairs.map(|(x, y)| word_binary(op, *x, *y)).collect()
}

fn each_by(op: WordBinary, pattern: &[u32], by: u32) -> Rc<[u32]> {
    pattern
        .iter()
        .map(|offset| word_binary(op, *offset, by))
        .collect()
}

#[cfg(test)]
mod tests {
    use anywarp_program::Program;

    use crate::ir::{Function, Inst, LaneBinary, Op, Value, WordBinary};
    use crate::lower::lower;

    /// What an expression of `lane`, which is 8 times a word plus the number of the lane, and of `n`, a word, becomes.
    #[derive(Debug, PartialEq)]
    enum Form {
        /// A word.
        Uniform,
        /// A word, or 0, plus these constants.
        Affine(Vec<u32>),
        Varying,
    }

    fn definition(function: &Function, value: Value) -> &Inst {
        let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
        insts.find(|inst| inst.result == Some(value)).unwrap()
    }

    fn form(index: &str) -> Form {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
             @compute @workgroup_size(64)
             fn main(
                 @builtin(local_invocation_index) lane: u32,
                 @builtin(workgroup_id) group: vec3<u32>
             ) {{ let n = group.x; out[lane] = {index}; }}"
        );
        let function = lower(&Program::from_wgsl(&text).unwrap(), "main", 8)
            .unwrap()
            .function;
        let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
        let store = insts
            .find(|inst| matches!(inst.op, Op::StoreRow(_)))
            .unwrap();
        let pattern = |op: Op| match op {
            Op::Pattern(id) => Some(function.patterns[id.0 as usize].clone()),
            _ => None,
        };
        let stored = definition(&function, store.operands[2]);
        match stored.op {
            Op::Broadcast | Op::Splat(_) => Form::Uniform,
            Op::Pattern(_) => Form::Affine(pattern(stored.op).unwrap()),
            Op::Binary(LaneBinary::Int(WordBinary::Add)) => {
                let [a, b] =
                    [0, 1].map(|place: usize| definition(&function, stored.operands[place]));
                match (a.op, pattern(b.op)) {
                    (Op::Broadcast, Some(words)) => Form::Affine(words),
                    _ => Form::Varying,
                }
            }
            _ => Form::Varying,
        }
    }

    fn affine(offsets: [u32; 8]) -> Form {
        Form::Affine(offsets.to_vec())
    }

    #[test]
    fn sums_and_multiples_are_affine() {
        assert_eq!(form("lane"), affine([0, 1, 2, 3, 4, 5, 6, 7]));
        assert_eq!(form("lane + n"), affine([0, 1, 2, 3, 4, 5, 6, 7]));
        assert_eq!(
            form("n - lane"),
            affine([0, 1, 2, 3, 4, 5, 6, 7].map(u32::wrapping_neg))
        );
        assert_eq!(form("3u * lane"), affine([0, 3, 6, 9, 12, 15, 18, 21]));
        assert_eq!(form("lane << 2u"), affine([0, 4, 8, 12, 16, 20, 24, 28]));
        assert_eq!(form("lane * n"), Form::Varying);
        assert_eq!(form("lane * lane"), Form::Varying);
    }

    #[test]
    fn aligned_words_and_small_constants_are_split() {
        assert_eq!(form("lane / 2u"), affine([0, 0, 1, 1, 2, 2, 3, 3]));
        assert_eq!(form("lane % 4u"), affine([0, 1, 2, 3, 0, 1, 2, 3]));
        assert_eq!(form("lane ^ 3u"), affine([3, 2, 1, 0, 7, 6, 5, 4]));
        assert_eq!(form("lane & 6u"), affine([0, 0, 2, 2, 4, 4, 6, 6]));
        assert_eq!(
            form("lane >> 1u << 1u | 1u"),
            affine([1, 1, 3, 3, 5, 5, 7, 7])
        );
        assert_eq!(form("lane / 8u"), Form::Uniform);
        assert_eq!(form("lane / 3u"), Form::Varying);
    }

    #[test]
    fn a_word_that_is_not_aligned_is_not_split() {
        assert_eq!(form("(lane + n) / 2u"), Form::Varying);
        assert_eq!(form("(lane + n) & 6u"), Form::Varying);
        assert_eq!(
            form("(lane + 16u * n) / 2u"),
            affine([0, 0, 1, 1, 2, 2, 3, 3])
        );
        // The constants carry into the word.
        assert_eq!(form("(lane + 1u) / 2u"), Form::Varying);
    }
}
