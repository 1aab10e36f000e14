//! Narrows gathers and scatters: contiguous lanes become a row, equal indices become one load.
//!
//! In: a gather, a scatter or a broadcast. Out: a cheaper access, if there is one. An index is decomposed into a
//! uniform word and a constant for each lane. If the constants count up by one, a gather or scatter becomes a masked
//! row, with a limit instead of the mask of a bounds check; if they are equal, a gather becomes a single load.

use smallvec::SmallVec;

use crate::ir::{Context, Inst, LaneBinary, LaneCompare, Op, Row, Value, WordBinary, WordCompare};
use crate::pass::peephole::{Rewrite, Rewriter};

/// The largest limit of a row.
const MAX_LIMIT: u32 = 1 << 31;

/// A cheaper instruction for an access, if there is one.
pub(super) fn narrow(rewriter: &mut Rewriter, inst: &Inst) -> Option<Rewrite> {
    match (inst.op, &inst.operands[..]) {
        (Op::Broadcast, &[word]) => splat_of_load(rewriter, word),
        (Op::Gather(offset), &[pointer, index, mask]) => {
            let form = Index::of(rewriter, index)?;
            if form.stride != 1 {
                return one_place(rewriter, offset, pointer, form, mask);
            }
            let word = form.word(rewriter)?;
            let (row, lanes) = row(rewriter, offset, index, mask);
            let operands: Operands = [pointer, word].into_iter().chain(lanes).collect();
            Some(Rewrite::Inst(Op::LoadRow(row), operands))
        }
        (Op::Scatter(offset), &[pointer, index, values, mask]) => {
            let form = Index::of(rewriter, index).filter(|index| index.stride == 1)?;
            let word = form.word(rewriter)?;
            let (row, lanes) = row(rewriter, offset, index, mask);
            let operands: Operands = [pointer, word, values].into_iter().chain(lanes).collect();
            Some(Rewrite::Inst(Op::StoreRow(row), operands))
        }
        _ => None,
    }
}

/// The operands of a row.
type Operands = SmallVec<[Value; 5]>;

/// A row with the lanes of a mask, and its limit and mask. A bounds check of the index is a limit, which is one
/// comparison of words.
fn row(
    rewriter: &mut Rewriter,
    offset: i32,
    index: Value,
    mask: Value,
) -> (Row, SmallVec<[Value; 2]>) {
    let mut row = Row {
        offset,
        is_limited: false,
        is_masked: true,
    };
    let Some((limit, others)) = limit(rewriter, index, mask) else {
        return (row, SmallVec::from_slice(&[mask]));
    };
    row.is_limited = true;
    row.is_masked = others.is_some();
    (row, std::iter::once(limit).chain(others).collect())
}

/// If a mask is that of a bounds check of an index: the limit, and the mask of the lanes that are checked, unless these
/// are all lanes.
fn limit(rewriter: &mut Rewriter, index: Value, mask: Value) -> Option<(Value, Option<Value>)> {
    const LESS: LaneCompare = LaneCompare::Int(WordCompare::LtU);
    let (op, operands) = rewriter.parts(mask)?;
    let others = match op {
        Op::Compare(LESS) => None,
        Op::MaskedCompare(LESS) => Some(operands[2]),
        _ => return None,
    };
    let limit = operands[1];
    if operands[0] != index {
        return None;
    }
    match rewriter.parts(limit)? {
        (Op::Splat(limit), _) if limit <= MAX_LIMIT => {
            Some((rewriter.make(Op::Word(limit))?, others))
        }
        (Op::Broadcast, &[word]) => {
            let is_length = matches!(rewriter.parts(word)?.0, Op::Length(_));
            is_length.then_some((word, others))
        }
        _ => None,
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
