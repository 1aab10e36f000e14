//! Finds regions for border versioning: accesses of a block whose indices contain clamped or wrapped values.

use std::cell::Cell;
use std::collections::BTreeSet;

use smallvec::SmallVec;

use crate::arithmetic::word_binary;
use crate::ir::{
    BlockId, Function, Inst, LaneBinary, LaneCompare, Op, Value, WordBinary, WordCompare,
};
use crate::pass::value_def::{ValueDef, definition};

/// The maximum depth of index expressions that are analyzed.
const MAX_DEPTH: u32 = 8;
/// The most values that are visited for an access, so that the time is linear.
const MAX_VISITS: u32 = 256;
/// The most clamped values that a region tests.
const MAX_CLAMPED: usize = 8;
/// The most instructions of a region.
const MAX_INSTS: usize = 192;
/// The fewest accesses for which a test is worth it.
const MIN_ACCESSES: usize = 2;

/// The comparison of bounds checks.
pub(super) const LESS: LaneCompare = LaneCompare::Int(WordCompare::LtU);

/// What each lane adds to the first.
type Pattern = SmallVec<[u32; 16]>;

/// A range of instructions of a block that gets two versions.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) block: BlockId,
    pub(super) first: usize,
    pub(super) end: usize,
    /// The clamped values, and the pattern of each away from borders.
    pub(super) clamped: Vec<(Value, Pattern)>,
    /// The instructions of the range that compute clamped values.
    pub(super) moved: BTreeSet<usize>,
    /// The accesses that are rows in the first version, by their places in the block.
    pub(super) accesses: BTreeSet<usize>,
}

/// Searches a function for regions.
pub(super) struct RegionFinder<'a> {
    function: &'a Function,
    value_defs: Vec<ValueDef>,
    /// The values that may still be visited for the current access.
    visits: Cell<u32>,
}

impl<'a> RegionFinder<'a> {
    pub(super) fn new(function: &'a Function, value_defs: Vec<ValueDef>) -> Self {
        Self {
            function,
            value_defs,
            visits: Cell::new(0),
        }
    }

    /// Counts a visit; returns whether there are more.
    fn visit(&self) -> bool {
        self.visits.set(self.visits.get().saturating_sub(1));
        self.visits.get() > 0
    }

    /// The region of each block that has one.
    pub(super) fn regions(&self) -> Vec<Region> {
        let blocks = (0..self.function.blocks.len() as u32).map(BlockId);
        blocks.filter_map(|block| self.region(block)).collect()
    }

    fn region(&self, block: BlockId) -> Option<Region> {
        let insts = &self.function.block(block).insts;
        let mut region = Region {
            block,
            first: usize::MAX,
            end: 0,
            clamped: Vec::new(),
            moved: BTreeSet::new(),
            accesses: BTreeSet::new(),
        };
        for (place, inst) in insts.iter().enumerate() {
            if !matches!(inst.op, Op::Gather(_) | Op::Scatter(_))
                || place - region.first.min(place) > MAX_INSTS
            {
                continue;
            }
            let mut clamped = Vec::new();
            let (index, mask) = (inst.operands[1], inst.operands[inst.operands.len() - 1]);
            self.visits.set(MAX_VISITS);
            let is_candidate =
                self.is_checked(block, index, mask) && self.clamped(index, MAX_DEPTH, &mut clamped);
            if !is_candidate || clamped.is_empty() {
                continue;
            }
            let first = region.first.min(place);
            if !self.add(&mut region, first, clamped) {
                continue;
            }
            region.first = first;
            region.end = place + 1;
            region.accesses.insert(place);
        }
        (region.accesses.len() >= MIN_ACCESSES).then_some(region)
    }

    /// Whether a mask is the bounds check of an index, and both are computed in the block.
    fn is_checked(&self, block: BlockId, index: Value, mask: Value) -> bool {
        let is_here = |value: Value| self.value_defs[value.index()].block() == Some(block);
        let check = self
            .definition(mask)
            .filter(|_| is_here(index) && is_here(mask));
        check.is_some_and(|inst| {
            matches!(inst.op, Op::Compare(LESS) | Op::MaskedCompare(LESS))
                && inst.operands[0] == index
        })
    }

    /// Adds clamped values to a region, if their computations can be moved before its first instruction.
    fn add(&self, region: &mut Region, first: usize, clamped: Vec<(Value, Pattern)>) -> bool {
        let mut moved = BTreeSet::new();
        let is_new = |value: &Value| !region.clamped.iter().any(|known| known.0 == *value);
        let new: Vec<_> = clamped
            .into_iter()
            .filter(|entry| is_new(&entry.0))
            .collect();
        let can_move = new
            .iter()
            .all(|(value, _)| self.dependencies(region.block, first, *value, &mut moved));
        let is_added = can_move && region.clamped.len() + new.len() <= MAX_CLAMPED;
        if is_added {
            region.clamped.extend(new);
            region.moved.extend(moved);
        }
        is_added
    }

