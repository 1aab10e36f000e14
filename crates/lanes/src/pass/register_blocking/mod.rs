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
//! (`register_demand`). A block is in at most one nest, because a nest has two levels. So tables by value are shared by
//! all nests, and time and memory are linear in the size of the function.

mod masked_loop;
mod nest;
mod periodicity;
mod register_demand;

use anywarp_program::work::{Meter, OverBudget};

use super::Subgroups;
use super::alias::{AliasAnalysis, BufferAliasing};
use super::loops::LoopId;
use super::unroll_and_jam::counted_loop::LoopTables;
use super::unroll_and_jam::interleave::{self, Interleaving, Iterations};
use crate::ir::{Function, Terminator};
use nest::{IterationOrder, Nest};
use periodicity::Periodicity;

/// The periods that are tried: the subgroups of a row of a workgroup.
const PERIODS: [u32; 4] = [1, 2, 4, 8];

/// Runs the pass.
pub fn run(function: &mut Function, aliasing: BufferAliasing, subgroups: Subgroups) {
    // An unlimited meter does not return errors.
    let _ = run_within(function, aliasing, subgroups, &Meter::unlimited());
}

/// Runs the pass within limits: a step is an instruction of a nest that is visited.
pub(super) fn run_within(
    function: &mut Function,
    aliasing: BufferAliasing,
    subgroups: Subgroups,
    meter: &Meter,
) -> Result<(), OverBudget> {
    let (nests, periodicity) = nests(function, aliasing, subgroups, meter)?;
    let varying = periodicity.varying();
    for (nest, iterations) in nests {
        let iterations = Iterations {
            count: iterations,
            distance: nest.period,
            interleaving: Interleaving::ByBlock,
        };
        meter.tick(nest.size * u64::from(iterations.count))?;
        interleave::run(function, &nest.outer, &varying, iterations);
    }
    Ok(())
}

/// The nests to change, with the number of iterations that run together, and the values that vary in them.
fn nests(
    function: &Function,
    aliasing: BufferAliasing,
    subgroups: Subgroups,
    meter: &Meter,
) -> Result<(Vec<(Nest, u32)>, Periodicity), OverBudget> {
    let tables = LoopTables::new(function);
    let memory = AliasAnalysis::new(function, &tables.graph, aliasing);
    let mut periodicity = Periodicity::new(function);
    let mut nests = Vec::new();
    for id in (0..tables.loops.all().len() as u32).map(LoopId) {
        let order = iteration_order(function, &tables, id, subgroups);
        let Some(mut nest) = Nest::new(function, &tables, &memory, (id, order)) else {
            continue;
        };
        meter.tick(nest.size)?;
        let mut found = None;
        for period in PERIODS {
            if nest.is_divisible(period) {
                let is_legal =
                    nest.set_period(function, &tables, &mut periodicity, (period, meter))?;
                meter.tick(nest.size)?;
                found = is_legal
                    .then(|| register_demand::iterations(function, &tables, &periodicity, &nest))
                    .flatten();
            }
            if found.is_some() {
                break;
            }
        }
        match found {
            Some(iterations) => nests.push((nest, iterations)),
            None => periodicity.reset(function, &nest.outer),
        }
    }
    Ok((nests, periodicity))
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
