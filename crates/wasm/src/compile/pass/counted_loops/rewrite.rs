//! Moves the test of a loop to its head.

use std::collections::HashMap;

use super::BottomTested;
use super::trip_count::TripCount;
use crate::compile::ir::{Binary, Block, Edge, Function, Loop, Op, Terminator, Type, Value};

/// Returns the block that gets the instructions of the header.
pub(super) fn run(
    function: &mut Function,
    one: &Loop,
    test: BottomTested,
    count: &TripCount,
    homes: &mut Vec<Option<Block>>,
) -> Block {
    let limit = limit(function, test.preheader, count);
    homes.resize(function.value_count(), Some(test.preheader));
    let mut back = test.back;
    let renamed = live_out(function, one, &test.out, &mut back, test.preheader, homes);
    homes.resize(function.value_count(), Some(one.header));
    let rename = |value: &mut Value| {
        if let Some(&new) = renamed.get(value) {
            *value = new;
        }
    };
    for block in function.block_ids() {
        if one.blocks.contains(&block) {
            continue;
        }
        let insts = std::mem::take(&mut function.block_mut(block).insts);
        for &inst in &insts {
            function.op_mut(inst).for_each_operand_mut(rename);
        }
        let data = function.block_mut(block);
        data.insts = insts;
        data.terminator.for_each_operand_mut(rename);
    }
    let mut out = test.out;
    out.args.iter_mut().for_each(rename);
    function.block_mut(test.latch).terminator = Terminator::Jump(back);
    let body = function.add_block();
    let header = function.block_mut(one.header);
    let insts = std::mem::take(&mut header.insts);
    let terminator = std::mem::replace(&mut header.terminator, Terminator::Unreachable);
    for inst in &insts {
        homes[inst.0 as usize] = Some(body);
    }
    function.block_mut(body).insts = insts;
    function.block_mut(body).terminator = terminator;
    let op = Op::Binary(Binary::LtUnsigned, count.counter, limit);
    let condition = function.push(one.header, op, Type::Bool);
    homes.resize(function.value_count(), Some(one.header));
    function.block_mut(one.header).terminator = Terminator::Branch {
        condition,
        yes: Edge::to(body),
        no: out,
    };
    body
}

/// Computes the trip count in the preheader.
fn limit(function: &mut Function, preheader: Block, count: &TripCount) -> Value {
    let mut at = function.block(preheader).insts.len();
    let mut value = count.form.emit(function, preheader, &mut at);
    for (binary, operand) in [
        (Binary::ShrUnsigned, count.shift),
        (Binary::Add, count.added),
    ] {
        if operand != 0 {
            let operand = function.word(operand);
            let op = Op::Binary(binary, value, operand);
            value = function.push(preheader, op, Type::I32);
        }
    }
    value
}

/// Makes parameters of the header for the values of the loop that are used after it. They have
/// what the last turn has set.
fn live_out(
    function: &mut Function,
    one: &Loop,
    out: &Edge,
    back: &mut Edge,
    preheader: Block,
    homes: &[Option<Block>],
) -> HashMap<Value, Value> {
    let mut used: Vec<Value> = out.args.clone();
    for block in function.block_ids() {
        if !one.blocks.contains(&block) {
            let data = function.block(block);
            for &inst in &data.insts {
                let op = function.op(inst);
                op.for_each_operand(|operand| used.push(operand));
            }
            data.terminator
                .for_each_operand(|operand| used.push(operand));
        }
    }
    let mut renamed = HashMap::new();
    for value in used {
        let home = homes[value.0 as usize];
        if renamed.contains_key(&value) || !home.is_some_and(|block| one.blocks.contains(&block)) {
            continue;
        }
        let param = match back.args.iter().position(|&arg| arg == value) {
            Some(at) => function.block(one.header).params[at],
            None => {
                let ty = function.ty(value);
                let initial = function.constant(ty, 0);
                for edge in function.block_mut(preheader).terminator.edges_mut() {
                    edge.args.push(initial);
                }
                back.args.push(value);
                function.add_param(one.header, ty)
            }
        };
        renamed.insert(value, param);
    }
    renamed
}
