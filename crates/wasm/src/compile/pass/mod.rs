//! Passes over the IR. Each takes a valid function to a valid function that does the same: the same
//! results, memory and traps. Each is linear or n log n in the size of the function.
//!
//! | pass | what it does |
//! |---|---|
//! | `fold` | constant folding and algebraic simplification |
//! | `gvn` | global value numbering |
//! | `dead_code` | removes unused instructions and block parameters |
//! | `prune_params` | removes block parameters that are always one value |
//! | `simplify_cfg` | fewer blocks; branches to traps become `TrapIf` |
//! | `merge_loops` | merges the two nested loops that LLVM makes of one |
//! | `preheaders` | gives each loop one entry edge |
//! | `induction` | one counter for each loop; variables are computed from it |
//! | `checks` | removes checks that cannot fail |
//! | `counted_loops` | tests counted loops at their heads |
//! | `hoist_checks` | a second form of counted loops without checks that are linear in the counter |
//! | `single_latch` | gives each loop one back edge |

mod checks;
mod conditions;
pub(crate) mod constant;
mod counted_loops;
mod dead_code;
mod edges;
mod fold;
mod gvn;
mod hoist_checks;
mod induction;
mod merge_loops;
mod preheaders;
#[cfg(test)]
mod properties;
mod prune_params;
#[cfg(test)]
mod random;
mod simplify_cfg;
mod single_latch;
mod substitution;
#[cfg(test)]
mod test;

use super::ir::{Block, Cfg, Function};
use substitution::Substitution;

/// Most functions need two rounds; the rest of the gain is small.
const MAX_ROUNDS: usize = 6;

/// The largest product of the numbers of loops and instructions for the passes over loops.
const MAX_LOOP_WORK: usize = 20_000_000;

/// The cheap clean-up.
pub(crate) fn clean(function: &mut Function) {
    for _ in 0..MAX_ROUNDS {
        let mut has_changed = simplify_cfg::run(function);
        has_changed |= prune_params::run(function);
        has_changed |= fold::run(function);
        has_changed |= gvn::run(function);
        has_changed |= checks::run(function);
        has_changed |= dead_code::run(function);
        if !has_changed {
            break;
        }
    }
}

/// Everything that makes the function faster and easier to analyse.
pub(crate) fn optimize(function: &mut Function) {
    clean(function);
    let loop_work = loop_work(function);
    if loop_work == 0 || loop_work > MAX_LOOP_WORK {
        return;
    }
    merge_loops::run(function);
    clean(function);
    preheaders::run(function);
    induction::run(function);
    clean(function);
    preheaders::run(function);
    counted_loops::run(function);
    clean(function);
    preheaders::run(function);
    hoist_checks::run(function);
    clean(function);
    single_latch::run(function);
    clean(function);
}

/// The number of loops by the number of instructions: a bound of the sum of the sizes of all loops,
/// which is the work of the passes over loops, and quadratic for deep nests.
fn loop_work(function: &Function) -> usize {
    let cfg = Cfg::new(function);
    let is_header = |block: Block| {
        let own = cfg.position[block.0 as usize];
        let mut before = cfg.predecessors(block).iter();
        before.any(|before| cfg.position[before.0 as usize] >= own)
    };
    let loops = cfg.order.iter().filter(|&&block| is_header(block));
    let sizes = (cfg.order.iter()).map(|&block| function.block(block).insts.len() + 1);
    loops.count() * sizes.sum::<usize>()
}
