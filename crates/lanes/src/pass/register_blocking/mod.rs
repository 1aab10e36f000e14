//! Register blocking: unroll-and-jam of loop nests whose inner loops load values that the outer loop does not change
//! (Callahan, Carr and Kennedy, "Improving Register Allocation for Subscripted Variables", 1990).
//!
//! In: a function after loop rotation, where inner loops have exit tests at their ends. Out: the same function, where
//! some counted loops take 4 or 2 steps at once: `for y { for k { sum += a[y][k] * b[k]; } c[y] = sum; }` then loads
//! `b[k]` once for several rows, and has a dependency chain for each. The outer loop often is the loop over the
//! subgroups of a workgroup.
//!
//! A nest is changed if its iterations can be interleaved (`nest`) and its values then fit into registers
//! (`register_demand`). Linear in the size of the function.

mod nest;
mod register_demand;

use super::alias::{AliasAnalysis, BufferAliasing};
use super::loops::LoopId;
use super::unroll_and_jam::counted_loop::LoopTables;
use super::unroll_and_jam::interleave::{self, Interleaving};
use crate::ir::Function;

/// Runs the pass.
pub fn run(function: &mut Function, aliasing: BufferAliasing) {
    let tables = LoopTables::new(function);
    let nests: Vec<_> = {
        let memory = AliasAnalysis::new(function, &tables.graph, aliasing);
        let ids = (0..tables.loops.all().len() as u32).map(LoopId);
        let nests = ids.filter_map(|id| nest::Nest::new(function, &tables, &memory, id));
        let blocked = nests.filter_map(|nest| {
            let iterations = register_demand::iterations(function, &tables, &nest)?;
            Some((nest, iterations))
        });
        blocked.collect()
    };
    for (nest, iterations) in nests {
        let copies = (iterations, Interleaving::ByBlock);
        interleave::run(function, &nest.outer, &nest.varying, copies);
    }
}
