//! Dead code elimination: removes unreachable blocks, and instructions and block parameters without live uses.
//!
//! In: any function. Out: the same function without them. Blocks are renumbered in their old order; values keep their
//! numbers.
//!
//! Aggressive DCE: values are dead until marked. Marks propagate with a worklist from instructions with side effects
//! and from branch conditions to operands and arguments, so that a cycle of parameters that only use each other is
//! removed.

use super::cfg::Cfg;
use super::csr::CsrLists;
use super::remove_blocks;
use super::value_def::{ValueDef, value_defs};
use crate::ir::{Function, Inst, Value};

/// Runs the pass.
pub fn run(function: &mut Function) {
    let graph = Cfg::new(function);
    let is_needed = LivenessMarks::new(function, &graph).solve(function, &graph);
    for block in &mut function.blocks {
        block.insts.retain(|inst| is_live(inst, &is_needed));
    }
    remove_blocks::parameters(function, |value| is_needed[value.index()]);
    let reached: Vec<_> = (0..function.blocks.len() as u32)
        .map(|number| graph.is_reached(crate::ir::BlockId(number)))
        .collect();
    remove_blocks::blocks(function, &reached);
}

fn is_live(inst: &Inst, is_needed: &[bool]) -> bool {
    inst.op.has_effect() || inst.result.is_some_and(|result| is_needed[result.index()])
}

struct LivenessMarks {
    value_defs: Vec<ValueDef>,
    /// By parameter: its arguments on all edges.
    arguments_of: CsrLists<Value>,
    is_needed: Vec<bool>,
    open: Vec<Value>,
}

impl LivenessMarks {
    fn new(function: &Function, graph: &Cfg) -> Self {
        let mut arguments_of = Vec::new();
        for &block in graph.order() {
            for edge in function.block(block).terminator.edges() {
                let parameters = &function.block(edge.block).parameters;
                arguments_of.extend(
                    parameters
                        .iter()
                        .map(|parameter| parameter.0)
                        .zip(edge.arguments.iter().copied()),
                );
            }
        }
        Self {
            value_defs: value_defs(function),
            arguments_of: CsrLists::new(function.types.len(), &arguments_of),
            is_needed: vec![false; function.types.len()],
            open: Vec::new(),
        }
    }

    /// The live values.
    fn solve(mut self, function: &Function, graph: &Cfg) -> Vec<bool> {
        for &block in graph.order() {
            let block = function.block(block);
            for inst in block.insts.iter().filter(|inst| inst.op.has_effect()) {
                inst.operands.iter().for_each(|operand| self.mark(*operand));
            }
            block
                .terminator
                .condition()
                .into_iter()
                .for_each(|value| self.mark(value));
        }
        while let Some(value) = self.open.pop() {
            match self.value_defs[value.index()] {
                ValueDef::Nowhere => {}
                ValueDef::Parameter(..) => {
                    for place in 0..self.arguments_of.of(value.index()).len() {
                        self.mark(self.arguments_of.of(value.index())[place]);
                    }
                }
                ValueDef::Inst(block, place) => {
                    let inst = &function.block(block).insts[place as usize];
                    inst.operands.iter().for_each(|operand| self.mark(*operand));
                }
            }
        }
        self.is_needed
    }

    fn mark(&mut self, value: Value) {
        if !std::mem::replace(&mut self.is_needed[value.index()], true) {
            self.open.push(value);
        }
    }
}
