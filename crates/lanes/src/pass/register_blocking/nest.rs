//! Loop nests whose outer iterations can be interleaved.
//!
//! In: a loop of a function. Out: the nest, with the values that vary between outer iterations, or `None`. It is legal
//! to interleave outer iterations if
//!
//! - the outer loop is a counted loop, so that iterations communicate only through memory;
//! - no branch in it depends on the counter, so that iterations share all branches;
//! - all its effects are in one block outside the inner loops, where the order of the iterations stays;
//! - it reads no memory that it writes, except for frame slots of which each iteration has its own.

use crate::ir::{Function, Inst, Op, Value, WordBinary};
use crate::pass::alias::AliasAnalysis;
use crate::pass::csr::CsrLists;
use crate::pass::loops::{LoopId, Loops};
use crate::pass::unroll_and_jam::counted_loop::{CountedLoop, LoopTables};

/// A loop nest whose outer iterations can be interleaved.
pub(super) struct Nest {
    pub(super) outer: CountedLoop,
    /// The loops in the outer loop, at least one. They have no other loops in them.
    pub(super) inner: Vec<LoopId>,
    /// By value: whether it varies between outer iterations.
    pub(super) varying: Vec<bool>,
}

impl Nest {
    /// The nest of an outer loop.
    pub(super) fn new(
        function: &Function,
        tables: &LoopTables,
        memory: &AliasAnalysis,
        id: LoopId,
    ) -> Option<Self> {
        let inner = inner_loops(&tables.loops, id)?;
        let outer = CountedLoop::new(function, tables, id)?;
        let varying = varying(function, &outer);
        let nest = Self {
            outer,
            inner,
            varying,
        };
        let is_legal = nest.counter_is_private(function)
            && nest.shares_branches(function)
            && nest.keeps_effects_ordered(function, tables, id)
            && nest.is_independent(function, tables, memory);
        is_legal.then_some(nest)
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

    /// Whether no branch depends on the counter, except for the exit test of the outer loop.
    fn shares_branches(&self, function: &Function) -> bool {
        let blocks = self.outer.blocks.iter();
        let mut conditions = blocks
            .filter(|block| **block != self.outer.latch)
            .filter_map(|block| function.block(*block).terminator.condition());
        conditions.all(|condition| !self.varying[condition.index()])
    }

    /// Whether all effects are in one block, which is in no inner loop.
    fn keeps_effects_ordered(&self, function: &Function, tables: &LoopTables, id: LoopId) -> bool {
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

    /// Whether a frame slot is in the part of the frame that belongs to the iteration: parts have a power of two as
    /// their size, and the counter as their number.
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
        let (Op::WordBinary(WordBinary::Shl), &[number, by]) = (part.op, &part.operands[..]) else {
            return false;
        };
        let end = slot + function.type_of(value).bytes(function.lanes);
        let by = tables.word(function, by).filter(|by| *by < 32);
        number == self.outer.counter && by.is_some_and(|by| end <= 1 << by)
    }
}

/// The loops in a loop, if there is at least one and none of them has loops in it.
fn inner_loops(loops: &Loops, id: LoopId) -> Option<Vec<LoopId>> {
    let all = (0..loops.all().len() as u32).map(LoopId);
    let inner: Vec<_> = all
        .filter(|inner| loops.get(*inner).parent == Some(id))
        .collect();
    let mut parents = loops.all().iter().filter_map(|found| found.parent);
    let is_nest = !inner.is_empty() && !parents.any(|parent| inner.contains(&parent));
    is_nest.then_some(inner)
}

/// By value: whether it depends on the counter of a loop. Forward dataflow with a worklist.
fn varying(function: &Function, outer: &CountedLoop) -> Vec<bool> {
    let mut users = Vec::new();
    for &id in &outer.blocks {
        let block = function.block(id);
        for inst in &block.insts {
            let Some(result) = inst.result else { continue };
            users.extend(inst.operands.iter().map(|operand| (operand.0, result)));
        }
        for edge in block.terminator.edges() {
            let parameters = &function.block(edge.block).parameters;
            let given = edge.arguments.iter().zip(parameters);
            users.extend(given.map(|(argument, parameter)| (argument.0, *parameter)));
        }
    }
    let users = CsrLists::<Value>::new(function.types.len(), &users);
    let mut varying = vec![false; function.types.len()];
    let mut open = vec![outer.counter];
    while let Some(value) = open.pop() {
        if !std::mem::replace(&mut varying[value.index()], true) {
            open.extend_from_slice(users.of(value.index()));
        }
    }
    varying
}
