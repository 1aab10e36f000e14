//! Divides the memory limit of a launch among its workgroups.
//!
//! In: a program, a launch and its grid. Out: how many workgroups may be resident, the budget for
//! growing, and whether threads are reused. What always holds: the initial memory of a resident
//! workgroup is never available to the growth of another.

use crate::bytecode::{Bytecode, Host, Instruction, Op};
use crate::runtime::{Footprint, Grid, Launch};

use super::budget::MemoryBudget;
use super::schedule::WorkgroupLimits;

/// Bytes that suspended workgroups may occupy before no more are started.
const MAX_SUSPENDED_BYTES: u64 = 1 << 30;

/// How the memory limit of a launch is divided.
pub(super) struct MemoryPlan {
    pub(super) limits: WorkgroupLimits,
    /// The budget for the growth of all threads.
    pub(super) growth: MemoryBudget,
    pub(super) reuse: Reuse,
}

/// What a core keeps of a workgroup that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reuse {
    /// Its threads.
    Group,
    /// Nothing, since memory is scarce.
    Nothing,
}

impl MemoryPlan {
    /// Divides the launch's memory limit: how many workgroups may be resident, and the budget for
    /// growing. The initial memory of a resident workgroup is never available to the growth of
    /// another.
    pub(super) fn new(program: &Bytecode, launch: &Launch, grid: &Grid) -> Self {
        let footprint = Footprint::new(program, launch.memory);
        let group = footprint.group(grid);
        let stacks = 4 * u64::from(launch.stack_slots) + 4096;
        let with_stacks = group + stacks * u64::from(grid.group_threads());
        let cores = rayon::current_num_threads() as u64;
        let remaining = footprint.remaining_bytes(launch.max_total_pages);
        let fitting = remaining / group.max(1);
        let groups = u64::from(grid.groups());
        let wanted = (MAX_SUSPENDED_BYTES / with_stacks).max(cores).min(groups);
        // Each core may keep the threads of a workgroup for reuse by the next one, if there is a
        // next one.
        let (reuse, kept) = if wanted == groups && groups <= fitting {
            (Reuse::Group, 0)
        } else if fitting >= 2 * cores {
            (Reuse::Group, cores)
        } else {
            (Reuse::Nothing, 0)
        };
        // At least one fits, which was checked.
        let active = wanted.min(fitting - kept).max(1);
        // Workgroups that wait for work items keep their memory, in addition to those that run.
        let resident = if waits_for_work(program) {
            groups.min(fitting - kept).max(1)
        } else {
            active
        };
        let growth = remaining.saturating_sub((resident + kept) * group);
        let count = |groups: u64| usize::try_from(groups).unwrap_or(usize::MAX);
        Self {
            limits: WorkgroupLimits {
                active: count(active),
                resident: count(resident),
                out_of_memory: footprint.too_large(grid.threads, launch.max_total_pages),
            },
            growth: MemoryBudget::new(growth),
            reuse,
        }
    }
}

/// Whether a program contains `queue_pop`.
fn waits_for_work(program: &Bytecode) -> bool {
    let mut at = 0;
    while let Ok(instruction) = Instruction::read(&program.code, at) {
        let pop = Host::QueuePop as u16;
        if instruction.op == Op::Host && instruction.number() == pop {
            return true;
        }
        at += instruction.words();
    }
    false
}
