//! What a branch has decided is known behind it.
//!
//! In: any function. Out: the same, where a condition that a branch was decided by is a constant in the blocks that only
//! one side of it leads to, and on that side's edge. A word that is not 0 is known only if it can be nothing but 1 or 0;
//! of a mask it is known when it has no lane.
//!
//! A check that a branch has made already can go by this, so that what it guards is safe only where it stands: `number`,
//! which moves loads, must not run behind it.

use smallvec::SmallVec;

use super::graph::Graph;
use crate::ir::{BlockId, Function, Inst, Op, Terminator, Type, Value};

/// Runs the pass.
pub fn run(function: &mut Function) {
    let graph = Graph::new(function);
    let mut known = Known {
        graph: &graph,
        facts: vec![None; function.types.len()],
        is_truth: truths(function),
    };
    for block in graph.tree() {
        known.learn(function, block);
        known.apply(function, block);
    }
}

/// By value: whether it can be nothing but 1 or 0.
fn truths(function: &Function) -> Vec<bool> {
    let mut is_truth = vec![false; function.types.len()];
    for inst in function.blocks.iter().flat_map(|it| &it.insts) {
        if let (Op::WordCompare(_) | Op::Any, Some(result)) = (inst.op, inst.result) {
            is_truth[result.index()] = true;
        }
    }
    is_truth
}

struct Known<'a> {
    graph: &'a Graph,
    /// By value: the constant that it is, in the blocks that a block dominates. One that does not dominate the block in
    /// hand will never dominate one again, as blocks come in the order of the tree.
    facts: Vec<Option<(BlockId, Op)>>,
    is_truth: Vec<bool>,
}

impl Known<'_> {
    /// What the only way to a block says.
    fn learn(&mut self, function: &Function, block: BlockId) {
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

    /// The constant that a condition is on one side of a branch, if that is known.
    fn fact(&self, function: &Function, condition: Value, side: bool) -> Option<Op> {
        match (function.type_of(condition), side) {
            (Type::Word, true) => {
                // Constants that have been made here are none.
                let is_truth = self.is_truth.get(condition.index()).copied();
                is_truth.unwrap_or(false).then_some(Op::Word(1))
            }
            (Type::Word, false) => Some(Op::Word(0)),
            (Type::Mask, false) => Some(Op::Mask(0)),
            _ => None,
        }
    }

    /// Puts constants in the place of what is known in a block, and on the edges that leave it.
    fn apply(&self, function: &mut Function, id: BlockId) {
        let mut terminator = function.block(id).terminator.clone();
        let mut made = Constants::default();
        for place in 0..function.block(id).insts.len() {
            for operand in 0..function.block(id).insts[place].operands.len() {
                let value = function.block(id).insts[place].operands[operand];
                if let Some(op) = self.of(value, id) {
                    let constant = made.get(function, value, op);
                    function.block_mut(id).insts[place].operands[operand] = constant;
                }
            }
        }
        terminator.map_uses(|value| match self.of(value, id) {
            Some(op) => made.get(function, value, op),
            None => value,
        });
        if let Terminator::Branch(condition, yes, no) = &mut terminator {
            for (edge, side) in [(yes, true), (no, false)] {
                let Some(op) = self.fact(function, *condition, side) else {
                    continue;
                };
                for argument in edge.arguments.iter_mut().filter(|it| *it == condition) {
                    *argument = made.get(function, *condition, op);
                }
            }
        }
        let block = function.block_mut(id);
        block.terminator = terminator;
        block.insts.splice(0..0, made.insts);
    }
}

/// The constants that a block has got.
#[derive(Default)]
struct Constants {
    insts: SmallVec<[Inst; 2]>,
}

impl Constants {
    fn get(&mut self, function: &mut Function, value: Value, op: Op) -> Value {
        let known = self.insts.iter().find(|it| it.op == op);
        if let Some(known) = known.and_then(|it| it.result) {
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
