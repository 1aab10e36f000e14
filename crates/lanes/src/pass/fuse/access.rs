//! Narrows gathers and scatters: contiguous lanes become a row, equal indices become one load.
//!
//! In: a gather, a scatter or a broadcast. Out: a cheaper access, if there is one. An index is decomposed into a
//! uniform word and a constant for each lane. If the constants count up by one, a gather or scatter becomes a masked
//! row; if they are equal, a gather becomes a single load.

use crate::ir::{Context, Inst, LaneBinary, Op, Row, Value, WordBinary};
use crate::pass::peephole::{Rewrite, Rewriter};

/// A cheaper instruction for an access, if there is one.
pub(super) fn narrow(rewriter: &mut Rewriter, inst: &Inst) -> Option<Rewrite> {
    match (inst.op, &inst.operands[..]) {
        (Op::Broadcast, &[word]) => splat_of_load(rewriter, word),
        (Op::Gather(offset), &[pointer, index, mask]) => {
            let index = Index::of(rewriter, index)?;
            match index.stride {
                1 => {
                    let word = index.word(rewriter)?;
                    Rewrite::inst(Op::LoadRow(masked(offset)), &[pointer, word, mask])
                }
                _ => one_place(rewriter, offset, pointer, index, mask),
            }
        }
        (Op::Scatter(offset), &[pointer, index, values, mask]) => {
            let index = Index::of(rewriter, index).filter(|index| index.stride == 1)?;
            let word = index.word(rewriter)?;
            Rewrite::inst(Op::StoreRow(masked(offset)), &[pointer, word, values, mask])
        }
        _ => None,
    }
}

fn masked(offset: i32) -> Row {
    Row {
        offset,
        is_limited: false,
        is_masked: true,
    }
}

/// The index `word + constant + stride * lane`.
#[derive(Clone, Copy)]
struct Index {
    word: Option<Value>,
    constant: u32,
    stride: u32,
}

impl Index {
    fn of(rewriter: &Rewriter, index: Value) -> Option<Self> {
        let (op, operands) = rewriter.parts(index)?;
        match (op, operands) {
            (Op::Broadcast, &[word]) => Some(Self {
                word: Some(word),
                constant: 0,
                stride: 0,
            }),
            (Op::Splat(_) | Op::Pattern(_), _) => Self::constant(rewriter, op),
            (Op::Binary(LaneBinary::Int(WordBinary::Add)), &[a, b]) => {
                let (a, b) = (Self::leaf(rewriter, a)?, Self::leaf(rewriter, b)?);
                let is_one = a.word.is_none() || b.word.is_none();
                is_one.then(|| Self {
                    word: a.word.or(b.word),
                    constant: a.constant.wrapping_add(b.constant),
                    stride: a.stride.wrapping_add(b.stride),
                })
            }
            _ => None,
        }
        .filter(|index| index.stride <= 1)
    }

    fn leaf(rewriter: &Rewriter, value: Value) -> Option<Self> {
        match rewriter.parts(value)?.0 {
            Op::Binary(_) => None,
            _ => Self::of(rewriter, value),
        }
    }

    fn constant(rewriter: &Rewriter, op: Op) -> Option<Self> {
        let (constant, stride) = match op {
            Op::Splat(bits) => (bits, 0),
            Op::Pattern(id) => {
                let words = &rewriter.function.patterns[id.0 as usize];
                let mut pairs = words.iter().zip(&words[1..]);
                let is_row = pairs.all(|(one, next)| one.wrapping_add(1) == *next);
                (words[0], is_row.then_some(1)?)
            }
            _ => return None,
        };
        Some(Self {
            word: None,
            constant,
            stride,
        })
    }

    /// The index of lane 0.
    fn word(self, rewriter: &mut Rewriter) -> Option<Value> {
        match (self.word, self.constant) {
            (Some(word), 0) => Some(word),
            (None, constant) => rewriter.make(Op::Word(constant)),
            (Some(word), constant) => {
                let constant = rewriter.make(Op::Word(constant))?;
                rewriter.make_inst(Op::WordBinary(WordBinary::Add), &[word, constant])
            }
        }
    }
}

/// A gather with a uniform index: one load, if any lane is in the mask, and a select.
fn one_place(
    rewriter: &mut Rewriter,
    offset: i32,
    pointer: Value,
    index: Index,
    mask: Value,
) -> Option<Rewrite> {
    // The pointer may be redirected to the page of zeros; the offset must stay inside it.
    if !(0..Context::ZEROS as i32 / 4).contains(&offset) {
        return None;
    }
    let word = index.word(rewriter)?;
    if rewriter.is_all(mask) {
        let place = rewriter.make_inst(Op::Advance, &[pointer, word])?;
        return Rewrite::inst(Op::LoadSplat(offset), &[place]);
    }
    let any = rewriter.make_inst(Op::Any, &[mask])?;
    let place = rewriter.make_inst(Op::AdvanceOrZeros, &[pointer, word, any])?;
    let read = rewriter.make_inst(Op::LoadSplat(offset), &[place])?;
    let zero = rewriter.make(Op::Splat(0))?;
    Rewrite::inst(Op::Select, &[mask, read, zero])
}

/// A broadcast of a loaded word becomes a broadcasting load.
fn splat_of_load(rewriter: &Rewriter, word: Value) -> Option<Rewrite> {
    let (op, operands) = rewriter.absorbed(word)?;
    match op {
        Op::LoadWord(offset) if rewriter.is_undisturbed(word) => {
            Rewrite::inst(Op::LoadSplat(offset), operands)
        }
        _ => None,
    }
}
