//! Statistics of a runner.

use crate::status::DeviceCounters;

/// Counts since the runner was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Batches accepted.
    pub submitted: u64,
    /// Batches that were applied and whose results were delivered.
    pub completed: u64,
    /// How many times a batch was skipped.
    pub skipped: u64,
    /// Batches that were cancelled or reset.
    pub cancelled: u64,
    /// Batches that timed out.
    pub timed_out: u64,
    /// Batches without an outcome yet.
    pub pending: usize,
    /// Batches on the device, including cancelled ones.
    pub in_flight: usize,
    /// The lock's own counters, as read back with the latest batch.
    pub device: DeviceCounters,
}

impl DeviceCounters {
    /// Merges the counters that a batch read back. Batches may be read back in another order than
    /// they ended, so a counter may be older than the known one. Counters only grow, modulo 2^32.
    pub(crate) fn advance(&mut self, seen: Self) {
        let pairs = [
            (&mut self.collisions, seen.collisions),
            (&mut self.early, seen.early),
            (&mut self.spurious, seen.spurious),
            (&mut self.applied, seen.applied),
        ];
        for (known, seen) in pairs {
            if seen.wrapping_sub(*known) < 1 << 31 {
                *known = seen;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DeviceCounters;

    #[test]
    fn counts_only_grow_and_wrap_around() {
        let applied = |applied| DeviceCounters {
            applied,
            ..Default::default()
        };
        let mut known = applied(u32::MAX);
        known.advance(applied(u32::MAX - 1));
        assert_eq!(known, applied(u32::MAX));
        known.advance(applied(2));
        assert_eq!(known, applied(2));
    }
}
