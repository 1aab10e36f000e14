//! Merges two nested loops that LLVM has made of one.
//!
//! LLVM's LoopSimplify splits a loop with two latches into two nested loops. On a machine of lanes
//! one loop is better: lanes that are in different turns of the outer loop would otherwise wait for
//! each other. A loop is merged with the loop around it if the outer header only jumps to the inner
//! one, and the inner loop goes on from where the outer one is: each variable of the inner loop
//! starts with one of the outer loop or a linear form of it, which does not advance by itself. Other nested loops stay.
//!
//! The outer back edges go to a copy of the outer header, which jumps to the inner header; the
//! values of the outer header become parameters of the inner one.

use std::collections::{HashMap, HashSet};

use crate::compile::analysis::linear::LinearForms;
use crate::compile::ir::{
    Block, Cfg, Dominators, Edge, Function, Loop, Loops, Op, Terminator, Value,
};

/// Each round merges pairs of loops; deeper nests take more rounds.
const MAX_ROUNDS: usize = 8;

/// The outer header is copied, so it must be small.
const MAX_COPIED: usize = 12;

/// Returns whether something has changed.
pub(super) fn run(function: &mut Function) -> bool {
    let mut has_changed = false;
    for _ in 0..MAX_ROUNDS {
        if !round(function) {
            break;
        }
        has_changed = true;
    }
    has_changed
}

fn round(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(function, &cfg);
    let loops = Loops::new(function, &cfg, &dominators).loops;
    let headers: HashMap<Block, usize> = (loops.iter().enumerate())
        .map(|(at, one)| (one.header, at))
        .collect();
    let mut touched: HashSet<Block> = HashSet::new();
    let mut has_changed = false;
    for outer in &loops {
        let Terminator::Jump(edge) = &function.block(outer.header).terminator else {
            continue;
        };
        let Some(&inner) = headers.get(&edge.block) else {
            continue;
        };
        let inner = &loops[inner];
        if inner.header == outer.header
            || !outer.blocks.contains(&inner.header)
            || touched.contains(&outer.header)
            || touched.contains(&inner.header)
            || !is_split(function, outer, inner, &edge.args)
        {
            continue;
        }
        touched.extend([outer.header, inner.header]);
        merge(function, outer, inner.header);
        has_changed = true;
    }
    has_changed
}

/// Whether two loops look like one that was split.
fn is_split(function: &Function, outer: &Loop, inner: &Loop, starts: &[Value]) -> bool {
    let header = function.block(outer.header);
    let is_pure = |&inst: &Value| function.op(inst).is_pure();
    if starts.is_empty() || header.insts.len() > MAX_COPIED || !header.insts.iter().all(is_pure) {
        return false;
    }
    debug_assert_eq!(starts.len(), function.block(inner.header).params.len());
    let mut forms = LinearForms::new();
    let mut latches = outer.latches.clone();
    latches.sort();
    latches.dedup();
    // Whether the outer loop sets a variable to what the inner loop has made of it.
    let is_passed_on = |forms: &mut LinearForms, param: Value, at: usize| {
        let mut back_edges = latches
            .iter()
            .flat_map(|&latch| function.block(latch).terminator.edges())
            .filter(|edge| edge.block == outer.header);
        back_edges.all(|edge| forms.of(function, edge.args[at]).coefficient(param) == 0)
    };
    starts.iter().all(|&start| {
        let form = forms.of(function, start);
        let own = (0..).zip(&header.params);
        let mut own = own
            .filter(|(_, param)| form.coefficient(**param) != 0)
            .peekable();
        own.peek().is_some() && own.all(|(at, &param)| is_passed_on(&mut forms, param, at))
    })
}

