//! Counted loops: loops that count from 0 to a constant and exit only at their latch.
//!
//! In: a function. Out: such a loop with its counter and its blocks. What holds: the counter is the only parameter of
//! the header, no value of the loop is used after it, and an edge out of the loop passes no value of it. So iterations
//! communicate only through memory.

use crate::ir::{BlockId, Function, Inst, Op, Terminator, Value, WordBinary, WordCompare};
use crate::pass::cfg::Cfg;
use crate::pass::loops::{LoopId, LoopTree, Loops};
use crate::pass::value_def::{ValueDef, definition, value_defs};

/// A function with the tables that describe its loops.
pub(in crate::pass) struct LoopTables {
    pub(in crate::pass) graph: Cfg,
    pub(in crate::pass) loops: Loops,
    pub(in crate::pass) tree: LoopTree,
    value_defs: Vec<ValueDef>,
    /// By loop: whether a value of it is used after it.
    is_used_after: Vec<bool>,
}

impl LoopTables {
    pub(in crate::pass) fn new(function: &Function) -> Self {
        let graph = Cfg::new(function);
        let loops = Loops::new(&graph, function.blocks.len());
        let value_defs = value_defs(function);
        Self {
            tree: LoopTree::new(&graph, &loops),
            is_used_after: is_used_after(function, &loops, &value_defs),
            loops,
            value_defs,
            graph,
        }
    }

    /// The blocks of a loop and of the loops in it, in reverse postorder.
    pub(in crate::pass) fn blocks(&self, id: LoopId) -> Vec<BlockId> {
        self.tree.blocks(&self.graph, id)
    }

    /// The block that defines a value.
    pub(in crate::pass) fn block_of(&self, value: Value) -> Option<BlockId> {
        self.value_defs[value.index()].block()
    }

    /// The instruction that defines a value.
    pub(in crate::pass) fn definition<'a>(
        &self,
        function: &'a Function,
        value: Value,
    ) -> Option<&'a Inst> {
        definition(function, &self.value_defs, value)
    }

    /// The constant that a value is.
    pub(in crate::pass) fn word(&self, function: &Function, value: Value) -> Option<u32> {
        match self.definition(function, value)?.op {
            Op::Word(bits) => Some(bits),
            _ => None,
        }
    }
}

/// By loop: whether a value of it is used after it, by an instruction or a terminator of a block outside it, or as an
/// argument of an edge out of it.
fn is_used_after(function: &Function, loops: &Loops, value_defs: &[ValueDef]) -> Vec<bool> {
    let mut is_used_after = vec![false; loops.all().len()];
    let mut mark = |value: Value, user: BlockId| {
        let home = value_defs[value.index()].block();
        let mut left = home.and_then(|block| loops.innermost(block));
        while let Some(id) = left.filter(|id| !loops.contains(*id, user)) {
            is_used_after[id.0 as usize] = true;
            left = loops.get(id).parent;
        }
    };
    for (block, number) in function.blocks.iter().zip(0..) {
        let operands = block.insts.iter().flat_map(|inst| &inst.operands).copied();
        for value in operands.chain(block.terminator.uses()) {
            mark(value, BlockId(number));
        }
        for edge in block.terminator.edges() {
            for &value in &edge.arguments {
                mark(value, edge.block);
            }
        }
    }
    is_used_after
}

/// A loop that counts from 0 to a constant.
pub(in crate::pass) struct CountedLoop {
    /// The loop header.
    pub(in crate::pass) header: BlockId,
    /// The latch: the block with the back edge and the exit test.
    pub(in crate::pass) latch: BlockId,
    /// The counter: the induction variable.
    pub(in crate::pass) counter: Value,
    /// The counter of the next iteration.
    pub(in crate::pass) next: Value,
    /// The trip count, at least 1.
    pub(in crate::pass) trip_count: u32,
    /// The blocks of the loop, in reverse postorder.
    pub(in crate::pass) blocks: Vec<BlockId>,
    /// The block to which the latch exits. No other block of the loop has an edge to it.
    pub(in crate::pass) exit: BlockId,
}

impl CountedLoop {
    /// The loop, if it is a counted loop. Takes time for its blocks only.
    pub(in crate::pass) fn new(
        function: &Function,
        tables: &LoopTables,
        id: LoopId,
    ) -> Option<Self> {
        let header = tables.loops.get(id).header;
        let (latch, first) = entries(function, tables, header)?;
        let &[counter] = &function.block(header).parameters[..] else {
            return None;
        };
        let step = step(function, tables, (header, latch), counter)?;
        let is_from_zero = tables.word(function, first) == Some(0);
        if !is_from_zero || tables.is_used_after[id.0 as usize] {
            return None;
        }
        let found = Self {
            header,
            latch,
            counter,
            next: step.next,
            trip_count: step.trip_count,
            blocks: tables.blocks(id),
            exit: step.exit,
        };
        found.has_single_exit(function, tables, id).then_some(found)
    }

    /// Whether only the latch exits the loop.
    fn has_single_exit(&self, function: &Function, tables: &LoopTables, id: LoopId) -> bool {
        let is_inside = |block: &BlockId| tables.loops.contains(id, *block);
        let stays = |block: &BlockId| {
            let next = function.block(*block).terminator.successors();
            *block == self.latch || !next.is_empty() && next.iter().all(is_inside)
        };
        !is_inside(&self.exit) && self.blocks.iter().all(stays)
    }
}

/// The latch of a loop, and the value of its only header parameter in the first iteration.
fn entries(function: &Function, tables: &LoopTables, header: BlockId) -> Option<(BlockId, Value)> {
    let predecessors = tables.graph.predecessors(header);
    let is_back = |block: &BlockId| tables.graph.dominates(header, *block);
    let (&[one, other], [_]) = (predecessors, &function.block(header).parameters[..]) else {
        return None;
    };
    let (latch, before) = match (is_back(&one), is_back(&other)) {
        (true, false) => (one, other),
        (false, true) => (other, one),
        _ => return None,
    };
    let mut edges = function.block(before).terminator.edges();
    let edge = edges.find(|edge| edge.block == header)?;
    Some((latch, edge.arguments[0]))
}

/// How a latch counts.
struct Step {
    /// The next value of the counter.
    next: Value,
    trip_count: u32,
    exit: BlockId,
}

/// How a latch counts, if it adds 1 and continues while the counter is below a constant. The exit test is at the end,
/// so that a loop that counts to 0 runs once; it is not a counted loop.
fn step(
    function: &Function,
    tables: &LoopTables,
    (header, latch): (BlockId, BlockId),
    counter: Value,
) -> Option<Step> {
    let Terminator::Branch(condition, yes, no) = &function.block(latch).terminator else {
        return None;
    };
    let compare = tables.definition(function, *condition)?;
    let (Op::WordCompare(WordCompare::LtU), &[next, limit]) = (compare.op, &compare.operands[..])
    else {
        return None;
    };
    let sum = tables.definition(function, next)?;
    let (Op::WordBinary(WordBinary::Add), &[before, step]) = (sum.op, &sum.operands[..]) else {
        return None;
    };
    let is_count = before == counter
        && tables.word(function, step) == Some(1)
        && yes.block == header
        && yes.arguments == [next];
    let trip_count = tables.word(function, limit).filter(|limit| *limit > 0)?;
    is_count.then_some(Step {
        next,
        trip_count,
        exit: no.block,
    })
}
