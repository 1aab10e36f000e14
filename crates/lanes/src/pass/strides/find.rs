//! Accesses whose lanes are so many words apart as a word says that doubles or halves in a loop.

use smallvec::SmallVec;

use super::form::Reader;
use crate::ir::{BlockId, Function, Inst, LaneBinary, Op, Value, WordBinary};
use crate::pass::graph::Graph;
use crate::pass::origin::{Origin, definition, origins};

/// Trees are not followed further than that.
const DEEPEST: u32 = 8;

/// More instructions than that are not done in several ways.
const MOST_INSTS: usize = 64;

/// Further apart than that, lanes are not in a few rows.
const FARTHEST: u32 = 4;

/// Instructions of a block to be done in several ways.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) block: BlockId,
    pub(super) first: usize,
    pub(super) end: usize,
    /// The word, and the numbers for which there are ways of their own.
    pub(super) word: Value,
    pub(super) numbers: SmallVec<[u32; 3]>,
    /// The indices, each once.
    pub(super) indices: SmallVec<[Value; 4]>,
}

/// Looks for regions.
pub(super) struct Finder<'a> {
    function: &'a Function,
    graph: Graph,
    pub(super) origins: Vec<Origin>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(function: &'a Function) -> Self {
        Self {
            function,
            graph: Graph::new(function),
            origins: origins(function),
        }
    }

    /// The region of each block that has one, from the last block on.
    pub(super) fn regions(&self) -> Vec<Region> {
        let blocks = self.graph.order().iter().rev();
        blocks.filter_map(|it| self.region(*it)).collect()
    }

    fn region(&self, id: BlockId) -> Option<Region> {
        let insts = &self.function.block(id).insts;
        let accesses = || insts.iter().enumerate().filter(|(_, it)| is_access(it));
        let word = accesses().find_map(|(_, it)| self.factor(it.operands[1], DEEPEST))?;
        let (mut first, mut end) = (usize::MAX, 0);
        let mut indices = SmallVec::new();
        let mut stride = FARTHEST + 1;
        for (place, inst) in accesses() {
            let index = inst.operands[1];
            let Some(own) = self.stride(index, word) else {
                continue;
            };
            stride = stride.min(own);
            first = first.min(self.beginning(id, index, place, DEEPEST));
            end = place + 1;
            if !indices.contains(&index) {
                indices.push(index);
            }
        }
        let numbers = [1, 2, 4].into_iter();
        let numbers: SmallVec<_> = numbers.filter(|it| it * stride <= FARTHEST).collect();
        let is_worth = !numbers.is_empty() && end - first.min(end) <= MOST_INSTS;
        is_worth.then_some(Region {
            block: id,
            first,
            end,
            word,
            numbers,
            indices,
        })
    }

    /// Where in a block lanes begin to be computed that are needed in a place: these differ from way to way.
    fn beginning(&self, id: BlockId, lanes: Value, place: usize, depth: u32) -> usize {
        let at = match self.origins[lanes.index()] {
            Origin::Inst(home, at) if home == id => at as usize,
            _ => return place,
        };
        let inst = &self.function.block(id).insts[at];
        let is_computed = matches!(inst.op, Op::Binary(_) | Op::ShlBy(_));
        let operands = inst.operands.iter().filter(|_| is_computed && depth > 0);
        let places = operands.map(|it| self.beginning(id, *it, at, depth.saturating_sub(1)));
        places.fold(at, usize::min)
    }

    /// How far apart lanes are where a word is 1, if the word says how far that is.
    fn stride(&self, index: Value, word: Value) -> Option<u32> {
        let at = |number| {
            let reader = Reader {
                function: self.function,
                origins: &self.origins,
                word,
                number,
            };
            Some(reader.lanes(index)?.stride)
        };
        let (one, two) = (at(1)?, at(2)?);
        let is_scaled = one.checked_mul(2) == Some(two);
        (is_scaled && one.is_power_of_two() && one <= FARTHEST).then_some(one)
    }

    /// A word by which lanes are multiplied somewhere in an index, and that doubles or halves.
    fn factor(&self, index: Value, depth: u32) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let inst = definition(self.function, &self.origins, index)?;
        let inside = || {
            let mut operands = inst.operands.iter();
            operands.find_map(|it| self.factor(*it, depth))
        };
        match inst.op {
            Op::Binary(LaneBinary::Int(WordBinary::Mul)) => {
                let words = inst.operands.iter().filter_map(|it| self.broadcast(*it));
                let mut scaling = words.filter(|it| self.is_scaling(*it));
                scaling.next().or_else(inside)
            }
            Op::Binary(LaneBinary::Int(WordBinary::Add | WordBinary::Sub)) | Op::ShlBy(_) => {
                inside()
            }
            _ => None,
        }
    }

    fn broadcast(&self, value: Value) -> Option<Value> {
        let inst = definition(self.function, &self.origins, value)?;
        (inst.op == Op::Broadcast).then(|| inst.operands[0])
    }

    /// Whether a word doubles or halves from turn to turn: it then comes by small numbers.
    fn is_scaling(&self, word: Value) -> bool {
        let Origin::Parameter(block, place) = self.origins[word.index()] else {
            return false;
        };
        let before = self.graph.predecessors(block).iter();
        let edges = before.flat_map(|it| self.function.block(*it).terminator.edges());
        let mut given = edges.filter(|it| it.block == block);
        given.any(|it| self.is_scaled(it.arguments[place as usize], word))
    }

    fn is_scaled(&self, value: Value, word: Value) -> bool {
        use WordBinary::{Add, DivU, Mul, Shl, ShrU};
        let Some(inst) = definition(self.function, &self.origins, value) else {
            return false;
        };
        match (inst.op, &inst.operands[..]) {
            (Op::WordBinary(Add), &[a, b]) => a == word && b == word,
            (Op::WordBinary(Mul | Shl | ShrU | DivU), operands) => operands.contains(&word),
            _ => false,
        }
    }
}

/// Whether lanes are read or written wherever an index says.
pub(super) fn is_access(inst: &Inst) -> bool {
    matches!(inst.op, Op::Gather(_) | Op::Scatter(_))
}