    /// Collects the instructions of a block from `first` on that a value depends on. Returns whether all are pure.
    fn dependencies(
        &self,
        block: BlockId,
        first: usize,
        value: Value,
        found: &mut BTreeSet<usize>,
    ) -> bool {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let ValueDef::Inst(home, place) = self.value_defs[value.index()] else {
                continue;
            };
            let place = place as usize;
            if home != block || place < first || !found.insert(place) {
                continue;
            }
            let inst = &self.function.block(block).insts[place];
            if inst.op.reads_memory() || inst.op.has_effect() || found.len() > MAX_INSTS {
                return false;
            }
            open.extend_from_slice(&inst.operands);
        }
        true
    }

    fn definition(&self, value: Value) -> Option<&Inst> {
        definition(self.function, &self.value_defs, value)
    }

    /// Collects the clamped values of which an index is the affine combination. Returns whether it is one.
    fn clamped(&self, index: Value, depth: u32, found: &mut Vec<(Value, Pattern)>) -> bool {
        let (Some(depth), Some(inst)) = (depth.checked_sub(1), self.definition(index)) else {
            return false;
        };
        if !self.visit() {
            return false;
        }
        let mut each = |operand: &Value| self.clamped(*operand, depth, found);
        match inst.op {
            Op::Splat(_) | Op::Pattern(_) | Op::Broadcast => true,
            Op::ShlBy(_) => each(&inst.operands[0]),
            Op::Binary(LaneBinary::Int(WordBinary::Add | WordBinary::Sub)) => {
                inst.operands.iter().all(each)
            }
            Op::Binary(LaneBinary::Int(WordBinary::Mul)) => {
                let mut operands = inst.operands.iter();
                operands.any(|operand| self.splat(*operand).is_some())
                    && inst.operands.iter().all(each)
            }
            _ => {
                let pattern = self.pattern(index, depth);
                let pattern = pattern.filter(|pattern| !is_uniform(pattern) && is_clamp(inst.op));
                if let Some(pattern) = pattern
                    && !found.iter().any(|known| known.0 == index)
                {
                    found.push((index, pattern));
                    return true;
                }
                found.iter().any(|known| known.0 == index)
            }
        }
    }

    fn splat(&self, value: Value) -> Option<u32> {
        match self.definition(value)?.op {
            Op::Splat(bits) => Some(bits),
            _ => None,
        }
    }

    /// What the lanes of a value add to the first, away from borders.
    fn pattern(&self, value: Value, depth: u32) -> Option<Pattern> {
        let depth = depth.checked_sub(1).filter(|_| self.visit())?;
        let inst = self.definition(value)?;
        let at = &inst.operands;
        let of = |place: usize| self.pattern(at[place], depth);
        match inst.op {
            Op::Splat(_) | Op::Broadcast => Some(self.zeros()),
            Op::Pattern(id) => {
                let words = &self.function.patterns[id.0 as usize];
                Some(
                    words
                        .iter()
                        .map(|word| word.wrapping_sub(words[0]))
                        .collect(),
                )
            }
            Op::ShlBy(by) => Some(of(0)?.iter().map(|word| word << by).collect()),
            Op::Select => either(of(1)?, of(2)?),
            Op::Binary(LaneBinary::Int(op)) => match op {
                WordBinary::Add | WordBinary::Sub => Some(each(op, &of(0)?, &of(1)?)),
                WordBinary::Mul => {
                    let factors = [self.splat(at[0]), self.splat(at[1])];
                    let (pattern, factor) = match factors {
                        [_, Some(factor)] => (of(0)?, factor),
                        [Some(factor), _] => (of(1)?, factor),
                        _ => return None,
                    };
                    let scaled = pattern.iter().map(|word| word.wrapping_mul(factor));
                    Some(scaled.collect())
                }
                WordBinary::And | WordBinary::RemU | WordBinary::RemS => {
                    let (a, b) = (of(0)?, of(1)?);
                    is_uniform(&b).then_some(a)
                }
                WordBinary::MinU | WordBinary::MaxU | WordBinary::MinS | WordBinary::MaxS => {
                    either(of(0)?, of(1)?)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn zeros(&self) -> Pattern {
        SmallVec::from_elem(0, self.function.lanes as usize)
    }
}

/// Whether an operation gives one of its operands in most lanes.
fn is_clamp(op: Op) -> bool {
    use WordBinary::{And, MaxS, MaxU, MinS, MinU, RemS, RemU};
    matches!(
        op,
        Op::Select
            | Op::Binary(LaneBinary::Int(
                And | RemU | RemS | MinU | MaxU | MinS | MaxS
            ))
    )
}

/// The pattern of lanes that are taken from two values: that of the one that varies.
fn either(a: Pattern, b: Pattern) -> Option<Pattern> {
    match (is_uniform(&a), is_uniform(&b)) {
        (_, true) => Some(a),
        (true, _) => Some(b),
        _ => (a == b).then_some(a),
    }
}

fn is_uniform(pattern: &[u32]) -> bool {
    pattern.iter().all(|word| *word == 0)
}

fn each(op: WordBinary, a: &[u32], b: &[u32]) -> Pattern {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| word_binary(op, *a, *b)).collect()
}
