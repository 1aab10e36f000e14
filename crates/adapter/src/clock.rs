//! The clock of timestamp queries: nanoseconds since its first use in the process.

use std::sync::OnceLock;
use std::time::Instant;

/// Monotone, the same for all devices, and never zero (which means "not written").
pub(crate) fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let elapsed = START.get_or_init(Instant::now).elapsed();
    u64::try_from(elapsed.as_nanos()).map_or(u64::MAX, |nanoseconds| nanoseconds.saturating_add(1))
}
