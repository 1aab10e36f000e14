//! Subgroups: the lanes of a workgroup that work together, and what they do.
//!
//! A workgroup's invocations are cut into subgroups in the order of `local_invocation_index`: lane
//! `i % size` of subgroup `i / size`. The last subgroup has fewer lanes where the size does not
//! divide the workgroup; `subgroup_size` is the same in all of them.
//!
//! The *active* lanes of an operation are those that come to it together, as [`position`] says. What
//! WGSL leaves open has one answer here, so that a kernel gives the same results everywhere:
//! - Reductions and scans combine values in rising order of lanes, one after the other, also those
//!   of floats. An exclusive scan gives the first active lane 0 (a sum) or 1 (a product), and the
//!   second the first one's value itself.
//! - A gather from a lane that is inactive, or beyond the subgroup, gives zero.
//! - Each lane gathers from where its own operand says, also where WGSL wants all to say the same.
//!
//! Here: the size as a parameter, the operations as [`Instr::Collective`](crate::code::Instr) names
//! them. `schedule` lets lanes run and finds those that act together, `operate` does what they do.

mod operate;
mod position;
mod schedule;

use crate::code::Binary;

pub(crate) use schedule::Subgroups;

/// Lanes of a subgroup: a power of two from 4 to 128. 16 by default, which is a vector register of
/// AVX-512.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SubgroupSize(u8);

impl SubgroupSize {
    /// The least size: a quad.
    pub const MIN: u32 = 4;
    /// The greatest size: as many lanes as the result of a ballot has bits.
    pub const MAX: u32 = 128;

    /// A size, if it is one.
    ///
    /// ```
    /// use anywarp_interpret::SubgroupSize;
    /// assert_eq!(SubgroupSize::new(8).map(SubgroupSize::get), Some(8));
    /// assert_eq!(SubgroupSize::new(24), None);
    /// assert_eq!(SubgroupSize::default().get(), 16);
    /// ```
    pub const fn new(lanes: u32) -> Option<Self> {
        if lanes.is_power_of_two() && lanes >= Self::MIN && lanes <= Self::MAX {
            Some(Self(lanes as u8))
        } else {
            None
        }
    }

    /// The number of lanes.
    pub const fn get(self) -> u32 {
        self.0 as u32
    }
}

impl Default for SubgroupSize {
    fn default() -> Self {
        Self(16)
    }
}

/// What the active lanes of a subgroup do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collective {
    /// Nothing but wait for each other.
    Barrier,
    /// A bit for each active lane whose value is true, in four words: lane 0 is the lowest bit of
    /// the first.
    Ballot,
    /// The same as if every value were true.
    ActiveLanes,
    /// All values combined.
    Reduce(Binary),
    /// The values of this lane and of those before it combined.
    InclusiveScan(Binary),
    /// The values of the lanes before this one combined.
    ExclusiveScan(Binary),
    /// The value of another lane, or zero.
    Gather(Source),
}

/// From which lane a value comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The first active one.
    First,
    /// The one that the operand names.
    Lane,
    /// So many further up in number.
    Down,
    /// So many further down in number.
    Up,
    /// The own number with bits flipped.
    Xor,
    /// The one that the operand names among the four of this lane's quad.
    QuadLane,
    /// The own number with these bits flipped, which stay inside of the quad.
    QuadSwap(u8),
}
