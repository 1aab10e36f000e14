//! Loop nests whose outer iterations can be interleaved.
//!
//! In: a loop of a function, and a period, the distance of outer iterations. Out: whether iterations at this distance
//! can be interleaved. That is legal if
//!
//! - the outer loop is a counted loop, so that iterations communicate only through memory;
//! - no branch in it varies, so that iterations share all branches, except for those with which divergent inner loops
//!   continue, where an iteration takes part without lanes once it would have left the loop (`masked_loop`);
//! - all its effects are in one block outside the inner loops, where iterations follow each other. With a period of 1
//!   their order stays. With a longer one it changes, so that iterations must be subgroups, which may run in any order,
//!   or have no effects except on frame slots of their own;
//! - it reads no memory that it writes, except for frame slots of which each iteration has its own.
//!
//! Takes time for the blocks of the nest only.

use anywarp_program::work::{Meter, OverBudget};

use crate::ir::{Function, Inst, Op, WordBinary};
use crate::pass::alias::AliasAnalysis;
use crate::pass::loops::LoopId;
use crate::pass::unroll_and_jam::counted_loop::{CountedLoop, LoopTables};

use super::masked_loop;
use super::periodicity::Periodicity;

/// Whether the iterations of a loop may run in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IterationOrder {
    /// They are the subgroups of a workgroup.
    Any,
    /// One after the other.
    Sequential,
}

/// A loop nest whose outer iterations can be interleaved.
pub(super) struct Nest {
    pub(super) outer: CountedLoop,
    /// The loops in the outer loop, at least one. They have no other loops in them.
    pub(super) inner: Vec<LoopId>,
    /// The distance of the iterations that are interleaved.
    pub(super) period: u32,
    /// Whether iterations take different numbers of steps in an inner loop.
    pub(super) is_divergent: bool,
    /// The instructions, operands, parameters and arguments of the nest.
    pub(super) size: u64,
    /// Whether iterations at any distance may change their order.
    is_unordered: bool,
}

impl Nest {
    /// The nest of an outer loop, if iterations at some distance can be interleaved.
    pub(super) fn new(
        function: &Function,
        tables: &LoopTables,
        memory: &AliasAnalysis,
        (id, order): (LoopId, IterationOrder),
    ) -> Option<Self> {
        let inner = tables.tree.inner(id);
        let is_leaf = |id: &LoopId| tables.tree.inner(*id).is_empty();
        if inner.is_empty() || !inner.iter().all(is_leaf) {
            return None;
        }
        let outer = CountedLoop::new(function, tables, id)?;
        let mut nest = Self {
            size: size(function, &outer),
            outer,
            inner: inner.to_vec(),
            period: 1,
            is_divergent: false,
            is_unordered: order == IterationOrder::Any,
        };
        nest.is_unordered |= !nest.has_shared_effects(function);
        let is_legal = nest.counter_is_private(function)
            && nest.keeps_effects_together(function, tables, id)
            && nest.is_independent(function, tables, memory);
        is_legal.then_some(nest)
    }

    /// Whether groups of two iterations at a distance divide the trip count, and the distance keeps what must stay in
    /// order.
    pub(super) fn is_divisible(&self, period: u32) -> bool {
        let keeps_order = period == 1 || self.is_unordered;
        keeps_order && self.outer.trip_count.is_multiple_of(2 * period)
    }

    /// Sets the distance of the iterations, a power of two. Returns whether they can share all branches.
    pub(super) fn set_period(
        &mut self,
        function: &Function,
        tables: &LoopTables,
        periodicity: &mut Periodicity,
        (period, meter): (u32, &Meter),
    ) -> Result<bool, OverBudget> {
        self.period = period;
        if !periodicity.analyze(function, tables, self, meter)? {
            return Ok(false);
        }
        let shared = self.shared_branches(function, tables, periodicity);
        self.is_divergent = shared == Some(true);
        Ok(shared.is_some())
    }

    fn insts<'a>(&'a self, function: &'a Function) -> impl Iterator<Item = &'a Inst> {
        let blocks = self.outer.blocks.iter();
        blocks.flat_map(|block| &function.block(*block).insts)
    }

    /// Whether the next value of the counter is only used to count: its meaning changes.
    fn counter_is_private(&self, function: &Function) -> bool {
        let users = self.insts(function);
        let users = users.filter(|inst| inst.operands.contains(&self.outer.next));
        let condition = function.block(self.outer.latch).terminator.condition();
        let mut others = users.filter(|inst| inst.result != condition);
        let edges = self.outer.blocks.iter().flat_map(|block| {
            let edges = function.block(*block).terminator.edges();
            edges.filter(|edge| edge.block != self.outer.header)
        });
        let mut arguments = edges.flat_map(|edge| &edge.arguments);
        others.next().is_none() && arguments.all(|argument| *argument != self.outer.next)
    }

