//! Writes the variables of a loop as forms of its counter.

use std::collections::HashMap;

use super::{Step, Variable};
use crate::compile::ir::{Binary, Block, Function, Loop, Op, Type, Value};

/// Gives the loop a counter and computes the variables from it at the start of the header.
pub(super) fn run(function: &mut Function, one: &Loop, counter: Value, variables: &[Variable]) {
    let preheader = one.entries[0];
    let mut writer = Writer {
        function,
        header: one.header,
        at: 0,
    };
    let mut replacement = HashMap::new();
    for variable in variables {
        let value = writer.variable(preheader, counter, variable);
        replacement.insert(variable.param, value);
    }
    next_counter(function, one, counter, variables);
    // All uses are in blocks that the header dominates; there may be some after the loop.
    function.replace_uses(&replacement);
}

struct Writer<'a> {
    function: &'a mut Function,
    header: Block,
    at: usize,
}

impl Writer<'_> {
    fn insert(&mut self, binary: Binary, left: Value, right: Value) -> Value {
        let op = Op::Binary(binary, left, right);
        let value = self.function.add_value(op, Type::I32);
        let insts = &mut self.function.block_mut(self.header).insts;
        insts.insert(self.at, value);
        self.at += 1;
        value
    }

    fn variable(&mut self, preheader: Block, counter: Value, variable: &Variable) -> Value {
        let init = variable.init;
        let distance = match &variable.step {
            Step::Constant(1) => counter,
            Step::Constant(u32::MAX) => return self.insert(Binary::Sub, init, counter),
            Step::Constant(step) => {
                let step = self.function.word(*step);
                self.insert(Binary::Mul, counter, step)
            }
            Step::Invariant(step) => {
                // The common power of two is multiplied last, so that `memory` sees it.
                let shift = step.low_zeros().min(31);
                let step = step.divided(shift).unwrap_or_else(|| step.clone());
                let mut at = self.function.block(preheader).insts.len();
                let step = step.emit(self.function, preheader, &mut at);
                let distance = self.insert(Binary::Mul, counter, step);
                let factor = self.function.word(1 << shift);
                if shift == 0 {
                    distance
                } else {
                    self.insert(Binary::Mul, distance, factor)
                }
            }
        };
        if variable.init_form.as_constant() == Some(0) {
            return distance;
        }
        self.insert(Binary::Add, init, distance)
    }
}

/// Replaces the arguments of the variables by those of the counter.
fn next_counter(function: &mut Function, one: &Loop, counter: Value, variables: &[Variable]) {
    let (zero, step) = (function.word(0), function.word(1));
    let next = function.add_value(Op::Binary(Binary::Add, counter, step), Type::I32);
    // At the end of the only latch the value is not live in the body.
    let home = match one.latches[..] {
        [latch] => latch,
        _ => one.header,
    };
    function.block_mut(home).insts.push(next);
    let params = &mut function.block_mut(one.header).params;
    let count = params.len();
    params.retain(|param| !variables.iter().any(|variable| variable.param == *param));
    params.push(counter);
    let mut is_gone = vec![false; count];
    for variable in variables {
        is_gone[variable.at] = true;
    }
    let mut sources = one.latches.clone();
    sources.extend(&one.entries);
    sources.sort();
    sources.dedup();
    for source in sources {
        let arg = if one.blocks.contains(&source) {
            next
        } else {
            zero
        };
        for edge in function.block_mut(source).terminator.edges_mut() {
            if edge.block == one.header {
                let mut gone = is_gone.iter();
                edge.args.retain(|_| gone.next() == Some(&false));
                edge.args.push(arg);
            }
        }
    }
}
