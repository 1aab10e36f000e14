//! The CPU time of the calling thread; wall-clock time on systems without such a clock.
//!
//! Out: the time since an arbitrary moment, to be compared with other values of the same thread. On
//! a busy system CPU time measures how long a program ran, without the time it waited for a core.

use std::time::Duration;

/// The CPU time of this thread.
#[cfg(unix)]
pub(super) fn now() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanoseconds)
}

/// The wall-clock time.
#[cfg(not(unix))]
pub(super) fn now() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}
