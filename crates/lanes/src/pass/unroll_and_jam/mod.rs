//! Unroll-and-jam of the loop over subgroups: interleaves two subgroups in one iteration.
//!
//! In: a function that loops over the subgroups of its workgroup, in the loop to which its entry block jumps. Out: the
//! same function, where an iteration of that loop runs two subgroups, if that is profitable: if an inner loop loads only
//! what both share and is limited by the latency of its dependency chain (`critical_path`). A second independent chain
//! then costs almost nothing. Short inner loops are interleaved instruction by instruction, longer ones block by block,
//! to limit register pressure.
//!
//! Correct because lanes do not observe each other: branches on masks only skip code without effect, so that two
//! subgroups can share them; the branch is taken if either subgroup takes it. The values that vary between the two are
//! found first (`divergence`). Where a branch on a word varies, or frame memory is used, the function is not changed.

mod candidate;
pub(super) mod counted_loop;
mod critical_path;
mod divergence;
pub(super) mod interleave;

use anywarp_program::work::{Meter, OverBudget};

use super::alias::BufferAliasing;
use crate::ir::Function;
use interleave::Iterations;

/// Runs the pass on a function that loops over this many subgroups.
pub fn run(function: &mut Function, subgroups: u32, aliasing: BufferAliasing) {
    // An unlimited meter does not return errors.
    let _ = run_within(function, subgroups, aliasing, &Meter::unlimited());
}

/// Runs the pass within limits: a step is an instruction of an inner loop, counted for each loop that contains it.
pub(super) fn run_within(
    function: &mut Function,
    subgroups: u32,
    aliasing: BufferAliasing,
    meter: &Meter,
) -> Result<(), OverBudget> {
    let Some((subgroup_loop, tables)) = candidate::find_subgroup_loop(function, subgroups) else {
        return Ok(());
    };
    let Some(varying) = divergence::analyze(function, &subgroup_loop, aliasing) else {
        return Ok(());
    };
    let loops = (&subgroup_loop, &tables);
    let Some(interleaving) = candidate::interleaving(function, loops, &varying, meter)? else {
        return Ok(());
    };
    let iterations = Iterations {
        count: 2,
        distance: 1,
        interleaving,
    };
    interleave::run(function, &subgroup_loop, &varying, iterations);
    Ok(())
}
