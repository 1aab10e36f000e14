//! The processor time of the calling thread; where there is no such clock, the time on the wall.
//!
//! Out: a time since some fixed moment, to be compared with others of the same thread. On a busy machine processor time
//! says how long a program ran, not how long it waited for its turn.

use std::time::Duration;

/// What the clock of this thread says.
#[cfg(unix)]
pub(super) fn now() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanoseconds)
}

/// What the clock on the wall says.
#[cfg(not(unix))]
pub(super) fn now() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}
