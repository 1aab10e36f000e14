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

pub(crate) mod constant;
mod dead_code;
mod edges;
mod fold;
mod gvn;
mod prune_params;
#[cfg(test)]
mod random;
mod simplify_cfg;
mod substitution;
#[cfg(test)]
mod test;

use super::ir::Function;
use substitution::Substitution;

/// Most functions need two rounds; the rest of the gain is small.
const MAX_ROUNDS: usize = 6;

/// The cheap clean-up.
pub(crate) fn clean(function: &mut Function) {
    for _ in 0..MAX_ROUNDS {
        let mut has_changed = simplify_cfg::run(function);
        has_changed |= prune_params::run(function);
        has_changed |= fold::run(function);
        has_changed |= gvn::run(function);
        has_changed |= dead_code::run(function);
        if !has_changed {
            break;
        }
    }
}

/// Everything that makes the function faster and easier to analyse.
pub(crate) fn optimize(function: &mut Function) {
    clean(function);
}
