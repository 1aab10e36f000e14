//! Branches and switches that are jumps, and branches to traps.

use crate::compile::ir::{
    Binary, Block, Cfg, Edge, Function, Op, Terminator, Trap, Type, Unary, Value,
};
use std::collections::HashMap;

/// How many instructions of a trap block are copied to a branch to it.
const MAX_COPIED: usize = 4;

/// Returns whether something has changed.
pub(super) fn run(function: &mut Function) -> bool {
    let mut has_changed = false;
    for block in Cfg::new(function).order {
        while let Some(terminator) = simpler(function, block) {
            function.block_mut(block).terminator = terminator;
            has_changed = true;
        }
    }
    has_changed
}

/// A simpler end of a block; what it needs is written to the block.
fn simpler(function: &mut Function, block: Block) -> Option<Terminator> {
    match &function.block(block).terminator {
        Terminator::Branch { condition, yes, no } => {
            if yes == no {
                return Some(Terminator::Jump(yes.clone()));
            }
            let (condition, yes, no) = (*condition, yes.clone(), no.clone());
            if let Some(bits) = function.as_const(condition) {
                return Some(Terminator::Jump(if bits != 0 { yes } else { no }));
            }
            if let Op::Unary(Unary::Not, inner) = *function.op(condition) {
                return Some(Terminator::Branch {
                    condition: inner,
                    yes: no,
                    no: yes,
                });
            }
            branch_to_end(function, block, condition, &yes, &no)
        }
        Terminator::Switch {
            index,
            targets,
            default,
        } => {
            if targets.iter().all(|edge| edge == default) {
                return Some(Terminator::Jump(default.clone()));
            }
            if let Some(word) = function.as_word(*index) {
                let edge = targets.get(word as usize).unwrap_or(default);
                return Some(Terminator::Jump(edge.clone()));
            }
            if targets.last() == Some(default) {
                let kept = targets.iter().rposition(|edge| edge != default)? + 1;
                return Some(Terminator::Switch {
                    index: *index,
                    targets: targets[..kept].to_vec(),
                    default: default.clone(),
                });
            }
            let [yes] = &targets[..] else {
                return None;
            };
            let (index, yes, no) = (*index, yes.clone(), default.clone());
            let zero = function.word(0);
            let op = Op::Binary(Binary::Eq, index, zero);
            let condition = function.push(block, op, Type::Bool);
            Some(Terminator::Branch { condition, yes, no })
        }
        _ => None,
    }
}

/// A branch of which one side only traps, or is never taken.
fn branch_to_end(
    function: &mut Function,
    block: Block,
    condition: Value,
    yes: &Edge,
    no: &Edge,
) -> Option<Terminator> {
    for (end, other, is_yes) in [(yes, no, true), (no, yes, false)] {
        let data = function.block(end.block);
        if data.terminator == Terminator::Unreachable && data.insts.is_empty() {
            return Some(Terminator::Jump(other.clone()));
        }
        let leads = (condition, is_yes);
        if let Some((condition, trap, words)) = copy_trap(function, block, end, leads) {
            let op = Op::TrapIf {
                condition,
                trap,
                words,
            };
            function.push(block, op, Type::Unit);
            return Some(Terminator::Jump(other.clone()));
        }
    }
    None
}

/// Copies the instructions of a block that only traps to the end of another one, where a condition
/// leads to it: pure ones, and checks. Returns the trap and its words.
fn copy_trap(
    function: &mut Function,
    block: Block,
    edge: &Edge,
    (condition, is_yes): (Value, bool),
) -> Option<(Value, Trap, Vec<Value>)> {
    let data = function.block(edge.block);
    let Terminator::Trap { trap, words } = &data.terminator else {
        return None;
    };
    let can_copy = |&inst: &Value| {
        let op = function.op(inst);
        op.is_pure() || matches!(op, Op::TrapIf { .. })
    };
    if !data.insts.iter().all(can_copy) || data.insts.len() > MAX_COPIED {
        return None;
    }
    let (trap, words, insts) = (*trap, words.clone(), data.insts.clone());
    let params = data.params.iter().copied();
    let mut copies: HashMap<Value, Value> = params.zip(edge.args.iter().copied()).collect();
    let condition = if is_yes {
        condition
    } else {
        function.push(block, Op::Unary(Unary::Not, condition), Type::Bool)
    };
    for inst in insts {
        let mut op = function.op(inst).clone();
        op.for_each_operand_mut(|operand| *operand = *copies.get(operand).unwrap_or(operand));
        if let Op::TrapIf {
            condition: check, ..
        } = &mut op
        {
            let both = Op::Binary(Binary::And, condition, *check);
            *check = function.push(block, both, Type::Bool);
        }
        let copy = function.push(block, op, function.ty(inst));
        copies.insert(inst, copy);
    }
    let words = words.iter().map(|word| *copies.get(word).unwrap_or(word));
    Some((condition, trap, words.collect()))
}
