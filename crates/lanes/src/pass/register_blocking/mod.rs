//! Register blocking: unroll-and-jam of loop nests whose inner loops load values that the outer loop does not change
//! (Callahan, Carr and Kennedy, "Improving Register Allocation for Subscripted Variables", 1990).
//!
//! In: a function after loop rotation, where inner loops have exit tests at their ends. Out: the same function, where
//! some counted loops take 4 or 2 steps at once: `for y { for k { sum += a[y][k] * b[k]; } c[y] = sum; }` then loads
//! `b[k]` once for several rows, and has a dependency chain for each. The outer loop often is the loop over the
//! subgroups of a workgroup. Where a row has several subgroups, those of the same columns run together.
//!
//! Strided loops, `for (var i = start + lane; i < end; i += stride) { sum += a[i]; }`, run together for 4 or 2 subgroups,
//! too: consecutive subgroups load consecutive rows, so that memory is read in longer runs.
//!
//! A nest is changed if its iterations can be interleaved (`nest`) and its values then fit into registers
//! (`register_demand`). Linear in the size of the function.

mod masked_loop;
mod nest;
mod periodicity;
mod register_demand;

use super::Subgroups;
use super::alias::{AliasAnalysis, BufferAliasing};
use super::loops::LoopId;
use super::unroll_and_jam::counted_loop::LoopTables;
use super::unroll_and_jam::interleave::{self, Interleaving, Iterations};
use crate::ir::{Function, Terminator};
use nest::{IterationOrder, Nest};

/// The periods that are tried: the subgroups of a row of a workgroup.
const PERIODS: [u32; 4] = [1, 2, 4, 8];

/// Runs the pass.
pub fn run(function: &mut Function, aliasing: BufferAliasing, subgroups: Subgroups) {
    for (nest, iterations) in nests(function, aliasing, subgroups) {
        let iterations = Iterations {
            count: iterations,
            distance: nest.period,
            interleaving: Interleaving::ByBlock,
        };
        interleave::run(function, &nest.outer, &nest.varying, iterations);
    }
}

/// The nests to change, with the number of iterations that run together.
fn nests(function: &Function, aliasing: BufferAliasing, subgroups: Subgroups) -> Vec<(Nest, u32)> {
    let tables = LoopTables::new(function);
    let memory = AliasAnalysis::new(function, &tables.graph, aliasing);
    let ids = (0..tables.loops.all().len() as u32).map(LoopId);
    let nests = ids.filter_map(|id| {
        let order = iteration_order(function, &tables, id, subgroups);
        PERIODS.into_iter().find_map(|period| {
            let nest = Nest::new(function, &tables, &memory, (id, order, period))?;
            let iterations = register_demand::iterations(function, &tables, &nest)?;
            Some((nest, iterations))
        })
    });
    nests.collect()
}

/// Whether a loop is the loop over subgroups to which the entry block jumps.
fn iteration_order(
    function: &Function,
    tables: &LoopTables,
    id: LoopId,
    subgroups: Subgroups,
) -> IterationOrder {
    match (&function.block(Function::ENTRY).terminator, subgroups) {
        (Terminator::Jump(edge), Subgroups::Looped(_))
            if edge.block == tables.loops.get(id).header =>
        {
            IterationOrder::Any
        }
        _ => IterationOrder::Sequential,
    }
}
