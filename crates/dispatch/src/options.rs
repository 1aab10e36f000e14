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
#[non_exhaustive]
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
pub struct StuckInvocation {
    /// The workgroup, or the first pixel of the quad.
    pub group: UVec3,
    /// `local_invocation_index`, or the number of the fragment in its quad.
    pub member: u32,
    /// The time for which it has not yielded, at least.
    pub after: Duration,
}

impl fmt::Display for StuckInvocation {
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
    pub(crate) action: Arc<dyn Fn(StuckInvocation) + Send + Sync>,
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
    pub fn call_after(
        limit: Duration,
        action: impl Fn(StuckInvocation) + Send + Sync + 'static,
    ) -> Self {
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
///
/// ```
/// use anywarp_dispatch::{DispatchOptions, Schedule};
///
/// let options = DispatchOptions::default().threads(2).schedule(Schedule::Random(1));
/// options.workgroups((4, 1, 1), (64, 1, 1), |_| ())?;
/// # Ok::<(), anywarp_dispatch::DispatchError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
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
    /// Sets the number of threads, at most 1024; 0 uses as many as the machine has.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self {
            threads: NonZeroUsize::new(threads),
            ..self
        }
    }

    /// Sets the order of invocations.
    #[must_use]
    pub fn schedule(self, schedule: Schedule) -> Self {
        Self { schedule, ..self }
    }

    /// Runs only the workgroup, or the quad, of this invocation.
    #[must_use]
    pub fn only(self, invocation: UVec3) -> Self {
        Self {
            only: Some(invocation),
            ..self
        }
    }

    /// Reports invocations that never yield.
    #[must_use]
    pub fn watchdog(self, watchdog: Watchdog) -> Self {
        Self {
            watchdog: Some(watchdog),
            ..self
        }
    }

    /// Sets the stack size of each invocation in bytes; 0 is the default.
    #[must_use]
    pub fn stack_size(self, bytes: usize) -> Self {
        Self {
            stack_size: NonZeroUsize::new(bytes),
            ..self
        }
    }

    pub(crate) fn thread_count(&self) -> usize {
        let available = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = self.threads.map_or_else(available, NonZeroUsize::get);
        threads.min(MAX_THREADS)
    }
}
