//! Poll placement: bounds the work between two polls of the cancel flag (compare safepoint placement in LLVM).
//!
//! In: any function, the poll distances of its callees, and a budget of work. Out: the same function, with [`Op::Poll`]
//! in other places: from wherever a call starts or resumes, it reaches a poll or its end on a path whose cost (`cost`)
//! is within the budget. Loops over subgroups, loops that other passes created or copied, callees and straight-line
//! code are all treated alike, so that the pass runs last.
//!
//! Algorithm (`placement`): loops are processed from the innermost outwards. A loop with a bounded trip count
//! (`trip_count`) whose iterations are within the budget together does not poll. Any other loop polls at the start of
//! each iteration, unless all paths through its body poll already. A processed loop is then one step for the code
//! around it, and a poll is inserted before each step with which a path would exceed the budget. Irreducible cycles
//! poll at the targets of retreating edges.
//!
//! [`check::longest_unpolled_path`] computes the bound again, from the graph between polls and its strongly connected
//! components. Both use the same weights and trip counts.

pub mod check;
mod cost;
mod longest_path;
mod placement;
mod trip_count;

pub use cost::PollDistances;

use super::cfg::Cfg;
use super::loops::{LoopId, Loops};
use super::simplify_cfg;
use crate::ir::{Function, Inst, Op};
use placement::Placement;

/// The most work between two polls, in units of about a cycle: a millisecond, or some where memory is slow.
pub const BUDGET: u64 = 1 << 22;

/// Runs the pass on a function whose callees, if it has any, are not known.
pub fn run(function: &mut Function) {
    run_with(function, &[], BUDGET);
}

/// Runs the pass with the poll distances of callees, by number, and a budget. Returns the poll distances of the
/// function.
///
/// An unknown callee counts as the whole budget. A single instruction may exceed a small budget.
pub fn run_with(function: &mut Function, callees: &[PollDistances], budget: u64) -> PollDistances {
    let graph = Cfg::new(function);
    let loops = Loops::new(&graph, function.blocks.len());
    let numbers = SourceLoopNumbers::take(function, &graph, &loops);
    let (placement, distances) = Placement::find(function, &graph, &loops, callees, budget);
    placement.apply(function, &graph, &loops, &numbers);
    if numbers.were_removed {
        // Blocks that only polled are empty now.
        simplify_cfg::run(function);
    }
    distances
}

/// The numbers of source loops, taken from the polls that lowering has placed.
pub(super) struct SourceLoopNumbers {
    /// By loop: the number of its polls.
    of_loops: Vec<Option<u32>>,
    /// The number of a poll outside all loops.
    of_function: Option<u32>,
    were_removed: bool,
}

impl SourceLoopNumbers {
    /// Removes all polls from a function and records their numbers.
    fn take(function: &mut Function, graph: &Cfg, loops: &Loops) -> Self {
        let mut numbers = Self {
            of_loops: vec![None; loops.all().len()],
            of_function: None,
            were_removed: false,
        };
        for &block in graph.order() {
            let known = match loops.innermost(block) {
                Some(id) => &mut numbers.of_loops[id.0 as usize],
                None => &mut numbers.of_function,
            };
            function.block_mut(block).insts.retain(|inst: &Inst| {
                if let Op::Poll(number) = inst.op {
                    known.get_or_insert(number);
                    numbers.were_removed = true;
                }
                !matches!(inst.op, Op::Poll(_))
            });
        }
        numbers
    }

    /// The number of the innermost numbered loop, from a loop outwards.
    fn enclosing(&self, loops: &Loops, mut id: Option<LoopId>) -> Option<u32> {
        while let Some(inner) = id {
            if let Some(number) = self.of_loops[inner.0 as usize] {
                return Some(number);
            }
            id = loops.get(inner).parent;
        }
        None
    }
}
