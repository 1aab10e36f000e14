//! What a runner has done so far.

use crate::status::DeviceCounters;

/// Counts since the runner was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Batches taken.
    pub submitted: u64,
    /// Batches applied whose results were handed out.
    pub completed: u64,
    /// How often a batch came back skipped.
    pub skipped: u64,
    /// Batches given up by their owner.
    pub given_up: u64,
    /// Batches whose time was over.
    pub timed_out: u64,
    /// Batches that somebody waits for.
    pub pending: usize,
    /// Batches on the device, those given up included.
    pub in_flight: usize,
    /// The lock's own counters, as the latest batch saw them.
    pub device: DeviceCounters,
}

impl DeviceCounters {
    /// Takes over what a batch saw. Batches come back in another order than they ended, so a count may
    /// be older than what is known; counts only grow, modulo 2^32.
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
