//! Counted loops: loops that count from 0 to a constant and exit only at their latch.
//!
//! In: a function. Out: such a loop with its counter and its blocks. What holds: the counter is the only parameter of
//! the header, no value of the loop is used after it, and an edge out of the loop passes no value of it. So iterations
//! communicate only through memory.

use crate::ir::{BlockId, Function, Inst, Op, Terminator, Value, WordBinary, WordCompare};
use crate::pass::cfg::Cfg;
use crate::pass::loops::{LoopId, Loops};
use crate::pass::value_def::{ValueDef, definition, value_defs};

/// A function with the tables that describe its loops.
pub(in crate::pass) struct LoopTables {
    pub(in crate::pass) graph: Cfg,
    pub(in crate::pass) loops: Loops,
    value_defs: Vec<ValueDef>,
}

impl LoopTables {
    pub(in crate::pass) fn new(function: &Function) -> Self {
        let graph = Cfg::new(function);
        Self {
            loops: Loops::new(&graph, function.blocks.len()),
            value_defs: value_defs(function),
            graph,
        }
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
    /// The trip count.
    pub(in crate::pass) trip_count: u32,
    /// The blocks of the loop, in reverse postorder.
    pub(in crate::pass) blocks: Vec<BlockId>,
    /// By block: whether it is in the loop.
    pub(in crate::pass) is_inside: Vec<bool>,
}

impl CountedLoop {
    /// The loop, if it is a counted loop.
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
        let (next, trip_count) = step(function, tables, (header, latch), counter)?;
        let order = tables.graph.order().iter().copied();
        let blocks: Vec<_> = order
            .filter(|block| tables.loops.contains(id, *block))
            .collect();
        let mut is_inside = vec![false; function.blocks.len()];
        for block in &blocks {
            is_inside[block.index()] = true;
        }
        let found = Self {
            header,
            latch,
            counter,
            next,
            trip_count,
            blocks,
            is_inside,
        };
        let is_from_zero = tables.word(function, first) == Some(0);
        (is_from_zero && found.has_single_exit(function, tables)).then_some(found)
    }

    /// Whether only the latch exits the loop, and no value of the loop is used after it.
    fn has_single_exit(&self, function: &Function, tables: &LoopTables) -> bool {
        let is_inside = |block: &BlockId| self.is_inside[block.index()];
        let stays = |block: &BlockId| {
            let next = function.block(*block).terminator.successors();
            *block == self.latch || !next.is_empty() && next.iter().all(is_inside)
        };
        let numbers = (0..function.blocks.len() as u32).map(BlockId);
        let uses_after = numbers.filter(|block| !is_inside(block)).flat_map(|id| {
            let block = function.block(id);
            let operands = block
                .insts
                .iter()
                .flat_map(|inst| inst.operands.iter().copied());
            operands.chain(block.terminator.uses())
        });
        let exits = function.block(self.latch).terminator.edges();
        let passed = exits
            .filter(|edge| !is_inside(&edge.block))
            .flat_map(|edge| edge.arguments.iter().copied());
        let is_defined_outside = |value: Value| {
            tables
                .block_of(value)
                .is_some_and(|block| !is_inside(&block))
        };
        self.blocks.iter().all(stays) && uses_after.chain(passed).all(is_defined_outside)
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

/// The next value of the counter and the trip count, if the latch continues while the counter is below a constant.
fn step(
    function: &Function,
    tables: &LoopTables,
    (header, latch): (BlockId, BlockId),
    counter: Value,
) -> Option<(Value, u32)> {
    let Terminator::Branch(condition, yes, _) = &function.block(latch).terminator else {
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
    let limit = tables.word(function, limit)?;
    is_count.then_some((next, limit))
}
