//! What a user can choose about the CPU adapter.

use std::num::NonZeroUsize;
use std::time::Duration;

use anywarp_cpu::ExecutorOptions;

/// How the CPU adapter runs programs.
///
/// ```
/// use std::time::Duration;
/// let instance = anywarp_adapter::instance_with(anywarp_adapter::AdapterOptions {
///     threads: std::num::NonZeroUsize::new(2),
///     watchdog: Duration::from_millis(200),
///     ..Default::default()
/// });
/// # drop(instance);
/// ```
#[derive(Clone, Debug)]
pub struct AdapterOptions {
    /// Threads on which each device runs workgroups; as many as there are cores by default, and
    /// 1024 at most.
    pub threads: Option<NonZeroUsize>,
    /// Time that one workgroup may take before it counts as endless and the device is lost. Ten
    /// seconds by default.
    pub watchdog: Duration,
    /// Loop iterations that one workgroup may spend, all its invocations together, before it counts
    /// as endless. Unlike time this does not depend on the machine. No limit by default.
    pub loop_iterations: Option<u64>,
}

impl Default for AdapterOptions {
    fn default() -> Self {
        Self {
            threads: None,
            watchdog: Duration::from_secs(10),
            loop_iterations: None,
        }
    }
}

impl AdapterOptions {
    pub(crate) fn executor(&self) -> ExecutorOptions {
        ExecutorOptions {
            threads: self.threads,
            workgroup_time: Some(self.watchdog),
            workgroup_iterations: self.loop_iterations,
        }
    }
}
