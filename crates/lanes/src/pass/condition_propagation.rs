//! Condition propagation: constants implied by dominating branches (LLVM: CorrelatedValuePropagation).
//!
//! In: any function. Out: the same function, where a branch condition is replaced by a constant in the blocks that only
//! one side of the branch reaches, and in the arguments on that edge. On the true side, a word is 1 only if it is a
//! boolean (1 or 0), and a mask remains unknown. On the false side, a word is 0 and a mask is empty. One walk over the
//! dominator tree.
//!
//! Afterwards a check that a dominating branch has made already may be gone, so that an access is safe only where it
//! is: `gvn`, which moves loads, must not run after this pass.

use smallvec::SmallVec;

use super::cfg::Cfg;
use crate::ir::{BlockId, Function, Inst, Op, Terminator, Type, Value};

/// Runs the pass.
pub fn run(function: &mut Function) {
    let graph = Cfg::new(function);
    let mut known = KnownConditions {
        graph: &graph,
        facts: vec![None; function.types.len()],
        is_truth: truths(function),
    };
    for block in graph.tree() {
        known.add_condition(function, block);
        known.apply(function, block);
    }
}

/// By value: whether it is a boolean, 1 or 0.
fn truths(function: &Function) -> Vec<bool> {
    let mut is_truth = vec![false; function.types.len()];
    for inst in function.blocks.iter().flat_map(|block| &block.insts) {
        if let (Op::WordCompare(_) | Op::Any, Some(result)) = (inst.op, inst.result) {
            is_truth[result.index()] = true;
        }
    }
    is_truth
}

struct KnownConditions<'a> {
    graph: &'a Cfg,
    /// By value: its constant in the blocks that a block dominates. Blocks are visited in preorder of the dominator
    /// tree, so that an entry whose block does not dominate the current one will not be needed again.
    facts: Vec<Option<(BlockId, Op)>>,
    is_truth: Vec<bool>,
}

impl KnownConditions<'_> {
    /// Records the condition of the only edge into a block.
    fn add_condition(&mut self, function: &Function, block: BlockId) {
        let &[before] = self.graph.predecessors(block) else {
            return;
        };
        if let Terminator::Branch(condition, yes, _) = &function.block(before).terminator
            && let Some(op) = self.fact(function, *condition, yes.block == block)
            && let Some(known) = self.facts.get_mut(condition.index())
        {
            *known = Some((block, op));
        }
    }

    fn of(&self, value: Value, block: BlockId) -> Option<Op> {
        let (from, op) = self.facts.get(value.index()).copied().flatten()?;
        self.graph.dominates(from, block).then_some(op)
    }

    /// The constant of a condition on one side of a branch, if it is known.
    fn fact(&self, function: &Function, condition: Value, side: bool) -> Option<Op> {
        match (function.type_of(condition), side) {
            (Type::Word, true) => {
                // Values that this pass has added are not in the table.
                let is_truth = self.is_truth.get(condition.index()).copied();
                is_truth.unwrap_or(false).then_some(Op::Word(1))
            }
            (Type::Word, false) => Some(Op::Word(0)),
            (Type::Mask, false) => Some(Op::Mask(0)),
            _ => None,
        }
    }

    /// Replaces known conditions by constants in a block and on its outgoing edges.
    fn apply(&self, function: &mut Function, id: BlockId) {
        let mut terminator = function.block(id).terminator.clone();
        let mut constants = Constants::default();
        for place in 0..function.block(id).insts.len() {
            for operand in 0..function.block(id).insts[place].operands.len() {
                let value = function.block(id).insts[place].operands[operand];
                if let Some(op) = self.of(value, id) {
                    let constant = constants.get(function, value, op);
                    function.block_mut(id).insts[place].operands[operand] = constant;
                }
            }
        }
        terminator.map_uses(|value| match self.of(value, id) {
            Some(op) => constants.get(function, value, op),
            None => value,
        });
        if let Terminator::Branch(condition, yes, no) = &mut terminator {
            for (edge, side) in [(yes, true), (no, false)] {
                let Some(op) = self.fact(function, *condition, side) else {
                    continue;
                };
                for argument in edge
                    .arguments
                    .iter_mut()
                    .filter(|argument| *argument == condition)
                {
                    *argument = constants.get(function, *condition, op);
                }
            }
        }
        let block = function.block_mut(id);
        block.terminator = terminator;
        block.insts.splice(0..0, constants.insts);
    }
}

/// The constants that have been added to a block.
#[derive(Default)]
struct Constants {
    insts: SmallVec<[Inst; 2]>,
}

impl Constants {
    fn get(&mut self, function: &mut Function, value: Value, op: Op) -> Value {
        let known = self.insts.iter().find(|inst| inst.op == op);
        if let Some(known) = known.and_then(|inst| inst.result) {
            return known;
        }
        let result = function.add_value(function.type_of(value));
        self.insts.push(Inst {
            op,
            operands: SmallVec::new(),
            result: Some(result),
        });
        result
    }
}
