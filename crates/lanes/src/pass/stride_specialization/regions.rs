//! Finds regions for loop versioning: accesses whose stride is a power of two that a loop doubles or halves.

use smallvec::SmallVec;

use super::affine::AffineAnalysis;
use crate::ir::{BlockId, Function, Inst, LaneBinary, Op, Value, WordBinary};
use crate::pass::cfg::Cfg;
use crate::pass::value_def::{ValueDef, definition, value_defs};

/// The maximum depth of index expressions that are analyzed.
const MAX_DEPTH: u32 = 8;

/// The most instructions of a region.
const MAX_INSTS: usize = 64;

/// The largest stride with which lanes are in a few rows.
const MAX_SHIFT: u32 = 4;

/// A range of instructions of a block that gets several versions.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) block: BlockId,
    pub(super) first: usize,
    pub(super) end: usize,
    /// The stride word, and its values that get specialized versions.
    pub(super) word: Value,
    pub(super) word_values: SmallVec<[u32; 3]>,
    /// The indices of the accesses, each once.
    pub(super) indices: SmallVec<[Value; 4]>,
}

/// Searches a function for regions.
pub(super) struct RegionFinder<'a> {
    function: &'a Function,
    graph: Cfg,
    pub(super) value_defs: Vec<ValueDef>,
}

impl<'a> RegionFinder<'a> {
    pub(super) fn new(function: &'a Function) -> Self {
        Self {
            function,
            graph: Cfg::new(function),
            value_defs: value_defs(function),
        }
    }

    /// The region of each block that has one, from the last block to the first.
    pub(super) fn regions(&self) -> Vec<Region> {
        let blocks = self.graph.order().iter().rev();
        blocks.filter_map(|block| self.region(*block)).collect()
    }

    fn region(&self, id: BlockId) -> Option<Region> {
        let insts = &self.function.block(id).insts;
        let accesses = || insts.iter().enumerate().filter(|(_, inst)| is_access(inst));
        let word = accesses().find_map(|(_, inst)| self.factor(inst.operands[1], MAX_DEPTH))?;
        let (mut first, mut end) = (usize::MAX, 0);
        let mut indices = SmallVec::new();
        let mut stride = MAX_SHIFT + 1;
        for (place, inst) in accesses() {
            let index = inst.operands[1];
            let Some(own) = self.stride(index, word) else {
                continue;
            };
            stride = stride.min(own);
            first = first.min(self.first_dependency(id, index, place, MAX_DEPTH));
            end = place + 1;
            if !indices.contains(&index) {
                indices.push(index);
            }
        }
        let word_values: SmallVec<_> = [1, 2, 4]
            .into_iter()
            .filter(|number| number * stride <= MAX_SHIFT)
            .collect();
        let is_worth = !word_values.is_empty() && end - first.min(end) <= MAX_INSTS;
        is_worth.then_some(Region {
            block: id,
            first,
            end,
            word,
            word_values,
            indices,
        })
    }

    /// The first instruction of the block that computes an index, since index computations differ between versions.
    fn first_dependency(&self, id: BlockId, lanes: Value, place: usize, depth: u32) -> usize {
        let at = match self.value_defs[lanes.index()] {
            ValueDef::Inst(home, at) if home == id => at as usize,
            _ => return place,
        };
        let inst = &self.function.block(id).insts[at];
        let is_computed = matches!(inst.op, Op::Binary(_) | Op::ShlBy(_));
        let operands = inst.operands.iter().filter(|_| is_computed && depth > 0);
        let places = operands
            .map(|operand| self.first_dependency(id, *operand, at, depth.saturating_sub(1)));
        places.fold(at, usize::min)
    }

    /// The stride of an index where the word is 1, if the stride is proportional to the word.
    fn stride(&self, index: Value, word: Value) -> Option<u32> {
        let at = |number| {
            let reader = AffineAnalysis {
                function: self.function,
                value_defs: &self.value_defs,
                word,
                number,
            };
            Some(reader.lanes(index)?.stride)
        };
        let (one, two) = (at(1)?, at(2)?);
        let is_scaled = one.checked_mul(2) == Some(two);
        (is_scaled && one.is_power_of_two() && one <= MAX_SHIFT).then_some(one)
    }

    /// A word that doubles or halves in a loop and by which lanes are multiplied in an index.
    fn factor(&self, index: Value, depth: u32) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let inst = definition(self.function, &self.value_defs, index)?;
        let inside = || {
            let mut operands = inst.operands.iter();
            operands.find_map(|operand| self.factor(*operand, depth))
        };
        match inst.op {
            Op::Binary(LaneBinary::Int(WordBinary::Mul)) => {
                let words = inst
                    .operands
                    .iter()
                    .filter_map(|operand| self.broadcast(*operand));
                let mut scaling = words.filter(|word| self.is_scaling(*word));
                scaling.next().or_else(inside)
            }
            Op::Binary(LaneBinary::Int(WordBinary::Add | WordBinary::Sub)) | Op::ShlBy(_) => {
                inside()
            }
            _ => None,
        }
    }

    fn broadcast(&self, value: Value) -> Option<Value> {
        let inst = definition(self.function, &self.value_defs, value)?;
        (inst.op == Op::Broadcast).then(|| inst.operands[0])
    }

    /// Whether a word doubles or halves from one iteration to the next: it then takes small values.
    fn is_scaling(&self, word: Value) -> bool {
        let ValueDef::Parameter(block, place) = self.value_defs[word.index()] else {
            return false;
        };
        let before = self.graph.predecessors(block).iter();
        let edges = before.flat_map(|block| self.function.block(*block).terminator.edges());
        let mut given = edges.filter(|edge| edge.block == block);
        given.any(|edge| self.is_scaled(edge.arguments[place as usize], word))
    }

    fn is_scaled(&self, value: Value, word: Value) -> bool {
        use WordBinary::{Add, DivU, Mul, Shl, ShrU};
        let Some(inst) = definition(self.function, &self.value_defs, value) else {
            return false;
        };
        match (inst.op, &inst.operands[..]) {
            (Op::WordBinary(Add), &[a, b]) => a == word && b == word,
            (Op::WordBinary(Mul | Shl | ShrU | DivU), operands) => operands.contains(&word),
            _ => false,
        }
    }
}

/// Whether an instruction is a gather or a scatter.
pub(super) fn is_access(inst: &Inst) -> bool {
    matches!(inst.op, Op::Gather(_) | Op::Scatter(_))
}
