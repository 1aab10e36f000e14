//! The resource oracle: how much one stage may take for an input of some length.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Bytes of input that have one share of time and memory.
const SHARE: usize = 64 << 10;

/// Builds without optimisation take several times as long, and check the vector code after every pass.
const SLOWDOWN: u32 = if cfg!(debug_assertions) { 4 } else { 1 };

/// What one stage of a body may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processor time of the whole process.
    pub time: Duration,
    /// Bytes of memory above those held before.
    pub bytes: u64,
}

impl Limits {
    /// The limits of one share of input: 5 s and 512 MB.
    pub const SHARE: Self = Self {
        time: Duration::from_secs(5 * SLOWDOWN as u64),
        bytes: 512 << 20,
    };

    /// The limits for an input, in proportion to its length beyond the first share.
    pub fn scaled_to(self, length: usize) -> Self {
        let shares = u32::try_from(length.div_ceil(SHARE).max(1)).unwrap_or(u32::MAX);
        Self {
            time: self.time.saturating_mul(shares),
            bytes: self.bytes.saturating_mul(u64::from(shares)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_inputs_have_one_share_and_large_ones_more() {
        let limits = Limits::SHARE;
        assert_eq!(limits.scaled_to(0), limits);
        assert_eq!(limits.scaled_to(SHARE), limits);
        assert_eq!(limits.scaled_to(SHARE + 1).bytes, 2 * limits.bytes);
    }
}
