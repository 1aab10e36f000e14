//! What is the same in every subgroup of a workgroup.
//!
//! In: a function for one subgroup. Out: the values that all subgroups have alike when they are at the same place
//! between barriers. What is not: the number of the subgroup, what is read from memory that the function changes, and all
//! that is computed of such values. Where a branch is decided by one, subgroups go different ways until the ways meet
//! again; parameters on these ways and where they meet are not the same either, since subgroups may have come there
//! differently, or a different number of times.

use crate::ir::{BlockId, Field, Function, Inst, Op, Space, Terminator, Value};
use crate::pass::graph::Graph;
use crate::pass::lists::Lists;
use crate::pass::memory::Memory;

/// What is the same in every subgroup.
pub(super) struct Shared {
    /// By value.
    pub(super) is_shared: Vec<bool>,
    /// Whether subgroups may come to different barriers, or some of them to the end.
    pub(super) diverges: bool,
}

/// Finds what is the same.
pub(super) fn find(function: &Function, graph: &Graph, memory: &Memory) -> Shared {
    let mut search = Search {
        function,
        meetings: graph.meetings(function),
        is_shared: vec![true; function.types.len()],
        is_apart: vec![false; function.blocks.len()],
        seen: vec![None; function.blocks.len()],
        open: Vec::new(),
    };
    let mut users = Vec::new();
    let mut deciders = Vec::new();
    for &id in graph.order() {
        let block = function.block(id);
        for inst in &block.insts {
            let Some(result) = inst.result else { continue };
            users.extend(inst.operands.iter().map(|it| (it.0, result)));
            if differs(inst, memory) {
                search.open.push(result);
            }
        }
        for edge in block.terminator.edges() {
            let parameters = &function.block(edge.block).parameters;
            let given = edge.arguments.iter().zip(parameters);
            users.extend(given.map(|(argument, parameter)| (argument.0, *parameter)));
        }
        deciders.extend(block.terminator.condition().map(|it| (it.0, id)));
    }
    let users = Lists::<Value>::new(function.types.len(), &users);
    let deciders = Lists::<BlockId>::new(function.types.len(), &deciders);
    while let Some(value) = search.open.pop() {
        if std::mem::replace(&mut search.is_shared[value.index()], false) {
            search.open.extend_from_slice(users.of(value.index()));
            for &block in deciders.of(value.index()) {
                search.part(block);
            }
        }
    }
    let mut blocks = function.blocks.iter().zip(&search.is_apart);
    let is_end = |it: &Terminator| matches!(it, Terminator::Suspend(..) | Terminator::Return(_));
    Shared {
        diverges: blocks.any(|(block, is_apart)| *is_apart && is_end(&block.terminator)),
        is_shared: search.is_shared,
    }
}

/// Whether the result of an instruction differs between subgroups, whatever its operands are.
fn differs(inst: &Inst, memory: &Memory) -> bool {
    let is_own = matches!(
        inst.op,
        Op::Field(Field::Subgroup) | Op::Base(Space::Frame(_))
    );
    is_own || inst.op.has_effect() || memory.read_by(inst) != 0
}

struct Search<'a> {
    function: &'a Function,
    /// By block: where all ways from it meet again.
    meetings: Vec<Option<BlockId>>,
    is_shared: Vec<bool>,
    /// By block: whether it is on a way that only some subgroups may take.
    is_apart: Vec<bool>,
    /// By block: where the parting was that has been followed to it last.
    seen: Vec<Option<BlockId>>,
    /// Values that are found to differ.
    open: Vec<Value>,
}

impl Search<'_> {
    /// Subgroups part at the end of a block.
    fn part(&mut self, block: BlockId) {
        if self.is_apart[block.index()] {
            // The ways from here are among those that have been followed.
            return;
        }
        let function = self.function;
        let meeting = self.meetings[block.index()];
        let mut open = function.block(block).terminator.successors().into_vec();
        while let Some(next) = open.pop() {
            if self.seen[next.index()].replace(block) == Some(block) {
                continue;
            }
            self.open
                .extend_from_slice(&function.block(next).parameters);
            if Some(next) != meeting {
                self.is_apart[next.index()] = true;
                open.extend(function.block(next).terminator.successors());
            }
        }
    }
}
