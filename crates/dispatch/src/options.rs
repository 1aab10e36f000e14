//! How a dispatch is run.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use glam::UVec3;

/// More threads than this are not started, whatever is wished.
const MOST_THREADS: usize = 1024;

/// In which order workgroups and invocations run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// First things first.
    #[default]
    InOrder,
    /// An order drawn from a seed, another after each barrier: what a program must not depend on.
    Random(u64),
}

/// An invocation that has not come to an end or to a barrier for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// The workgroup, or the first pixel of the quad.
    pub group: UVec3,
    /// `local_invocation_index`, or the number of the fragment in its quad.
    pub member: u32,
    /// For how long, at least.
    pub after: Duration,
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "invocation {} of workgroup {} has neither ended nor reached a barrier for {} s: does it wait for a sibling?",
            self.member,
            self.group,
            self.after.as_secs_f64()
        )
    }
}

/// Watches for invocations that never yield, such as one that spins until a sibling writes.
///
/// A thread that runs Rust code cannot be stopped from outside, so the watchdog can only tell.
#[derive(Clone)]
pub struct Watchdog {
    pub(crate) limit: Duration,
    pub(crate) action: Arc<dyn Fn(Stuck) + Send + Sync>,
}

impl Watchdog {
    /// Says which invocation is stuck on standard error and ends the process.
    pub fn abort_after(limit: Duration) -> Self {
        Self::call_after(limit, |stuck| {
            crate::watchdog::report(&stuck);
            std::process::abort();
        })
    }

    /// Calls `action`, once for each invocation that is stuck.
    pub fn call_after(limit: Duration, action: impl Fn(Stuck) + Send + Sync + 'static) -> Self {
        Self {
            limit,
            action: Arc::new(action),
        }
    }
}

impl fmt::Debug for Watchdog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watchdog")
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

/// Options of a dispatch; its methods are the dispatches that return a `Result`.
#[derive(Clone, Debug, Default)]
pub struct DispatchOptions {
    /// Threads to use, at most 1024; as many as the machine has if not given.
    pub threads: Option<NonZeroUsize>,
    /// The order of invocations.
    pub schedule: Schedule,
    /// Runs only the workgroup of the invocation with this `global_invocation_id`, or only the quad
    /// of this pixel: for a debugger.
    pub only: Option<UVec3>,
    /// Tells of invocations that never yield.
    pub watchdog: Option<Watchdog>,
    /// Bytes of stack for each invocation, at least 32 KiB; 256 KiB if not given. Memory is used
    /// only as far as the stack is.
    pub stack_size: Option<NonZeroUsize>,
}

impl DispatchOptions {
    pub(crate) fn thread_count(&self) -> usize {
        let available = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = self.threads.map_or_else(available, NonZeroUsize::get);
        threads.min(MOST_THREADS)
    }
}
