//! Subgroups: scheduling of their lanes, and collective operations.
//!
//! A workgroup's invocations are divided into subgroups in the order of `local_invocation_index`: invocation `i` is
//! lane `i % size` of subgroup `i / size`. The last subgroup has fewer lanes if the size does not divide the
//! workgroup size; `subgroup_size` is the same in all of them.
//!
//! The *active* lanes of an operation are those that reconverge at it, as defined in [`convergence`]. Behaviour
//! that WGSL leaves open is fixed here, so that a kernel gives the same results everywhere:
//! - Reductions and scans combine values in ascending lane order, also floats. An exclusive scan gives the first
//!   active lane 0 (sum) or 1 (product), and the second the first one's value itself.
//! - A gather from a lane that is inactive, or outside the subgroup, gives zero.
//! - Each lane gathers from the lane that its own operand names, also where WGSL requires a uniform operand.
//!
//! This module has the subgroup size and the operations of [`Instr::Collective`](crate::bytecode::Instr).
//! `schedule` runs lanes and finds the active ones, `collective` executes the operation.

mod collective;
mod convergence;
mod schedule;

use crate::bytecode::Binary;

pub(crate) use schedule::Subgroups;

/// A collective operation of the active lanes of a subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collective {
    /// Execution barrier.
    Barrier,
    /// A bit for each active lane whose value is true, in four words: lane 0 is the lowest bit of the first word.
    Ballot,
    /// Like `Ballot` with every value true.
    ActiveLanes,
    /// Reduction of all values.
    Reduce(Binary),
    /// Reduction of the values of this lane and the preceding ones.
    InclusiveScan(Binary),
    /// Reduction of the values of the preceding lanes.
    ExclusiveScan(Binary),
    /// The value of another lane, or zero.
    Gather(GatherSource),
}

/// The lane from which a gather takes its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GatherSource {
    /// The first active lane.
    First,
    /// The lane with the index in the operand.
    Lane,
    /// The lane whose index is larger by the operand.
    Down,
    /// The lane whose index is smaller by the operand.
    Up,
    /// The lane's index with the operand's bits flipped.
    Xor,
    /// The lane of this quad with the index in the operand.
    QuadLane,
    /// The lane's index with these bits flipped, which stays inside the quad.
    QuadSwap(u8),
}
