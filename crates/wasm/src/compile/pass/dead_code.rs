//! Dead-code elimination: removes instructions and block parameters that nothing needs.
//!
//! Mark and sweep from the roots: instructions with effects, conditions, results, words of traps.
//! Parameters that only feed themselves around a loop are therefore removed too. Blocks that are
//! never entered become empty.

use super::edges::{arguments, clear_unreachable, retain_params};
use crate::compile::ir::{Cfg, Function, Terminator, Value};

/// Returns whether something was removed.
pub(super) fn run(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let mut has_changed = clear_unreachable(function, &cfg);
    let live = mark(function, &cfg);
    let is_live = |value: Value| live[value.0 as usize];
    for block in &mut function.blocks {
        let count = block.insts.len();
        block.insts.retain(|&inst| is_live(inst));
        has_changed |= block.insts.len() != count;
        has_changed |= block.params.iter().any(|&param| !is_live(param));
    }
    retain_params(function, is_live);
    has_changed
}

fn mark(function: &Function, cfg: &Cfg) -> Vec<bool> {
    let arguments = arguments(function, cfg);
    let mut live = vec![false; function.value_count()];
    let mut open = Vec::new();
    for &block in &cfg.order {
        let data = function.block(block);
        let roots = data.insts.iter().copied();
        open.extend(roots.filter(|&inst| !function.op(inst).is_removable()));
        match &data.terminator {
            Terminator::Branch { condition, .. } => open.push(*condition),
            Terminator::Switch { index, .. } => open.push(*index),
            Terminator::Return(values) | Terminator::Trap { words: values, .. } => {
                open.extend(values);
            }
            Terminator::Jump(_) | Terminator::Unreachable => {}
        }
    }
    while let Some(value) = open.pop() {
        if std::mem::replace(&mut live[value.0 as usize], true) {
            continue;
        }
        function
            .op(value)
            .for_each_operand(|operand| open.push(operand));
        open.extend(arguments.get(&value).into_iter().flatten());
    }
    live
}

#[cfg(test)]
mod tests {
    use super::super::test::{check, unchanged};

    #[test]
    fn a_parameter_that_feeds_itself_goes() {
        check(
            super::run,
            "kernel f(i32)
            b0:
              jump b1(0, 0)
            b1(v0: i32, v1: i32):
              v2: i32 = Add v0, 1
              v3: i32 = Add v1, v0
              v4: i32 = Load i32 v0
              v5: bool = LtUnsigned v2, arg0
              branch v5, b1(v2, v3), b2
            b2:
              return",
            "kernel f(i32)
            b0:
              jump b1(0)
            b1(v0: i32):
              v2: i32 = Add v0, 1
              v4: i32 = Load i32 v0
              v5: bool = LtUnsigned v2, arg0
              branch v5, b1(v2), b2
            b2:
              return",
        );
    }

    #[test]
    fn effects_stay() {
        unchanged(
            super::run,
            "kernel f(i32)
            b0:
              v0: bool = Eq arg0, 0
              TrapIf v0, DivideByZero
              v1: i32 = Load i32 arg0
              return",
        );
    }
}
