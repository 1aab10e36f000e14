//! Divergence analysis across subgroups: which values are uniform in a workgroup.
//!
//! In: a function for one subgroup. Out: the values that all subgroups have in common when they are at the same point
//! between barriers. Sources of divergence are the number of the subgroup, loads from memory that the function writes,
//! and results of instructions with side effects. Divergence propagates to users. After a branch on a divergent value,
//! subgroups take different paths up to its postdominator; block parameters on these paths and at the postdominator
//! diverge too, since subgroups may have arrived there by different edges, or a different number of times (sync and
//! temporal divergence).

use crate::ir::{BlockId, ContextField, Function, Inst, Op, Space, Terminator, Value};
use crate::pass::alias::AliasAnalysis;
use crate::pass::cfg::Cfg;
use crate::pass::csr::CsrLists;

/// The values that are uniform across subgroups.
pub(super) struct Shared {
    /// By value.
    pub(super) is_shared: Vec<bool>,
    /// Whether subgroups may reach different barriers, or some of them the end.
    pub(super) diverges: bool,
}

/// Finds the uniform values, with a worklist of divergent ones.
pub(super) fn find(function: &Function, graph: &Cfg, memory: &AliasAnalysis) -> Shared {
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
    let users = CsrLists::<Value>::new(function.types.len(), &users);
    let deciders = CsrLists::<BlockId>::new(function.types.len(), &deciders);
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

/// Whether the result of an instruction diverges even if its operands are uniform.
fn differs(inst: &Inst, memory: &AliasAnalysis) -> bool {
    let is_own = matches!(
        inst.op,
        Op::ContextField(ContextField::Subgroup) | Op::Base(Space::Frame(_))
    );
    is_own || inst.op.has_effect() || memory.read_by(inst) != 0
}

struct Search<'a> {
    function: &'a Function,
    /// By block: its immediate postdominator.
    meetings: Vec<Option<BlockId>>,
    is_shared: Vec<bool>,
    /// By block: whether it is on a path that only some subgroups may take.
    is_apart: Vec<bool>,
    /// By block: the last divergent branch that has been followed to it.
    seen: Vec<Option<BlockId>>,
    /// The worklist of divergent values.
    open: Vec<Value>,
}

impl Search<'_> {
    /// Propagates the divergence of the branch at the end of a block.
    fn part(&mut self, block: BlockId) {
        if self.is_apart[block.index()] {
            // The paths from here have been followed already.
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
