//! The cost model: the cost of an instruction, and costs of paths between polls.
//!
//! The unit of cost is about one cycle of a CPU core. Weights are on the high side of what an instruction takes with 8 or
//! 16 lanes. They need not be exact: a path of [`BUDGET`](super::BUDGET) units takes about a millisecond, and some ten
//! milliseconds where every access misses the caches.

use crate::ir::{AtomicOp, AtomicScope, F64Op, LaneBinary, LaneUnary, Op, Terminator, WordBinary};

/// The cost of a host call for each lane: texels are converted, and functions of 64-bit floats computed, one by one.
const HOST_CALL: u64 = 512;
/// Entering a function, and returning from it.
const CALL: u64 = 32;

/// The cost of an instruction; of a call without its callee, which counts the call as its own.
pub(super) fn weight(op: Op, lanes: u32) -> u64 {
    let each = u64::from(lanes);
    match op {
        Op::WordBinary(op) => integer(op),
        // Lanes are divided one by one, or via floats.
        Op::Binary(LaneBinary::Int(op)) | Op::Masked(LaneBinary::Int(op)) => match integer(op) {
            1 => 2,
            division => division * each / 2,
        },
        Op::Binary(LaneBinary::DivF) | Op::Masked(LaneBinary::DivF) => 24,
        Op::Binary(LaneBinary::ScaleF) | Op::Masked(LaneBinary::ScaleF) => 16,
        Op::Unary(op) => unary(op),
        Op::F64(F64Op::Div | F64Op::Sqrt, _) => 48,
        Op::F64(..) | Op::F64ToF32 => 8,
        Op::LoadWord(_) | Op::LoadPointer(_) | Op::LoadSplat(_) => 8,
        Op::LoadRow(_) | Op::StoreRow(_) | Op::StoreRowNonTemporal(_) => 16,
        // Each lane may miss all caches and the TLB.
        Op::Gather(_) | Op::Scatter(_) | Op::ScatterHalves(_) => 32 * each,
        Op::Atomic(op, sharing, _) => atomic(op, sharing) * each,
        Op::CompareExchange(sharing, _) => atomic(AtomicOp::Exchange, sharing) * each,
        Op::Atomic64(..) | Op::CompareExchange64(..) => 128 * each,
        Op::FrameStore(_) | Op::FrameLoad(_) | Op::FrameStoreAt(_) | Op::FrameLoadAt(_) => 4,
        Op::Call(..) => 0,
        op if op.is_cheap() => 1,
        _ => 2,
    }
}

fn integer(op: WordBinary) -> u64 {
    use WordBinary::{DivS, DivU, RemS, RemU};
    match op {
        DivU | DivS | RemU | RemS => 24,
        _ => 1,
    }
}

fn unary(op: LaneUnary) -> u64 {
    use LaneUnary::{CountOnes, FromU, LeadingZeros, Sqrt, ToS, ToU};
    match op {
        Sqrt => 24,
        CountOnes | FromU | LeadingZeros | ToS | ToU => 16,
        _ => 4,
    }
}

/// One lane of an atomic instruction; other cores may hold the cache line.
fn atomic(op: AtomicOp, sharing: AtomicScope) -> u64 {
    match (op, sharing) {
        (_, AtomicScope::Thread) => 8,
        (AtomicOp::AddF, AtomicScope::Threads) => 128,
        (_, AtomicScope::Threads) => 64,
    }
}

/// The cost of a terminator: a jump, and moves of the arguments.
pub(super) fn terminator(terminator: &Terminator) -> u64 {
    if let Terminator::Return(_) = terminator {
        return CALL;
    }
    let arguments = terminator.edges().map(|edge| edge.arguments.len());
    jump(arguments.max().unwrap_or(0))
}

/// The cost of a jump, given the number of its arguments.
pub(super) fn jump(arguments: usize) -> u64 {
    2 + arguments as u64
}

/// The poll distances of a piece of code (an instruction, a loop or a function): the costs of its longest paths without
/// a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PollDistances {
    /// The longest path from the entry without a poll.
    pub(super) first: u64,
    /// The longest path from the entry to the exit without a poll; `None` if every path polls.
    pub(super) through: Option<u64>,
    /// The longest path from a poll without another poll.
    pub(super) between: u64,
    /// The longest path from the last poll to the exit; `None` if no path polls.
    pub(super) last: Option<u64>,
}

impl PollDistances {
    /// Code without a poll.
    pub(super) fn without_poll(cost: u64) -> Self {
        Self {
            first: cost,
            through: Some(cost),
            between: 0,
            last: None,
        }
    }

    /// A host call, given the number of lanes of the vector code.
    pub fn host_call(lanes: u32) -> Self {
        Self::without_poll(HOST_CALL * u64::from(lanes))
    }

    /// The longest path without a poll.
    pub fn longest(&self) -> u64 {
        self.first.max(self.between)
    }
}

/// The costs of the paths that reach a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Path {
    /// The longest path from the entry without a poll; `None` if every path polls.
    pub(super) unpolled: Option<u64>,
    /// The longest path since the last poll; `None` if no path polls.
    pub(super) since_poll: Option<u64>,
}

impl Path {
    /// At the start of a loop iteration.
    pub(super) const START: Self = Self {
        unpolled: Some(0),
        since_poll: None,
    };

    /// Where a function is entered.
    pub(super) const ENTRY: Self = Self {
        unpolled: Some(CALL),
        since_poll: None,
    };

    /// At a poll.
    pub(super) const POLL: Self = Self {
        unpolled: None,
        since_poll: Some(0),
    };

    /// The join of two sets of paths that reach the same point.
    pub(super) fn join(self, other: Self) -> Self {
        Self {
            unpolled: self.unpolled.max(other.unpolled),
            since_poll: self.since_poll.max(other.since_poll),
        }
    }

    /// The longest path to this point without a poll.
    pub(super) fn longest(self) -> u64 {
        self.unpolled.max(self.since_poll).unwrap_or(0)
    }

    /// The longest path without a poll that ends in the next piece of code.
    pub(super) fn before(self, next: &PollDistances) -> u64 {
        self.longest().saturating_add(next.first)
    }

    /// The paths after the next piece of code.
    pub(super) fn then(self, next: &PollDistances) -> Self {
        let after = |cost: Option<u64>| Some(cost?.saturating_add(next.through?));
        Self {
            unpolled: after(self.unpolled),
            since_poll: after(self.since_poll).max(next.last),
        }
    }
}
