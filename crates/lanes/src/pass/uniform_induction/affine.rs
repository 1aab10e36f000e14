//! Sums and multiples of an affine value as affine values: the broadcast of a word plus a constant pattern.

use crate::arithmetic::word_binary;
use crate::ir::{Inst, LaneBinary, Op, Value, WordBinary};
use crate::pass::peephole::{Rewrite, Rewriter, Rules};

use super::candidates::is_affine;

const ADD: Op = Op::Binary(LaneBinary::Int(WordBinary::Add));

/// Rewrites what is computed from values that are known to be affine.
pub(in crate::pass) struct AffineRules {
    /// By value: whether it is known to be affine.
    is_affine: Vec<bool>,
}

/// Lanes that are a word, or 0, plus a pattern.
struct Affine {
    word: Option<Value>,
    pattern: Vec<u32>,
}

impl AffineRules {
    pub(in crate::pass) fn new(is_affine: Vec<bool>) -> Self {
        Self { is_affine }
    }

    fn is_known(&self, value: Value) -> bool {
        self.is_affine
            .get(value.index())
            .is_some_and(|known| *known)
    }
}

impl Rules for AffineRules {
    fn inst(&mut self, rewriter: &mut Rewriter, inst: &Inst) -> Option<Rewrite> {
        let is_from = inst.operands.iter().any(|operand| self.is_known(*operand));
        let result = inst.result.filter(|_| is_affine(inst.op) && is_from)?;
        if self.is_known(result) {
            return None;
        }
        let sum = affine_result(rewriter, inst)?;
        let known = self.is_affine.get_mut(result.index())?;
        *known = true;
        let pattern = Op::Pattern(rewriter.function.pattern(&sum.pattern));
        let Some(word) = sum.word else {
            return Rewrite::inst(pattern, &[]);
        };
        if sum.pattern.iter().all(|offset| *offset == 0) {
            return Rewrite::inst(Op::Broadcast, &[word]);
        }
        let first = rewriter.make_inst(Op::Broadcast, &[word])?;
        let pattern = rewriter.make(pattern)?;
        Rewrite::inst(ADD, &[first, pattern])
    }
}

/// The affine result of an instruction with affine operands.
fn affine_result(rewriter: &mut Rewriter, inst: &Inst) -> Option<Affine> {
    let a = affine(rewriter, inst.operands[0])?;
    match inst.op {
        Op::ShlBy(by) => scaled(rewriter, a, 1 << by),
        Op::Binary(LaneBinary::Int(op)) => {
            let b = affine(rewriter, inst.operands[1])?;
            match op {
                WordBinary::Mul => match (constant(&a), constant(&b)) {
                    (_, Some(factor)) => scaled(rewriter, a, factor),
                    (Some(factor), _) => scaled(rewriter, b, factor),
                    _ => None,
                },
                _ => sum(rewriter, op, &a, &b),
            }
        }
        _ => None,
    }
}

/// The operand, if it is a constant or the broadcast of a word plus a constant.
fn affine(rewriter: &Rewriter, value: Value) -> Option<Affine> {
    let (op, operands) = rewriter.parts(value)?;
    match (op, operands) {
        (ADD, &[a, b]) => {
            let (a, b) = (leaf(rewriter, a)?, leaf(rewriter, b)?);
            let is_one = a.word.is_none() || b.word.is_none();
            let pairs = a.pattern.iter().zip(&b.pattern);
            let pattern = pairs.map(|(a, b)| a.wrapping_add(*b)).collect();
            is_one.then_some(Affine {
                word: a.word.or(b.word),
                pattern,
            })
        }
        _ => leaf(rewriter, value),
    }
}

fn leaf(rewriter: &Rewriter, value: Value) -> Option<Affine> {
    let lanes = rewriter.function.lanes as usize;
    let (word, pattern) = match rewriter.parts(value)? {
        (Op::Broadcast, &[word]) => (Some(word), vec![0; lanes]),
        (Op::Splat(bits), _) => (None, vec![bits; lanes]),
        (Op::Pattern(id), _) => (None, rewriter.function.patterns[id.0 as usize].clone()),
        _ => return None,
    };
    Some(Affine { word, pattern })
}

/// The factor that a constant is in every lane.
fn constant(affine: &Affine) -> Option<u32> {
    let first = affine.pattern[0];
    let is_equal = affine.pattern.iter().all(|word| *word == first);
    (affine.word.is_none() && is_equal).then_some(first)
}

fn scaled(rewriter: &mut Rewriter, affine: Affine, factor: u32) -> Option<Affine> {
    let word = match affine.word {
        None => None,
        Some(word) => {
            let factor = rewriter.make(Op::Word(factor))?;
            Some(rewriter.make_inst(Op::WordBinary(WordBinary::Mul), &[word, factor])?)
        }
    };
    let pattern = affine
        .pattern
        .iter()
        .map(|offset| offset.wrapping_mul(factor));
    Some(Affine {
        word,
        pattern: pattern.collect(),
    })
}

fn sum(rewriter: &mut Rewriter, op: WordBinary, a: &Affine, b: &Affine) -> Option<Affine> {
    let pairs = a.pattern.iter().zip(&b.pattern);
    let pattern = pairs.map(|(a, b)| word_binary(op, *a, *b)).collect();
    let word = match (a.word, b.word) {
        (word, None) => word,
        (None, Some(word)) if op == WordBinary::Add => Some(word),
        (word, Some(other)) => {
            let word = match word {
                Some(word) => word,
                None => rewriter.make(Op::Word(0))?,
            };
            Some(rewriter.make_inst(Op::WordBinary(op), &[word, other])?)
        }
    };
    Some(Affine { word, pattern })
}
