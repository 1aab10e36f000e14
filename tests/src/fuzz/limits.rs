//! Resource limits: the time and memory that one stage may use for an input of a given length.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The bytes of input that one unit of the limits covers.
const SHARE: usize = 64 << 10;

/// Unoptimised builds take several times as long, and verify the vector IR after every pass.
const SLOWDOWN: u32 = if cfg!(debug_assertions) { 4 } else { 1 };

/// The limits of one stage of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processor time of the whole process.
    pub time: Duration,
    /// Bytes of memory in addition to those allocated before.
    pub bytes: u64,
}

impl Limits {
    /// The limits for one unit of input: 5 s and 512 MB.
    pub const SHARE: Self = Self {
        time: Duration::from_secs(5 * SLOWDOWN as u64),
        bytes: 512 << 20,
    };

    /// The limits for an input, in proportion to its length beyond the first unit.
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
