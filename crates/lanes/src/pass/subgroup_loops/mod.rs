//! Turns the code between barriers into loops over subgroups, so that one call runs a whole workgroup (pocl: parallel
//! regions; loop fission at barriers).
//!
//! In: a function for one subgroup, with barriers, and the number of subgroups of a workgroup. Out: a function for all
//! of them, without barriers. A *barrier region* is the code from the entry or a barrier to the next barriers or the
//! end. Each region is copied into a loop over subgroups; when the last subgroup has left that loop, the region after
//! the barrier begins.
//!
//! Values that live across a barrier are preserved in one of three ways. Values that are uniform across subgroups
//! (`divergence`) are passed on as values when the loop exits. Values that are cheap to compute from these and the number
//! of the subgroup are rematerialized (`rematerialize`). All others are spilled to the frame, in which each subgroup
//! has a part of its own. A loop around barriers therefore counts once for each region and not once for each subgroup,
//! and a subgroup without work in a region costs a few instructions.
//!
//! Where subgroups may reach different barriers, each passes its barrier to the next one, and the call ends with
//! [`CallOutcome::diverged`](crate::ir::CallOutcome::diverged) if they differ. Polls run once in each region.
//!
//! A block after several barriers is copied into several regions. If the function grew too much, it is not changed, and
//! neither is a function without barriers; `barrier_split` then handles the barriers.

mod build;
mod divergence;
mod exits;
mod polls;
mod rematerialize;

use anywarp_program::work::{Meter, OverBudget};

use super::alias::{AliasAnalysis, BufferAliasing};
use super::barrier_split::Offsets;
use super::barrier_split::spill::{self, LiveAcross, Preservation};
use super::cfg::Cfg;
use super::{remove_blocks, sink_constants};
use crate::ir::{BlockId, Edge, Function, Inst, Op, Terminator};

/// The result may always have this many instructions, and otherwise half as many more than the original.
const MIN_INST_LIMIT: usize = 2000;
/// The largest frame of all subgroups together.
const MAX_FRAME_BYTES: u32 = 1 << 28;

/// Runs the pass on a function for one of this many subgroups. Returns whether it now runs all of them.
pub fn run(function: &mut Function, subgroups: u32, aliasing: BufferAliasing) -> bool {
    let done = run_within(function, subgroups, aliasing, &Meter::unlimited());
    // An unlimited meter does not return errors.
    done.unwrap_or(false)
}

/// Runs the pass within limits.
pub(super) fn run_within(
    function: &mut Function,
    subgroups: u32,
    aliasing: BufferAliasing,
    meter: &Meter,
) -> Result<bool, OverBudget> {
    let has_barrier = |function: &Function| {
        let mut blocks = function.blocks.iter();
        blocks.any(|block| matches!(block.terminator, Terminator::Suspend(..)))
    };
    if subgroups == 0 || !has_barrier(function) || !is_plain(function) {
        return Ok(false);
    }
    remove_blocks::unreachable(function);
    if subgroups == 1 {
        remove_barriers(function);
        return Ok(true);
    }
    let bytes = function.frame_bytes.checked_mul(subgroups);
    if bytes.is_none_or(|bytes| bytes > MAX_FRAME_BYTES) {
        return Ok(false);
    }
    let Some(regions) = regions(function) else {
        return Ok(false);
    };
    sink_constants::run(function);
    let graph = Cfg::new(function);
    let memory = AliasAnalysis::new(function, &graph, aliasing);
    let uniformity = divergence::analyze(function, &graph, &memory);
    let preservations = rematerialize::preservations(function, &graph, &uniformity);
    let live_across = spill::find_live_across(
        function,
        &graph,
        |value| preservations[value.index()],
        meter,
    )?;
    let offsets = Offsets::new(function, &live_across.spills);
    insert_spills(function, &live_across, &offsets);
    let plan = Plan {
        subgroups,
        checks_divergence: uniformity.diverges,
        regions,
        preservations,
        live_across,
        offsets,
    };
    *function = build::build(function, &plan, meter)?;
    Ok(true)
}

