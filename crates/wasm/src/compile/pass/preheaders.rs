//! Loop preheaders: each loop gets one entry edge, from a block that only jumps to the header.
//!
//! Instructions at the end of that block run once before the loop, and only if it is entered.
//! `simplify_cfg` removes preheaders again that join nothing and stay empty.

use crate::compile::ir::{Block, Cfg, Dominators, Edge, Function, Loop, Loops, Terminator};

/// Returns whether something has changed.
pub(super) fn run(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(function, &cfg);
    let mut has_changed = false;
    for one in Loops::new(function, &cfg, &dominators).loops {
        let is_jump = |block: &Block| {
            let terminator = &function.block(*block).terminator;
            matches!(terminator, Terminator::Jump(_))
        };
        if matches!(&one.entries[..], [entry] if is_jump(entry)) {
            continue;
        }
        add(function, &one);
        has_changed = true;
    }
    has_changed
}

fn add(function: &mut Function, one: &Loop) {
    let preheader = function.add_block();
    let params = function.block(one.header).params.clone();
    let args = params.iter().map(|&param| {
        let ty = function.ty(param);
        function.add_param(preheader, ty)
    });
    let edge = Edge {
        block: one.header,
        args: args.collect(),
    };
    for &entry in &one.entries {
        for edge in function.block_mut(entry).terminator.edges_mut() {
            if edge.block == one.header {
                edge.block = preheader;
            }
        }
    }
    function.block_mut(preheader).terminator = Terminator::Jump(edge);
}

#[cfg(test)]
mod tests {
    use super::super::test::{check, unchanged};

    #[test]
    fn entries_are_joined() {
        check(
            super::run,
            "kernel f(i32)
            b0:
              v0: bool = Eq arg0, 0
              branch v0, b1(1), b1(2)
            b1(v1: i32):
              v2: bool = Eq v1, 9
              branch v2, b2, b1(v1)
            b2:
              return",
            "kernel f(i32)
            b0:
              v0: bool = Eq arg0, 0
              branch v0, b3(1), b3(2)
            b3(v8: i32):
              jump b1(v8)
            b1(v1: i32):
              v2: bool = Eq v1, 9
              branch v2, b2, b1(v1)
            b2:
              return",
        );
    }

    #[test]
    fn one_jump_is_a_preheader() {
        unchanged(
            super::run,
            "kernel f(i32)
            b0:
              jump b1(1)
            b1(v1: i32):
              v2: bool = Eq v1, 9
              branch v2, b2, b1(v1)
            b2:
              return",
        );
    }
}
