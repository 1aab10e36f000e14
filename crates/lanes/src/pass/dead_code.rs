//! Dead code elimination: removes unreachable blocks, and instructions and block parameters without live uses.
//!
//! In: any function. Out: the same function without them. Blocks are renumbered in their old order; values keep their
//! numbers.
//!
//! Aggressive DCE: values are dead until marked. Marks propagate with a worklist from instructions with side effects
//! and from branch conditions to operands and arguments, so that a cycle of parameters that only use each other is
//! removed.

use super::cut;
use super::graph::Graph;
use super::lists::Lists;
use super::origin::{Origin, origins};
use crate::ir::{Function, Inst, Value};

/// Runs the pass.
pub fn run(function: &mut Function) {
    let graph = Graph::new(function);
    let is_needed = Marks::new(function, &graph).solve(function, &graph);
    for block in &mut function.blocks {
        block.insts.retain(|inst| stays(inst, &is_needed));
    }
    cut::parameters(function, |it| is_needed[it.index()]);
    let reached: Vec<_> = (0..function.blocks.len() as u32)
        .map(|it| graph.is_reached(crate::ir::BlockId(it)))
        .collect();
    cut::blocks(function, &reached);
}

fn stays(inst: &Inst, is_needed: &[bool]) -> bool {
    inst.op.has_effect() || inst.result.is_some_and(|it| is_needed[it.index()])
}

struct Marks {
    origins: Vec<Origin>,
    /// By parameter: its arguments on all edges.
    given: Lists<Value>,
    is_needed: Vec<bool>,
    open: Vec<Value>,
}

impl Marks {
    fn new(function: &Function, graph: &Graph) -> Self {
        let mut given = Vec::new();
        for &block in graph.order() {
            for edge in function.block(block).terminator.edges() {
                let parameters = &function.block(edge.block).parameters;
                given.extend(
                    parameters
                        .iter()
                        .map(|it| it.0)
                        .zip(edge.arguments.iter().copied()),
                );
            }
        }
        Self {
            origins: origins(function),
            given: Lists::new(function.types.len(), &given),
            is_needed: vec![false; function.types.len()],
            open: Vec::new(),
        }
    }

    /// The live values.
    fn solve(mut self, function: &Function, graph: &Graph) -> Vec<bool> {
        for &block in graph.order() {
            let block = function.block(block);
            for inst in block.insts.iter().filter(|it| it.op.has_effect()) {
                inst.operands.iter().for_each(|it| self.mark(*it));
            }
            block
                .terminator
                .condition()
                .into_iter()
                .for_each(|it| self.mark(it));
        }
        while let Some(value) = self.open.pop() {
            match self.origins[value.index()] {
                Origin::Nowhere => {}
                Origin::Parameter(..) => {
                    for place in 0..self.given.of(value.index()).len() {
                        self.mark(self.given.of(value.index())[place]);
                    }
                }
                Origin::Inst(block, place) => {
                    let inst = &function.block(block).insts[place as usize];
                    inst.operands.iter().for_each(|it| self.mark(*it));
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