/// The plan of the transformation.
struct Plan {
    subgroups: u32,
    /// Whether subgroups may reach different barriers.
    checks_divergence: bool,
    /// By the number of the barrier after which they begin; 0 for the entry.
    regions: Vec<Option<BarrierRegion>>,
    /// By value: how it is preserved across barriers.
    preservations: Vec<Preservation>,
    live_across: LiveAcross,
    offsets: Offsets,
}

/// The code from the entry or a barrier to the next barriers.
struct BarrierRegion {
    /// Its blocks; the first is its entry.
    blocks: Vec<BlockId>,
    /// The barriers at which it may end; 0 for the end of the function.
    ends: Vec<u32>,
}

/// Whether the function has no frame slots and no calls: slots and callees use the whole frame, which is about to be
/// divided among subgroups.
fn is_plain(function: &Function) -> bool {
    let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
    let is_call_or_slot_access = |inst: &Inst| {
        use Op::{Call, FrameLoad, FrameLoadAt, FrameStore, FrameStoreAt};
        let op = inst.op;
        matches!(
            op,
            FrameStore(_) | FrameLoad(_) | FrameStoreAt(_) | FrameLoadAt(_) | Call(..)
        )
    };
    let entry = &function.block(Function::ENTRY).terminator;
    !insts.any(is_call_or_slot_access) && !matches!(entry, Terminator::Resume(_))
}

/// A single subgroup does not wait: removes its barriers.
fn remove_barriers(function: &mut Function) {
    for block in &mut function.blocks {
        for inst in &mut block.insts {
            if let Op::ContextField(crate::ir::ContextField::Subgroup) = inst.op {
                inst.op = Op::Word(0);
            }
        }
        if let Terminator::Suspend(_, next) = block.terminator {
            block.terminator = Terminator::Jump(Edge::to(next));
        }
    }
    function.barriers = 0;
}

/// The barrier regions, unless they have too many instructions in total.
fn regions(function: &Function) -> Option<Vec<Option<BarrierRegion>>> {
    let mut starts = vec![None; function.barriers as usize + 1];
    starts[0] = Some(Function::ENTRY);
    for block in &function.blocks {
        if let Terminator::Suspend(number, next) = block.terminator {
            *starts.get_mut(number as usize)? = Some(next);
        }
    }
    let size = |block: BlockId| function.block(block).insts.len() + 1;
    let all: usize = (0..function.blocks.len() as u32)
        .map(|number| size(BlockId(number)))
        .sum();
    let mut left = MIN_INST_LIMIT.max(all + all / 2);
    let mut seen = vec![usize::MAX; function.blocks.len()];
    let mut regions = Vec::with_capacity(starts.len());
    for (number, start) in starts.into_iter().enumerate() {
        let Some(start) = start else {
            regions.push(None);
            continue;
        };
        let mut region = BarrierRegion {
            blocks: vec![start],
            ends: Vec::new(),
        };
        seen[start.index()] = number;
        let mut place = 0;
        while let Some(&block) = region.blocks.get(place) {
            place += 1;
            left = left.checked_sub(size(block))?;
            let end = match &function.block(block).terminator {
                Terminator::Suspend(barrier, _) => Some(*barrier),
                Terminator::Return(crate::ir::CallOutcome::FINISHED) => Some(0),
                other => {
                    for next in other.successors() {
                        if std::mem::replace(&mut seen[next.index()], number) != number {
                            region.blocks.push(next);
                        }
                    }
                    None
                }
            };
            region
                .ends
                .extend(end.filter(|end| !region.ends.contains(end)));
        }
        regions.push(Some(region));
    }
    Some(regions)
}

/// Inserts the stores of spilled values.
fn insert_spills(function: &mut Function, live_across: &LiveAcross, offsets: &Offsets) {
    for &(value, block) in &live_across.spills {
        function.block_mut(block).insts.push(Inst {
            op: Op::FrameStore(offsets.of(value)),
            operands: smallvec::smallvec![value],
            result: None,
        });
    }
}
