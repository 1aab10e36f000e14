//! Polls by cost: the work between two polls of the cancel flag is bounded.
//!
//! In: any function, what is known of the functions that it calls, and a budget of work. Out: the same function, with
//! [`Op::Poll`] in other places: wherever a call begins or goes on, it comes to a poll or to its end after a path whose
//! cost (`cost`) is within the budget. Loops over subgroups, loops that other passes made or copied, callees and code
//! without loops are all treated alike, so the pass runs last.
//!
//! Algorithm (`place`): loops are settled from the innermost outwards. A loop with a known trip count (`turns`) whose
//! turns are within the budget together does not poll; any other loop polls at the start of each turn, unless all ways
//! through its body poll already. A loop is then one step for the code around it, and a poll is put before any step with
//! which a path would exceed the budget. Every other cycle polls where the reverse postorder is entered again.
//!
//! [`check::longest_unpolled_path`] computes the bound again, from the graph between polls and its strongly connected
//! components. Both use the same weights and trip counts.

pub mod check;
mod components;
mod cost;
mod place;
mod turns;

pub use cost::Stretches;

use super::graph::Graph;
use super::loops::{LoopId, Loops};
use super::straighten;
use crate::ir::{Function, Inst, Op};
use place::Placement;

/// The most work between two polls, in units of about a cycle: a millisecond, or some where memory is slow.
pub const BUDGET: u64 = 1 << 22;

/// Runs the pass on a function that calls none that are known.
pub fn run(function: &mut Function) {
    run_with(function, &[], BUDGET);
}

/// Runs the pass with what is known of callees, by number, and another budget. Gives what is known of the function then.
///
/// A callee that is not known counts as the whole budget. A single instruction may exceed a budget that is small.
pub fn run_with(function: &mut Function, callees: &[Stretches], budget: u64) -> Stretches {
    let graph = Graph::new(function);
    let loops = Loops::new(&graph, function.blocks.len());
    let names = Names::take(function, &graph, &loops);
    let (placement, stretches) = Placement::find(function, &graph, &loops, callees, budget);
    placement.apply(function, &graph, &loops, &names);
    if names.were_removed {
        // Blocks that did nothing but poll are empty now.
        straighten::run(function);
    }
    stretches
}

/// What polls call the places where they are.
pub(super) struct Names {
    /// By loop: the number that its polls had.
    of_loops: Vec<Option<u32>>,
    /// The number of a poll that was in no loop.
    of_function: Option<u32>,
    were_removed: bool,
}

impl Names {
    /// Takes all polls out of a function.
    fn take(function: &mut Function, graph: &Graph, loops: &Loops) -> Self {
        let mut names = Self {
            of_loops: vec![None; loops.all().len()],
            of_function: None,
            were_removed: false,
        };
        for &block in graph.order() {
            let name = match loops.innermost(block) {
                Some(id) => &mut names.of_loops[id.0 as usize],
                None => &mut names.of_function,
            };
            function.block_mut(block).insts.retain(|it: &Inst| {
                if let Op::Poll(number) = it.op {
                    name.get_or_insert(number);
                    names.were_removed = true;
                }
                !matches!(it.op, Op::Poll(_))
            });
        }
        names
    }

    /// The number of the innermost loop that has one, from a loop outwards.
    fn around(&self, loops: &Loops, mut id: Option<LoopId>) -> Option<u32> {
        while let Some(inner) = id {
            if let Some(number) = self.of_loops[inner.0 as usize] {
                return Some(number);
            }
            id = loops.get(inner).parent;
        }
        None
    }
}