/// Merges an outer loop, whose header jumps to the inner header, with the inner loop.
fn merge(function: &mut Function, outer: &Loop, inner: Block) {
    let params = function.block(outer.header).params.clone();
    let insts = function.block(outer.header).insts.clone();
    let own: Vec<Value> = params.iter().chain(&insts).copied().collect();
    let latch = function.add_block();
    // The values move to the inner header, so that their uses stay as they are: both copies of the
    // outer header get new ones.
    function.block_mut(outer.header).params.clear();
    function.block_mut(outer.header).insts.clear();
    let Terminator::Jump(edge) = function.block(outer.header).terminator.clone() else {
        return;
    };
    for block in [outer.header, latch] {
        let copies = copy(function, block, &params, &insts);
        let args = edge.args.iter().chain(&own);
        let args = args.map(|arg| *copies.get(arg).unwrap_or(arg)).collect();
        let edge = Edge { block: inner, args };
        function.block_mut(block).terminator = Terminator::Jump(edge);
    }
    for &block in &outer.blocks {
        let is_header = block == outer.header;
        for edge in function.block_mut(block).terminator.edges_mut() {
            if edge.block == outer.header {
                edge.block = latch;
            } else if edge.block == inner && !is_header {
                edge.args.extend(&own);
            }
        }
    }
    for value in own {
        *function.op_mut(value) = Op::Param;
        function.block_mut(inner).params.push(value);
    }
}

/// Copies parameters and instructions to an empty block.
fn copy(
    function: &mut Function,
    block: Block,
    params: &[Value],
    insts: &[Value],
) -> HashMap<Value, Value> {
    let mut copies = HashMap::new();
    for &param in params {
        let copy = function.add_param(block, function.ty(param));
        copies.insert(param, copy);
    }
    for &inst in insts {
        let mut op = function.op(inst).clone();
        op.for_each_operand_mut(|operand| *operand = *copies.get(operand).unwrap_or(operand));
        let copy = function.push(block, op, function.ty(inst));
        copies.insert(inst, copy);
    }
    copies
}

#[cfg(test)]
mod tests {
    use super::super::test::{check, unchanged};

    #[test]
    fn a_split_loop_becomes_one() {
        check(
            super::run,
            "kernel f(i32) -> i32
            b0:
              jump b1(0, 100)
            b1(v0: i32, v1: i32):
              v2: i32 = Add v1, 1
              jump b2(v0)
            b2(v3: i32):
              v4: i32 = Add v3, 1
              v5: i32 = Load i32 v3
              v6: bool = LtUnsigned v5, v2
              branch v6, b3, b4
            b4:
              v7: bool = Eq v4, arg0
              branch v7, b5(v1), b2(v4)
            b3:
              v8: bool = Eq v4, arg0
              branch v8, b5(v5), b1(v4, v5)
            b5(v9: i32):
              return v9",
            "kernel f(i32) -> i32
            b0:
              jump b1(0, 100)
            b1(v14: i32, v15: i32):
              v16: i32 = Add v15, 1
              jump b2(v14, v14, v15, v16)
            b2(v3: i32, v0: i32, v1: i32, v2: i32):
              v4: i32 = Add v3, 1
              v5: i32 = Load i32 v3
              v6: bool = LtUnsigned v5, v2
              branch v6, b3, b4
            b4:
              v7: bool = Eq v4, arg0
              branch v7, b5(v1), b2(v4, v0, v1, v2)
            b3:
              v8: bool = Eq v4, arg0
              branch v8, b5(v5), b6(v4, v5)
            b6(v17: i32, v18: i32):
              v19: i32 = Add v18, 1
              jump b2(v17, v17, v18, v19)
            b5(v9: i32):
              return v9",
        );
    }

    #[test]
    fn rows_and_columns_stay() {
        unchanged(
            super::run,
            "kernel f(i32, i32)
            b0:
              jump b1(0, 100)
            b1(v0: i32, v1: i32):
              jump b2(0)
            b2(v2: i32):
              v3: i32 = Add v1, v2
              Store i32 v3, v0
              v4: i32 = Add v2, 4
              v5: bool = Eq v4, arg0
              branch v5, b3, b2(v4)
            b3:
              v6: i32 = Add v0, 1
              v7: i32 = Add v1, 256
              v8: bool = Eq v6, arg1
              branch v8, b4, b1(v6, v7)
            b4:
              return",
        );
    }

    #[test]
    fn a_row_pointer_advances_by_itself() {
        unchanged(
            super::run,
            "kernel f(i32, i32)
            b0:
              jump b1(100)
            b1(v1: i32):
              v0: i32 = Add v1, 256
              jump b2(v1)
            b2(v2: i32):
              Store i32 v2, 7
              v4: i32 = Add v2, 4
              v5: bool = Eq v4, v0
              branch v5, b3, b2(v4)
            b3:
              v8: bool = Eq v0, arg1
              branch v8, b4, b1(v0)
            b4:
              return",
        );
    }
}
