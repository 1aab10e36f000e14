//! Copies a loop, and leaves out checks in the copy.

use std::collections::{HashMap, HashSet};

use crate::compile::ir::{Block, Edge, Function, Loop, Op, Terminator, Value};

/// The preheader branches to the copy if `ok` holds, else to the loop.
pub(super) fn run(
    function: &mut Function,
    one: &Loop,
    preheader: Block,
    ok: Value,
    checks: &[Value],
    homes: &[Option<Block>],
) {
    join_exit(function, one, homes);
    let mut blocks: HashMap<Block, Block> = HashMap::new();
    let mut values: HashMap<Value, Value> = HashMap::new();
    for &block in &one.blocks {
        let copy = function.add_block();
        blocks.insert(block, copy);
        for param in function.block(block).params.clone() {
            let ty = function.ty(param);
            values.insert(param, function.add_param(copy, ty));
        }
        for inst in function.block(block).insts.clone() {
            if !checks.contains(&inst) {
                // Operands are replaced when all values have copies.
                let (op, ty) = (function.op(inst).clone(), function.ty(inst));
                values.insert(inst, function.push(copy, op, ty));
            }
        }
    }
    let rename = |value: &mut Value| {
        if let Some(&copy) = values.get(value) {
            *value = copy;
        }
    };
    for (block, &copy) in &blocks {
        for inst in function.block(copy).insts.clone() {
            function.op_mut(inst).for_each_operand_mut(rename);
        }
        let mut terminator = function.block(*block).terminator.clone();
        terminator.for_each_operand_mut(rename);
        for edge in terminator.edges_mut() {
            edge.block = *blocks.get(&edge.block).unwrap_or(&edge.block);
        }
        function.block_mut(copy).terminator = terminator;
    }
    if let Terminator::Jump(no) = function.block(preheader).terminator.clone() {
        let yes = Edge {
            block: blocks[&one.header],
            args: no.args.clone(),
        };
        function.block_mut(preheader).terminator = Terminator::Branch {
            condition: ok,
            yes,
            no,
        };
    }
}

/// Puts a block on the exit edge of the header: its parameters are the values of the loop that are
/// used after it.
fn join_exit(function: &mut Function, one: &Loop, homes: &[Option<Block>]) {
    let Terminator::Branch { no: out, .. } = function.block(one.header).terminator.clone() else {
        return;
    };
    let is_inside = |value: Value| {
        let home = homes.get(value.0 as usize).copied().flatten();
        home.is_some_and(|block| one.blocks.contains(&block))
    };
    let mut used = Vec::new();
    let mut seen = HashSet::new();
    let mut note = |value: Value| {
        if is_inside(value) && seen.insert(value) {
            used.push(value);
        }
    };
    out.args.iter().copied().for_each(&mut note);
    for block in function.block_ids() {
        if !one.blocks.contains(&block) {
            let data = function.block(block);
            for &inst in &data.insts {
                function.op(inst).for_each_operand(&mut note);
            }
            data.terminator.for_each_operand(&mut note);
        }
    }
    let exit = function.add_block();
    let params: HashMap<Value, Value> = (used.iter())
        .map(|&value| {
            let ty = function.ty(value);
            (value, function.add_param(exit, ty))
        })
        .collect();
    let rename = |value: &mut Value| {
        if let Some(&param) = params.get(value) {
            *value = param;
        }
    };
    for block in function.block_ids() {
        if one.blocks.contains(&block) {
            continue;
        }
        for inst in function.block(block).insts.clone() {
            if *function.op(inst) != Op::Param {
                function.op_mut(inst).for_each_operand_mut(rename);
            }
        }
        let data = function.block_mut(block);
        data.terminator.for_each_operand_mut(rename);
    }
    let mut after = out;
    after.args.iter_mut().for_each(rename);
    function.block_mut(exit).terminator = Terminator::Jump(after);
    if let Terminator::Branch { no, .. } = &mut function.block_mut(one.header).terminator {
        *no = Edge {
            block: exit,
            args: used,
        };
    }
}
