//! Several back edges of a loop become one, from a new block.
//!
//! An argument that is the same on all back edges (the counter's next value) is passed from the new
//! block directly, so that `emit` sets it once, at the end of the loop body; the others become
//! parameters of the block. Without this, lanes that come back by different ways would each have
//! their own copy of a counter that is uniform.

use crate::compile::ir::{Cfg, Dominators, Edge, Function, Loop, Loops, Terminator, Value};

/// Returns whether something has changed.
pub(super) fn run(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(function, &cfg);
    let mut has_changed = false;
    for mut one in Loops::new(function, &cfg, &dominators).loops {
        if one.latches.len() > 1 {
            one.latches.sort();
            one.latches.dedup();
            join(function, &one);
            has_changed = true;
        }
    }
    has_changed
}

fn join(function: &mut Function, one: &Loop) {
    let back_edges: Vec<Vec<Value>> = (one.latches.iter())
        .flat_map(|&latch| function.block(latch).terminator.edges())
        .filter(|edge| edge.block == one.header)
        .map(|edge| edge.args.clone())
        .collect();
    let latch = function.add_block();
    let params = function.block(one.header).params.clone();
    let is_same = |at: usize| back_edges.iter().all(|args| args[at] == back_edges[0][at]);
    let same: Vec<bool> = (0..params.len()).map(is_same).collect();
    let mut args = Vec::new();
    for (at, &param) in params.iter().enumerate() {
        args.push(if same[at] {
            back_edges[0][at]
        } else {
            let ty = function.ty(param);
            function.add_param(latch, ty)
        });
    }
    for &source in &one.latches {
        for edge in function.block_mut(source).terminator.edges_mut() {
            if edge.block == one.header {
                edge.block = latch;
                let mut same = same.iter();
                edge.args.retain(|_| same.next() == Some(&false));
            }
        }
    }
    function.block_mut(latch).terminator = Terminator::Jump(Edge {
        block: one.header,
        args,
    });
}

#[cfg(test)]
mod tests {
    use super::super::test::{check, unchanged};

    #[test]
    fn the_counter_is_set_once() {
        check(
            super::run,
            "kernel f(i32)
            b0:
              jump b1(0, 7)
            b1(v0: i32, v1: i32):
              v2: i32 = Add v0, 1
              v3: i32 = Load i32 v0
              v4: bool = Eq v3, 5
              branch v4, b1(v2, v1), b2
            b2:
              v5: bool = Eq v3, 6
              branch v5, b1(v2, v3), b3
            b3:
              return",
            "kernel f(i32)
            b0:
              jump b1(0, 7)
            b1(v0: i32, v1: i32):
              v2: i32 = Add v0, 1
              v3: i32 = Load i32 v0
              v4: bool = Eq v3, 5
              branch v4, b4(v1), b2
            b2:
              v5: bool = Eq v3, 6
              branch v5, b4(v3), b3
            b3:
              return
            b4(v11: i32):
              jump b1(v2, v11)",
        );
    }

    #[test]
    fn one_latch_stays() {
        unchanged(
            super::run,
            "kernel f(i32)
            b0:
              jump b1(0)
            b1(v0: i32):
              v2: bool = Eq v0, arg0
              branch v2, b1(v0), b2
            b2:
              return",
        );
    }
}