    /// Whether branches vary, if iterations can share them all. The exit test of the outer loop counts iterations.
    fn shared_branches(
        &self,
        function: &Function,
        tables: &LoopTables,
        periodicity: &Periodicity,
    ) -> Option<bool> {
        let blocks = self.outer.blocks.iter().copied();
        let varying = blocks.filter(|id| {
            let condition = function.block(*id).terminator.condition();
            *id != self.outer.latch && condition.is_some_and(|value| periodicity.varies(value))
        });
        let varying: Vec<_> = varying.collect();
        let are_shareable = masked_loop::are_shareable(function, tables, &self.outer, &varying);
        are_shareable.then_some(!varying.is_empty())
    }

    /// Whether all effects are in one block, which is in no inner loop.
    fn keeps_effects_together(&self, function: &Function, tables: &LoopTables, id: LoopId) -> bool {
        let has_effects = |inst: &Inst| inst.op.has_effect() && !matches!(inst.op, Op::Poll(_));
        let blocks = self.outer.blocks.iter();
        let mut effects =
            blocks.filter(|block| function.block(**block).insts.iter().any(has_effects));
        match (effects.next(), effects.next()) {
            (None, _) => true,
            (Some(block), None) => tables.loops.innermost(*block) == Some(id),
            (Some(_), Some(_)) => false,
        }
    }

    /// Whether there are effects other than stores to frame slots.
    fn has_shared_effects(&self, function: &Function) -> bool {
        let is_shared = |inst: &Inst| {
            inst.op.has_effect() && !matches!(inst.op, Op::Poll(_) | Op::FrameStoreAt(_))
        };
        self.insts(function).any(is_shared)
    }

    /// Whether no iteration reads what another one writes.
    fn is_independent(
        &self,
        function: &Function,
        tables: &LoopTables,
        memory: &AliasAnalysis,
    ) -> bool {
        let is_slot = |inst: &&Inst| matches!(inst.op, Op::FrameLoadAt(_) | Op::FrameStoreAt(_));
        let is_access = |inst: &&Inst| !matches!(inst.op, Op::Poll(_)) && !is_slot(inst);
        let written = self
            .insts(function)
            .filter(is_access)
            .fold(0, |all, inst| all | memory.written_by(inst));
        let read = self
            .insts(function)
            .filter(is_access)
            .fold(0, |all, inst| all | memory.read_by(inst));
        let stores_slots = self
            .insts(function)
            .any(|inst| matches!(inst.op, Op::FrameStoreAt(_)));
        let is_own = |inst: &Inst| match inst.op {
            Op::FrameLoadAt(slot) | Op::FrameStoreAt(slot) => {
                self.is_own_slot(function, tables, inst, slot)
            }
            Op::FrameLoad(_) => false,
            _ => true,
        };
        read & written == 0 && (!stores_slots || self.insts(function).all(is_own))
    }

    /// Whether a frame slot is in the part of the frame that belongs to the iteration: parts have a constant size, and
    /// the counter as their number.
    fn is_own_slot(
        &self,
        function: &Function,
        tables: &LoopTables,
        inst: &Inst,
        slot: u32,
    ) -> bool {
        let value = match inst.op {
            Op::FrameStoreAt(_) => inst.operands[1],
            _ => match inst.result {
                Some(result) => result,
                None => return false,
            },
        };
        let Some(part) = tables.definition(function, inst.operands[0]) else {
            return false;
        };
        let (Op::WordBinary(op), &[number, factor]) = (part.op, &part.operands[..]) else {
            return false;
        };
        let size = match (op, tables.word(function, factor)) {
            (WordBinary::Shl, Some(by)) => 1_u32.checked_shl(by),
            (WordBinary::Mul, factor) => factor,
            _ => None,
        };
        let end = slot + function.type_of(value).bytes(function.lanes);
        number == self.outer.counter && size.is_some_and(|size| end <= size)
    }
}

/// The instructions, operands, parameters and arguments of a loop.
fn size(function: &Function, counted: &CountedLoop) -> u64 {
    let blocks = counted.blocks.iter().map(|id| {
        let block = function.block(*id);
        let operands = block.insts.iter().map(|inst| 1 + inst.operands.len());
        let arguments = block.terminator.edges().map(|edge| edge.arguments.len());
        1 + block.parameters.len() + operands.sum::<usize>() + arguments.sum::<usize>()
    });
    blocks.sum::<usize>() as u64
}
