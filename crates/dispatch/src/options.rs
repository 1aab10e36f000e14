//! Options of a dispatch: threads, schedule, watchdog, stack size.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use glam::UVec3;

/// The maximum number of threads, whatever the options request.
const MAX_THREADS: usize = 1024;

/// The order in which workgroups and invocations run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// In the order of their indices.
    #[default]
    InOrder,
    /// A pseudo-random order from a seed, different after each barrier. It exposes programs that
    /// depend on an order.
    Random(u64),
}

/// An invocation that has reached neither its end nor a barrier for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// The workgroup, or the first pixel of the quad.
    pub group: UVec3,
    /// `local_invocation_index`, or the number of the fragment in its quad.
    pub member: u32,
    /// The time for which it has not yielded, at least.
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

/// Detects invocations that never yield, such as one that spins until another invocation of its
/// workgroup writes.
///
/// A thread that runs Rust code cannot be stopped from outside, so the watchdog can only report.
#[derive(Clone)]
pub struct Watchdog {
    pub(crate) limit: Duration,
    pub(crate) action: Arc<dyn Fn(Stuck) + Send + Sync>,
}

impl Watchdog {
    /// Prints the stuck invocation on standard error and aborts the process.
    pub fn abort_after(limit: Duration) -> Self {
        Self::call_after(limit, |stuck| {
            crate::watchdog::report(&stuck);
            std::process::abort();
        })
    }

    /// Calls `action` once for each stuck invocation.
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

/// Options of a dispatch. Its methods run dispatches and return a `Result`.
#[derive(Clone, Debug, Default)]
pub struct DispatchOptions {
    /// The number of threads, at most 1024. `None` uses as many as the machine has.
    pub threads: Option<NonZeroUsize>,
    /// The order of invocations.
    pub schedule: Schedule,
    /// Runs only the workgroup of the invocation with this `global_invocation_id`, or only the quad
    /// of this pixel; useful in a debugger.
    pub only: Option<UVec3>,
    /// Reports invocations that never yield.
    pub watchdog: Option<Watchdog>,
    /// Stack size of each invocation in bytes, at least 32 KiB. `None` means 256 KiB. Pages become
    /// resident only when they are touched.
    pub stack_size: Option<NonZeroUsize>,
}

impl DispatchOptions {
    pub(crate) fn thread_count(&self) -> usize {
        let available = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = self.threads.map_or_else(available, NonZeroUsize::get);
        threads.min(MAX_THREADS)
    }
}
