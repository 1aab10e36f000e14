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
pub(super) struct SubgroupUniformity {
    /// By value.
    pub(super) is_uniform: Vec<bool>,
    /// Whether subgroups may reach different barriers, or some of them the end.
    pub(super) diverges: bool,
}

/// Finds the uniform values, with a worklist of divergent ones.
pub(super) fn analyze(
    function: &Function,
    graph: &Cfg,
    memory: &AliasAnalysis,
) -> SubgroupUniformity {
    let mut search = Search {
        function,
        postdominators: graph.postdominators(function),
        is_uniform: vec![true; function.types.len()],
        is_on_divergent_path: vec![false; function.blocks.len()],
        seen: vec![None; function.blocks.len()],
        open: Vec::new(),
    };
    let mut users = Vec::new();
    let mut branches = Vec::new();
    for &id in graph.order() {
        let block = function.block(id);
        for inst in &block.insts {
            let Some(result) = inst.result else { continue };
            users.extend(inst.operands.iter().map(|operand| (operand.0, result)));
            if is_source(inst, memory) {
                search.open.push(result);
            }
        }
        for edge in block.terminator.edges() {
            let parameters = &function.block(edge.block).parameters;
            let pairs = edge.arguments.iter().zip(parameters);
            users.extend(pairs.map(|(argument, parameter)| (argument.0, *parameter)));
        }
        branches.extend(
            block
                .terminator
                .condition()
                .map(|condition| (condition.0, id)),
        );
    }
    let users = CsrLists::<Value>::new(function.types.len(), &users);
    let branches = CsrLists::<BlockId>::new(function.types.len(), &branches);
    while let Some(value) = search.open.pop() {
        if std::mem::replace(&mut search.is_uniform[value.index()], false) {
            search.open.extend_from_slice(users.of(value.index()));
            for &block in branches.of(value.index()) {
                search.follow_divergent_branch(block);
            }
        }
    }
    let mut blocks = function.blocks.iter().zip(&search.is_on_divergent_path);
    let is_end = |terminator: &Terminator| {
        matches!(terminator, Terminator::Suspend(..) | Terminator::Return(_))
    };
    SubgroupUniformity {
        diverges: blocks.any(|(block, is_on_divergent_path)| {
            *is_on_divergent_path && is_end(&block.terminator)
        }),
        is_uniform: search.is_uniform,
    }
}

/// Whether the result of an instruction diverges even if its operands are uniform.
fn is_source(inst: &Inst, memory: &AliasAnalysis) -> bool {
    let is_own = matches!(
        inst.op,
        Op::ContextField(ContextField::Subgroup) | Op::Base(Space::Frame(_))
    );
    is_own || inst.op.has_effect() || memory.read_by(inst) != 0
}

struct Search<'a> {
    function: &'a Function,
    /// By block: its immediate postdominator.
    postdominators: Vec<Option<BlockId>>,
    is_uniform: Vec<bool>,
    /// By block: whether it is on a path that only some subgroups may take.
    is_on_divergent_path: Vec<bool>,
    /// By block: the last divergent branch that has been followed to it.
    seen: Vec<Option<BlockId>>,
    /// The worklist of divergent values.
    open: Vec<Value>,
}

impl Search<'_> {
    /// Propagates the divergence of the branch at the end of a block.
    fn follow_divergent_branch(&mut self, block: BlockId) {
        if self.is_on_divergent_path[block.index()] {
            // The paths from here have been followed already.
            return;
        }
        let function = self.function;
        let postdominator = self.postdominators[block.index()];
        let mut open = function.block(block).terminator.successors().into_vec();
        while let Some(next) = open.pop() {
            if self.seen[next.index()].replace(block) == Some(block) {
                continue;
            }
            self.open
                .extend_from_slice(&function.block(next).parameters);
            if Some(next) != postdominator {
                self.is_on_divergent_path[next.index()] = true;
                open.extend(function.block(next).terminator.successors());
            }
        }
    }
}
