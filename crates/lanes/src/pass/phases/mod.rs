//! What subgroups do between two barriers becomes a loop over them, so that one call does a whole workgroup.
//!
//! In: a function for one subgroup, with barriers, and how many subgroups a workgroup has. Out: a function that does them
//! all, without barriers. A *phase* is what lies between the beginning or a barrier and the next barrier or the end; it
//! is copied into a loop of its own, and when the last subgroup has left that loop, the phase behind the barrier begins.
//!
//! What lives across a barrier is of three kinds. What is the same in every subgroup (`shared`) stays a value: it is
//! given to the next phase when the loop is left. What is cheaply made of that and of the number of the subgroup is made
//! again (`again`). All else is kept in the frame, in which each subgroup has a part of its own. So a loop around
//! barriers counts once for a phase and not once for each subgroup, and a subgroup that has nothing to do in a phase
//! costs a few instructions.
//!
//! Where subgroups may come to different barriers, each tells the next one where it went, and the call ends with
//! [`Outcome::diverged`](crate::ir::Outcome::diverged) if they differ. Polls are done once in a phase.
//!
//! A block that lies behind several barriers is copied into several phases. If the function grew too much by that, it
//! stays as it is, and so does one without barriers; `barriers` then makes it a function that is called again.

mod again;
mod build;
mod leave;
mod polls;
mod shared;

use anywarp_program::work::{Meter, OverBudget};

use super::barriers::Offsets;
use super::barriers::live::{self, Across, Way};
use super::graph::Graph;
use super::memory::{Memory, Overlap};
use super::{cut, localize};
use crate::ir::{BlockId, Edge, Function, Inst, Op, Terminator};

/// As many instructions there may always be; more than that, half as many more than before.
const SMALL: usize = 2000;
/// The most bytes of the frames of all subgroups that code addresses.
const LARGEST_FRAME: u32 = 1 << 28;

/// Runs the pass on a function for one of so many subgroups. Gives whether it does all of them now.
pub fn run(function: &mut Function, subgroups: u32, overlap: Overlap) -> bool {
    let done = run_within(function, subgroups, overlap, &Meter::unlimited());
    // A meter without limits has no errors.
    done.unwrap_or(false)
}

/// Runs the pass within limits.
pub(super) fn run_within(
    function: &mut Function,
    subgroups: u32,
    overlap: Overlap,
    meter: &Meter,
) -> Result<bool, OverBudget> {
    let has_barrier = |it: &Function| {
        let mut blocks = it.blocks.iter();
        blocks.any(|it| matches!(it.terminator, Terminator::Suspend(..)))
    };
    if subgroups == 0 || !has_barrier(function) || !is_plain(function) {
        return Ok(false);
    }
    cut::unreachable(function);
    if subgroups == 1 {
        go_on(function);
        return Ok(true);
    }
    let bytes = function.frame_bytes.checked_mul(subgroups);
    if bytes.is_none_or(|it| it > LARGEST_FRAME) {
        return Ok(false);
    }
    let Some(phases) = phases(function) else {
        return Ok(false);
    };
    localize::run(function);
    let graph = Graph::new(function);
    let memory = Memory::new(function, &graph, overlap);
    let shared = shared::find(function, &graph, &memory);
    let ways = again::ways(function, &graph, &shared);
    let across = live::across(function, &graph, |it| ways[it.index()], meter)?;
    let offsets = Offsets::new(function, &across.kept);
    keep(function, &across, &offsets);
    let plan = Plan {
        subgroups,
        is_checked: shared.diverges,
        phases,
        ways,
        across,
        offsets,
    };
    *function = build::build(function, &plan, meter)?;
    Ok(true)
}

/// What is done.
struct Plan {
    subgroups: u32,
    /// Whether subgroups may come to different barriers.
    is_checked: bool,
    /// By the number of the barrier they begin behind; 0 is the beginning.
    phases: Vec<Option<Phase>>,
    /// By value: how it comes behind a barrier.
    ways: Vec<Way>,
    across: Across,
    offsets: Offsets,
}

/// What lies between barriers.
struct Phase {
    /// Its blocks; the first is where it begins.
    blocks: Vec<BlockId>,
    /// The barriers it may end at, 0 for the end of the function.
    ends: Vec<u32>,
}

/// Whether nothing is kept yet, as parts of the frame must not be told from the whole. What is called knows only whole
/// frames, too.
fn is_plain(function: &Function) -> bool {
    let mut insts = function.blocks.iter().flat_map(|it| &it.insts);
    let is_kept = |it: &Inst| {
        use Op::{Call, Keep, KeepAt, Recall, RecallAt};
        let op = it.op;
        matches!(op, Keep(_) | Recall(_) | KeepAt(_) | RecallAt(_) | Call(..))
    };
    let entry = &function.block(Function::ENTRY).terminator;
    !insts.any(is_kept) && !matches!(entry, Terminator::Resume(_))
}

/// One subgroup waits for nobody.
fn go_on(function: &mut Function) {
    for block in &mut function.blocks {
        for inst in &mut block.insts {
            if let Op::Field(crate::ir::Field::Subgroup) = inst.op {
                inst.op = Op::Word(0);
            }
        }
        if let Terminator::Suspend(_, next) = block.terminator {
            block.terminator = Terminator::Jump(Edge::to(next));
        }
    }
    function.barriers = 0;
}

/// The phases, unless they have too many instructions.
fn phases(function: &Function) -> Option<Vec<Option<Phase>>> {
    let mut starts = vec![None; function.barriers as usize + 1];
    starts[0] = Some(Function::ENTRY);
    for block in &function.blocks {
        if let Terminator::Suspend(number, next) = block.terminator {
            *starts.get_mut(number as usize)? = Some(next);
        }
    }
    let size = |it: BlockId| function.block(it).insts.len() + 1;
    let all: usize = (0..function.blocks.len() as u32)
        .map(|it| size(BlockId(it)))
        .sum();
    let mut left = SMALL.max(all + all / 2);
    let mut seen = vec![usize::MAX; function.blocks.len()];
    let mut phases = Vec::with_capacity(starts.len());
    for (number, start) in starts.into_iter().enumerate() {
        let Some(start) = start else {
            phases.push(None);
            continue;
        };
        let mut phase = Phase {
            blocks: vec![start],
            ends: Vec::new(),
        };
        seen[start.index()] = number;
        let mut place = 0;
        while let Some(&block) = phase.blocks.get(place) {
            place += 1;
            left = left.checked_sub(size(block))?;
            let end = match &function.block(block).terminator {
                Terminator::Suspend(barrier, _) => Some(*barrier),
                Terminator::Return(crate::ir::Outcome::FINISHED) => Some(0),
                other => {
                    for next in other.successors() {
                        if std::mem::replace(&mut seen[next.index()], number) != number {
                            phase.blocks.push(next);
                        }
                    }
                    None
                }
            };
            phase.ends.extend(end.filter(|it| !phase.ends.contains(it)));
        }
        phases.push(Some(phase));
    }
    Some(phases)
}

/// Keeps what is kept, where that is to be done.
fn keep(function: &mut Function, across: &Across, offsets: &Offsets) {
    for &(value, block) in &across.kept {
        function.block_mut(block).insts.push(Inst {
            op: Op::Keep(offsets.of(value)),
            operands: smallvec::smallvec![value],
            result: None,
        });
    }
}
